"""The changes that a file of `watari exec --from` names: an answer of `watari advise --json`, or a
trace for `prefetched`."""

from __future__ import annotations

from typing import Any

from watari.attach.changes import CHANGES
from watari.common import reading
from watari.common.errors import FileError

ADVICE, TRACE = "watari-advice-1", "watari-trace-1"  # schemas of both files


def read(path: str) -> dict[str, Any]:
    """The content of a file. Raises FileError."""
    content = reading.json(path)
    if not isinstance(content, dict) or content.get("schema") not in (ADVICE, TRACE):
        raise FileError(f"{path}: neither `watari advise --json` nor `watari trace` wrote it")
    return content


def prefetches(content: dict[str, Any]) -> str:
    """Kernels with the call sites of managed memory that faults moved to the GPU while they ran:
    the CPU had touched it. `KERNEL:SITE,...`, empty where the trace has none. Raises KeyError,
    TypeError or ValueError where the content is no trace."""
    observed = content["observed"]
    managed = [a for a in observed["allocations"] if a["kind"] == "managed"]
    if wrong := [a["site"] for a in managed if not is_hash(a["site"])]:
        raise ValueError(f"{wrong[0]!r} is no call site")
    sites = {a["label"]: a["site"] for a in managed}
    labels = {a["name"]: a["label"] for a in managed}
    uses = {
        k["name"]: (k["symbol"], {t["allocation"] for t in k["touched"]})
        for k in observed["kernels"]
        if k["symbol"]
    }
    rows = set()
    for stretch in observed["timeline"]["phases"]:
        faulted = (
            a["name"] for a in stretch["allocations"] if a.get("gpu_faults") and a.get("to_gpu")
        )
        moved = {labels[name] for name in faulted if name in labels}
        for name in stretch["kernels"]:
            symbol, touched = uses.get(name, ("", set()))
            rows |= {(hashed(symbol), sites[label]) for label in moved & touched}
    return ",".join(f"{kernel:08x}:{site}" for kernel, site in sorted(rows))


def is_hash(text: str) -> bool:
    """Whether a text is a hash as the library reads it."""
    return len(text) == 8 and set(text) <= set("0123456789abcdef")


def hashed(symbol: str) -> int:
    """FNV-1a, as src/attach/preload/prefetched/prefetched.hpp has it."""
    value = 2166136261
    for byte in symbol.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


def table_of(path: str, content: dict[str, Any] | None = None) -> str:
    """The table of `prefetched` in a file; empty for an answer of `advise`. Raises FileError."""
    content = content or read(path)
    if content["schema"] != TRACE:
        return ""
    try:
        return prefetches(content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FileError(f"{path}: its kernels cannot be read: trace the program again") from None


def named(path: str, content: dict[str, Any]) -> set[str]:
    """The changes that save time in any case, within the bounds of an answer; none of a trace.
    Raises FileError."""
    if content["schema"] == TRACE:
        return set()
    try:
        found = {s["imposed"] for s in content["savings"] if s["sure"]}
    except (KeyError, TypeError):
        raise FileError(f"{path}: its savings cannot be read") from None
    return found & set(CHANGES)
