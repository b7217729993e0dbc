"""Caches in a curve of passes: a cache keeps its rate up to its capacity."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from held_out import RESULTS, Pair, pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from watari.model.machine import Curve, Point
from watari.model.profiles import fit
from watari.model.profiles.levels import Level, with_capacities
from watari.results import schema
from watari.results.measured import measurements

MIB = 2**20
STANDARD = [size * MIB for size in (1 / 8, 2, 32, 256, 2048)]  # of passes in the standard plan
BETWEEN = [size * MIB for size in (8, 16, 64, 128)]
LAUNCH = 3e-6


def missed(size: float, capacity: float) -> float:
    """The share of bytes that miss a cache with random replacement, when they are used in turn."""
    share = 1.0 if size > capacity else 0.0
    for _ in range(60):
        share = 1 - exp(-share * size / capacity)
    return share


def seconds(size: float, rates: tuple[float, float, float], l2: float, l3: float) -> float:
    """A pass on a machine with known caches: L2 keeps all or nothing, L3 a share."""
    inner, outer, memory = rates
    if size <= l2:
        return LAUNCH + size / inner
    part = missed(size, l3)
    return LAUNCH + size * ((1 - part) / outer + part / memory)


def points_of(sizes: list[float], *machine: object) -> list[Point]:
    """Measurements without noise."""
    made = [seconds(size, *machine) for size in sizes]  # type: ignore[arg-type]
    return [
        Point(bytes=b, seconds=s, low=s * 0.75, high=s * 1.25)
        for b, s in zip(sizes, made, strict=True)
    ]


RATES = st.tuples(st.floats(400e9, 900e9), st.floats(150e9, 300e9), st.floats(20e9, 90e9))


@given(RATES, st.integers(35, 250), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_the_rates_of_a_machine_are_recovered(
    rates: tuple[float, float, float], l3: int, which: int
) -> None:
    """The reported L3 is the host's, at least twice the machine's share."""
    l2, size = 16 * MIB, BETWEEN[which]
    points = points_of(STANDARD, rates, l2, l3 * MIB)
    levels = [Level(2 * l2, False), Level(512 * MIB, True)]
    found, straight = (
        Curve(points=p, source="test").cost(size) for p in (with_capacities(points, levels), points)
    )
    true = seconds(size, rates, l2, l3 * MIB)
    if size <= l2 or 32 * MIB < size <= 0.9 * l3 * MIB:  # beyond, a line leads to the next size
        assert found.low <= true <= found.high
        assert abs(found.middle / true - 1) < 0.1
        assert abs(found.middle / true - 1) <= abs(straight.middle / true - 1) + 0.02


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=7, unique=True),
    st.lists(st.floats(1e5, 1e9), min_size=0, max_size=4),
)
@settings(deadline=None)
def test_any_measurements_give_an_ascending_curve(times: list[float], caches: list[float]) -> None:
    sizes = [10**5 * 8.0**n for n in range(len(times))]
    points = [
        Point(bytes=b, seconds=s, low=s / 2, high=s * 2)
        for b, s in zip(sizes, sorted(times), strict=True)
    ]
    levels = [Level(size, i == len(caches) - 1) for i, size in enumerate(sorted(caches))]
    found = with_capacities(points, levels)
    curve = Curve(points=found, source="test")  # raises if the points do not ascend
    straight = Curve(points=points, source="test")
    assert [p for p in found if p in points] == points
    for size in np.geomspace(1e4, 1e12, 60):
        assert curve.cost(size).middle <= straight.cost(size).middle * (1 + 1e-9)


def test_a_rate_that_the_launch_hides_gives_no_point() -> None:
    """Two megabytes in the L2 of a GPU take as long as an empty kernel."""
    rates = (3e-6, 3.1e-6, 8e-6, 66e-6)
    points = [
        Point(bytes=b, seconds=s, low=s * 0.95, high=s * 1.05)
        for b, s in zip(STANDARD, rates, strict=False)
    ]
    assert with_capacities(points, [Level(32 * MIB, False)]) == points


def between_caches(pair: Pair) -> bool:
    """A copy by the CPU whose bytes lie between its second cache and memory."""
    m = pair.measured
    of_cpu = m.case == "copy" and m["processor"] == "cpu" and m["means"] == "kernel"
    return bool(of_cpu and 4 * MIB <= int(m["size"]) <= 128 * MIB)


def test_held_out_copies_between_caches_and_memory() -> None:
    """A straight line between measured sizes was 63% to 144% off, but for one copy."""
    errors = {
        (p.measured["from"], int(p.measured["size"]) // MIB): p.error
        for p in pairs()
        if between_caches(p)
    }
    assert len(errors) == 6
    at_the_edge = {key: e for key, e in errors.items() if key[1] == 16}  # all of L2, half noise
    assert all(abs(e) < 0.4 for key, e in errors.items() if key not in at_the_edge)
    assert all(abs(e) < 0.7 for e in at_the_edge.values())
    assert all(p.inside for p in pairs() if between_caches(p))
    assert np.median(np.abs(list(errors.values()))) == pytest.approx(0.25, abs=0.05)


def test_another_machine_whose_last_cache_belongs_to_its_neighbours() -> None:
    """A virtual machine of two cores, with little of the reported 480 MiB: five of its sizes are
    fitted, the five between them are predicted."""
    name = RESULTS / "2-core-intel-xeon-x86_64" / "20261124-cpu-copies.json"
    whole = schema.read(name)
    standard = {size // 2 for size in map(int, STANDARD)}
    cases = [c for c in whole.cases if c.parameters["size"] in standard]
    passes = fit.fit([whole.model_copy(update={"cases": cases})], [name.name]).curves["pass cpu"]
    errors = {
        m["size"]: passes.cost(m.bytes_per_sample).middle * m.median * 1e9 / m.bytes_per_sample - 1
        for m in measurements([whole])
        if m["size"] not in standard
    }
    assert sorted(errors) == [MIB // 4, 4 * MIB, 64 * MIB, 256 * MIB, 512 * MIB]
    assert max(map(abs, errors.values())) < 0.2
