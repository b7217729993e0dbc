"""Physical limits: a rate above what its memory or link can carry is flagged, not believed.

    limit = bytes of a sample / time of its busiest link or memory, at their theoretical rates

A rate is flagged only where that is meaningful: the arrays are beyond four times the last-level
cache, and the limit is known (a GPU's memory clock and bus width, a link's generation and width).
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from watari.case.axis import Machine, Parameters
from watari.case.profile import STORE, Phase, Profile

BEYOND_CACHE = 4
ABOVE = "above-limit"


def identifier(name: str) -> str:
    """The id of a side: `gpu` is the first GPU, and a store is behind the CPU."""
    return {"gpu": "gpu:0", STORE: "cpu"}.get(name, name)


def processor(machine: Machine, name: str) -> dict[str, Any] | None:
    """The processor called `cpu`, `gpu` (the first) or `gpu:1`."""
    return next((p for p in machine["processors"] if p["id"] == identifier(name)), None)


def cache_bytes(machine: Machine, name: str) -> int:
    """Last-level cache of a processor, in bytes; 0 if it is not known."""
    record = processor(machine, name)
    if not record:
        return 0
    if record["kind"] == "gpu":
        return int(record["l2_bytes"])
    return max((int(c["bytes"]) * int(c["count"]) for c in record["caches"]), default=0)


def link_bandwidth(machine: Machine, one: str, other: str) -> float | None:
    """Theoretical bytes per second in each direction between two processors, if known."""
    ends = {identifier(one), identifier(other)}
    return next(
        (link["bandwidth"] for link in machine["links"] if {link["from"], link["to"]} == ends), None
    )


def memory_bandwidth(machine: Machine, name: str) -> float | None:
    """Theoretical bytes per second of the memory beside a processor, if known."""
    record = processor(machine, name)
    return record.get("memory_bandwidth") if record and name != STORE else None


def bound(phase: Phase, machine: Machine) -> float | None:
    """Bytes per second that samples of a phase cannot exceed, in their own count of bytes, if
    known."""
    crossing: Counter[tuple[str, str]] = Counter()
    beside: Counter[str] = Counter()
    for transfer in phase.transfers:
        ends = (transfer.source, transfer.reader, transfer.target)
        for one, other in pairwise(ends):
            if one and other and identifier(one) != identifier(other):
                crossing[one, other] += transfer.bytes
        for side in (transfer.source, transfer.target):
            beside[side] += transfer.bytes
    links = {ends: link_bandwidth(machine, *ends) for ends in crossing}
    if not all(links.values()):
        return None
    seconds = [crossing[ends] / rate for ends, rate in links.items() if rate]
    seconds += [n / rate for p, n in beside.items() if (rate := memory_bandwidth(machine, p))]
    return phase.bytes / max(seconds) if seconds else None


def limit(profile: Profile, machine: Machine) -> float | None:
    """Bytes per second that no sample can exceed, in the case's own count of bytes, if known."""
    bounds = [bound(phase, machine) for phase in profile.phases] if profile.exact else []
    known = [b for b in bounds if b]
    return max(known) if known and len(known) == len(bounds) else None


def flags(profile: Profile, parameters: Parameters, rate: float, machine: Machine) -> list[str]:
    """`above-limit` if the rate (bytes per second) is more than the path can carry."""
    size = parameters.get("size", profile.memory)
    if size <= BEYOND_CACHE * cache_bytes(machine, parameters.get("processor", "gpu")):
        return []
    most = limit(profile, machine)
    return [ABOVE] if most and rate > most else []
