"""Turns a program and a style into elementary steps, whose seconds a machine profile has.

The walk records the sides on which the data of each allocation are valid, and goes through the
phases:

    explicit           a use on the side without the data copies the whole allocation there
    managed            such a use faults the allocation in; the first use of all populates it
    managed-prefetch   such a use is preceded by a prefetch
    pinned, mapped     such a use crosses the link, each time (not where both share one memory)
    system             with ATS it crosses the link until access counters have moved the pages to
                       the GPU (never back); with HMM it faults

The first sample of a phase includes the moves; the others are passes over data in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from watari.case.profile import Access, Allocation, Move, Phase
from watari.common import library
from watari.common.errors import UnsupportedError
from watari.model.program import Program, side
from watari.model.styles import COPIED, COUNTED, FAULTS, PREFETCHED, STAYS, STYLES, Style
from watari.model.work import Part, Pass, Step, Work

OTHER = {"cpu": "gpu", "gpu": "cpu"}


@dataclass(frozen=True)
class Traits:
    """How a machine treats system memory. `route`: `ats`, `hmm`, `unified` (one memory for both
    processors) or empty. `counter_samples`: samples until counters have moved the data that the GPU
    uses."""

    route: str = ""
    counter_samples: float = 0


@dataclass
class Walk:
    """The state of a program's allocations: the sides on which their data are valid."""

    program: Program
    style: Style
    traits: Traits
    valid: dict[str, frozenset[str]] = field(default_factory=dict)
    by_cpu: set[str] = field(default_factory=set)  # allocations that the CPU uses

    def kind(self, allocation: Allocation) -> str:
        """The kind of memory of an allocation; empty where the style gives it two."""
        return allocation.kind or (self.style.kinds[0] if len(self.style.kinds) == 1 else "")

    def crossing(self, allocation: Allocation) -> str:
        """How data cross when the other side uses them."""
        if allocation.kind and library.kind(allocation.kind).shared:
            return FAULTS
        return self.style.crossing if not allocation.kind else STAYS

    def home(self, allocation: Allocation, toucher: str) -> str:
        """The side on which an allocation that stays in place has its memory."""
        kind = self.kind(allocation)
        if self.style.name == "managed-mapped":
            return "cpu"
        return side(library.side(kind, toucher)) if kind else toucher

    def use(self, access: Access) -> tuple[list[Step], Pass]:
        """The steps that one access needs first, and its own pass. Raises UnsupportedError."""
        allocation, who = self.program.allocations[access.allocation], side(access.processor)
        if access.pattern != "regular":
            raise UnsupportedError(f"{access.allocation}: sparse accesses are not in the model")
        read, written = access.read * access.passes, access.written * access.passes
        if who == "cpu":
            self.by_cpu.add(access.allocation)
        there = self.valid.get(access.allocation, frozenset())
        how = self.crossing(allocation)
        if how == STAYS:
            return self.in_place(access, allocation, who, read, written)
        local = Pass(who, read + written, shared="system" if how == COUNTED else "")
        touched = min(allocation.bytes, max(access.read, access.written))
        first: list[Step] = []
        if not there:
            first = self.populate(allocation, who, touched)
            if first:
                local = Pass(who, max(0, read + written - touched))
        elif self.traits.route == "unified" and how != COPIED:
            pass
        elif who not in there:
            if how == COUNTED and self.traits.route == "ats":
                return [], Pass(who, 0, read, written, "system")
            first = [self.bring(how, allocation, who, touched, bool(access.read))]
        stay = {who} if access.written or how != COPIED else {*there, who}
        self.valid[access.allocation] = frozenset(stay)
        return first, local

    def in_place(
        self, access: Access, allocation: Allocation, who: str, read: float, written: float
    ) -> tuple[list[Step], Pass]:
        """A pass over memory that stays where it is."""
        kind, home = self.kind(allocation), self.home(allocation, who)
        if kind and not getattr(library.kind(kind), who):
            name = kind.partition(":")[0]
            raise UnsupportedError(f"the {who.upper()} cannot address {name} memory")
        fresh = access.allocation not in self.valid
        self.valid[access.allocation] = frozenset({home})
        number = kind.partition(":")[2]
        if kind.startswith("device") and number != access.processor.partition(":")[2]:
            raise UnsupportedError("several GPUs are not in the model")
        if home != who and self.traits.route != "unified":
            return [], Pass(who, 0, read, written)
        if fresh and written and kind == "pageable":
            steps = self.populate(allocation, who, min(allocation.bytes, access.written))
            return steps, Pass(who, max(0, read + written - allocation.bytes))
        return [], Pass(who, read + written)

    def populate(self, allocation: Allocation, who: str, touched: int) -> list[Step]:
        """The steps of the first touch: none for device and pinned memory, which have their pages
        already."""
        kind = self.kind(allocation)
        if not kind:  # explicit: the copy on the side that touches first
            kind = "pageable" if who == "cpu" else "device"
        if kind == "system":
            kind = "pageable" if who == "cpu" else "system"
        return (
            []
            if kind.startswith(("device", "pinned"))
            else [Step(f"populate {who} {kind}", touched)]
        )

    def bring(self, how: str, allocation: Allocation, who: str, touched: int, read: bool) -> Step:
        """The step that brings data from the other side. Raises UnsupportedError."""
        if how == COPIED:
            ends = ("pageable", "device") if who == "gpu" else ("device", "pageable")
            return Step(f"transfer {' '.join(ends)}", allocation.bytes)
        if how == PREFETCHED:
            return Step(f"prefetch {who}", touched)
        kind = allocation.kind or self.style.kinds[0]
        return Step(f"fault {who} {kind} {'read' if read else 'write'}", touched)

    def sample(self, phase: Phase) -> tuple[Work, Work, list[Pass]]:
        """Steps before and inside the next sample of a phase, and its passes."""
        if phase.moves:
            return (), tuple(self.move(m, phase) for m in phase.moves), []
        before: list[Step] = []
        inside: list[Step] = []
        passes: dict[str, Pass] = {}
        for access in phase.accesses:
            allocation = self.program.allocations[access.allocation]
            outside = self.crossing(allocation) in (COPIED, PREFETCHED)
            first, traffic = self.use(access)
            for step in first:
                (before if outside and not step.key.startswith("populate") else inside).append(step)
            who = traffic.processor
            traffic = replace(traffic, launches=phase.launches)
            passes[who] = passes[who] + traffic if who in passes else traffic
        if phase.prefetched:
            moved = [Step(f"prefetch {s.key.split()[1]}", s.bytes) for s in inside]
            return (), tuple(moved), []
        return tuple(before), tuple(inside), list(passes.values())

    def move(self, move: Move, phase: Phase) -> Step:
        """The step of a copy that no processor executes."""
        kinds = []
        for name in (move.source, move.target):
            kind, _, number = self.kind(self.program.allocations[name]).partition(":")
            own = phase.accesses[0].processor.partition(":")[2]
            if kind == "device" and number != own:
                raise UnsupportedError("several GPUs are not in the model")
            kinds.append(kind)
        return Step(f"transfer {kinds[0]} {kinds[1]}", move.bytes)

    def phase_parts(self, phase: Phase, again: Callable[[], None]) -> list[Part]:
        """The parts of a phase; `again` makes memory fresh before a sample."""
        if phase.fresh:
            before, inside, passes = self.sample(phase)
            again()
            return [Part("first", (*before, *inside, *passes), phase.repeats, phase.name)]
        before, inside, passes = self.sample(phase)
        parts = [Part("bring", before, phase=phase.name)] if before else []
        parts.append(Part("first", (*inside, *passes), phase=phase.name))
        rest = phase.repeats - 1
        remote = any(p.shared and (p.read or p.written) for p in passes)
        if remote and passes[0].processor == "gpu":
            return parts + self.counted(phase, passes, rest)
        if rest > 0:
            *_, settled = self.sample(phase)
            more = tuple(self.move(m, phase) for m in phase.moves)
            parts.append(Part("steady", (*more, *settled), rest, phase.name))
        return parts

    def counted(self, phase: Phase, passes: list[Pass], rest: int) -> list[Part]:
        """Access counters move pages while the GPU works: from link to local, evenly on average."""
        moving = min(float(rest), self.traits.counter_samples)
        share = moving / self.traits.counter_samples if self.traits.counter_samples else 0
        local = tuple(
            replace(p, local=p.local + p.read + p.written, read=0, written=0, shared="system")
            for p in passes
        )
        # while the counters move pages, samples shift from the link to local memory
        near = moving * share / 2
        parts = [
            Part("moving", tuple(passes), moving - near, phase.name),
            Part("moving", local, near, phase.name),
        ]
        if rest > moving:
            parts.append(Part("steady", local, rest - moving, phase.name))
        if share == 1:
            for access in phase.accesses:
                self.valid[access.allocation] = frozenset({"gpu"})
        return [part for part in parts if part.times > 0]


