"""The memory styles of a traced program: seconds of the whole run in each, and how they compare.

A style is a change of the times in the graph; the answer is the measured time of the program, plus
the difference of two replays. `imposed` styles are given from outside (`watari try`), `rewritten`
ones need a port of the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from watari.case.sentence import Cost
from watari.common.errors import UnsupportedError
from watari.common.units import format_duration
from watari.model.machine import MachineProfile
from watari.model.replay.advice import Styled
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.styles import imposed as outside
from watari.model.replay.styles import rewritten as ported
from watari.model.replay.styles.bounds import Bounds
from watari.model.replay.styles.elsewhere import elsewhere
from watari.model.replay.styles.groups import AS_IS, CLOSE, NOT_SURE
from watari.model.replay.styles.program import (
    DEVICE,
    MANAGED,
    TO_CPU,
    TO_GPU,
    Change,
    Program,
    of_trace,
)
from watari.model.replay.styles.rates import Rates
from watari.model.trace_file import Trace

MUCH = 0.3  # of the run: kernels that add less at most need no measurement
KINDS = {DEVICE: "GPU memory", MANAGED: "managed memory"}


@dataclass(frozen=True)
class Style:
    """One style. `acts`: kinds of memory that it changes. `remote`: whether kernels read over the
    link, so that it depends on their placements."""

    change: Change
    acts: tuple[str, ...]
    remote: bool = False
    refused: str = ""


WRITES = "a write to memory that is read-mostly throws away the copies of its pages"
IMPOSED = {
    "managed": Style(outside.managed, (DEVICE,)),
    "managed-prefetch": Style(outside.prefetched, (DEVICE, MANAGED)),
    "mapped": Style(outside.mapped, (DEVICE, MANAGED), remote=True),
    "pinned": Style(outside.pinned, (DEVICE,), remote=True),
    "system": Style(outside.system, (DEVICE,), remote=True),
    "read-mostly": Style(outside.hinted, (MANAGED,), refused=WRITES),
    "preferred-gpu": Style(outside.hinted, (MANAGED,)),
    "accessed-by": Style(outside.accessed, (MANAGED,), remote=True),
}
REWRITTEN = {
    "managed": Style(ported.managed, (DEVICE,)),
    "managed-prefetch": Style(ported.prefetched, (DEVICE, MANAGED)),
    "mapped": Style(ported.kept, (DEVICE,), remote=True),
    "pinned": Style(ported.pinned, (DEVICE,), remote=True),
}


def lacking(name: str, style: Style, program: Program) -> str:
    """Why a style does not apply; empty where it does."""
    if not any(program.of_kind(kind) for kind in style.acts):
        wanted = " or ".join(KINDS[kind] for kind in style.acts)
        return f"the program allocates no {wanted} that can be changed"
    if style.remote and program.rates.profile.route == "unified":
        return "CPU and GPU share one memory there: no link lies between them"
    if name == "system" and not program.rates.profile.route:
        return "the GPU does not read memory of malloc (no ATS, no HMM)"
    return style.refused


def is_moving(program: Program) -> bool:
    """Whether the program moves data that a port could leave or move in another way."""
    moves = program.which(TO_GPU) | program.which(TO_CPU)
    return bool(moves.any()) or bool(program.moved("by faults to GPU", "by faults to CPU"))


class Comparison:
    """The seconds of styles: the measured ones, plus the difference of two replays. `here`: the
    replay of the program as it is, where it was traced; `doubt`: seconds that it misses."""

    def __init__(self, program: Program, measured: float, here: Cost, doubt: float = 0.0) -> None:
        self.program = program
        self.doubt = doubt
        self.off = measured - here.middle
        self.as_is = self.seconds(program.bounds)

    def seconds(self, bounds: Bounds) -> Cost:
        """The seconds of the whole run."""
        found = bounds.seconds()
        ends = (max(end + self.off, 0.0) for end in (found.middle, found.low, found.high))
        return Cost(*ends)

    def styled(self, name: str, style: Style) -> Styled:
        """The program in a style."""
        reason = lacking(name, style, self.program) or (
            style.remote and self.program.observed.unseen
        )
        if reason:
            return Styled(name, reason=reason)
        try:
            cost = self.seconds(style.change(self.program, self.program.bounds))
        except UnsupportedError as error:
            return Styled(name, reason=str(error))
        if style.remote and (reason := self.unsure(cost)):
            return Styled(name, reason=reason)
        low = max(cost.low - self.doubt, 0.0)
        return Styled(name, Cost(cost.middle, low, cost.high + self.doubt))

    def unsure(self, cost: Cost) -> str:
        """Why seconds that depend on placements say nothing; empty where they do: where kernels
        that were not measured decide whether the style is much slower."""
        unknown = self.program.kernels.unmeasured()
        run = self.as_is.middle
        if not unknown or cost.low > run * (1 + CLOSE) or cost.high < run * (1 + MUCH):
            return ""
        return (
            f"{NOT_SURE}: {format_duration(cost.low)} to {format_duration(cost.high)}; kernels of "
            f"{format_duration(unknown)} were not measured with their memory over the link"
        )


def styled(
    graph: Graph,
    links: Links,
    trace: Trace,
    machine: MachineProfile,
    here: MachineProfile | None = None,
    doubt: float = 0.0,
) -> tuple[tuple[Styled, ...], tuple[Styled, ...], tuple[str, ...]]:
    """Seconds of the whole run in each style: imposed, and rewritten; and what is not known.

    `machine`: the machine to answer for. `here`: that of the trace, where it is another one.
    `doubt`: seconds that the replay misses. The graph is without tracing (tracing.untraced).
    """
    observed = trace.observed
    if observed is None:
        raise ValueError("a trace without records of `watari trace`")
    program = of_trace(graph, links, observed, Rates(here or machine))
    base = program.bounds.seconds()
    if here is not None:
        program = elsewhere(program, Rates(machine))
    compared = Comparison(program, observed.untraced_seconds, base, doubt)
    as_is = Styled(AS_IS, compared.as_is)
    imposed = (as_is, *(compared.styled(name, style) for name, style in IMPOSED.items()))
    rows = REWRITTEN.items() if is_moving(program) else ()
    rewritten = tuple(compared.styled(name, style) for name, style in rows)
    rewritten = (as_is, *rewritten) if rewritten else ()
    return imposed, rewritten, tuple(notes(program, here is not None))


def notes(program: Program, is_elsewhere: bool) -> Iterator[str]:
    """What the seconds rest on, and what is not known."""
    unknown = program.kernels.unmeasured()
    if why := program.observed.unseen:
        yield f"{why}: nothing is predicted in which kernels read over the link"
    elif unknown:
        names = [k for k in program.observed.kernels if not k.placements]
        reasons = dict.fromkeys(k.unplaced for k in names if k.unplaced)
        why = f" ({'; '.join(reasons)})" if reasons else ""
        yield (
            f"kernels of {format_duration(unknown)} were not measured with their memory over the "
            f"link{why}"
        )
    if assumed := program.rates.assumed:
        name = program.rates.profile.name
        yield f"typical values, since {name} has no measurement of: {', '.join(sorted(assumed))}"
    if is_elsewhere:
        yield "the time of the CPU, and of calls, is that of the machine of the trace"
