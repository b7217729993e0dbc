"""Case gather in words, and in elements a second."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.axes import page_words
from watari.case.axis import Parameters
from watari.case.presentation import Presentation, in_numbers, plain_columns
from watari.cases.gather.axes import elements, of_file, usual_stride
from watari.cases.passes import first_seconds, pass_seconds
from watari.common.library import side
from watari.common.units import format_count, format_duration, format_size
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. Gathered: the bytes of the elements, not of the lines or pages that move "
    "with them. First pass: its whole time, with the faults of pages that were elsewhere. Lines: "
    "the cache lines of the gathered elements, the least that must move. Before a pass: what turns="
    "takes, prefetches behind a pass included."
)
LINE = {"cpu": 64}  # bytes of the smallest transfer: a cache line, on a GPU a sector of a line
SECTOR = 32
TURNS = {
    "none": "",
    "read": "read by it before each pass",
    "prefetch": "elements prefetched there and back",
}
TURN_SERIES = {"none": (), "read": ("read_s",), "prefetch": ("bring_s", "back_s")}


def special(p: Parameters) -> str:
    """Unusual values in words: stride, first touch, hint, turns, pages."""
    there = side(p["memory"], p["processor"]).split(":")[0]
    parts = [
        "" if p["stride"] == usual_stride(p) else f"stride {format_size(p['stride'])}",
        "" if p["source"] == there else f"{p['source'].upper()} touched it",
        "" if p["hint"] == "none" else p["hint"],
        f"hits {p['hits']:g}, cache {format_size(p['cache'])}" if of_file(p) else "",
        TURNS[p["turns"]],
        page_words(p),
    ]
    return ", ".join(part for part in parts if part)


def words(case: str, p: Parameters) -> str:
    """`8 B elements of pinned memory at random by GPU`."""
    order = "at random" if p["pattern"] == "random" else "in order"
    size = format_size(p["element"])
    where = f"a file of {format_size(p['size'])}" if of_file(p) else f"{p['memory']} memory"
    text = f"{size} elements of {where} {order} by {p['processor'].upper()}"
    return ", ".join(part for part in (text, special(p)) if part)


def turn_seconds(m: Measured) -> float:
    """Seconds that the source takes to change sides between two passes, 0 if it does not. The first
    turn does not count, since its pages may be new or already in place."""
    parts = [
        [second for trial in m.trials for second in trial["series"][name][1:]]
        for name in TURN_SERIES[m["turns"]]
    ]
    return float(sum(median(part) for part in parts if part))


def line_bytes_moved(p: Parameters) -> int:
    """Bytes of the lines (on a GPU sectors) that the elements of a pass lie in."""
    line = LINE.get(p["processor"], SECTOR)
    side_by_side = p["stride"] < line
    each = p["stride"] if side_by_side else -(-int(p["element"]) // line) * line
    return elements(p) * int(each)


def hit_share(m: Measured) -> float | None:
    """The measured share of hits in the cache of a file; None for memory."""
    if not of_file(m.parameters):
        return None
    return float(median(trial["quantities"]["hit_share"]["value"] for trial in m.trials))


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    seconds = pass_seconds(m)
    lines = line_bytes_moved(m.parameters) / seconds / 1e9
    return {
        "Case": words(m.case, m.parameters),
        "Element": format_size(m["element"]),
        "Gathered": f"{m.bytes_per_sample / seconds / 1e9:.4g} GB/s",
        "Elements a second": format_count(elements(m.parameters) / seconds),
        "Lines": f"{lines:.4g} GB/s",
        "Hits": f"{hits:.3f}" if (hits := hit_share(m)) is not None else "",
        "First pass": format_duration(first_seconds(m)),
        "Before a pass": "" if m["turns"] == "none" else format_duration(turn_seconds(m)),
        "A pass": format_duration(seconds),
    }


PRESENTATION = Presentation(
    words=words,
    columns=plain_columns,
    tables=in_numbers("gather", "Gather in numbers", SAYS, row, "gather"),
    plain=lambda m: not special(m.parameters),
    figures="watari.cases.gather.figures",
    answer="watari.cases.gather.answer",
)
