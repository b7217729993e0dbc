"""Case himeno in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, Table, plain_columns, spread_of
from watari.cases.himeno import speed
from watari.cases.himeno.axes import DIRECTIVES
from watari.common.units import format_duration, format_rate
from watari.results.measured import Measured, drawable

SAYS = (
    "Medians over trials. Steady: one iteration between device events, where there are some, of "
    "several ranks by the host's clock; and the part of the rate of a copy in the same file. Loop, "
    "with its score (MFLOPS / 82.84): all iterations by the host's clock. Whole: with what is "
    "outside the loop."
)
COLUMNS = (
    "Case",
    "Grid",
    "Iterations",
    "GFLOPS, steady",
    "GB/s",
    "of copy",
    "GFLOPS, loop",
    "Score",
    "GFLOPS, whole",
    "First",
    "Migrating",
    "Loop, s",
    "Outside, s",
    "Total, s",
)


def kernel(parameters: Parameters) -> str:
    """The loops that run: `tuned kernel`, `tuned kernel on the CPU`, `directives` (which have loops
    of their own)."""
    own = parameters["style"].startswith(DIRECTIVES)
    where = " on the CPU" if parameters["processor"] == "cpu" else ""
    return f"{'directives' if own else parameters['kernel'] + ' kernel'}{where}"


def words(case: str, parameters: Parameters) -> str:
    """`explicit, fused, tuned kernel`; several ranks: `explicit, fused, tuned kernel, 2 GPUs by
    nccl, overlapped`."""
    parts = [
        parameters["style"],
        parameters["form"],
        kernel(parameters),
        "" if parameters["data"] == "standard" else f"{parameters['data']} data",
        ranks_words(parameters) if parameters.get("ranks", 1) > 1 else "",
    ]
    return ", ".join(part for part in parts if part)


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
    """Its grid."""
    return str(parameters["grid"])


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """The steady state, in its own numbers."""
    if not m.drawn:
        return plain_columns(m, cases)
    return {"median": speed.text(m, cases), "spread": spread_of(speed.of(m).levels)}


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    performance, part = speed.of(m), speed.fraction(m, cases)
    migration = f"{performance.migrated} in {format_duration(performance.parts['migrating'])}"
    texts = (
        words(m.case, m.parameters) + (" (above the limit)" if m.flagged else ""),
        m["grid"],
        m["iterations"],
        format_rate(performance.steady) if performance.steady is not None else "not reached",
        format_rate(performance.rate) if performance.rate is not None else "",
        f"{part:.0%}" if part else "",
        format_rate(performance.gflops),
        f"{performance.score:.0f}",
        format_rate(performance.whole),
        format_duration(performance.first),
        migration if performance.migrated else "",
        f"{performance.loop:.3g}",
        f"{performance.outside:.3g}",
        f"{performance.loop + performance.outside:.3g}",
    )
    return {"run": m.run, **dict(zip(COLUMNS, map(str, texts), strict=True))}


def tables(cases: Sequence[Measured]) -> list[Table]:
    """Every case that ran."""
    rows = [row(m, cases) for m in drawable(cases, "himeno")]
    under = "himeno-speed"
    return [Table("himeno", "Himeno in numbers", SAYS, COLUMNS, rows, under)] if rows else []


PRESENTATION = Presentation(
    words=words,
    extent=extent,
    columns=columns,
    tables=tables,
    figures="watari.cases.himeno.figures",
)
