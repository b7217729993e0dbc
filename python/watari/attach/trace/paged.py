"""What the first touches of memory cost the program: facts for the change `huge`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watari.attach import huge, imposed, near
from watari.attach.start import Start


def facts(start: Start, faults: int, plain: Mapping[str, float]) -> dict[str, Any]:
    """Page faults of a run with so many, beyond those of the start of CUDA, and the time of each:
    the key `first_touches` of a replay. Empty where the program cannot be given huge pages, or the
    kernel gives them without being asked. `plain`: the bursts of calls without tracing."""
    if imposed.lacking("huge", start) or not huge.asks(near.read(huge.SWITCH)):
        return {}
    touches = {
        "pages": max(0, faults - int(plain["faults"])),
        "small_ns": plain["small_page"],
        "huge_ns": plain["huge_page"],
    }
    return {"first_touches": touches}
