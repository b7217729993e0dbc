"""What tracing costs on this machine: of each call, launch and copy, and once.

watari_touches times bursts of cheap calls, launches and copies. The cost of each is the difference
between a run with tracing and one without. The rest of the difference is what tracing takes once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from watari.attach.entry import PACKAGE
from watari.attach.start import Start, run
from watari.attach.trace import records
from watari.attach.trace.check import PROGRAM, SECONDS
from watari.attach.trace.host import Cost
from watari.attach.trace.records import Kind
from watari.common.errors import UnsupportedError

RUNS = 2  # of each kind; the least counts, since other programs only add to it
BURSTS, CALLS = 40, 64  # as in src/attach/injected/touches.cpp


def measured(variables: Mapping[str, str], files: Path) -> Cost:
    """Runs the bursts in turn without and with tracing. Raises UnsupportedError with the reason
    where they fail."""
    start = Start((f"{PACKAGE}/{PROGRAM}", "burst"), SECONDS)
    least: dict[tuple[str, bool], float] = {}
    for is_traced in (False, True) * RUNS:
        ending = run(start, variables if is_traced else {}, files)
        if ending.reason:
            raise UnsupportedError(f"the cost of tracing cannot be measured: {ending.reason}")
        took = {**json.loads(ending.output.read_text()), "once": ending.seconds * 1e9}
        for name, value in took.items():
            key = (name, is_traced)
            least[key] = min(float(value), least.get(key, float(value)))
    call, launch, copy, once = (
        max(least[name, True] - least[name, False], 0.0)
        for name in ("call", "launch", "copies", "once")
    )
    once -= BURSTS * CALLS * (call + launch + copy)
    sites = np.concatenate([one.of(Kind.CALL)["device"] for one in records.read(files)])
    copy -= float(np.median(sites)) if len(sites) else 0.0
    return Cost(call, max(launch - call, 0.0), max(copy - call, 0.0), max(once, 0.0))
