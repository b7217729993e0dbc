"""How a case is shown: its words, columns, tables and figures. All have defaults.

A case's module of words defines PRESENTATION. Only reports import the module that it names in
`figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from watari.case.axis import Parameters
from watari.common.units import format_size
from watari.results.measured import Measured, drawable
from watari.results.statistics import WHOLE, Summary, Trial, summaries, summary


@dataclass(frozen=True)
class Table:
    """A table of a case's own, in the report. `under` names the figure above it; without one the
    table has a section of its own."""

    name: str
    title: str
    says: str
    columns: tuple[str, ...]  # the first names the case
    rows: list[dict[str, str]] = field(default_factory=list)  # by column, and `run`
    under: str = ""


def in_numbers(
    case: str,
    title: str,
    says: str,
    row: Callable[[Measured, Sequence[Measured]], dict[str, str]],
    under: str = "",
) -> Callable[[Sequence[Measured]], list[Table]]:
    """Makes the table of all cases of this name that ran. `row` returns the texts of one case by
    column; it gets all cases, too."""

    def tables(cases: Sequence[Measured]) -> list[Table]:
        texts = [(m, row(m, cases)) for m in drawable(cases, case)]
        rows = [{"run": m.run, **columns} for m, columns in texts]
        return [Table(case, title, says, tuple(texts[0][1]), rows, under)] if rows else []

    return tables


def plain_words(case: str, parameters: Parameters) -> str:
    """Every parameter but the size."""
    return ", ".join(f"{k}={v}" for k, v in parameters.items() if k != "size")


def plain_extent(parameters: Parameters) -> str:
    """Bytes of one array."""
    size = parameters.get("size")
    return format_size(size) if type(size) is int and size > 0 else ""


def spread(times: Summary) -> str:
    """The spread between trials; empty for one trial."""
    return f"{times.spread:.1%}" if times.trials > 1 else ""


def plain_columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Median rate over trials and its spread from trial to trial; of the fastest phase."""
    by_phase = summaries(m.trials)
    if not by_phase:
        return {"median": "", "spread": ""}
    part, times = min(by_phase.items(), key=lambda item: item[1].median)
    phase = "" if part == WHOLE else f" ({part})"
    if not m.bytes_per_sample or not times.median:
        return {"median": f"{times.median:.3g} s{phase}", "spread": spread(times)}
    rate = m.bytes_per_sample / times.median / 1e9
    return {"median": f"{rate:.4g} GB/s{phase}", "spread": spread(times)}


def spread_of(levels: Sequence[float]) -> str:
    """The spread between trials that have one number each."""
    return spread(summary([[level] for level in levels])) if levels else ""


def gigabytes_per_second(seconds: float, size: int) -> float:
    """The rate of a sample that moves `size` bytes, in GB/s."""
    return size / seconds / 1e9


@dataclass(frozen=True)
class Presentation:
    """The functions that show a case."""

    words: Callable[[str, Parameters], str] = plain_words  # a case without its size
    extent: Callable[[Parameters], str] = plain_extent  # its size in words
    # columns of its line in the summary, by title; it gets all cases of the file, too
    columns: Callable[[Measured, Sequence[Measured]], dict[str, str]] = plain_columns
    # unit and value of a sample, from its seconds and bytes: progress lines, table of all cases
    unit: str = "GB/s"
    value: Callable[[float, int], float] = gigabytes_per_second
    # the parts of a series that `watari compare` judges, and those that depend on its length
    compared: Callable[[Iterable[Trial]], dict[str, Summary]] = summaries
    of_length: tuple[str, ...] = ()
    tables: Callable[[Sequence[Measured]], list[Table]] = lambda cases: []
    # a case in the terms of an equivalent one, so that both are shown side by side
    alike: Callable[[Measured], Measured] = lambda m: m
    plain: Callable[[Measured], bool] = lambda m: True  # no special parameters
    figures: str = ""  # module with FIGURES
    answer: str = ""  # module with answer(): where data should live, by the cases of one run


PRESENTATION = Presentation()
