"""Kills a product of files before it is complete and resumes it, through the command.

    python3 scripts/resume.py [FOLDER]

The processor is the default of `watari gemm` here. The same product without a kill must have the
same bits. Prints one line, or the reason of a failure, with exit code 1.
"""

from __future__ import annotations

import array
import filecmp
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIDES = (1024, 2048, 4096, 8192, 16384)  # the first that lasts long enough to be killed
LIMIT = 1800.0  # seconds of one product, for one that hangs
TILE = 128  # small: many tiles are completed before the end


def save(path: Path, side: int, seed: int) -> None:
    """A square matrix of small whole numbers, as numpy.save writes it, without NumPy."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({side}, {side}), }}"
    values = [-2.0, -1.0, 1.0, 2.0, 3.0]
    row = array.array("f", (values[(seed * i * i + i) % 5] for i in range(side + 5)))
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117).encode() + b"\n")
        for i in range(side):
            first = i * seed % 5
            file.write(row[first : first + side].tobytes())


def command(folder: Path, output: str) -> list[str]:
    words = [sys.executable, "-m", "watari", "gemm", str(folder / "A.npy"), str(folder / "B.npy")]
    return [*words, "-o", str(folder / output), "--fast-memory", "8MiB", "--tile", str(TILE)]


def completed(journal: Path) -> int:
    """The number of tiles in a journal."""
    lines = journal.read_text().splitlines() if journal.exists() else []
    return sum(len(line.split()) // 3 for line in lines if line.startswith("tiles "))


def killed(folder: Path, side: int) -> bool:
    """Whether a product was killed when some of its tiles, and not all, were in the journal."""
    journal = folder / "C.npy.partial.journal"
    with (folder / "killed.txt").open("w") as output:
        process = subprocess.Popen(command(folder, "C.npy"), stdout=output, stderr=output)
        try:
            while process.poll() is None:
                if completed(journal) > 0:
                    process.send_signal(signal.SIGKILL)
                time.sleep(0.01)
        finally:
            process.kill()
    return 0 < completed(journal) < (side // TILE) ** 2


def finished(folder: Path, output: str) -> str:
    """The output of the command. Raises SystemExit if it fails."""
    try:
        done = subprocess.run(
            command(folder, output), capture_output=True, text=True, timeout=LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"resume: no end after {LIMIT:g} s")
    if done.returncode != 0:
        sys.exit(f"resume: exit code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    within = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=within) as scratch:
        folder = Path(scratch)
        for side in SIDES:
            for left in folder.iterdir():
                left.unlink()
            save(folder / "A.npy", side, 3)
            save(folder / "B.npy", side, 2)
            if killed(folder, side):
                break
        else:
            sys.exit("resume: every product was over before its first tiles were in the journal")
        output = finished(folder, "C.npy")
        already = next((line for line in output.splitlines() if "completed already" in line), "")
        if not already:
            sys.exit(f"resume: nothing was resumed: {output}")
        finished(folder, "whole.npy")
        if not filecmp.cmp(folder / "C.npy", folder / "whole.npy", shallow=False):
            sys.exit("resume: the product that was resumed has other bits than a whole one")
        print(f"killed and resumed: {side} x {side}, {already}, the same bits as a whole product")


if __name__ == "__main__":
    main()
