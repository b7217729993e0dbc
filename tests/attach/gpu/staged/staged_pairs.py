"""Whole programs with and without `staged`, in turn: staged_pairs.py FOLDER PAIRS

A row for each program: the median of its seconds, and of what `staged` added to them in
each pair; how many pairs it made slower; medians of what the program says of its copies."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = (
    "whole 40 16",
    "whole 5 17",
    "whole 2 64",
    "whole 10 16 fresh",
    "rates 64 1 2 3 4",
)


def run(folder: Path, command: str, staged: bool) -> tuple[float, str]:
    changed = {"WATARI_CHANGES": "staged", "LD_PRELOAD": str(folder / "libwatari_preload.so")}
    name, *words = command.split()
    begun = time.monotonic()
    done = subprocess.run(
        [folder / name, *words],
        env={**os.environ, **(changed if staged else {})},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.monotonic() - begun, done.stdout


def loops(output: list[str]) -> str:
    """Milliseconds of the loop of `whole`, GB/s of each size and direction of `rates`."""
    seen: dict[str, list[float]] = {}
    for text in output:
        for line in text.splitlines():
            words = line.split()
            key = "ms" if words[0] == "sum" else " ".join(words[:2])
            seen.setdefault(key, []).append(float(words[3] if words[0] == "sum" else words[2]))
    return ", ".join(f"{key} {statistics.median(values):.4g}" for key, values in seen.items())


def main(folder: Path, pairs: int) -> None:
    for command in PROGRAMS:
        by_driver: list[tuple[float, str]] = []
        staged: list[tuple[float, str]] = []
        for turn in range(pairs):
            for way in (False, True) if turn % 2 else (True, False):
                (staged if way else by_driver).append(run(folder, command, way))
        added = [one[0] - other[0] for one, other in zip(staged, by_driver, strict=True)]
        before = statistics.median(seconds for seconds, _ in by_driver)
        print(
            f"{command}: driver {before:.4f} s, added {statistics.median(added):+.4f} s "
            f"({100 * statistics.median(added) / before:+.1f}%), slower in "
            f"{sum(one > 0 for one in added)} of {pairs}"
        )
        print("    driver:", loops([text for _, text in by_driver]))
        print("    staged:", loops([text for _, text in staged]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
