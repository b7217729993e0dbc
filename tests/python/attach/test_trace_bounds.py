"""The time that the sampled run of a trace has."""

from __future__ import annotations

import pytest

from watari.attach.trace.bounds import ENOUGH, Bounds


@pytest.mark.parametrize("seconds", [0.1, 1.0, 10.0])
def test_the_sampled_run_leaves_the_whole_within_its_bound(seconds: float) -> None:
    spent = 2 + 4.3 * seconds if seconds < 3 else 2 + 2.3 * seconds
    few = Bounds.of(seconds, spent, 1000)
    assert spent + few.end <= 15 + 4 * seconds
    many = Bounds.of(seconds, spent, 100_000)
    assert many.end <= few.end
    assert 0 < many.sampling <= many.end / 2


def test_the_sampled_run_always_has_some_time() -> None:
    assert Bounds.of(1.0, 100.0, 0).end == ENOUGH + 1


def test_a_trace_with_time_left_gives_no_more_than_sampling_needs() -> None:
    assert Bounds.of(1.0, 0.0, 0).end == 13
    assert Bounds.of(1.0, 0.0, 0).sampling == 6
