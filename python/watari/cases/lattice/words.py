"""Case lattice in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, Table, plain_columns
from watari.common.units import format_duration
from watari.results.measured import Measured, drawable

SAYS = (
    "Medians over trials. TFLOPS as the benchmark counts: 8688 an even site and step of BiCGStab, "
    "1896 an even site in one hop with the inverse of the clover term. TB/s of the hop are its "
    "least bytes over its time."
)
COLUMNS = (
    "Case",
    "Lattice",
    "TFLOPS, solver",
    "TFLOPS, hop",
    "TB/s, hop",
    "TB/s, steps",
    "Iterations",
    "log det",
    "Norm²",
    "Residual",
    "First step",
    "Loop, s",
    "Outside, s",
)


def words(case: str, parameters: Parameters) -> str:
    """`explicit, double, 18 links, tuned kernel`."""
    rhs = parameters.get("rhs", 1)
    parts = [
        parameters["style"],
        parameters["precision"],
        "" if parameters["links"] == 18 else f"links of {parameters['links']}",
        "" if rhs == 1 else f"{rhs} right-hand sides",
        "" if parameters["kernel"] == "tuned" else f"{parameters['kernel']} kernel",
        "on the CPU" if parameters["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part)


def value(m: Measured, name: str) -> float:
    """The median of a quantity over trials."""
    return float(median(trial["quantities"][name]["value"] for trial in m.trials))


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The rate of the whole solve."""
    if not m.drawn:
        return plain_columns(m, cases)
    spread = plain_columns(m, cases)["spread"]
    return {"median": f"{value(m, 'flops_per_s') / 1e9:.4g} GFLOPS", "spread": spread}


def row(m: Measured) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    steps = [times for trial in m.trials for times in trial["host_s"][1:] or trial["host_s"]]
    rate = m.bytes_per_sample / median(steps) / 1e12 if m.bytes_per_sample else 0
    texts = (
        words(m.case, m.parameters),
        m["lattice"],
        f"{value(m, 'flops_per_s') / 1e12:.4g}",
        f"{value(m, 'hop_flops_per_s') / 1e12:.4g}",
        f"{value(m, 'hop_bytes_per_s') / 1e12:.4g}",
        f"{rate:.4g}",
        f"{value(m, 'iterations'):.0f}",
        f"{value(m, 'log_det'):.13g}",
        f"{value(m, 'norm2'):.13g}",
        f"{value(m, 'residual'):.2g}",
        format_duration(median(trial["host_s"][0] for trial in m.trials)),
        f"{value(m, 'loop'):.3g}",
        f"{value(m, 'outside_loop'):.3g}",
    )
    return {"run": m.run, **dict(zip(COLUMNS, texts, strict=True))}


def tables(cases: Sequence[Measured]) -> list[Table]:
    """Every case that ran."""
    rows = [row(m) for m in drawable(cases, "lattice")]
    return [Table("lattice", "Lattice QCD in numbers", SAYS, COLUMNS, rows)] if rows else []


PRESENTATION = Presentation(
    words=words,
    extent=lambda parameters: str(parameters["lattice"]),
    columns=columns,
    tables=tables,
)
