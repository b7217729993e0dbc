"""Case kernel in words and numbers: the first launch, the settled ones, and what came before."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.kernel import check, files
from watari.common.units import format_duration, format_size, format_speed
from watari.results import statistics
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. Rates count the bytes that the source declares. First: the first launch, "
    "in which pages may move. Settled: the median of the last quarter of the launches. Before: "
    "copies to device memory, or prefetches."
)
SETUP = ("transfer_in", "prefetch")


def memory(p: Parameters) -> str:
    """Memory and hint: `managed, prefetch`."""
    return str(p["memory"]) if p["hint"] == "none" else f"{p['memory']}, {p['hint']}"


def special(p: Parameters) -> str:
    """Unusual first touches in words."""
    usual = "gpu" if p["memory"] == "device" else "cpu"
    parts = [
        "" if p["inputs"] == "cpu" else "GPU touched the inputs",
        "" if p["outputs"] == usual else f"{p['outputs'].upper()} touched the outputs",
    ]
    return ", ".join(part for part in parts if part)


def words(case: str, p: Parameters) -> str:
    """`saxpy of saxpy.cu in managed memory by GPU`."""
    text = f"{p['kernel']} of {files.name_of(p['source'])} in {p['memory']} memory"
    hint = "" if p["hint"] == "none" else p["hint"]
    verdict = "" if p["check"] == check.NONE else f"checked by {check.named(p['check'])}"
    parts = (f"{text} by {p['processor'].upper()}", hint, special(p), verdict)
    return ", ".join(part for part in parts if part)


def first_seconds(m: Measured) -> list[float]:
    """Seconds of the first launch, by trial."""
    return [statistics.seconds(trial)[0] for trial in m.trials]


def settled_seconds(m: Measured) -> list[float]:
    """Seconds of a settled launch, by trial: the median of the last quarter."""
    series = [list(statistics.seconds(trial)) for trial in m.trials]
    return [median(each[-max(1, len(each) // 4) :]) for each in series]


def before_seconds(m: Measured) -> list[float]:
    """Seconds of copies and prefetches before the first launch, by trial."""
    quantities = [trial.get("quantities") or {} for trial in m.trials]
    return [sum(q[name]["value"] for name in SETUP if name in q) for q in quantities]


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    settled, before = median(settled_seconds(m)), median(before_seconds(m))
    flops = m.flops_per_sample
    return {
        "Case": words(m.case, m.parameters),
        "Array": format_size(m["size"]),
        "First": format_duration(median(first_seconds(m))),
        "Settled": format_duration(settled),
        "Rate": format_speed(m.bytes_per_sample / settled / 1e9),
        "Flops": f"{flops / settled / 1e9:.4g} Gflop/s" if flops else "",
        "Before": format_duration(before) if before else "",
        "Verified": "" if m["check"] == check.NONE else "yes",
    }


PRESENTATION = Presentation(
    words=words,
    columns=plain_columns,
    tables=in_numbers("kernel", "Kernels in numbers", SAYS, row, "kernel"),
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.kernel.figures",
    answer="watari.cases.kernel.answer",
)
