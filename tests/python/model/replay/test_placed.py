"""Memory styles of traced programs: made-up programs with known placements."""

from __future__ import annotations

from dataclasses import replace

import pytest
import stranger_bytes
from hypothesis import given
from hypothesis import strategies as st
from synthetic.replays import Call, copy, launch
from synthetic.styles import HERE, MS, answer, cost
from synthetic.traced import MIB, allocation, graph, kernel, placements, trace

from watari.attach.styles import STYLES
from watari.model.machine import Curve, MachineProfile, Point
from watari.model.replay.simulate import seconds
from watari.model.replay.styles import steps
from watari.model.replay.styles.groups import groups, verdict
from watari.model.replay.styles.placed import IMPOSED, styled
from watari.model.trace_file import Trace

GB = 1e9


def curve(rate: float) -> Curve:
    """A step of this rate, in GB/s."""
    size = 2.0**30
    took = size / rate / GB
    return Curve(points=[Point(bytes=size, seconds=took, low=took, high=took)], source="made up")


def machine(**rates: float) -> MachineProfile:
    """A machine like the published one, with more rates."""
    more = {name.replace("_", " "): curve(rate) for name, rate in rates.items()}
    return HERE.model_copy(update={"curves": {**HERE.curves, **more}})


def test_the_styles_are_those_of_try() -> None:
    assert ["as-is", *IMPOSED] == list(STYLES)
    for name, style in IMPOSED.items():
        assert style.acts == STYLES[name].changes


def test_a_kernel_takes_its_measured_ratio_over_the_link() -> None:
    made = graph([launch(100 * MS)])
    found, _, notes = answer(made, [kernel("k", placements(0.05, 0.2))], [allocation("device", 1)])
    assert cost(found["as-is"]).middle == pytest.approx(seconds(*made))
    more = cost(found["mapped"]).middle - cost(found["as-is"]).middle
    assert more == pytest.approx(0.3, rel=0.02)
    assert cost(found["mapped"]).low > cost(found["as-is"]).high
    assert not [one for one in notes if "not measured with" in one]


def test_local_memory_changes_nothing_but_the_first_touch() -> None:
    made = graph([launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 5.0))]
    small = answer(made, rows, [allocation("device", MIB)])[0]
    large = answer(made, rows, [allocation("device", 1024 * MIB)])[0]
    as_is = cost(small["as-is"]).middle
    assert cost(small["managed"]).middle == pytest.approx(as_is, rel=0.01)
    populated = cost(large["managed"]).middle - as_is
    each = steps.seconds("populate gpu managed", 2**30) + steps.seconds("release managed", 2**30)
    assert populated == pytest.approx(each, rel=0.05)


def test_memory_of_a_loop_is_touched_for_the_first_time_in_each_life() -> None:
    made = graph([launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 5.0))]
    once = answer(made, rows, [allocation("device", 64 * MIB)])[0]
    often = answer(made, rows, [{**allocation("device", 64 * MIB), "lives": 10}])[0]
    as_is = cost(once["as-is"]).middle
    added = cost(once["managed"]).middle - as_is
    assert cost(often["managed"]).middle - as_is == pytest.approx(10 * added, rel=0.01)


def test_without_placements_nothing_that_depends_on_them_is_ranked() -> None:
    made = graph([launch(100 * MS)])
    found, rewritten, notes = answer(made, [], [allocation("device", MIB)])
    assert found["mapped"].seconds is None
    assert found["mapped"].reason.startswith("not sure: ")
    assert cost(found["managed"])
    assert not rewritten  # nothing is copied
    assert any("not measured with their memory over the link" in one for one in notes)
    assert "not sure: mapped, pinned" in verdict(list(found.values()))


def test_kernels_that_take_no_time_need_no_placement() -> None:
    made = graph([Call(gap=1000 * MS), launch(0.01 * MS)])
    found, _, _ = answer(made, [], [allocation("device", MIB)])
    imposed = list(found.values())
    assert verdict(imposed) == "no memory style changes this run by 3%"
    assert len(groups(imposed)) == 1


