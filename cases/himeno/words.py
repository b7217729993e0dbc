"""Case himeno in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.axes import compiler_words
from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns, spread_of
from watari.cases.himeno import speed
from watari.cases.himeno.axes import STYLES
from watari.common.units import format_duration, format_rate
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. Benchmark, with its score (MFLOPS / 82.84): the time of jacobi(), as "
    "the original and the studies measure it: all iterations, and allocation, copies and release "
    "of the GPU's own memory. ~: an older result, without that allocation and release. Steady: one "
    "iteration between device events (on a CPU or several ranks: by the host's clock), and its "
    "share of the rate of a copy in the same file. Whole: all but the initial data."
)


def kernel(parameters: Parameters) -> str:
    """The loops that run: `tuned kernel`, `tuned kernel on the CPU`, `directives` (which have loops
    of their own), `directives by llvm`."""
    own = STYLES[parameters["style"]].in_directives
    loops = ["directives", compiler_words(parameters)] if own else [parameters["kernel"], "kernel"]
    where = "on the CPU" if parameters["processor"] == "cpu" else ""
    return " ".join(word for word in (*loops, where) if word)


def words(case: str, parameters: Parameters) -> str:
    """`explicit, fused, tuned kernel`; several ranks: `explicit, fused, tuned kernel, 2 GPUs by
    nccl, overlapped`."""
    parts = [
        parameters["style"],
        parameters["form"],
        kernel(parameters),
        "" if parameters["data"] == "standard" else f"{parameters['data']} data",
        rehearsed(parameters),
        "written by the GPU" if parameters.get("init") == "gpu" else "",
        ranks_words(parameters) if parameters.get("ranks", 1) > 1 else "",
    ]
    return ", ".join(part for part in parts if part)


def rehearsed(parameters: Parameters) -> str:
    """`rehearsed for 3 iterations`; empty without a rehearsal."""
    count = parameters.get("rehearsal", 0)
    return f"rehearsed for {count} iterations" if count else ""


def ranks_words(parameters: Parameters) -> str:
    """`2 GPUs by nccl, overlapped`; the split where it is not along i alone."""
    ranks, on_cpu = parameters.get("ranks", 1), parameters["processor"] == "cpu"
    split = str(parameters.get("split", ""))
    cut = "" if split in ("", f"{ranks}x1x1") else f" as {split}"
    return f"{ranks} {'ranks' if on_cpu else 'GPUs'}{cut} by {halo_words(parameters)}"


def halo_words(parameters: Parameters) -> str:
    """`nccl, overlapped`."""
    overlapped = parameters.get("overlap", False) in (True, "yes")
    return f"{parameters.get('halo', 'staged')}{', overlapped' if overlapped else ''}"


def extent(parameters: Parameters) -> str:
    """The grid."""
    return str(parameters["grid"])


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Speed by benchmark and in the steady state, whose spread from trial to trial follows."""
    if not m.drawn:
        return plain_columns(m, cases)
    return {"median": speed.text(m, cases), "spread": spread_of(speed.of(m).levels)}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    performance, part = speed.of(m), speed.fraction(m, cases)
    migration = f"{performance.migrated} in {format_duration(performance.parts['migrating'])}"
    steady = format_rate(performance.steady) if performance.steady is not None else "not reached"
    return {
        "Case": words(m.case, m.parameters) + (" (above the limit)" if m.flagged else ""),
        "Grid": m["grid"],
        "Iterations": str(m["iterations"]),
        "GFLOPS, benchmark": performance.benchmark_text,
        "Score": f"{performance.score:.0f}",
        "GFLOPS, steady": steady,
        "GB/s": format_rate(performance.rate) if performance.rate is not None else "",
        "of copy": f"{part:.0%}" if part else "",
        "GFLOPS, whole": format_rate(performance.whole),
        "First": format_duration(performance.first),
        "Migrating": migration if performance.migrated else "",
        "Benchmark, s": f"{performance.inside:.3g}",
        "Whole, s": f"{performance.total:.3g}",
    }


PRESENTATION = Presentation(
    words=words,
    extent=extent,
    columns=columns,
    compared=speed.compared,
    of_length=("benchmark", "whole"),
    tables=in_numbers("himeno", "Himeno in numbers", SAYS, row, "himeno-speed"),
    figures="watari.cases.himeno.figures",
)
