"""The work of a program: elementary steps, whose seconds a machine profile has, and passes over
data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PARTS = ("allocate", "bring", "first", "moving", "steady", "take back", "release")


@dataclass(frozen=True)
class Step:
    """One elementary operation on `bytes`; `key` names its curve in the machine profile."""

    key: str
    bytes: int


@dataclass(frozen=True)
class Pass:
    """A pass of a processor: bytes in its own memory, and bytes that it reads and writes over the
    link, all at once. `launches`: kernels that share these bytes, one after another."""

    processor: str
    local: float = 0
    read: float = 0
    written: float = 0
    shared: str = ""  # `system`: pages that the operating system placed
    launches: int = 1

    def __add__(self, other: Pass) -> Pass:
        return Pass(
            self.processor,
            self.local + other.local,
            self.read + other.read,
            self.written + other.written,
            self.shared or other.shared,
            max(self.launches, other.launches),
        )


Work = tuple[Step | Pass, ...]


@dataclass(frozen=True)
class Part:
    """Work that is done `times` times; `name` is one of PARTS, `phase` the phase that has it."""

    name: str
    work: Work
    times: float = 1
    phase: str = ""


def components(work: Iterable[Step | Pass]) -> Mapping[str, float]:
    """Bytes of some work, by the curve that gives their seconds."""
    bytes_of: dict[str, float] = {}
    for item in work:
        if isinstance(item, Step):
            rows = [(item.key, float(item.bytes))]
        else:
            link = {"read": item.read, "write": item.written}
            rows = [(f"{way} {item.processor} link", n) for way, n in link.items() if n]
            rows += [(f"pass {item.processor}{item.shared and ' ' + item.shared}", item.local)]
        for key, n in rows:
            if n:
                bytes_of[key] = bytes_of.get(key, 0) + n
    return bytes_of
