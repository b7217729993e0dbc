"""Where the time of a traced program goes, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from watari.common.units import format_duration

CLOSE = 0.02  # of the untraced time


def lines(facts: dict[str, Any]) -> Iterator[str]:
    """Where the time goes, for people: the shares add up to the total."""
    total, measured = facts["seconds"], facts["untraced_seconds"]
    off = total / measured - 1
    yield (
        f"where the time goes, of {format_duration(total)} by the replay "
        f"({format_duration(measured)} measured)"
    )
    for name, seconds in facts["shares"].items():
        yield f"  {name:26} {format_duration(seconds):>9}  {seconds / (total or 1):6.1%}"
    if abs(off) > CLOSE and all(one["word"] != "total" for one in facts["met"]):
        yield f"  the replay differs from the measured time by {off:+.1%}"
    for one in facts["met"]:
        yield f"  met: {one['text']}" + ("; no change is predicted" if one["stops"] else "")
