"""Memory paths in the standard plan: minutes long, as large as memory allows.

The plan has kinds of memory that the machine lacks too, so that the report states the reason.
"""

from __future__ import annotations

from typing import Any

from watari.case.axes import KINDS, default_size, gpus
from watari.case.axis import Machine
from watari.machine.usable import usable_cores

Rows = list[dict[str, Any]]
SMALL = 2**16  # bytes of a case that the machine lacks and whose result is only the reason
ABSENT = {"processor": "gpu", "memory": "managed", "size": SMALL, "trials": 1}


def large(machine: Machine) -> int:
    """Bytes of an array that fits this machine's memory many times."""
    plenty = machine["memory_available_bytes"] >= 16 * 2**30
    return 2**30 if plenty else default_size(machine, {})


def up_to(size: int) -> list[int]:
    """Sizes from within caches up to `size`."""
    return sorted({n for n in (SMALL, 2**20, 2**24, 2**27, size) if n <= size})


def copies(machine: Machine) -> Rows:
    """Copies by the CPU at every size, with and without huge pages; then every path of a GPU."""
    size = large(machine)
    own = {"processor": "cpu", "samples": 20}
    rows: Rows = [
        {**own, "size": up_to(min(size, 2**30))},
        {**own, "size": size, "thp": ["always", "never"]},
    ]
    if usable_cores(machine) > 1:
        rows.append({**own, "size": size // 2, "processes": [1, 2], "trials": 2})
    nodes = machine["processors"][0].get("numa_nodes", [])
    if len(nodes) > 1:
        numbers = [str(node["node"]) for node in nodes if node["cpus"]]
        rows.append({**own, "size": size, "numa": numbers})
    if gpus(machine):
        return rows + gpu_copies(machine, size)
    return [*rows, {**ABSENT, "memory": [kind for kind in KINDS if kind != "pageable"]}]


def gpu_copies(machine: Machine, size: int) -> Rows:
    """Either direction, both means, both directions at once, several streams, every pair of
    kinds."""
    sweep = {"processor": "gpu", "size": up_to(size)}
    rows: Rows = [
        {**sweep, "from": "pinned", "to": "device"},
        {**sweep, "from": "device", "to": "pinned"},
        {**sweep, "memory": "device", "means": "kernel"},
        {"processor": "gpu", "memory": "device", "size": size},
        {"from": "pinned", "to": "device", "size": size, "means": "kernel"},
        {"from": "device", "to": "pinned", "size": size, "means": "kernel"},
        {"processor": "cpu", "memory": "pinned", "size": size, "samples": 20},
        *other_ends(size),
        {"from": "pageable", "to": "device", "size": size, "samples": 10},
        {"from": "device", "to": "pageable", "size": size, "samples": 10},
        {"from": "pinned", "to": "device", "size": size, "bidirectional": True},
        {"from": "pinned", "to": "device", "size": size, "streams": [2, 4]},
        *several(size),
    ]
    if len(gpus(machine)) > 1:
        rows.append({"from": "device", "to": "device:1", "size": size})
    return rows


def several(size: int) -> Rows:
    """Processes that share a GPU and its link, each with arrays of a quarter."""
    few = {"processor": "gpu", "size": size // 4, "samples": 20, "trials": 2}
    counts = {**few, "processes": [1, 2, 4]}
    return [
        {**counts, "from": "pinned", "to": "device"},
        {**counts, "from": "device", "to": "pinned"},
        {**counts, "memory": "device", "means": "kernel"},
        {**counts, "from": "pinned", "to": "device", "means": "kernel"},
    ]


def other_ends(size: int) -> Rows:
    """The rest of the matrix of paths: fewer trials, since few programs depend on these paths."""
    few = {"processor": "gpu", "size": size, "samples": 5, "trials": 2}
    host = ["pageable", "pinned"]
    return [
        {**few, "memory": "managed", "means": ["kernel", "copy-engine"]},
        {**few, "from": "managed", "to": ["pinned", "device"], "means": "kernel"},
        {**few, "from": ["pinned", "device"], "to": "managed", "means": "kernel"},
        {**few, "from": "managed", "to": [*host, "device"]},
        {**few, "from": [*host, "device"], "to": "managed"},
        {**few, "from": host, "to": host},
    ]


def accesses(machine: Machine) -> Rows:
    """Every pattern in explicit, managed and system memory, and every hint."""
    if not gpus(machine):
        return [ABSENT]
    size, both = large(machine), ["cpu", "gpu"]
    rows: Rows = []
    for memory in ("explicit", "managed", "system"):
        pattern = {"memory": memory, "source": both, "destination": both, "size": size}
        rows.append({**pattern, "processor": "gpu", "samples": 20})
        if memory != "explicit":
            rows.append({**pattern, "processor": "cpu", "samples": 5})
    shared = {"processor": "gpu", "size": size // 4, "samples": 5, "trials": 2}
    rows.append({**shared, "hint": ["none", "prefetch"], "processes": [1, 2, 4]})
    for hint in ("prefetch", "mapped", "read-mostly"):
        rows.append({"processor": "gpu", "hint": hint, "size": size, "samples": 20})
    return rows


def migrations(machine: Machine) -> Rows:
    """GPU, CPU and GPU in turn, with every hint that moves pages or keeps them."""
    if not gpus(machine):
        return [{"memory": "managed", "size": SMALL, "trials": 1}]
    given = (("managed", ["none", "prefetch", "mapped"]), ("system", ["none"]))
    size = large(machine)
    return [{"memory": m, "hint": hints, "size": size, "samples": 20} for m, hints in given]


def touches(machine: Machine) -> Rows:
    """First touch, prefetch and faults by both processors."""
    size = large(machine)
    rows: Rows = [{"processor": "cpu", "memory": "pageable", "size": size, "samples": 5}]
    if not gpus(machine):
        return [*rows, ABSENT]
    # the cost of allocating and releasing page-locked memory
    rows.append({"processor": "cpu", "memory": "pinned", "size": size, "samples": 3, "trials": 2})
    shared = {"processor": ["cpu", "gpu"], "memory": ["managed", "system"]}
    for operation in ("first-touch", "prefetch", "fault"):
        rows.append({**shared, "operation": operation, "size": size, "samples": 3})
    return rows
