"""The cost of the preloaded library: an allocation with its release, and the start of a program.

Measured on the driver without a GPU, without and with the library in turn; the least CPU time.

    python tests/attach/cost.py build/test
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS, ROUNDS = 100_000, 7


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """CPU time of one run: other programs on the machine do not change it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints both costs."""
    build = Path(sys.argv[1]).resolve()
    program = str(build / "tests/attach/programs/linked")
    plain = {**os.environ, "LD_LIBRARY_PATH": str(build / "tests/emulator/cuda")}
    library = str(build / "src/attach/preload/libwatari_preload.so")
    least = {}
    for name, words in (("many", ["many", str(PAIRS)]), ("one", ["device", "4096"])):
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as log:
                recorded = {**plain, "LD_PRELOAD": library, "WATARI_ATTACH_LOG": log}
                for which, environment in (("without", plain), ("with", recorded)):
                    took = seconds([program, *words], environment)
                    least[name, which] = min(took, least.get((name, which), took))
    pair = (least["many", "with"] - least["many", "without"]) / PAIRS
    start = least["one", "with"] - least["one", "without"]
    print(f"an allocation with its release: {pair * 1e9:.0f} ns; a start: {start * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
