"""The styles that can be given to a program from outside, and why a style cannot.

src/attach/preload/styles/settings.hpp states what each style does, in the words of design.md.
`mapped` and `pinned` both leave data in CPU memory, where the GPU reads them over the link.
`mapped` is managed memory with a hint: its pages are not locked, and the driver may still move
them. `pinned` is page-locked: it cannot move or be swapped, and its allocation is slow.
"""

from __future__ import annotations

from dataclasses import dataclass

from watari.attach.events import Device, Events
from watari.common.errors import UsageError

AS_IS = "as-is"


@dataclass(frozen=True)
class Style:
    """One style. `changes`: the kinds of the program's allocations that it acts on."""

    name: str
    summary: str
    changes: tuple[str, ...]
    needs_managed: bool = False
    needs_pageable: bool = False


STYLES: dict[str, Style] = {
    style.name: style
    for style in (
        Style(AS_IS, "unchanged", ()),
        Style("managed", "GPU memory becomes managed memory", ("device",), True),
        Style(
            "managed-prefetch",
            "managed memory, moved to the GPU when it is allocated",
            ("device", "managed"),
            True,
        ),
        Style(
            "mapped",
            "managed memory that stays in CPU memory and is mapped by the GPU",
            ("device", "managed"),
            True,
        ),
        Style("pinned", "GPU memory becomes page-locked CPU memory", ("device",)),
        Style("system", "GPU memory becomes memory of malloc", ("device",), needs_pageable=True),
        Style("read-mostly", "managed memory may have a copy on each side", ("managed",), True),
        Style("preferred-gpu", "managed memory prefers to be in GPU memory", ("managed",), True),
        Style("accessed-by", "managed memory is mapped by the GPU where it is", ("managed",), True),
    )
}
KINDS = {"device": "GPU memory", "managed": "managed memory"}


def chosen(words: str | None) -> list[str]:
    """The styles that `managed,pinned` names; None names all. `as-is` is always the first. Raises
    UsageError."""
    names = [name.strip() for name in words.split(",")] if words else list(STYLES)
    for name in names:
        if name not in STYLES:
            raise UsageError(f"unknown style '{name}'; known: {', '.join(STYLES)}")
    return [AS_IS, *(name for name in dict.fromkeys(names) if name != AS_IS)]


def lacking(device: Device, style: Style) -> str:
    """Why a GPU does not support a style; empty where it does."""
    if style.needs_managed and not device.managed:
        return "the GPU has no managed memory"
    if style.needs_managed and not device.concurrent and style.name != "managed":
        return (
            "the driver takes no hints: the CPU and this GPU may not access managed memory at once"
        )
    if style.needs_pageable and not device.pageable:
        return "the GPU does not read memory of malloc (pageableMemoryAccess is 0: no ATS, no HMM)"
    return ""


def unsupported(style: Style, events: Events) -> str:
    """Why a style cannot be given to the program of these events; empty where it can."""
    if not style.changes:
        return ""
    kinds = {allocation.kind for p in events.processes for allocation in p.allocations}
    if not kinds & set(style.changes):
        wanted = " or ".join(KINDS[kind] for kind in style.changes)
        left = sum(process.left_bytes for process in events.processes)
        text = f"the program allocates no {wanted} that can be changed"
        return text + (": it maps its own (cuMemCreate)" if left else "")
    devices = (device for p in events.processes for device in p.devices.values())
    return next((text for device in devices if (text := lacking(device, style))), "")
