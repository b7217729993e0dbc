"""Memory styles where kinds of memory, pools and kernels that were measured in part meet."""

from __future__ import annotations

import pytest
from synthetic.replays import Call, copy, launch
from synthetic.styles import MS, answer, cost
from synthetic.traced import MIB, allocation, graph, kernel, placements

from watari.case.sentence import Cost
from watari.model.replay.graph import Wait
from watari.model.replay.styles.bounds import Bounds, of_graph
from watari.model.replay.styles.placements import pairs


def test_pinned_memory_leaves_managed_memory_where_it_is() -> None:
    made = graph([launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 5.0), touched=MIB)]
    other = {**allocation("device", MIB), "name": "other", "label": "other"}
    found = answer(made, rows, [allocation("managed", MIB), other])[0]
    as_is = cost(found["as-is"]).middle
    assert cost(found["pinned"]).high - as_is < 0.01  # the kernel touches `data` alone
    assert cost(found["mapped"]).middle - as_is > 4


def test_memory_that_the_gpu_touches_first_stays_there_with_accessed_by() -> None:
    size = 64 * MIB
    made = graph([Call(gap=300 * MS), launch(30 * MS)])
    rows = [kernel("k", placements(0.001, 0.5, 0.03, size))]
    data = [allocation("managed", size, {"by faults to CPU": size})]
    found = answer(made, rows, data)[0]
    assert found["accessed-by"].seconds == found["as-is"].seconds
    assert cost(found["mapped"]).middle > cost(found["as-is"]).middle


def test_a_kernel_that_was_never_local_is_compared_with_the_program() -> None:
    made = graph([Call(gap=300 * MS), launch(10 * MS)])
    rows = [kernel("k", placements(0.0, 0.04))]
    found = answer(made, rows, [allocation("device", MIB)])[0]
    more = cost(found["mapped"]).middle - cost(found["as-is"]).middle
    assert more == pytest.approx(0.03, rel=0.05)
    assert cost(found["mapped"]).low < cost(found["as-is"]).middle + 0.02


def test_memory_of_a_pool_is_made_once() -> None:
    made = graph([launch(100 * MS)])
    rows = [kernel("k", placements(0.1, 0.1))]
    one = {**allocation("device", 4 * MIB), "api": "cuMemAllocAsync"}
    once, often = (answer(made, rows, [{**one, "lives": n}])[0]["pinned"] for n in (1, 100))
    assert cost(often).middle == pytest.approx(cost(once).middle)


def test_a_kernel_whose_launches_all_differ_is_compared_with_its_neighbours() -> None:
    rows = placements(0.001, 0.004)
    local = [rows[0].model_copy(update={"threads": n, "seconds": n / 1000}) for n in (1, 3)]
    far = rows[1].model_copy(update={"threads": 2, "seconds": 0.008})
    ((near, other),) = pairs([*local, far], "mapped")
    assert (near.seconds, other.seconds) == (pytest.approx(0.002), 0.008)


def test_the_first_launches_of_many_say_less_of_later_ones() -> None:
    made = graph([launch(MS)] * 100)
    rows = [kernel("k", placements(0.001, 0.030), launches=count) for count in (1, 100)]
    all_of_them, few = (answer(made, [r], [allocation("device", MIB)])[0]["mapped"] for r in rows)
    assert cost(few).middle == pytest.approx(cost(all_of_them).middle)
    assert cost(few).low < cost(all_of_them).low < cost(all_of_them).high < cost(few).high


def bounds_of(*calls: Call) -> Bounds:
    return of_graph(*graph(list(calls)))


def test_a_copy_that_becomes_cheaper_takes_less_before_and_after() -> None:
    """A small copy to pinned memory is made by the CPU: nothing is submitted, and nothing waited
    for. What goes beyond the wait after its end goes from the time before its begin."""
    made = bounds_of(*[copy(1_000.0)] * 10)
    which = made.graph.calls["wait"] == Wait.OWN
    spent = float(made.late[0][which].sum() + made.issue[0].sum())
    for part in (0.2, 0.9):
        less = made.calls(which, Cost(*[-part * spent * 1e-9] * 3))
        assert made.seconds().middle - less.seconds().middle == pytest.approx(part * spent * 1e-9)
    none = made.calls(which, Cost(-1.0, -1.0, -1.0))
    assert float(none.late.min()) >= 0
    assert float(none.issue.min()) >= 0


def test_a_call_that_ends_before_its_copy_is_not_longer_where_it_gets_cheaper() -> None:
    made = bounds_of(*[copy(1_000.0)] * 10)
    which = made.graph.calls["wait"] == Wait.OWN
    made.late[:, which] = -500.0
    less = made.calls(which, Cost(*[-1e-6] * 3))  # 100 ns of each call
    assert made.seconds().middle - less.seconds().middle == pytest.approx(1e-6)
