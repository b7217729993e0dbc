"""A program as the model sees it: allocations, phases, and the style that keeps them.

A program comes from the profile of a case, or from a trace file (trace_file.py), which is JSON:

    {"schema": "watari-trace-1", "name": "a.out", "allocations": [{"name": "A", "bytes": 8000000}],
     "phases": [{"name": "fill", "repeats": 1, "accesses": [
        {"allocation": "A", "processor": "cpu", "read": 0, "written": 8000000}]}]}

Every phase of a trace is timed, in order. A trace has no style: the reader predicts it in each one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from watari.case.profile import Access, Allocation, Phase, Profile
from watari.common.errors import UnsupportedError
from watari.model import trace_file


@dataclass(frozen=True)
class Program:
    """A program: allocations and phases, in order. `before` and `after` are outside the timed
    samples; for a trace both are empty. `measured`: parts that a trial of the case times, None for
    all of them. `assumed`: why accesses of the GPU are guesses."""

    name: str
    style: str
    allocations: Mapping[str, Allocation]
    phases: tuple[Phase, ...]
    before: tuple[Phase, ...] = ()
    after: tuple[Phase, ...] = ()
    measured: frozenset[str] | None = None
    assumed: str = ""

    def with_style(self, style: str) -> Program:
        """The same work with its allocations kept in another way."""
        return replace(self, style=style)

    def repeated(self, samples: list[int]) -> Program:
        """The program with these numbers of samples in its phases: those that a trial had."""
        phases = tuple(replace(p, repeats=n) for p, n in zip(self.phases, samples, strict=True))
        return replace(self, phases=phases)


def of_profile(name: str, profile: Profile, outside: Mapping[str, str]) -> Program:
    """The program of a case's trial. Raises UnsupportedError where its profile has none."""
    if not profile.allocations:
        raise UnsupportedError(
            f"what {name} accesses with these parameters is not in the model (requests to a "
            "store, tiles, dependent loads, several ranks or processes)"
        )
    return Program(
        name,
        profile.style,
        {a.name: a for a in profile.allocations},
        profile.phases,
        profile.before,
        profile.after,
        frozenset({"first", "moving", "steady", *outside.values()}),
    )


def read_trace(path: Path) -> Program:
    """The program of a trace file. Raises FileError that states the error in the file."""
    return of_trace(trace_file.read(path))


def of_trace(trace: trace_file.Trace) -> Program:
    """The program of a trace."""
    allocations = {a.name: Allocation(a.name, a.bytes) for a in trace.allocations}
    phases = tuple(
        Phase(
            phase.name,
            sum(a.read + a.written for a in phase.accesses),
            accesses=tuple(Access(**a.model_dump()) for a in phase.accesses),
            repeats=phase.repeats,
        )
        for phase in trace.phases
    )
    return Program(trace.name, "", allocations, phases, assumed=trace.assumed)


def side(processor: str) -> str:
    """`gpu` of `gpu:1`."""
    return processor.partition(":")[0]
