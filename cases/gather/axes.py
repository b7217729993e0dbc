"""Values and defaults of the axes of case `gather`, and what excludes one another."""

from __future__ import annotations

from watari.case.axes import line_bytes
from watari.case.axis import Parameters, expanded, parse_size
from watari.common.errors import UsageError
from watari.common.library import own_memory, side
from watari.common.units import exact_size

DOUBLE = 8  # bytes: the source is whole doubles
NO_FILE = "none"
CACHED, MIB = 4096, 2**20  # bytes of a page of the cache
WORD = 4  # bytes: elements and strides are whole words


def parse_stride(text: str) -> int:
    """Bytes of a stride, a multiple of 4. Raises UsageError."""
    stride = parse_size(text)
    if stride % WORD:
        raise UsageError(f"'{text}' is not a multiple of {WORD} bytes")
    return stride


def usual_stride(p: Parameters) -> int:
    """A cache line, or the element if it is larger; of a file a page."""
    return max(int(p["element"]), CACHED if of_file(p) else line_bytes(p["processor"]))


def usual_source(p: Parameters) -> str:
    """The side of the memory, `cpu` or `gpu`; with turns the side of the other processor."""
    if p["turns"] != "none":
        return "cpu" if p["processor"].startswith("gpu") else "gpu"
    return side(p["memory"], p["processor"]).split(":")[0]


def parse_hits(text: str) -> str | float:
    """A share from 0 to 1, or none. Raises UsageError."""
    if text == NO_FILE:
        return NO_FILE
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"'{text}' is not a share from 0 to 1, nor none; write for example 0.5")
    return share


def of_file(p: Parameters) -> bool:
    """Whether the source is a file behind a cache."""
    return bool(p["hits"] != NO_FILE)


def parse_cache(text: str) -> str | int:
    """Bytes of a cache, or none. Raises UsageError."""
    return NO_FILE if text == NO_FILE else parse_size(text)


def usual_cache(p: Parameters) -> str | int:
    """An eighth of the file, at least a page; none without one."""
    return max(int(p["size"]) // 8 // CACHED * CACHED, CACHED) if of_file(p) else NO_FILE


def elements(p: Parameters) -> int:
    """Elements that a pass collects: all, or of a file as many as its cache has pages."""
    if of_file(p):
        return max(1, int(p["cache"]) // CACHED)
    return int(p["size"]) // DOUBLE * DOUBLE // int(p["stride"])


def require_elements(p: Parameters) -> None:
    """Raises UsageError if elements overlap or none fits, and for turns with the processor's own
    side as source or with a hint."""
    if of_file(p) == (p["cache"] == NO_FILE):
        raise UsageError(
            f"gather: hits={p['hits']} cache={p['cache']}: a file has both: give hits="
        )
    if p["stride"] < p["element"]:
        raise UsageError(
            f"gather: stride={p['stride']} is less than an element of {p['element']} bytes"
        )
    if elements(p) < 1:
        raise UsageError(f"gather: size={p['size']} holds no stride of {p['stride']} bytes")
    if of_file(p):
        require_file(p)
    if p["turns"] == "none":
        return
    if p["source"] != usual_source(p):
        needed = usual_source(p)
        raise UsageError(f"gather: turns={p['turns']} needs source={needed}, the other processor")
    if p["hint"] != "none":
        raise UsageError(f"gather: turns={p['turns']} takes no hint")


def require_file(p: Parameters) -> None:
    """Raises UsageError for what a file behind a cache does not have."""
    own = own_memory(p["processor"])
    for name, only in (
        ("memory", own),
        ("pattern", "random"),
        ("turns", "none"),
        ("hint", "none"),
        ("thp", "default"),
        ("page", "default"),
    ):
        if p[name] != only:
            raise UsageError(f"gather: hits={p['hits']} reads a file: {name}={only}")
    if p["stride"] % p["element"]:
        raise UsageError(f"gather: hits={p['hits']}: the stride is whole elements")
    if p["size"] % MIB or p["size"] < 2 * p["cache"]:
        raise UsageError(
            f"gather: hits={p['hits']}: size={exact_size(p['size'])} must be whole MiB, and two "
            f"caches of cache={exact_size(p['cache'])} or more"
        )
    if p["cache"] < CACHED:
        raise UsageError(
            f"gather: cache={exact_size(p['cache'])}: it has at least a page of "
            f"{exact_size(CACHED)}"
        )
    expanded(p["folder"])
