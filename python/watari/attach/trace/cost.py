"""The cost of tracing on this machine, and the time of calls without it.

watari_touches times bursts of calls (src/attach/injected/touches/burst.cpp). The cost of each kind
is the difference between a run with tracing and one without. The rest of the difference is what
tracing takes once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from watari.attach.entry import PACKAGE
from watari.attach.start import Start, preloaded, run
from watari.attach.trace.check import PROGRAM, SECONDS, said
from watari.attach.trace.records import records
from watari.attach.trace.records.records import Kind
from watari.common.errors import UnsupportedError
from watari.model.replay.graph import Machine, Tracing

RUNS = 2  # of each kind; the least counts, since other programs only add to it


@dataclass(frozen=True)
class Measured:
    """The cost of tracing, and the machine. `plain`, `traced`: the measured bursts, in ns."""

    tracing: Tracing
    machine: Machine
    plain: dict[str, float]
    traced: dict[str, float]


def burst(variables: Mapping[str, str], files: Path) -> dict[str, float]:
    """One run: nanoseconds of each kind, and what the rest of the program takes, `once`. Raises
    UnsupportedError with the reason where it fails."""
    ending = run(Start((f"{PACKAGE}/{PROGRAM}", "burst"), SECONDS), variables, files)
    if ending.reason:
        raise UnsupportedError(f"the cost of tracing cannot be measured: {ending.reason}")
    took = {name: float(value) for name, value in said(ending).items()}
    return {**took, "once": ending.seconds * 1e9 - took["total"]}


def measured(variables: Mapping[str, str], files: Path) -> Measured:
    """Runs the bursts in turn without and with tracing, by both libraries."""
    variables = {**preloaded(files), **variables}
    runs = [(burst({}, files), burst(variables, files)) for _ in range(RUNS)]
    plain, traced = (
        {name: min(run[name] for run in kind) for name in kind[0]}
        for kind in zip(*runs, strict=True)
    )
    found = records.read(files)
    sites = np.concatenate([one.of(Kind.CALL)["device"] for one in found])
    kernels = np.concatenate([one.of(Kind.KERNEL) for one in found])
    took = (kernels["end"] - kernels["start"]).astype(float)
    return Measured(
        tracing_of(plain, traced, float(np.median(sites)) if len(sites) else 0.0),
        replace(machine_of(plain), empty=float(np.median(took)) if len(took) else 0.0),
        plain,
        traced,
    )


def tracing_of(plain: Mapping[str, float], traced: Mapping[str, float], site: float) -> Tracing:
    """The costs, each beyond those that it contains. `site`: ns of the call site of a copy, which
    each copy of a program measures itself."""
    more = {name: traced[name] - plain[name] for name in plain}
    call = max(more["call"], 0.0)

    def beyond(name: str, less: float) -> float:
        return max(more[name] - less, 0.0)

    return Tracing(
        call,
        beyond("launch", call),
        beyond("copying", call + site),
        beyond("wait", call),
        beyond("record", call),
        beyond("allocation", 2 * call) / 2,
        node=beyond("node_call", 0.0),
        inside=beyond("node", more["node_call"]),
        returns=beyond("launch_wait", more["launch"] + more["wait"]),
        behind=beyond("behind", 0.0),
        once=beyond("once", 0.0),
    )


def machine_of(plain: Mapping[str, float]) -> Machine:
    """The time of calls without tracing; `empty` is seen in traces."""
    rates = {name: plain["size"] / max(plain[name], 1.0) * 1e9 for name in ("to_gpu", "to_cpu")}
    launches = (plain["launch"], plain["wait"], plain["launch_wait"])
    return Machine(*launches, behind=plain["behind"], **rates)
