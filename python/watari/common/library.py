"""The tables of the library, as its compiled module hands them out: a word stands once, in C++."""

from __future__ import annotations

from dataclasses import dataclass

from watari import _native


@dataclass(frozen=True)
class MemoryKind:
    """A row of src/watari/memory/kind.cpp."""

    name: str
    cpu: bool  # which processors can address it
    gpu: bool
    shared: bool  # first touch decides where a page lies
    needs: str  # of the machine, in a user's words


@dataclass(frozen=True)
class Engine:
    """A row of src/watari/storage/engines/engines.cpp."""

    name: str
    deep: bool  # several requests in flight; the others have one a thread
    of_gpu: bool  # serves a GPU alone


@dataclass(frozen=True)
class Style:
    """A row of an application's styles.cpp (src/watari/cases)."""

    name: str
    memory: str  # of the arrays that a GPU computes on and exchanges
    halos: tuple[str, ...]  # it is written for, the usual one first

    @property
    def in_directives(self) -> bool:
        """Whether a compiler makes its kernels, of OpenACC or OpenMP."""
        return self.name.startswith(("acc-", "omp-"))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Memory that holds its arrays; a GPU with a copy of its own makes two."""
        return ("pageable", "device") if self.memory in ("pageable", "device") else (self.memory,)


def styles(application: str) -> dict[str, Style]:
    """Its styles by name, in the order in which people see them."""
    rows = getattr(_native, f"{application.upper()}_STYLES")  # the stub names no case
    return {row["name"]: Style(**row) for row in rows}


KINDS = {row["name"]: MemoryKind(**row) for row in _native.MEMORY_KINDS}
HINTS = tuple(_native.HINTS)
ENGINES = {row["name"]: Engine(**row) for row in _native.FILE_ENGINES}
HALOS = tuple(_native.HALOS)  # paths between the ranks of a run


def kind(memory: str) -> MemoryKind:
    """Of `device:1` as of `device`."""
    return KINDS[memory.partition(":")[0]]


def own_memory(processor: str) -> str:
    """What a processor calls its own: `device:1` of `gpu:1`."""
    return "pageable" if processor == "cpu" else processor.replace("gpu", "device")


def side(memory: str, processor: str) -> str:
    """Where memory lies; `processor` is the first to touch it."""
    if kind(memory).shared:
        return processor
    return "cpu" if kind(memory).cpu else memory.replace("device", "gpu")
