"""Case lattice in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axes import compiler_words
from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.lattice.axes import usual_kernel
from watari.common.units import format_duration
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. TFLOPS as the benchmark counts: 8688 an even site and step of BiCGStab, "
    "1896 an even site in one hop with the inverse of the clover term. TB/s of the hop are its "
    "least bytes over its time."
)


def words(case: str, parameters: Parameters) -> str:
    """`explicit, double, 18 links, tuned kernel`."""
    rhs = parameters.get("rhs", 1)
    parts = [
        parameters["style"],
        parameters["precision"],
        "" if parameters["links"] == 18 else f"links of {parameters['links']}",
        "" if rhs == 1 else f"{rhs} right-hand sides",
        ""
        if parameters["kernel"] == usual_kernel(parameters)
        else parameters["kernel"] + " kernel",
        compiler_words(parameters),
        "on the CPU" if parameters["processor"] == "cpu" else "",
        ranks_words(parameters) if parameters.get("ranks", 1) > 1 else "",
    ]
    return ", ".join(part for part in parts if part)


def ranks_words(parameters: Parameters) -> str:
    """`4 GPUs as 1x1x2x2 by nccl, overlapped`."""
    who = "ranks" if parameters["processor"] == "cpu" else "GPUs"
    overlapped = ", overlapped" if parameters.get("overlap") in (True, "yes") else ""
    return (
        f"{parameters['ranks']} {who} as {parameters['split']} by {parameters['halo']}{overlapped}"
    )


def memory(m: Measured) -> str:
    """Bytes a site of all arrays; empty for older files, which do not record them."""
    known = all("state_bytes_per_site" in trial["quantities"] for trial in m.trials)
    return f"{m.quantity('state_bytes_per_site'):.0f}" if known else ""


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The rate of the whole solve."""
    if not m.drawn:
        return plain_columns(m, cases)
    spread = plain_columns(m, cases)["spread"]
    return {"median": f"{m.quantity('flops_per_s') / 1e9:.4g} GFLOPS", "spread": spread}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    steps = [times for trial in m.trials for times in trial["host_s"][1:] or trial["host_s"]]
    rate = m.bytes_per_sample / median(steps) / 1e12 if m.bytes_per_sample else 0
    return {
        "Case": words(m.case, m.parameters),
        "Lattice": m["lattice"],
        "TFLOPS, solver": f"{m.quantity('flops_per_s') / 1e12:.4g}",
        "TFLOPS, hop": f"{m.quantity('hop_flops_per_s') / 1e12:.4g}",
        "TB/s, hop": f"{m.quantity('hop_bytes_per_s') / 1e12:.4g}",
        "TB/s, steps": f"{rate:.4g}",
        "Iterations": f"{m.quantity('iterations'):.0f}",
        "log det": f"{m.quantity('log_det'):.13g}",
        "Norm²": f"{m.quantity('norm2'):.13g}",
        "Residual": f"{m.quantity('residual'):.2g}",
        "First step": format_duration(median(trial["host_s"][0] for trial in m.trials)),
        "Memory, B a site": memory(m),
        "Loop, s": f"{m.quantity('loop'):.3g}",
        "Outside, s": f"{m.quantity('outside_loop'):.3g}",
    }


PRESENTATION = Presentation(
    words=words,
    extent=lambda parameters: str(parameters["lattice"]),
    columns=columns,
    tables=in_numbers("lattice", "Lattice QCD in numbers", SAYS, row),
    figures="watari.cases.lattice.figures",
)