def allocated(walk: Walk) -> list[tuple[str, int]]:
    """Memory that the program takes, by kind, with its bytes. Of two copies the host's counts only
    if the CPU uses it."""
    found = []
    for allocation in walk.program.allocations.values():
        kinds = (allocation.kind,) if allocation.kind else walk.style.kinds
        for kind in kinds:
            if len(kinds) == 1 or kind == "device" or allocation.name in walk.by_cpu:
                word = kind.partition(":")[0].replace("system", "pageable")
                found.append((word, allocation.bytes))
    return found


def parts(program: Program, traits: Traits) -> list[Part]:
    """Everything that the program does in its style, in order. Raises UnsupportedError for what the
    model does not know."""
    if program.style not in STYLES:
        raise UnsupportedError(f"the style '{program.style}' is not in the model")
    style = STYLES[program.style]
    everything = (*program.before, *program.phases, *program.after)
    on_gpu = any(side(a.processor) == "gpu" for phase in everything for a in phase.accesses)
    if style.crossing == COUNTED and on_gpu and not traits.route:
        raise UnsupportedError("this machine's GPU does not address memory of malloc")
    walk = Walk(program, style, traits)
    found: list[Part] = []
    for phase in program.before:  # transfers before the samples are part of the program
        before, *_ = walk.sample(phase)
        found += [Part("bring", before, phase=phase.name)] if before else []
    start = dict(walk.valid)

    def again() -> None:
        walk.valid = dict(start)

    for phase in program.phases:
        found += walk.phase_parts(phase, again)
    for phase in program.after:
        before, inside, passes = walk.sample(phase)
        found.append(Part("take back", (*before, *inside, *passes), phase=phase.name))
    taken = allocated(walk)
    return [
        Part("allocate", tuple(Step(f"allocate {kind}", n) for kind, n in taken)),
        *found,
        Part("release", tuple(Step(f"release {kind}", n) for kind, n in taken)),
    ]
