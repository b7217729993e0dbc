"""Made-up traces for made-up graphs: kernels with their placements, and allocations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from synthetic.replays import Call, traced, wait
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph, Role, Work
from watari.model.replay.link import Links
from watari.model.trace_file import SCHEMA, Trace
from watari.model.trace_observed import Placement

MIB = 2**20


def placements(
    local: float, mapped: float, faulting: float = 0.0, size: int = MIB
) -> list[Placement]:
    """Seconds of one launch in each placement."""
    rows = {"local": local, "mapped": mapped, "faulting": faulting}
    return [
        Placement(
            placement=name,  # type: ignore[arg-type]
            threads=1,
            launches=1,
            seconds=seconds,
            low=seconds,
            high=seconds,
            bytes=size,
        )
        for name, seconds in rows.items()
        if seconds
    ]


def kernel(
    name: str, rows: Sequence[Placement] = (), touched: int = 0, **more: Any
) -> dict[str, Any]:
    """A kernel that touches allocation `data`."""
    own = [{"allocation": "data", "launches": 1, "bytes": touched, "reads": True, "writes": True}]
    row = {"name": name, "launches": 1, "traced_seconds": 0.0, "sampled": 1}
    found = [one.model_dump() for one in rows]
    return {**row, "touched": own if touched else [], "placements": found, **more}


def allocation(kind: str, size: int, moved: Mapping[str, int] | None = None) -> dict[str, Any]:
    """An allocation, `data`."""
    row = {"name": "data", "label": "data", "site": "0", "api": "cuMemAlloc", "kind": kind}
    counts = {"gpu_faults": 0, "cpu_faults": 0, "thrashing": 0}
    return {**row, "bytes": size, "moved": dict(moved or {}), **counts}


def trace(
    seconds: float, kernels: Sequence[dict[str, Any]], allocations: Sequence[dict[str, Any]]
) -> Trace:
    """A trace of a program that takes so long."""
    columns = {"to_gpu": [0], "to_cpu": [0]}
    none = dict.fromkeys(
        ("pages", "to_gpu", "to_cpu", "sparse", "sparse_seen", "gpu_faults", "cpu_faults"), 0
    )
    observed = {
        "command": "./a.out",
        "complete": True,
        "incomplete": [],
        "untraced_seconds": seconds,
        "traced_seconds": seconds,
        "traced_once_seconds": 0.0,
        "ended": "",
        "ended_untraced": "",
        "check": {**none, "reasons": []},
        "processes": 1,
        "touches": "",
        "cupti": 1,
        "findings": [],
        "allocations": list(allocations),
        "transfers": [],
        "kernels": list(kernels),
        "timeline": {
            "seconds": seconds,
            "columns": 1,
            "rows": [columns for _ in allocations],
            "phases": [],
        },
    }
    sizes = [{"name": "data", "bytes": one["bytes"]} for one in allocations]
    used = [
        {"allocation": "data", "processor": "gpu", "read": one["bytes"], "written": 0}
        for one in sizes
    ]
    phases = [{"name": "gpu-1", "accesses": used}]
    return Trace.model_validate(
        {
            "schema": SCHEMA,
            "name": "made up",
            "allocations": sizes,
            "phases": phases,
            "observed": observed,
        }
    )


def graph(
    calls: Sequence[Call], names: Sequence[str] = (), *, to_cpu: bool = False
) -> tuple[Graph, Links]:
    """The fitted graph of calls: an allocation, these, and a wait. Kernels are called `names`, in
    turn; copies are of pageable memory."""
    made = traced(Call(own=10_000.0), *calls, wait())
    made.calls["role"][0] = Role.ALLOCATION
    rows = made.operations
    is_copy = rows["work"] == Work.COPY
    rows["detail"] = is_copy * (2 if to_cpu else 1)
    rows["pageable"] = is_copy
    known = dict(enumerate(names or ["k"], 1))
    order = (~is_copy).cumsum()
    rows["name"] = (~is_copy) * ((order - 1) % len(known) + 1)
    return fitted(replace(made, names=known))
