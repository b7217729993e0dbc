"""The tables of the library, from its compiled module: each word is defined once, in C++."""

from __future__ import annotations

from dataclasses import dataclass

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
    of_objects: bool  # reads an object of a server; the others have files or queues


@dataclass(frozen=True)
class Style:
    """A row of an application's styles.cpp (cases/*/native)."""

    name: str
    memory: str  # kind of the arrays that a GPU computes on and exchanges
    halos: tuple[str, ...]  # that it is written for, the usual one first

    @property
    def in_directives(self) -> bool:
        """Whether a compiler makes its kernels from directives of OpenACC or OpenMP."""
        return self.name.startswith(("acc-", "omp-"))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of memory that hold its arrays: two where the GPU has a copy of its own."""
        return ("pageable", "device") if self.memory in ("pageable", "device") else (self.memory,)


def styles(application: str) -> dict[str, Style]:
    """The styles of an application by name, in the order in which people see them."""
    rows = getattr(_native, f"{application.upper()}_STYLES")  # the stub names no case
    return {row["name"]: Style(**row) for row in rows}


KINDS = {row["name"]: MemoryKind(**row) for row in _native.MEMORY_KINDS}
HINTS = tuple(_native.HINTS)
ENGINES = {row["name"]: Engine(**row) for row in _native.FILE_ENGINES}
HALOS = tuple(_native.HALOS)  # paths between the ranks of a run


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
