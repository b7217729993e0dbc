"""Result files for docs/numbers/: a case by its parameters, its quantities and series.

Each file that is read is remembered in `opened`: recompute.py checks that the page cites it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import watari.cases  # noqa: F401  result files are checked by them
from watari.results import schema
from watari.results.measured import Measured, measurements

RESULTS = Path(__file__).parents[1] / "results"
SHOWN = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"  # a number, as pages and text files show it


class NoSuchKeyError(Exception):
    """A key that no case or several cases of a file have."""


@dataclass(frozen=True)
class Run:
    """A result file of `watari run`."""

    file: str
    cases: list[Measured]

    def all(self, case: str, **parameters: Any) -> list[Measured]:
        """The cases of this name with these parameters (`cpu_touch` stands for axis
        `cpu-touch`, `from_` for `from`)."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in parameters.items()}
        return [
            m
            for m in self.cases
            if m.case == case and all(m[name] == value for name, value in wanted.items())
        ]

    def case(self, case: str, **parameters: Any) -> Measured:
        """The only such case. Raises NoSuchKeyError if there is none, or several."""
        matching = self.all(case, **parameters)
        if len(matching) != 1:
            differing = {
                name: values
                for name in (matching[0].parameters if matching else {})
                if len(values := {str(m[name]) for m in matching}) > 1
            }
            raise NoSuchKeyError(
                f"{self.file}: {len(matching)} cases {case} {parameters}: {differing}"
            )
        return matching[0]


@dataclass(frozen=True)
class Text:
    """A text file of results. The key of a number is the words of its line."""

    file: str
    lines: list[str]

    def line(self, words: str) -> list[float]:
        """The numbers behind these words in the only line that has them."""
        key = re.compile(rf"(?<!\w){re.escape(words)}")
        matching = [line for line in self.lines if key.search(line)]
        if len(matching) != 1:
            raise NoSuchKeyError(f"{self.file}: {len(matching)} lines with '{words}'")
        return [float(n) for n in re.findall(SHOWN, matching[0].partition(words)[2])]


opened: set[str] = set()


def path(file: str) -> Path:
    """A file below results/; the page must cite it."""
    opened.add(file)
    return RESULTS / file


@cache
def _run(file: str) -> Run:
    return Run(file, measurements([schema.read(RESULTS / file)]))


def results(file: str) -> Run:
    """A result file, by its path below results/."""
    path(file)
    return _run(file)


def newest(name: str) -> str:
    """The newest result file of this name, such as `himeno-fortran`, by its path below results/; empty
    for none."""
    found = RESULTS.glob(f"*/*-{name}.json")
    by_date = sorted(found, key=lambda path: path.name)
    return str(by_date[-1].relative_to(RESULTS)) if by_date else ""


def data(file: str) -> Any:
    """A JSON file of another kind: a trace, a probe, fio's."""
    return json.loads(path(file).read_text())


def text(file: str) -> Text:
    """A text file."""
    return Text(file, path(file).read_text().splitlines())


def trials(m: Measured, quantity: str) -> list[float]:
    """A quantity of each trial."""
    return [float(trial["quantities"][quantity]["value"]) for trial in m.trials]


def series(m: Measured, name: str) -> list[list[float]]:
    """`host_s`, `device_s` or another series: all samples, a list for each trial."""
    return [list(trial[name] if name in trial else trial["series"][name]) for trial in m.trials]


def middle(m: Measured, name: str) -> float:
    """The median over trials of the median of a series."""
    return median(median(samples) for samples in series(m, name))
