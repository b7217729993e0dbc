"""Case storage in words, and in the numbers that users of fio know."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.storage.numbers import columns, model_error
from watari.common.units import format_size
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. CPU time: of the whole process, with the threads that serve queues. GPU "
    "time: of kernels and copies, between device events. Direct: blocks bypassed the page cache, "
    "and this was checked."
)


def words(case: str, parameters: Parameters) -> str:
    """`uring, random read of 4 KiB, depth 32, 2 threads, cold page cache, 4 files, to gpu`."""
    cache, files = parameters["cache"], parameters["files"]
    parts = [
        parameters["engine"],
        f"{parameters['pattern']} {parameters['direction']} of {format_size(parameters['block'])}",
        "open loop" if parameters["loop"] == "open" else "",
        f"depth {parameters['depth']}",
        f"{parameters['threads']} thread{'s' if parameters['threads'] > 1 else ''}",
        "" if cache == "none" else f"{cache} page cache",
        f"{files} files" if files > 1 and parameters["store"] == "file" else "",
        f"of {parameters['file']}" if parameters["file"] else "",
        "" if parameters["store"] == "file" else parameters["store"],
        "" if parameters["store"] == "file" or files == 1 else f"{files} SSDs",
        "" if parameters["fault"] == "none" else f"fault: {parameters['fault']}",
        "" if parameters["processor"] == "cpu" else f"memory of {parameters['processor']}",
    ]
    return ", ".join(part for part in parts if part)


def summary(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The numbers, and the spread from trial to trial."""
    return {**columns(m), **model_error(m), "spread": plain_columns(m, cases)["spread"]}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    return {"Case": words(m.case, m.parameters), **columns(m), **model_error(m)}


PRESENTATION = Presentation(
    words=words,
    columns=summary,
    tables=in_numbers("storage", "Storage in numbers", SAYS, row),
    figures="watari.cases.storage.figures",
    answer="watari.cases.storage.answer",
)
