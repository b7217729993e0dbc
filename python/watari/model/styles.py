"""The memory styles that the model knows.

A style states the memory of its allocations, and how data move when a processor uses data on the
other side.
"""

from __future__ import annotations

from dataclasses import dataclass

STAYS, COPIED, FAULTS, PREFETCHED, COUNTED = "stays", "copied", "faults", "prefetched", "counted"


@dataclass(frozen=True)
class Style:
    """One row. `kinds`: memory of each allocation. `crossing`: how data reach the other side.
    `needs`: kind of memory that the machine must have."""

    name: str
    kinds: tuple[str, ...]
    crossing: str
    says: str
    needs: str = ""


# `fixed`: cases whose allocations have kinds of their own
STYLES = {
    style.name: style
    for style in (
        Style(
            "explicit",
            ("pageable", "device"),
            COPIED,
            "two copies; the program moves the data",
            "device",
        ),
        Style("pinned", ("pinned",), STAYS, "the GPU reads CPU memory in place", "pinned"),
        Style("managed", ("managed",), FAULTS, "pages move when they are touched", "managed"),
        Style(
            "managed-prefetch",
            ("managed",),
            PREFETCHED,
            "pages move ahead, by one call",
            "managed",
        ),
        Style(
            "managed-mapped",
            ("managed",),
            STAYS,
            "pages stay in CPU memory, the GPU reads them in place",
            "managed",
        ),
        Style("system", ("system",), COUNTED, "plain malloc, used by both processors", "system"),
        Style("fixed", (), STAYS, "each allocation in the memory that was chosen for it"),
    )
}
NAMES = tuple(name for name in STYLES if name != "fixed")
