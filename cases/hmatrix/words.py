"""Case hmatrix in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.hmatrix import axes
from watari.common.units import format_bytes, format_duration, format_size
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. A product reads the batches that are not in fast memory. Multiplied: "
    "bytes of the matrix over seconds of a product; read: the bytes that it reads. The solve is "
    "all products until the tolerance, or for a number of iterations; an iteration of BiCGStab has "
    "two products. Waiting: the time of the solve without a batch to work on."
)


def short(number: float) -> str:
    """`1e-6`, not `1e-06`."""
    return f"{number:g}".replace("e-0", "e-")


def words(case: str, parameters: Parameters) -> str:
    """`uring, batches of 64 KiB in 16 MiB, eps 1e-6, gmres with block-jacobi`."""
    rhs, budget = parameters["rhs"], parameters["fast-memory"]
    jacobi = parameters["preconditioner"] != "none"
    within = f"in {format_size(budget)}" if budget else "all in memory"
    within = within if parameters["pinned"] else "none resident"
    parts = [
        parameters["engine"],
        f"batches of {format_size(parameters['batch'])} {within}",
        f"eps {short(parameters['eps'])}",
        "" if parameters["eta"] == 2 else f"eta {parameters['eta']:g}",
        "" if parameters["recompress"] else "not recompressed",
        "" if parameters["precision"] == "double" else "single",
        parameters["solver"] + (f" with {parameters['preconditioner']}" if jacobi else ""),
        f"{parameters['inner']} inner iterations" if parameters["inner"] else "",
        f"{parameters['steps']} iterations" if parameters["steps"] else "",
        "" if parameters["tolerance"] == 1e-6 else f"to {short(parameters['tolerance'])}",
        "" if rhs == 1 else f"{rhs} right-hand sides",
        axes.STORE_WORDS.get(parameters["store"], parameters["store"]),
        f"{parameters['files']} SSDs" if parameters["files"] > 1 else "",
        f"{parameters['threads']} thread{'s' if parameters['threads'] > 1 else ''}",
        "" if parameters["depth"] == 16 else f"depth {parameters['depth']}",
        "" if parameters["ranks"] == 1 else f"{parameters['ranks']} ranks",
        "on the CPU" if parameters["processor"] == "cpu" else "",
    ]
    return ", ".join(part for part in parts if part)


def value(m: Measured, name: str) -> float | None:
    """The median of a quantity over the trials that have it."""
    quantities = [trial["quantities"] for trial in m.trials]
    found = [given[name]["value"] for given in quantities if name in given]
    return float(median(found)) if found else None


def duration(seconds: float | None) -> str:
    """A duration as text; empty without one, as for a matrix that another trial built."""
    return "" if seconds is None else format_duration(seconds)


def product(m: Measured) -> float:
    """Seconds of one product."""
    return float(median(median(trial["host_s"]) for trial in m.trials))


def rates(m: Measured) -> dict[str, str]:
    """Rates of a product: of all bytes of the matrix, and of those that it reads from the store."""
    read = value(m, "read_bytes")
    return {
        "multiplied": f"{m.median:.4g} GB/s",
        "read": f"{read / product(m) / 1e9:.4g} GB/s" if read else "",
    }


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Both rates, and the spread from trial to trial."""
    found = rates(m) if m.drawn else {"multiplied": "", "read": ""}
    return {**found, "spread": plain_columns(m, cases)["spread"]}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    return {
        "Case": words(m.case, m.parameters),
        "Mesh": m["mesh"],
        "Matrix": format_bytes(int(value(m, "matrix_bytes") or 0)),
        "Resident": f"{value(m, 'resident_fraction') or 0:.0%}",
        "Product": duration(product(m)),
        **{name.capitalize(): rate for name, rate in rates(m).items()},
        "Solve": duration(value(m, "solve_s")),
        "Waiting": duration(value(m, "read_s")),
        "Products": f"{value(m, 'products') or 0:.0f}",
        "Iteration": duration(value(m, "iteration_s")),
        "Residual": f"{value(m, 'residual') or 0:.1e}",
        "C/(4 pi eps0)": f"{value(m, 'capacitance') or 0:.7g}",
        "Build": duration(value(m, "build_s")),
    }


PRESENTATION = Presentation(
    words=words,
    extent=lambda parameters: str(parameters["mesh"]),
    columns=columns,
    unit="GB/s multiplied",
    tables=in_numbers("hmatrix", "H-matrices in numbers", SAYS, row),
    figures="watari.cases.hmatrix.iterations",
)
