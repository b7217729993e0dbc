"""Rates of CPU cores against their byte floor: the files of `floors` (gpu_jobs.sh) in one table.

python3 scripts/gpu/floors.py FOLDER CASE QUANTITY

Rates of a memory vary from minute to minute: so copies, STREAM's triad and the case ran in turn,
and the ratios are of medians. All count bytes read and written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

import watari.cases  # noqa: F401  results are checked by them
from watari.results import schema

GIB = 2**30


def copies(folder: Path) -> list[float]:
    """Bytes a second of case `copy`, the median of each run."""
    runs = [schema.read(file) for file in sorted(folder.glob("floor-copy-*.json"))]
    trials = [trial for run in runs for case in run.cases for trial in case.trials]
    return [2 * GIB / median(trial.host_s) for trial in trials if trial.host_s]


def stream(folder: Path, column: int, arrays: int) -> list[float]:
    """The same for STREAM's loops: copy has two arrays, triad three."""
    files = [file.read_text().splitlines() for file in sorted(folder.glob("floor-stream-*.txt"))]
    seconds = [[float(line.split()[column]) for line in lines] for lines in files if lines]
    return [arrays * GIB / median(run) for run in seconds]


def quantity(folder: Path, case: str, name: str) -> list[float]:
    """A quantity of all trials of a case."""
    runs = [schema.read(file) for file in sorted(folder.glob(f"floor-{case}-*.json"))]
    trials = [trial for run in runs for each in run.cases for trial in each.trials]
    return [trial.quantities[name].value for trial in trials if name in trial.quantities]


def line(name: str, rates: list[float]) -> str:
    """`copy   73.7 94.1 78.1, median 78.1 GB/s`."""
    each = " ".join(f"{rate / 1e9:.1f}" for rate in rates)
    return f"{name:14s} {each}, median {median(rates) / 1e9:.1f} GB/s"


def main(folder: Path, case: str, name: str) -> None:
    floors = {
        "copy": copies(folder),
        "STREAM copy": stream(folder, 0, 2),
        "STREAM triad": stream(folder, 1, 3),
    }
    reached = quantity(folder, case, name)
    for each, rates in {**floors, case: reached}.items():
        if rates:
            print(line(each, rates))
    for floor, known in floors.items():
        if reached and known:
            print(f"{case} over {floor}: {median(reached) / median(known):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
