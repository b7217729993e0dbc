"""The saving of a prefetch, for made-up managed programs."""

from __future__ import annotations

import pytest
from synthetic.replays import launch
from synthetic.traced import MIB, allocation, graph, kernel, placements, trace

from watari.model.profiles import choose
from watari.model.replay.advice import Saving
from watari.model.replay.savings import faults, savings
from watari.model.replay.savings.savings import Found
from watari.model.replay.savings.staging import Rates as NoRates
from watari.model.replay.simulate import replay
from watari.model.replay.styles.program import of_trace
from watari.model.replay.styles.rates import Rates

MS = 1_000_000.0  # ns
SIZE = 256 * MIB


def helped(
    times: list[float], local: float = 0.0, kind: str = "managed", size: int = SIZE
) -> Found:
    """A program whose kernel `k` takes these milliseconds; `local`: with its memory local."""
    made, links = graph([launch(takes * MS) for takes in times])
    rows = placements(local / 1e3, 2 * local / 1e3) if local else []
    moved = {"by faults to GPU": size} if size else {}
    found = trace(sum(times) / 1e3, [kernel("k", rows)], [allocation(kind, SIZE, moved)])
    assert found.observed
    program = of_trace(made, links, found.observed, Rates(choose.by_text("pegasus")))
    more = list(faults.candidates(program))
    return savings.of_graph(made, links, replay(made, links), NoRates(), more=more)


def prefetch(found: Found) -> Saving:
    return next(one for one in found.savings if one.change == "prefetch")


def test_launches_that_take_longer_than_with_local_memory_are_prefetched() -> None:
    found = helped([40.0, 2.0, 2.0, 40.0, 2.0], local=2.0)
    one = prefetch(found)
    assert (one.imposed, one.times, one.bytes, one.site) == ("prefetched", 2, SIZE, "data")
    assert 0 < one.saves.low < one.saves.middle < one.saves.high < 76e-3
    (run,) = found.imposed
    assert run.style == "prefetched"
    assert run.seconds
    assert run.seconds.middle == pytest.approx(0.086 - one.saves.middle, rel=0.01)


def test_without_launches_with_local_memory_the_bytes_count() -> None:
    one = prefetch(helped([80.0]))
    assert one.saves.low < one.saves.middle < 80e-3
    assert one.bytes == SIZE


@pytest.mark.parametrize(
    ("times", "more"),
    [
        ([40.0, 2.0], {"local": 2.0, "kind": "device"}),
        ([40.0, 2.0], {"local": 2.0, "size": 0}),
        ([2.0, 2.0], {"local": 2.0}),
    ],
)
def test_what_does_not_fault_is_not_prefetched(times: list[float], more: dict) -> None:
    assert not [one for one in helped(times, **more).savings if one.change == "prefetch"]


def test_more_bytes_save_less_of_known_seconds() -> None:
    few, many = (prefetch(helped([40.0, 2.0], local=2.0, size=size)) for size in (SIZE // 8, SIZE))
    assert few.saves.middle > many.saves.middle
