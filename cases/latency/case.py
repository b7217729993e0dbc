"""Case latency: one thread follows a random cycle through an array, each load needs the one before.

Bytes are those of the kernel's head comment (cases/latency/native/kernels.hpp): 8 a step, the
pointer that is loaded.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from watari.case.axes import (
    KINDS,
    PAGE,
    PROCESSOR,
    THP,
    line_bytes,
    samples,
    table,
)
from watari.case.axis import Axis, Parameters, numbered, parse_size
from watari.case.case import Case
from watari.case.native import native
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.latency import standard
from watari.cases.latency.sizes import beyond_caches
from watari.common.errors import UsageError
from watari.common.library import own_memory, side

STEPS = 2**17  # of a sample: whole passes of small arrays, 0.2 s of the slowest memory
POINTER = 8  # bytes
INDEX = 4  # bytes of an element in the table of the cycle
MOST_ELEMENTS = 2**32
SLOWEST_STEP = 1e-5  # seconds
WRONG = "the array is not one cycle through all elements, or the walk ended at another element"


def parse_stride(text: str) -> int:
    """Bytes of a stride, a multiple of 8. Raises UsageError."""
    stride = parse_size(text)
    if stride % POINTER:
        raise UsageError(f"'{text}' is not a multiple of {POINTER} bytes, one pointer")
    return stride


def elements(p: Parameters) -> int:
    """Elements of the cycle."""
    return int(p["size"]) // int(p["stride"])


def require_cycle(p: Parameters) -> None:
    """Raises UsageError where no cycle goes through the array."""
    if not 2 <= elements(p) <= MOST_ELEMENTS:
        raise UsageError(
            f"latency: size={p['size']} has {elements(p)} elements, {p['stride']} bytes apart: a "
            f"cycle has 2 to {MOST_ELEMENTS}"
        )


def profile(p: Parameters) -> Profile:
    """One chase a sample. Beside the array, the table of the cycle is on the host, and a copy of it
    in the processor's memory."""
    who, moved = p["processor"], POINTER * STEPS
    phase = Phase(
        "chase",
        moved,
        (Transfer(who, side(p["memory"], who), "", moved),),
        (Access("array", who, moved, 0, pattern="sparse"),),
        repeats=int(p["samples"]),
    )
    footprint = Counter({p["memory"]: elements(p) * int(p["stride"])})
    footprint["pageable"] += INDEX * elements(p)
    footprint[own_memory(who)] += INDEX * elements(p)
    return Profile((phase,), dict(footprint))


def extra_seconds(p: Parameters) -> float:
    """Seconds of all steps in the slowest memory, and of making and walking the cycle."""
    return ((int(p["samples"]) + 4) * STEPS + elements(p)) * SLOWEST_STEP


def labels(p: Parameters) -> dict[str, str]:
    """Hides a stride of one line, the usual one."""
    return {"stride": ""} if p["stride"] == line_bytes(p["processor"]) else {}


def run(p: Parameters) -> dict[str, Any]:
    """One trial."""
    return native(__package__, "latency", WRONG)({**p, "steps": STEPS})


CASES = (
    Case(
        "latency",
        "nanoseconds of a load that depends on the one before; one thread, random order",
        "{processor} {memory} {size}",
        table(
            PROCESSOR,
            Axis(
                "memory",
                "kind; the processor first touches managed and system memory",
                numbered(*KINDS),
                lambda m, p: own_memory(p["processor"]),
                "the processor's own",
                KINDS,
            ),
            Axis(
                "size",
                "bytes of the array",
                parse_size,
                beyond_caches,
                "4 x the last cache, less if memory is small",
            ),
            Axis(
                "stride",
                "bytes from one element to the next",
                parse_stride,
                lambda m, p: line_bytes(p["processor"]),
                "a cache line: 64 on the cpu, 128 on a gpu",
            ),
            THP,
            PAGE,
            samples(10),
        ),
        run,
        profile,
        require_sense=require_cycle,
        extra_seconds=extra_seconds,
        labels=labels,
        standard=standard.latencies,
        example="processor=cpu size=32KiB,1MiB,256MiB",
        also={
            **dict.fromkeys(("lat", "pointer-chase", "lmbench", "lat_mem_rd", "chase"), ""),
            **dict.fromkeys(("tlb", "page-walk"), "stride=4KiB"),
            **dict.fromkeys(
                ("host-device-latency", "host-device-latency-sm"), "processor=gpu memory=pinned"
            ),
        },
        presentation="watari.cases.latency.words",
    ),
)
