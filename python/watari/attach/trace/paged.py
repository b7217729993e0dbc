"""What the first touches of memory cost the program: facts for the change `huge`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from watari.attach import huge, imposed, near
from watari.attach.start import Ending, Start, clocked, run
from watari.attach.trace.runs import fresh
from watari.model.replay.savings.huge import FEWEST

TIMES = 3.0  # of the run as it is: no run with huge pages takes longer


def facts(
    start: Start, files: Path, plain: Ending, burst: Mapping[str, float], left: float
) -> dict[str, Any]:
    """Page faults of the run `plain`, beyond those of the start of CUDA, and the time of each: the
    key `first_touches` of a replay. One more run, with huge pages, counts those that are left then,
    where there are many and `left` seconds allow it. Empty where the program cannot be given huge
    pages, or the kernel gives them without being asked. `burst`: of calls without tracing."""
    if imposed.lacking("huge", start) or not huge.asks(near.read(huge.SWITCH)):
        return {}
    pages = beyond(plain.faults, burst)
    touches = {"pages": pages, "small_ns": burst["small_page"], "huge_ns": burst["huge_page"]}
    if pages >= FEWEST and TIMES * plain.seconds < left:
        faults = with_huge_pages(start, files, plain)
        touches |= {} if faults is None else {"left": beyond(faults, burst)}
    return {"first_touches": touches}


def beyond(faults: int, burst: Mapping[str, float]) -> int:
    """Page faults beyond those of the start of CUDA."""
    return max(0, faults - int(burst["faults"]))


def with_huge_pages(start: Start, files: Path, plain: Ending) -> int | None:
    """Page faults of a run with huge pages; None if it does not end as the program does."""
    folder = fresh(files, "huge")
    asked = huge.tunables(os.environ.get(huge.VARIABLE, ""))
    limited = replace(start, limit=min(start.limit, TIMES * plain.seconds))
    ending = run(limited, {**clocked(folder), huge.VARIABLE: asked}, folder)
    return None if ending.timed_out or ending.code != plain.code else ending.faults