def test_the_note_has_the_reason_why_rows_are_missing() -> None:
    made = graph([launch(100 * MS)])
    rows = [kernel("k", unplaced="it needs more time than is left")]
    notes = answer(made, rows, [allocation("device", MIB)])[2]
    assert any("it needs more time than is left" in one for one in notes)


def test_a_port_has_no_copies() -> None:
    size = 64.0 * MIB
    made = graph([copy(50 * MS, size=size), launch(MS)])
    moved = {"copied to GPU": int(size)}
    rows = [kernel("k", placements(0.001, 0.002, 0.011, int(size)), touched=int(size))]
    found, rewritten, _ = answer(made, rows, [allocation("device", int(size), moved)])
    as_is = cost(found["as-is"]).middle
    assert as_is - cost(rewritten["mapped"]).middle == pytest.approx(0.050 - 0.001, rel=0.03)
    faults = cost(rewritten["managed"]).middle - (as_is - 0.050)
    assert faults == pytest.approx(0.010 + size / 90e9, rel=0.05)  # and the release
    assert cost(rewritten["managed-prefetch"]).middle < cost(rewritten["managed"]).middle
    assert verdict(list(rewritten.values())).startswith("either of mapped")
    assert cost(found["mapped"]).middle > as_is  # the copy stays


def test_memory_that_is_not_copied_stays_in_a_port() -> None:
    made = graph([copy(MS, size=MIB), launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 1.0), touched=MIB)]
    found = answer(made, rows, [allocation("device", MIB)])[1]
    assert cost(found["mapped"]).middle == pytest.approx(
        cost(found["as-is"]).middle - 0.001, rel=0.01
    )


def test_managed_memory_loses_its_faults_where_it_stays_with_the_cpu() -> None:
    size = 64 * MIB
    made = graph([Call(gap=300 * MS), launch(30 * MS)])
    moved = {"by faults to GPU": size, "by faults to CPU": size}
    rows = [kernel("k", placements(0.001, 0.004, 0.03, size))]
    found, rewritten, _ = answer(made, rows, [allocation("managed", size, moved)])
    assert found["managed"].reason == "the program allocates no GPU memory that can be changed"
    saved = cost(found["as-is"]).middle - cost(found["mapped"]).middle
    assert saved == pytest.approx(0.03 - 0.004 + size / 22e9, rel=0.05)
    assert cost(found["accessed-by"]).low <= cost(found["mapped"]).low
    assert found["read-mostly"].seconds is None
    assert cost(rewritten["managed-prefetch"]).middle < cost(found["managed-prefetch"]).middle


def test_another_machine_scales_what_its_memory_limits() -> None:
    size = int(0.1 * 1670e9)
    made = graph([Call(gap=50 * MS), launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 10.0), touched=size)]
    there = machine(pass_gpu=3340.0)
    found, _, notes = answer(made, rows, [allocation("device", MIB)], there, HERE)
    whole = seconds(*made)
    assert cost(found["as-is"]).middle == pytest.approx(whole - 0.05, rel=0.02)
    few = [kernel("k", placements(0.1, 0.1), touched=MIB)]
    computes = answer(made, few, [allocation("device", MIB)], there, HERE)[0]
    assert cost(computes["as-is"]).middle == pytest.approx(whole, rel=0.02)
    assert cost(computes["as-is"]).low <= whole - 0.05
    assert any("time of the CPU" in one for one in notes)


def test_a_faster_link_helps_where_the_link_limits() -> None:
    made = graph([launch(10 * MS)])
    rows = [kernel("k", placements(0.01, 0.5))]
    slow, fast = machine(read_gpu_link=50.0), machine(read_gpu_link=400.0)
    data = [allocation("device", MIB)]
    near = cost(answer(made, rows, data, slow)[0]["mapped"]).middle
    far = cost(answer(made, rows, data, fast, slow)[0]["mapped"]).middle
    assert near / far == pytest.approx(8, rel=0.1)


