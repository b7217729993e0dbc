"""What a trial of a case asks of a machine: bytes, flops, and the path of the bytes.

Time limits, budgets, physical limits and the memory that a run prepares are computed from it, and
so is the forecast for another machine. The counts are those of the algorithm; C++ states
them in the head comment of each kernel and reports them with each trial.
"""

from __future__ import annotations

from dataclasses import dataclass

STORE = "store"  # a side: files, or memory instead of them; its own rate is not known


@dataclass(frozen=True)
class Transfer:
    """The path of one sample: `reader` reads `bytes` from `source` and writes them to `target`.

    Sides are processors, for the memory beside each (`cpu`, `gpu`, `gpu:1`), or STORE. Without a
    source the reader makes the data, without a target it keeps them.
    """

    reader: str
    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Access:
    """One allocation in one sample: bytes that a processor reads and writes, how many times."""

    allocation: str
    processor: str
    read: int
    written: int
    passes: float = 1.0
    pattern: str = "regular"  # or `sparse`


@dataclass(frozen=True)
class Allocation:
    """Memory that accesses name. `kind` is the one that the case gives it, whatever the style."""

    name: str
    bytes: int
    kind: str = ""


@dataclass(frozen=True)
class Move:
    """A copy by the copy engine or the driver, from one allocation to another."""

    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Phase:
    """Samples of one kind in a row. `bytes` is what one of them moves, as the case counts it.

    `transfers` are those of one sample at least, and are empty where nothing is known of its path.
    Of several equal processors they are what one of them moves, at the same time as the others.
    `moves` take the place of accesses where no processor executes the copy. `fresh`: every sample
    begins as the first one did. `prefetched` is a phase that only asks for its data. `launches`:
    kernels, or parallel regions of the CPU, of one sample, and small results that it reads back.
    """

    name: str
    bytes: int
    transfers: tuple[Transfer, ...] = ()
    accesses: tuple[Access, ...] = ()
    flops: int = 0
    repeats: int = 1
    moves: tuple[Move, ...] = ()
    fresh: bool = False
    prefetched: bool = False
    launches: int = 1


@dataclass(frozen=True)
class Profile:
    """`footprint` is bytes of memory by kind, `disk` those of files; not `exact`: an estimate until
    it is measured.

    What the model of `predict` needs is `style`, how the program keeps its allocations (a word of
    model/styles.py), the `allocations`, and what is done `before` the samples and `after` them,
    which a trial does not time as samples. Without allocations the model says nothing of the case.
    """

    phases: tuple[Phase, ...]
    footprint: dict[str, int]
    exact: bool = True
    disk: int = 0
    style: str = ""
    allocations: tuple[Allocation, ...] = ()
    before: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()

    @property
    def bytes_per_sample(self) -> int:
        """Of the first phase; all phases of a trial count the same."""
        return self.phases[0].bytes

    @property
    def flops_per_sample(self) -> int:
        """Of the first phase."""
        return self.phases[0].flops

    @property
    def bytes(self) -> int:
        """What all samples move."""
        return sum(phase.bytes * phase.repeats for phase in self.phases)

    @property
    def stored(self) -> bool:
        """Whether samples read a store or write to it."""
        ends = ((t.source, t.target) for phase in self.phases for t in phase.transfers if t.bytes)
        return any(STORE in pair for pair in ends)

    @property
    def memory(self) -> int:
        """Bytes of all buffers."""
        return sum(self.footprint.values())

    @property
    def in_host_memory(self) -> int:
        """Bytes of those that lie or may lie in CPU memory."""
        return sum(n for kind, n in self.footprint.items() if not kind.startswith("device"))
