"""Sizes of a machine's caches, and of arrays from within its caches to beyond them."""

from __future__ import annotations

from watari.case import limits
from watari.case.axes import default_size
from watari.case.axis import Machine, Parameters

BEYOND = 4  # times the last cache: three of four loads miss it
SMALLEST = 2**12


def caches(machine: Machine, processor: str) -> dict[str, int]:
    """Bytes of each cache that one thread uses, by name; L1 of a GPU is not known."""
    found = limits.processor(machine, processor) or {}
    if found.get("kind") == "gpu":
        return {"L2": int(found["l2_bytes"])} if found.get("l2_bytes") else {}
    data = [c for c in found.get("caches", []) if c["kind"] != "instruction"]
    return {f"L{c['level']}": int(c["bytes"]) for c in data}


def beyond_caches(machine: Machine, parameters: Parameters) -> int:
    """The power of two that is 4 times the last cache, or what the machine's memory allows."""
    last = max(caches(machine, parameters["processor"]).values(), default=0)
    most = default_size(machine, parameters)
    return min(most, 1 << (BEYOND * last - 1).bit_length()) if last else most


def from_caches(machine: Machine, processor: str) -> list[int]:
    """Sizes of a sweep, each 4 times the one before, up to beyond the caches."""
    largest = beyond_caches(machine, {"processor": processor})
    powers = range(SMALLEST.bit_length() - 1, largest.bit_length() - 1, 2)
    return [*(1 << power for power in powers), largest]
