"""`--fit SIZE`: selects the allocations to move out of GPU memory so that a program fits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from watari.attach import measure, rules
from watari.attach.events import Allocation, Events
from watari.attach.measure import Measured
from watari.attach.styles import STYLES
from watari.common.errors import UsageError, WatariError
from watari.common.units import format_bytes
from watari.model.program import read_trace

LEARN = "managed"


def touched(trace: Path) -> dict[str, int]:
    """Bytes that the GPU reads and writes of each allocation, by its name `SITE#ORDINAL`. Raises
    UsageError where the trace has only guesses of them."""
    found: Counter[str] = Counter()
    program = read_trace(trace)
    if program.assumed:
        raise UsageError(f"--trace: {program.assumed}: trace the program with touches")
    for phase in program.phases:
        for access in phase.accesses:
            if access.processor.startswith("gpu"):
                found[access.allocation] += (access.read + access.written) * phase.repeats
    return dict(found)


def in_managed(measured: Measured) -> Events:
    """Events of a run with managed memory, for a program that does not fit as it is. Raises
    WatariError where that run fails, too."""
    keep = [rule for rule in measured.rules if rule.startswith("!")]
    one = measure.once(measured.start, LEARN, keep, [])
    if one.status != "ok":
        raise WatariError(f"--fit: the program fails in managed memory, too: {one.reason}")
    return one.events


def add_rules(measured: Measured, seen: Events, limit: int, known: dict[str, int]) -> None:
    """Adds rules for the allocations to move, and a note on them. If nothing has to move, each
    style that changes GPU memory becomes unsupported. Raises UsageError where the trace has none of
    the program's allocations."""
    if known and not known.keys() & {a.name for a in seen.allocations}:
        raise UsageError(
            "--trace: it has none of the program's allocations; is it of another build?"
        )
    moved = rules.to_fit(seen, limit, known)
    peak = max((rules.at_peak(seen.allocations, d)[0] for d in devices(seen)), default=0)
    if not moved:
        text = f"the program fits already: it has at most {format_bytes(peak)} of GPU memory"
        measured.notes.append(f"--fit: {text}")
        for style in measured.styles:
            if style in STYLES and "device" in STYLES[style].changes:
                measured.unsupported[style] = text
        return
    measured.rules += rules.only(moved)
    total = sum(a.bytes for a in moved)
    by = "those that the GPU touches least" if known else "by size (no --trace)"
    rest = left(seen, moved)
    measured.notes.append(
        f"--fit: {len(moved)} of {len(seen.allocations)} allocations, {format_bytes(total)}, leave "
        f"GPU memory: peak falls from {format_bytes(peak)} to {format_bytes(rest)}; chosen: {by}"
    )


def devices(seen: Events) -> set[int]:
    """The GPUs that a program allocates on."""
    return {a.device for a in seen.allocations}


def left(seen: Events, moved: list[Allocation]) -> int:
    """The largest peak of GPU memory on one device, in bytes, without the moved allocations."""
    gone = {id(a) for a in moved}
    kept = [a for a in seen.allocations if id(a) not in gone]
    return max((rules.at_peak(kept, device)[0] for device in devices(seen)), default=0)
