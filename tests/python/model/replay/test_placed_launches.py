"""Memory styles of made-up programs: sampled launches, and the first touches of memory."""

from __future__ import annotations

import pytest
from synthetic.replays import Call, launch
from synthetic.styles import MS, answer, cost
from synthetic.traced import MIB, allocation, graph, kernel, placements

from watari.model.replay.styles import imposed, steps

US = 1_000.0  # ns
# seconds of the first touch and release of a small block in CPU memory
BLOCK = steps.seconds("populate cpu managed", 1) + steps.seconds("release mapped", 1)


@pytest.mark.parametrize(
    ("own", "local", "mapped", "more"),
    [
        (100.0, 100.0, 400.0, 300.0),
        (50.0, 100.0, 400.0, 150.0 * 100 / 98),  # launches that do half of it: half is added
        (3.0, 4.0, 304.0, 300.0),  # short ones are only longer when they are sampled
        (3.0, 180.0, 243.0, 240.0),  # pages still came to a launch that was called local
    ],
)
def test_the_link_adds_to_a_launch_what_it_adds_to_a_sampled_one(own, local, mapped, more) -> None:
    us = 1e-6
    made = graph([launch(own * US)])
    rows = [kernel("k", placements(local * us, mapped * us))]
    found = answer(made, rows, [allocation("device", 1)])[0]
    added = cost(found["mapped"]).middle - cost(found["as-is"]).middle - BLOCK
    assert added == pytest.approx(more * us, rel=0.01)


def test_a_slow_local_launch_counts_as_the_fastest_of_its_kind() -> None:
    made = graph([launch(3 * US)])
    local, mapped = placements(45e-6, 103e-6)
    local = local.model_copy(update={"launches": 2, "low": 3e-6, "high": 87e-6})
    found = answer(made, [kernel("k", [local, mapped])], [allocation("device", 1)])[0]
    added = cost(found["mapped"]).middle - cost(found["as-is"]).middle - BLOCK
    assert added == pytest.approx(100e-6, rel=0.01)


def test_launches_of_several_sizes_have_ratios_of_their_own() -> None:
    """Small launches take 10 times as long over the link, large ones 100 times; most are small."""
    small = [one.model_copy(update={"threads": 1}) for one in placements(10e-6, 100e-6)]
    large = [one.model_copy(update={"threads": 9}) for one in placements(100e-6, 10e-3)]
    calls = [launch(takes * US) for takes in [10.0] * 9 + [100.0, 20.0]]
    found = answer(graph(calls), [kernel("k", small + large)], [allocation("device", 1)])[0]
    added = cost(found["mapped"]).middle - cost(found["as-is"]).middle - BLOCK
    assert added == pytest.approx((9 * 90 + 9900 + 20 * 9) * 1e-6, rel=0.03)


def test_a_block_is_populated_as_far_as_it_is_touched() -> None:
    """Launches and copies of a life touch a sixteenth of it."""
    made = graph([launch(100 * MS)])
    block = {**allocation("device", 64 * MIB), "lives": 2}
    row = kernel("k", placements(0.1, 5.0), touched=4 * MIB, launches=2)
    partly = answer(made, [row], [block])[0]
    whole = answer(made, [{**row, "touched": []}], [block])[0]
    copied = {**block, "moved": {"copied to CPU": 128 * MIB}}
    back = answer(made, [row], [copied])[0]
    added = [
        cost(one["managed"]).middle - cost(one["as-is"]).middle for one in (partly, whole, back)
    ]
    each = steps.seconds("populate gpu managed", 4 * MIB) + steps.seconds(
        "release managed", 4 * MIB
    )
    assert added[0] == pytest.approx(2 * each, rel=0.05)
    assert added[1] > 5 * added[0]
    assert added[2] == pytest.approx(added[1])


def test_memory_that_the_gpu_touches_first_is_there_after_a_prefetch() -> None:
    made = graph([launch(1000 * MS)])
    rows = [kernel("k", placements(0.1, 5.0))]
    block = {**allocation("managed", 512 * MIB), "gpu_faults": 9}
    found = answer(made, rows, [block])[0]
    saved = cost(found["as-is"]).middle - cost(found["managed-prefetch"]).middle
    gone, new = (steps.seconds(s, 2.0**29) for s in ("populate gpu managed", "prefetch new"))
    assert saved == pytest.approx(gone - new, rel=0.05)


def test_prefetched_memory_need_not_be_cleared_by_the_cpu() -> None:
    """A GiB that the CPU touches first, and one that the GPU does."""
    calls = [Call(gap=2000 * MS), launch(100 * MS)]
    rows = [kernel("k", placements(0.1, 5.0, 0.2))]
    size = 1024 * MIB
    saved = []
    for moved in ({"by faults to GPU": size}, {}):
        found = answer(graph(calls), rows, [allocation("managed", size, moved)])[0]
        one = cost(found["managed-prefetch"])
        as_is = cost(found["as-is"]).middle
        saved.append([as_is - end for end in (one.middle, one.high, one.low)])
    (middle, least, most), others = saved
    assert middle == pytest.approx(imposed.CLEARING.middle * size, rel=0.2)
    assert least < middle < most
    assert others == pytest.approx([0, 0, 0], abs=0.01)


def test_a_block_that_no_sampled_launch_touches_is_hardly_populated() -> None:
    """As managed memory it is addresses alone; 3 of the launches may touch it."""
    made = graph([launch(100 * MS)])
    block = {**allocation("device", 64 * MIB), "lives": 1000}
    untouched = kernel("k", placements(0.1, 0.1), launches=20, sampled=20)
    found = answer(made, [untouched], [block])[0]
    added = cost(found["managed"]).middle - cost(found["as-is"]).middle
    whole = 1000 * steps.seconds("populate gpu managed", 64 * MIB)
    assert added == pytest.approx(1000 * steps.seconds("release managed", 0), rel=0.05)
    more = cost(found["managed"]).high - cost(found["managed"]).middle
    assert 0.1 * whole < more < 0.3 * whole
