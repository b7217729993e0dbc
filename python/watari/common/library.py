"""The tables of the library, from its compiled module: each word is defined once, in C++."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watari import _native


@dataclass(frozen=True)
class MemoryKind:
    """A row of src/watari/memory/kind.cpp."""

    name: str
    cpu: bool  # whether CPU and GPU can address it
    gpu: bool
    shared: bool  # first touch decides where a page lies
    needs: str  # its needs of the machine, in a user's words


@dataclass(frozen=True)
class Engine:
    """A row of src/watari/storage/engines/engines.cpp."""

    name: str
    deep: bool  # several requests in flight; the others have one a thread
    of_gpu: bool  # serves a GPU alone
    queued: bool  # moves whole sectors by commands to a controller
    of_objects: bool  # reads objects of a server; the others have files or queues


HALOS = tuple(_native.HALOS)  # paths between the ranks of a run


@dataclass(frozen=True)
class Style:
    """A row of an application's styles.json: what a style is. Nothing is read out of its name.
    CMake makes the table of its programs from the same file (cmake/styles.cmake)."""

    name: str
    kind: str  # of memory of the arrays that a GPU computes on
    host: str  # kind of those that the CPU fills; `kind` unless the row says it
    field: str  # kind of those that ranks exchange; the same
    halos: Sequence[str] = HALOS  # that it is written for, the usual one first
    overlaps: bool = False  # whether it can exchange the halo while it computes
    language: str = "none"  # of directives: openacc, openmp; concurrent, Fortran's; threads
    fortran: bool = False  # whether the program is in Fortran, else in C++
    processors: Sequence[str] = ("gpu",)  # that it has a program for
    modelled: str = ""  # the style of `watari predict` that it is; empty: none

    @property
    def in_directives(self) -> bool:
        """Whether a compiler makes its kernels."""
        return self.language != "none"

    def kinds(self, processor: str) -> tuple[str, ...]:
        """Kinds of memory that hold its arrays: two where the GPU has a copy of its own."""
        return ("pageable",) if processor == "cpu" else tuple(dict.fromkeys((self.host, self.kind)))


KINDS = {row["name"]: MemoryKind(**row) for row in _native.MEMORY_KINDS}
HINTS = tuple(_native.HINTS)
ENGINES = {row["name"]: Engine(**row) for row in _native.FILE_ENGINES}


def styles(module: str) -> dict[str, Style]:
    """The styles of an application by name, in the order in which people see them, from the
    styles.json beside a module (its `__file__`). They are known where it is not built, too."""
    rows = json.loads(Path(module).with_name("styles.json").read_text(encoding="utf-8"))
    return {
        row["name"]: Style(**{"host": row["kind"], "field": row["kind"], **row}) for row in rows
    }


def kind(memory: str) -> MemoryKind:
    """The row of a kind of memory: of `device` for `device:1`."""
    return KINDS[memory.partition(":")[0]]


def own_memory(processor: str) -> str:
    """A processor's own memory: `pageable` of `cpu`, `device:1` of `gpu:1`."""
    return "pageable" if processor == "cpu" else processor.replace("gpu", "device")


def side(memory: str, processor: str) -> str:
    """The side on which memory is; `processor` is the first to touch it."""
    if kind(memory).shared:
        return processor
    return "cpu" if kind(memory).cpu else memory.replace("device", "gpu")
