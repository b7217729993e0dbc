"""For random machines and programs, predictions are valid seconds in a consistent order.

Machines are random: curves of any ascending points, any of them missing, of any route. Programs are
those of every case of the model in every style, and random traces.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watari.case.profile import Access, Allocation, Phase
from watari.cases import CASES
from watari.common.errors import UsageError
from watari.model import predict
from watari.model.advise import advise, break_evens, option, surely_faster
from watari.model.machine import Contention, Curve, MachineProfile, Point
from watari.model.predict import Prediction
from watari.model.price import COHERENT, INSTEAD, UNIFIED
from watari.model.profiles import known
from watari.model.program import Program
from watari.plan.request import resolve

MACHINES = {name: known.machine(name) for name in known.files()}
ALLOCATES = [f"{what} {kind}" for what in ("allocate", "release") for kind in ("pinned", "managed")]
TABLES = (INSTEAD, COHERENT, UNIFIED)
KEYS = sorted({*(k for t in TABLES for k in t), *(v[0] for t in TABLES for v in t.values()),
               *ALLOCATES})  # fmt: skip
NEEDED = {"pass gpu", "pass cpu", "transfer pinned device", "transfer device pinned"}
MODELLED = {"copy": "size", "access": "size", "touch": "size", "migration": "size"}
SLACK = 1 + 1e-9


@st.composite
def curves(draw: Any) -> Curve:
    """Ascending points, each with an interval; the intervals ascend too."""
    sizes = sorted(draw(st.sets(st.floats(1, 1e11), min_size=1, max_size=5)))
    points: list[Point] = []
    for size in sizes:
        middle, low, high = sorted(draw(st.tuples(*[st.floats(1e-7, 1e3)] * 3)))
        low, middle, high = sorted((low, middle, high))
        if points:
            last = points[-1]
            low, middle, high = max(low, last.low), max(middle, last.seconds), max(high, last.high)
        points.append(Point(bytes=size, seconds=middle, low=low, high=high))
    return Curve(points=points, source="random")


@st.composite
def profiles(draw: Any) -> MachineProfile:
    """A machine whose curves are random. It has at least the curves that every result has."""
    base = MACHINES[draw(st.sampled_from(sorted(MACHINES)))]
    chosen = NEEDED | draw(st.sets(st.sampled_from(KEYS)))
    contention = [
        Contention(key="pass gpu", processes=n, factor=draw(st.floats(1, 10)))
        for n in draw(st.sets(st.integers(2, 16), max_size=2))
    ]
    return base.model_copy(
        update={
            "curves": {key: draw(curves()) for key in sorted(chosen)},
            "duplex": draw(st.floats(0, 1)),
            "duplex_known": draw(st.booleans()),
            "route": draw(st.sampled_from(("", "ats", "hmm", "unified"))),
            "counter_samples": draw(st.sampled_from((0.0, 1.0, 55.5))),
            "contention": contention,
        }
    )


@st.composite
def programs(draw: Any, size: int | None = None) -> Program:
    """Phases of both processors over one or two allocations."""
    largest = size or draw(st.integers(1, 10**10))
    data = {name: Allocation(name, largest) for name in ("a", "b")[: draw(st.integers(1, 2))]}
    phases = []
    for n in range(draw(st.integers(1, 4))):
        who = draw(st.sampled_from(("cpu", "gpu")))
        kinds = [draw(st.sampled_from(((1, 0), (0, 1), (1, 1)))) for _ in data]
        accesses = tuple(
            Access(name, who, read * largest, written * largest)
            for name, (read, written) in zip(data, kinds, strict=True)
        )
        phases.append(
            Phase(f"p{n}", largest, accesses=accesses, repeats=draw(st.sampled_from((1, 2, 90))),
                  launches=draw(st.sampled_from((1, 17))))
        )  # fmt: skip
    return Program("random", "", data, tuple(phases))


def scaled(work: Program, factor: int) -> Program:
    """The same program on more bytes."""
    data = {n: Allocation(n, factor * a.bytes) for n, a in work.allocations.items()}
    phases = []
    for phase in work.phases:
        accesses = tuple(
            Access(a.allocation, a.processor, factor * a.read, factor * a.written)
            for a in phase.accesses
        )
        phases.append(Phase(phase.name, factor * phase.bytes, accesses=accesses,
                            repeats=phase.repeats, launches=phase.launches))  # fmt: skip
    return Program(work.name, work.style, data, tuple(phases))


def sound(one: Prediction) -> None:
    """Expects a reason, or finite seconds in a valid interval."""
    if one.reason:
        assert not one.parts
        return
    for cost in (one.total, *one.parts.values()):
        assert all(isfinite(value) for value in (cost.low, cost.middle, cost.high))
        assert 0 <= cost.low <= cost.middle * SLACK
        assert cost.middle <= cost.high * SLACK
    assert one.total.middle > 0


def no_less(less: list[Prediction], more: list[Prediction]) -> None:
    """Expects that no seconds and no end of an interval are less in `more`, style by style."""
    for one, other in zip(less, more, strict=True):
        assert one.style == other.style
        if not one.reason and not other.reason:
            for end in ("low", "middle", "high"):
                assert getattr(one.total, end) <= getattr(other.total, end) * SLACK, end


@given(profiles(), programs(), st.integers(1, 64))
@settings(deadline=None, max_examples=60)
def test_a_trace_has_sound_seconds(profile: MachineProfile, work: Program, processes: int) -> None:
    for one in predict.of_trace(work, profile, processes):
        sound(one)


@given(profiles(), programs(), st.integers(2, 1000))
@settings(deadline=None, max_examples=60)
def test_more_bytes_never_take_less_time(
    profile: MachineProfile, work: Program, factor: int
) -> None:
    no_less(predict.of_trace(work, profile), predict.of_trace(scaled(work, factor), profile))


@given(profiles(), programs(), st.integers(1, 40))
@settings(deadline=None, max_examples=40)
def test_more_processes_never_take_less_time(
    profile: MachineProfile, work: Program, processes: int
) -> None:
    less, more = (predict.of_trace(work, profile, n) for n in (processes, processes + 1))
    no_less(less, more)


@given(profiles(), programs())
@settings(deadline=None, max_examples=60)
def test_advice_says_what_its_seconds_say(profile: MachineProfile, work: Program) -> None:
    found = advise(predict.of_trace(work, profile), profile)
    middles = [rank.total.middle for rank in found.ranked]
    assert middles == sorted(middles)
    assert ("either" in found.verdict) == (len(found.best) > 1)
    if found.ranked:
        assert found.best[0] == found.ranked[0].prediction.style
    for rank in found.ranked[1:]:
        is_slower = surely_faster(found.ranked[0].prediction, rank.prediction, profile)
        assert (rank.prediction.style in found.best) == (not is_slower)


@given(profiles(), st.integers(2, 500), st.integers(1, 10**10), st.booleans())
@settings(deadline=None, max_examples=40)
def test_break_evens_are_those_of_the_seconds(
    profile: MachineProfile, passes: int, size: int, written: bool
) -> None:
    """The option of a style has the seconds of its prediction, after 2 passes and after many."""

    def found(n: int) -> dict[str, Prediction]:
        made = Phase("made", size, accesses=(Access("a", "cpu", 0, size),))
        access = Access("a", "gpu", size, size * written)
        used = Phase("used", size, accesses=(access,), repeats=n)
        work = Program("test", "", {"a": Allocation("a", size)}, (made, used))
        return {p.style: p for p in predict.of_trace(work, profile) if not p.reason}

    many = found(passes)
    ways = {style: option(p) for style, p in many.items()}
    for style, way in ways.items():
        if way and style in many:
            assert way.total(passes).middle == pytest.approx(many[style].total.middle, rel=1e-6)
            assert way.total(2).middle == pytest.approx(found(2)[style].total.middle, rel=1e-6)
    said = break_evens(list(many.values()))
    assert len(said) <= len(many)
    assert all(" is slower than " in line for line in said)


def cases_and_sizes() -> list[tuple[str, str, str, str]]:
    """Cases of the model, an axis of each that makes it larger, and two values of it."""
    rows = [(name, axis, "4MiB", "1GiB") for name, axis in MODELLED.items() if name in CASES]
    return [*rows, ("himeno", "grid", "S", "L"), ("lattice", "lattice", "class1", "class2")]


@pytest.mark.parametrize(("case", "axis", "small", "large"), cases_and_sizes())
@given(profile=profiles())
@settings(deadline=None, max_examples=25)
def test_every_case_in_every_style_is_sound(
    profile: MachineProfile, case: str, axis: str, small: str, large: str
) -> None:
    found = []
    for value in (small, large):
        try:
            request = resolve(case, {axis: value}, profile.record())[0]
        except UsageError:
            return
        predictions = predict.of_case(case, request.parameters, profile)
        for one in predictions:
            sound(one)
        found.append(predictions)
    no_less(*found)


def test_a_first_touch_that_is_cheaper_than_a_pass_keeps_its_seconds() -> None:
    """The setup time to which passes are added is then negative."""
    dear, cheap = (
        Curve(points=[Point(bytes=1e3, seconds=s, low=s / 2, high=s * 2)], source="test")
        for s in (1.0, 1e-3)
    )
    keys = {"pass gpu": dear, "transfer pinned device": cheap, "populate gpu managed": cheap}
    profile = MACHINES["pegasus"].model_copy(update={"curves": keys})

    def managed(passes: int) -> Prediction:
        used = Phase("used", 10, accesses=(Access("a", "gpu", 10**3, 0),), repeats=passes)
        work = Program("test", "managed", {"a": Allocation("a", 10**3)}, (used,))
        return predict.of_program(work, profile)

    way = option(managed(10))
    assert way
    assert way.setup.low <= way.setup.middle <= way.setup.high
    for passes in (2, 100):
        assert way.total(passes).middle == pytest.approx(managed(passes).total.middle)
