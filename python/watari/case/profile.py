"""The resources that a trial of a case needs: bytes, flops, and the path of the bytes.

Time limits, budgets, physical limits, prepared memory and the forecast for another machine are
computed from them. The counts are those of the algorithm, which the head comment of each kernel
states; a trial reports the profile's, unless it counted as it ran.
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
    """Accesses of a processor to one allocation in one sample: bytes read and written in a pass,
    and the number of passes."""

    allocation: str
    processor: str
    read: int
    written: int
    passes: float = 1.0
    pattern: str = "regular"  # or `sparse`


@dataclass(frozen=True)
class Allocation:
    """Memory that accesses name. `kind`: kind of memory that the case sets, whatever the style."""

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
class Exchange:
    """What several ranks exchange in one sample along one divided axis: `bytes` to each neighbour,
    of the rank with the most neighbours, which has `faces` of them."""

    axis: str
    bytes: int
    faces: int


@dataclass(frozen=True)
class Phase:
    """Consecutive samples of one kind. `bytes`: those that one sample moves, as the case counts
    them.

    `transfers` are the least that one sample has; they are empty where its path is unknown. Of
    several equal processors they are those of one, at the same time as the others. `moves` take the
    place of accesses where no processor executes the copy. `fresh`: every sample begins as the
    first one did. `prefetched`: the phase only prefetches its data. `launches`: kernels, or
    parallel regions of the CPU, of one sample, and small results that it reads back.
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

    `exchanges` of several ranks: one for each divided axis, in a sample.

    The model of `predict` needs `style` (a word of model/styles.py: how the program keeps its
    allocations), the `allocations`, and the phases `before` and `after` the samples, which a trial
    does not time as samples. A case without allocations is not in the model.
    """

    phases: tuple[Phase, ...]
    footprint: dict[str, int]
    exact: bool = True
    disk: int = 0
    style: str = ""
    allocations: tuple[Allocation, ...] = ()
    before: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()
    exchanges: tuple[Exchange, ...] = ()

    @property
    def bytes_per_sample(self) -> int:
        """Bytes of a sample of the first phase; all phases of a trial count the same."""
        return self.phases[0].bytes

    @property
    def flops_per_sample(self) -> int:
        """Flops of a sample of the first phase."""
        return self.phases[0].flops

    @property
    def bytes(self) -> int:
        """Bytes of all samples."""
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
        """Bytes of the buffers that are or may be in CPU memory."""
        return sum(n for kind, n in self.footprint.items() if not kind.startswith("device"))
