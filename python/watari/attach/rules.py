"""Rules that select the allocations of a style: those that the user chose, that cannot be moved, or
that must be moved so that a program fits into GPU memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from watari.attach.events import Allocation, Events
from watari.case.axis import parse_size
from watari.common.errors import UsageError
from watari.common.units import format_bytes

SITE = re.compile(r"site:([0-9a-f]{8})(?:#(\d+))?|copy:[0-9a-f]{8}")


def parse(words: Sequence[str]) -> list[str]:
    """The rules of `--only`, as the preloaded library reads them. Raises UsageError."""
    rules = []
    for word in words:
        text = "".join(word.split())
        if text.startswith("size>="):
            rules.append(f"size>={parse_size(text.removeprefix('size>='))}")
        elif SITE.fullmatch(text):
            rules.append(text)
        else:
            raise UsageError(
                f"--only '{word}': write 'size>=1GiB', site:HASH or copy:HASH (watari try --sites "
                "lists them)"
            )
    return rules


def meets(allocation: Allocation, rules: Sequence[str]) -> bool:
    """Whether a style changes an allocation, as the preloaded library decides it: it meets every
    size rule, and one of the site rules if there are any."""
    sizes = [int(rule.removeprefix("size>=")) for rule in rules if rule.startswith("size>=")]
    sites = [rule.removeprefix("site:") for rule in rules if rule.startswith("site:")]
    here = {allocation.site, allocation.name}
    return allocation.bytes >= max(sizes, default=0) and (not sites or bool(here & set(sites)))


def none_met(allocations: Sequence[Allocation], rules: Sequence[str]) -> str:
    """Why `--only` leaves none of these allocations to change; empty where it leaves some."""
    if not allocations or any(meets(a, rules) for a in allocations):
        return ""
    largest = format_bytes(max(a.bytes for a in allocations))
    return (
        f"--only matches none of the program's allocations ({len(allocations)}): the largest has "
        f"{largest} (watari try --sites lists them)"
    )


def keep_shared(events: Events) -> list[str]:
    """Rules that keep the allocations that the program shares with other processes or devices: only
    GPU memory can be shared.

    The rules name call sites, since an allocation is made before it is shared.
    """
    shared = {a.site: a.shared for a in events.allocations if a.shared and a.kind == "device"}
    return [f"!site:{site}" for site in shared]


def note_shared(events: Events) -> str:
    """Why some allocations stay GPU memory in every style; empty where none does."""
    calls = sorted({a.shared for a in events.allocations if a.shared and a.kind == "device"})
    count = sum(1 for a in events.allocations if a.shared and a.kind == "device")
    if not count:
        return ""
    return f"{count} allocation{'s'[: count > 1]} kept as GPU memory: {', '.join(calls)} needs it"


def at_peak(allocations: Sequence[Allocation], device: int) -> tuple[int, list[Allocation]]:
    """Peak bytes of GPU memory on a device, and the allocations that were alive then."""
    here = [a for a in allocations if a.kind == "device" and a.device == device]
    steps = sorted(
        [(a.begun, 1, i) for i, a in enumerate(here)]
        + [(a.ended, 0, i) for i, a in enumerate(here) if a.ended is not None]
    )
    alive: set[int] = set()
    most, which = 0, frozenset[int]()
    total = 0
    for _, begins, index in steps:
        alive.add(index) if begins else alive.discard(index)
        total += here[index].bytes if begins else -here[index].bytes
        if total > most:
            most, which = total, frozenset(alive)
    return most, [here[index] for index in sorted(which)]


def to_fit(events: Events, limit: int, touched: Mapping[str, int]) -> list[Allocation]:
    """The allocations to move so that GPU memory never holds more than `limit` bytes.

    If `touched` is known, the allocation with the fewest touched bytes per freed byte goes first.
    Else it is the smallest one that is large enough, or the largest. Raises UsageError where the
    allocations that must stay are larger.
    """
    moved: list[Allocation] = []
    left = [a for a in events.allocations if a.kind == "device"]
    for device in sorted({a.device for a in left}):
        while (peak := at_peak(left, device))[0] > limit:
            most, alive = peak
            movable = [a for a in alive if a.bytes and not a.shared]
            if not movable:
                raise UsageError(
                    f"--fit: {format_bytes(most)} must stay in GPU memory (other processes use it)"
                )
            over = most - limit
            if touched:
                best = min(movable, key=lambda a: touched.get(a.name, 0) / a.bytes)
            else:
                enough = [a for a in movable if a.bytes >= over]
                best = min(enough, key=size) if enough else max(movable, key=size)
            moved.append(best)
            left = [a for a in left if a is not best]
    return moved


def size(allocation: Allocation) -> int:
    """Bytes of an allocation."""
    return allocation.bytes


def only(allocations: Sequence[Allocation]) -> list[str]:
    """Rules that move these allocations alone, by call site and ordinal."""
    return list(dict.fromkeys(f"site:{a.site}#{a.ordinal}" for a in allocations))
