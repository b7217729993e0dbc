"""Properties of the model: more bytes never take less time, break-evens agree with the seconds,
styles that cannot be distinguished are "either"."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from watari.case.profile import Access, Allocation, Phase, Profile
from watari.case.sentence import Cost
from watari.common.errors import FileError, UnsupportedError
from watari.model import machine, predict
from watari.model.advise import advise
from watari.model.machine import Curve, MachineProfile, Point
from watari.model.price import Prices, factor_of
from watari.model.profiles import known
from watari.model.program import Program, read_trace, side
from watari.model.styles import NAMES
from watari.model.trace_file import SCHEMA
from watari.model.walk import Traits, parts
from watari.model.work import Pass, Step, components
from watari.plan.request import resolve

GB = 10**9
MACHINES = ("gh200", "mi300a", "p100-nvlink", "pegasus")
SIZES = st.integers(2**12, 10 * GB)


@cache
def named(name: str) -> MachineProfile:
    return known.machine(name)


def program(size: int, passes: int = 1, turns: int = 1, written: bool = True) -> Program:
    """The CPU makes data. Then `turns` times the GPU passes over them and the CPU reads them."""
    made = Phase("made", size, accesses=(Access("data", "cpu", 0, size),))
    access = (Access("data", "gpu", size, size if written else 0),)
    used = Phase("used", 2 * size, accesses=access, repeats=passes)
    back = Phase("back", size, accesses=(Access("data", "cpu", size, 0),))
    phases = (made, *((used, back) * turns))
    return Program("test", "", {"data": Allocation("data", size)}, phases)


def seconds(work: Program, name: str, style: str) -> Cost | None:
    one = predict.of_program(work.with_style(style), named(name))
    return None if one.reason else one.total


@given(st.sampled_from(MACHINES), st.sampled_from(NAMES), SIZES, st.integers(1, 500))
@settings(deadline=None, max_examples=100)
def test_more_passes_never_take_less_time(name: str, style: str, size: int, passes: int) -> None:
    less, more = (seconds(program(size, n), name, style) for n in (passes, passes + 1))
    if less and more:
        assert less.middle <= more.middle * (1 + 1e-9)


@given(st.dictionaries(st.integers(2, 64), st.floats(1, 100), max_size=4), st.integers(1, 200))
@settings(deadline=None)
def test_more_processes_never_take_less_time_by_measured_contention(
    known: dict[int, float], processes: int
) -> None:
    less, more = (factor_of(n, known) for n in (processes, processes + 1))
    assert 1 <= less <= more * (1 + 1e-9)
    assert all(factor_of(n, known) >= factor * (1 - 1e-9) for n, factor in known.items())


@given(st.lists(st.tuples(SIZES, st.floats(1e-6, 1e3)), min_size=1, max_size=6), SIZES, SIZES)
@settings(deadline=None)
def test_a_curve_ascends(rows: list[tuple[int, float]], one: int, other: int) -> None:
    sizes, times = (sorted({row[i] for row in rows}) for i in (0, 1))
    assume(len(sizes) == len(times))
    points = [
        Point(bytes=float(b), seconds=s, low=s, high=s) for b, s in zip(sizes, times, strict=True)
    ]
    curve = Curve(points=points, source="test")
    small, large = sorted((one, other))
    assert curve.cost(small).middle <= curve.cost(large).middle * (1 + 1e-9)


def test_the_interval_widens_away_from_the_measured_sizes() -> None:
    points = [Point(bytes=b, seconds=b / 1e9, low=b / 1e9, high=b / 1e9) for b in (1e8, 1e9)]
    curve = Curve(points=points, source="test")

    def width(size: float) -> float:
        cost = curve.cost(size)
        return cost.high / cost.low

    assert width(1e8) == width(5e8) == width(1e9) == 1
    assert 1 < width(2e9) < width(4e9) < width(1e12)
    assert 1 < width(5e7) < width(1e6) < width(1e3)


def test_two_equal_styles_are_either() -> None:
    profile = named("pegasus")
    one = predict.of_program(program(GB).with_style("managed"), profile)
    assert advise([one, one], profile).verdict.startswith("either")


def test_styles_too_close_to_separate_are_said_in_few_groups() -> None:
    profile = named("gh200")
    few = {"grid": "XL", "iterations": "10"}
    parameters = resolve("himeno", few, profile.record())[0].parameters
    found = advise(predict.of_case("himeno", parameters, profile), profile)
    assert len(found.best) > 5
    groups = found.verdict.removeprefix("either of ").split("; or ")
    assert 2 <= len(groups) <= 3
    said = [name for group in groups for name in group.partition(":")[0].split(", ")]
    assert said == [r.prediction.style for r in found.ranked if r.prediction.style in found.best]
    totals = {r.prediction.style: r.total.middle for r in found.ranked}
    ends = [[totals[n] for n in group.partition(":")[0].split(", ")] for group in groups]
    for earlier, later in pairwise(ends):
        assert later[0] > 1.05 * earlier[-1]


@given(st.sampled_from(MACHINES), st.sampled_from(("cpu", "gpu")), SIZES, st.integers(1, 40))
@settings(deadline=None)
def test_many_kernels_take_as_long_as_copies_of_their_parts(
    name: str, who: str, size: int, launches: int
) -> None:
    prices = Prices(named(name))
    if f"pass {who}" not in prices.profile.curves:
        return
    several, part, one = (
        prices.work([Pass(who, n, launches=k)]).middle
        for n, k in ((size, launches), (size / launches, 1), (size, 1))
    )
    assert several >= one * (1 - 1e-9)
    assert several == pytest.approx(launches * part)


def one_phase(style: str, traits: Traits, who: str = "gpu", repeats: int = 3) -> dict[str, Any]:
    made = Phase("made", GB, accesses=(Access("a", "cpu", 0, GB),))
    used = Phase("used", 2 * GB, accesses=(Access("a", who, GB, GB),), repeats=repeats)
    work = Program("p", style, {"a": Allocation("a", GB)}, (used,), before=(made,))
    return {p.name: (p.work, p.times) for p in parts(work, traits)}


@pytest.mark.parametrize(
    ("style", "part", "step"),
    [
        ("explicit", "bring", Step("transfer pageable device", GB)),
        ("managed", "first", Step("fault gpu managed read", GB)),
        ("managed-prefetch", "bring", Step("prefetch gpu", GB)),
    ],
)
def test_the_first_use_on_the_other_side_pays_once(style: str, part: str, step: Step) -> None:
    found = one_phase(style, Traits())
    assert step in found[part][0]
    assert found["steady"] == ((Pass("gpu", 2 * GB),), 2)


@pytest.mark.parametrize("style", ["pinned", "managed-mapped"])
def test_memory_that_stays_is_read_over_the_link_each_time(style: str) -> None:
    found = one_phase(style, Traits())
    assert found["first"][0] == found["steady"][0] == (Pass("gpu", 0, GB, GB),)


def test_counters_move_pages_after_their_samples_and_not_back() -> None:
    found = one_phase("system", Traits("ats", 50), repeats=500)
    assert found["first"][0] == (Pass("gpu", 0, GB, GB, "system"),)
    assert found["steady"][1] == pytest.approx(500 - 1 - 50)
    assert components(found["steady"][0]) == {"pass gpu system": 2 * GB}
    assert "steady" not in one_phase("system", Traits("ats", 50), repeats=20)
    with pytest.raises(UnsupportedError, match="malloc"):
        one_phase("system", Traits())


def test_one_memory_moves_nothing() -> None:
    for style in ("pinned", "managed", "managed-prefetch", "system"):
        found = one_phase(style, Traits("unified"))
        keys = {key for work, _ in found.values() for key in components(work)}
        assert not any("link" in key or "fault" in key or "prefetch" in key for key in keys)


def as_trace(program: Program) -> dict[str, Any]:
    """The program as a trace file, with the phases before and after it among its phases."""
    phases = (*program.before, *program.phases, *program.after)
    return {
        "schema": SCHEMA,
        "name": program.name,
        "allocations": [{"name": a.name, "bytes": a.bytes} for a in program.allocations.values()],
        "phases": [
            {
                "name": phase.name,
                "repeats": phase.repeats,
                "accesses": [
                    {
                        "allocation": a.allocation,
                        "processor": side(a.processor),
                        "read": a.read,
                        "written": a.written,
                        "passes": a.passes,
                        "pattern": a.pattern,
                    }
                    for a in phase.accesses
                ],
            }
            for phase in phases
        ],
    }


def test_a_trace_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(as_trace(program(GB, 5, 2))))
    again = read_trace(path)
    mine, theirs = (
        [p.total for p in predict.of_trace(work, named("gh200")) if not p.reason]
        for work in (program(GB, 5, 2), again)
    )
    assert mine == theirs


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": "other"}, "schema"),
        ({"phases": []}, "phases"),
        ({"allocations": [{"name": "data", "bytes": -1}]}, "bytes"),
        ({"allocations": []}, "no allocation"),
        ({"more": 1}, "more"),
    ],
)
def test_a_trace_that_is_none_names_the_field(
    tmp_path: Path, change: dict[str, Any], says: str
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(as_trace(program(GB)) | change))
    with pytest.raises(FileError, match=says):
        read_trace(path)


def test_sparse_accesses_are_refused() -> None:
    work = program(GB)
    access = Access("data", "gpu", GB, 0, pattern="sparse")
    sparse = Program("s", "", work.allocations, (Phase("used", GB, accesses=(access,)),))
    found = {p.style: p.reason for p in predict.of_trace(sparse, named("pegasus"))}
    assert all(found.values())
    assert "sparse" in found["managed"]


def test_data_beyond_gpu_memory_are_refused_where_they_must_fit() -> None:
    work = program(90 * GB)
    found = {p.style: p for p in predict.of_trace(work, named("pegasus"))}
    assert "do not fit GPU memory" in found["managed"].reason
    assert "do not fit GPU memory" in found["explicit"].reason
    assert not found["pinned"].reason


def test_a_machine_profile_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    machine.write(named("gh200"), path)
    assert machine.read(path) == named("gh200")
    broken = json.loads(path.read_text())
    broken["curves"]["pass gpu"]["points"][0]["low"] = 1e9
    path.write_text(json.dumps(broken))
    with pytest.raises(FileError, match="ascend"):
        machine.read(path)


def test_bytes_of_a_profile_are_of_all_its_samples() -> None:
    phases = (Phase("first", 10), Phase("again", 100, repeats=3))
    assert Profile(phases, {}).bytes == 310
