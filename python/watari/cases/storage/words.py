"""Case storage in words, and in the numbers that users of fio know."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, Table, plain_columns
from watari.cases.storage.numbers import COLUMNS, columns
from watari.common.units import format_size
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. CPU time is that of the whole process, threads that serve queues "
    "included; GPU time what kernels and copies took, between device events. Direct: past the "
    "page cache, and checked to be."
)


def words(case: str, parameters: Parameters) -> str:
    """`uring, random read of 4 KiB, depth 32, 2 threads, cold page cache, 4 files, to gpu`."""
    cache, files = parameters["cache"], parameters["files"]
    parts = [
        parameters["engine"],
        f"{parameters['pattern']} {parameters['direction']} of {format_size(parameters['block'])}",
        f"depth {parameters['depth']}",
        f"{parameters['threads']} thread{'s' if parameters['threads'] > 1 else ''}",
        "" if cache == "none" else f"{cache} page cache",
        f"{files} files" if files > 1 else "",
        "" if parameters["store"] == "file" else parameters["store"],
        "" if parameters["fault"] == "none" else f"fault: {parameters['fault']}",
        "" if parameters["processor"] == "cpu" else f"memory of {parameters['processor']}",
    ]
    return ", ".join(part for part in parts if part)


def summary(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The numbers, and the spread from trial to trial."""
    return {**columns(m), "spread": plain_columns(m, cases)["spread"]}


def tables(cases: Sequence[Measured]) -> list[Table]:
    """Every case that ran."""
    drawn = [m for m in cases if m.case == "storage" and m.drawn]
    rows = [{"run": m.run, "Case": words(m.case, m.parameters), **columns(m)} for m in drawn]
    if not rows:
        return []
    return [Table("storage", "Storage in numbers", SAYS, ("Case", *COLUMNS), rows)]


PRESENTATION = Presentation(
    words=words,
    columns=summary,
    tables=tables,
    figures="watari.cases.storage.figures",
    answer="watari.cases.storage.answer",
)
