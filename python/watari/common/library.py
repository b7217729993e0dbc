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
    """What a style of an application is; nothing is read out of its name. The program, and what it
    needs of this row, is in the application's styles.cpp."""

    name: str
    kind: str  # of memory of the arrays that a GPU computes on
    host: str  # kind of those that the CPU fills
    field: str  # kind of those that ranks exchange
    halos: tuple[str, ...]  # that it is written for, the usual one first
    in_directives: (
        bool  # whether a compiler makes its kernels: from OpenACC, OpenMP, `do concurrent`
    )
    fortran: bool  # whether the program is in Fortran, else in C++
    modelled: str  # the style of `watari predict` that it is; empty: none

    def kinds(self, processor: str) -> tuple[str, ...]:
        """Kinds of memory that hold its arrays: two where the GPU has a copy of its own."""
        return ("pageable",) if processor == "cpu" else tuple(dict.fromkeys((self.host, self.kind)))


KINDS = {row["name"]: MemoryKind(**row) for row in _native.MEMORY_KINDS}
HINTS = tuple(_native.HINTS)
ENGINES = {row["name"]: Engine(**row) for row in _native.FILE_ENGINES}
HALOS = tuple(_native.HALOS)  # paths between the ranks of a run


def style(
    name: str,
    kind: str,
    *,
    host: str = "",
    field: str = "",
    halos: tuple[str, ...] = HALOS,
    in_directives: bool = False,
    fortran: bool = False,
    modelled: str = "",
) -> Style:
    """A row; `host` and `field` are of the same kind unless they are given."""
    return Style(name, kind, host or kind, field or kind, halos, in_directives, fortran, modelled)


def styles(*rows: Style) -> dict[str, Style]:
    """The styles of an application by name, in the order in which people see them. They are known
    where the application is not built, too; a test compares them with its styles.cpp."""
    return {row.name: row for row in rows}


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
