"""Bytes and flops of a sample, by the kernel's declaration: n x (bytes read + bytes written)."""

from __future__ import annotations

from watari.case.axis import Parameters
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.kernel import check, declaration
from watari.common.library import kind, own_memory, side

SECONDS_PER_GIB = 60.0  # of a check, by a function of the user


def elements(p: Parameters) -> int:
    """Elements of each array: those of the largest fill `size` bytes."""
    return int(p["size"]) // declaration.parse(p["declares"]).element


def profile(p: Parameters) -> Profile:
    """One launch a sample. Pages of shared memory may have moved to the GPU, so their fastest path
    is within its memory."""
    declared, n, gpu = declaration.parse(p["declares"]), elements(p), p["processor"]
    beside = side(p["memory"], gpu)
    read, written = n * declared.read, n * declared.written
    paths = (Transfer(gpu, beside, "", read), Transfer(gpu, "", beside, written))
    phase = Phase(
        "kernel",
        read + written,
        tuple(path for path in paths if path.bytes),
        tuple(Access(a.name, gpu, n * a.read, n * a.written) for a in declared.arrays),
        flops=n * declared.flops,
        repeats=int(p["samples"]),
    )
    sizes = [n * array.type.bytes for array in declared.arrays]
    footprint = {p["memory"]: sum(sizes)}
    if kind(p["memory"]).name == "device" and p["inputs"] == "cpu":
        footprint["pinned"] = max(sizes)
    if p["check"] != check.NONE:
        footprint[own_memory("cpu")] = footprint.get(own_memory("cpu"), 0) + 2 * sum(sizes)
    return Profile((phase,), footprint)


def extra_seconds(p: Parameters) -> float:
    """Seconds of the check."""
    if p["check"] == check.NONE:
        return 0.0
    arrays = len(declaration.parse(p["declares"]).arrays)
    return SECONDS_PER_GIB * (1 + arrays * int(p["size"]) / 2**30)
