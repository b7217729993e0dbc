"""Case gemm in words, and in numbers beside its floor."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, plain_columns
from watari.cases.gemm.axes import extent
from watari.cases.gemm.numbers import columns
from watari.common.units import format_size
from watari.results.measured import Measured


def words(case: str, parameters: Parameters) -> str:
    """`gpu, tiles of 2048 in 8 GiB, double, tiled, each product reads, ram, beta 1, 4 threads`."""
    threads = parameters["threads"]
    parts = [
        parameters["engine"],
        f"tiles of {parameters['tile']} in {format_size(parameters['fast-memory'])}",
        "" if parameters["precision"] == "single" else parameters["precision"],
        "" if parameters["layout"] == "row-major" else parameters["layout"],
        "" if parameters["schedule"] == "reuse" else "each product reads",
        parameters["store"],
        f"{parameters['files']} SSDs" if parameters["files"] > 1 else "",
        *(f"{name} {parameters[name]:g}" for name in ("alpha", "beta") if parameters[name] != 1),
        f"{threads} thread{'s' if threads > 1 else ''}",
        "on the CPU" if parameters["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part and part != "beta 0")


def summary(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The numbers, and the spread from trial to trial."""
    texts = columns(m.flops_per_sample, m.trials if m.drawn else [])
    return {**texts, "spread": plain_columns(m, cases)["spread"]}


PRESENTATION = Presentation(
    words=words, extent=extent, columns=summary, figures="watari.cases.gemm.figures"
)