RATIO = st.floats(1.0, 100.0)
STEPS = st.lists(
    st.one_of(
        st.builds(launch, st.floats(10_000, 20 * MS)),
        st.builds(copy, st.floats(10_000, 20 * MS), size=st.floats(4, 100 * MIB)),
        st.builds(Call, gap=st.floats(1000, 20 * MS)),
    ),
    min_size=1,
    max_size=12,
)


@given(STEPS, RATIO, st.booleans(), st.floats(1, 1000 * MIB), st.booleans())
def test_intervals_are_in_order(
    steps: list[Call], ratio: float, known: bool, size: float, to_cpu: bool
) -> None:
    made = graph(steps, to_cpu=to_cpu)
    rows = placements(0.001, 0.001 * ratio, 0.002 * ratio) if known else []
    moved = {"copied to GPU": int(size)}
    found = answer(made, [kernel("k", rows, int(size))], [allocation("device", int(size), moved)])
    for one in (*found[0].values(), *found[1].values()):
        assert bool(one.seconds) != bool(one.reason)
        if one.seconds:
            assert 0 <= one.seconds.low <= one.seconds.middle <= one.seconds.high


@given(STEPS, RATIO, st.floats(1, 20), st.booleans(), st.booleans())
def test_more_bytes_never_take_less_time(
    steps: list[Call], ratio: float, factor: float, known: bool, to_cpu: bool
) -> None:
    rows = placements(0.001, 0.001 * ratio) if known else []
    found = []
    for times in (1.0, factor):
        more = [replace(call, size=call.size * times) for call in steps]
        size = int(MIB * times)
        data = [allocation("device", size, {"copied to GPU": size})]
        found.append(answer(graph(more, to_cpu=to_cpu), [kernel("k", rows, size)], data))
    for part in (0, 1):
        for name, one in found[0][part].items():
            other = found[1][part][name]
            if one.seconds and other.seconds:
                for end in ("low", "middle", "high"):
                    less, most = getattr(one.seconds, end), getattr(other.seconds, end)
                    assert most >= less * (1 - 1e-9), (name, end)


def test_the_model_of_bytes_stays_as_a_baseline() -> None:
    found = stranger_bytes.priced(trace(1.0, [], [allocation("device", 64 * MIB)]), HERE)
    assert {"as-is", "mapped"} <= {*found.seconds, *found.best}
    assert all(cost.middle > 0 for cost in found.seconds.values())


def test_a_trace_without_records_is_refused() -> None:
    bare = Trace.model_validate({**trace(1.0, [], []).model_dump(by_alias=True), "observed": None})
    with pytest.raises(ValueError, match="without records"):
        styled(*graph([launch(MS)]), bare, HERE)


def test_bounds_of_a_large_graph_hold_those_of_its_replays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = graph([launch(MS), copy(MS, size=MIB), Call(gap=3 * MS)] * 4)
    rows = [kernel("k", placements(0.001, 0.004), MIB)]
    data = [allocation("device", 64 * MIB, {"copied to GPU": 4 * MIB})]
    exact = answer(made, rows, data)
    monkeypatch.setattr("watari.model.replay.styles.bounds.MANY", 0)
    quick = answer(made, rows, data)
    for part in (0, 1):
        for name, one in exact[part].items():
            if one.seconds:
                wide = cost(quick[part][name])
                assert wide.middle == pytest.approx(one.seconds.middle)
                assert wide.low <= one.seconds.low * (1 + 1e-9)
                assert wide.high >= one.seconds.high * (1 - 1e-9)


def test_without_the_sampled_run_nothing_over_the_link_is_predicted() -> None:
    made = graph([launch(100 * MS)])
    found, _, notes = answer(made, [kernel("k", [], sampled=0)], [allocation("device", 1)])
    reason = "what its kernels touch was not recorded"
    for name in ("mapped", "pinned"):
        assert found[name].reason == reason
    assert found["managed"].seconds
    assert f"{reason}: nothing is predicted in which kernels read over the link" in notes
