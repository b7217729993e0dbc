"""Physical limits: a rate above what its memory or link can carry is flagged, not believed.

Said only where it means something: the arrays are beyond four times the last-level cache, and the
limit is known (a GPU's memory clock and bus width, a link's generation and width).
"""

from __future__ import annotations

from typing import Any

from watari.axes import Machine, Parameters
from watari.cases import find, place

BEYOND_CACHE = 4
ABOVE = "above-limit"


def processor(machine: Machine, name: str) -> dict[str, Any] | None:
    """The processor called `cpu`, `gpu` (the first) or `gpu:1`."""
    wanted = "gpu:0" if name == "gpu" else name
    return next((p for p in machine["processors"] if p["id"] == wanted), None)


def cache_bytes(machine: Machine, name: str) -> int:
    """Last-level cache of a processor, in bytes; 0 if it is not known."""
    found = processor(machine, name)
    if not found:
        return 0
    if found["kind"] == "gpu":
        return int(found["l2_bytes"])
    return max((int(c["bytes"]) * int(c["count"]) for c in found["caches"]), default=0)


def link_bandwidth(machine: Machine, one: str, other: str) -> float | None:
    """Theoretical bytes per second each way between two processors, if known."""
    ends = {"gpu:0" if name == "gpu" else name for name in (one, other)}
    return next(
        (link["bandwidth"] for link in machine["links"] if {link["from"], link["to"]} == ends), None
    )


def limit(case: str, parameters: Parameters, machine: Machine) -> float | None:
    """Bytes per second that this path cannot exceed, in the case's own count of bytes, if known."""
    executor = parameters.get("processor", "gpu")
    if case == "copy":
        source, destination = (place(parameters[end], executor) for end in ("from", "to"))
        ways = 2 if parameters["bidirectional"] else 1
    elif case == "access" and parameters["memory"] == "explicit":
        source, destination, ways = parameters["source"], parameters["destination"], 1
        if source != destination:
            ways = 2  # `access` counts each byte as read and written; the link carries it once
    elif case in ("access", "migration"):
        # pages may have moved to the GPU: nothing runs faster than its memory
        source = destination = "gpu"
        ways = 1
    elif case == "storage":
        source, destination, ways = "cpu", executor, 1  # every block crosses the link once
    elif case == "himeno" and parameters["style"] != "pinned":
        source = destination = executor
        ways = 1
    else:
        return None
    if source != destination:
        link = link_bandwidth(machine, source, destination)
        return link * ways if link else None
    if source == "cpu" and executor != "cpu":
        link = link_bandwidth(machine, source, executor)
        return 2 * link if link else None  # read and write cross in opposite directions
    found = processor(machine, source)
    bandwidth = found.get("memory_bandwidth") if found else None
    gpus = parameters.get("ranks", 1) if executor != "cpu" else 1  # each rank has its own
    return float(bandwidth) * gpus if bandwidth else None


def flags(case: str, parameters: Parameters, rate: float, machine: Machine) -> list[str]:
    """`above-limit` if the rate (bytes per second) is more than the path can carry."""
    executor = parameters.get("processor", "gpu")
    size = parameters.get("size", find(case).footprint(parameters))
    if size <= BEYOND_CACHE * cache_bytes(machine, executor):
        return []
    bound = limit(case, parameters, machine)
    return [ABOVE] if bound and rate > bound else []
