"""The time of a whole trace: what the sampled run may take of it, and what it does at its end."""

from __future__ import annotations

import re
import threading

import pytest
import tracing
from tracing import trace

from watari.attach.start import Start
from watari.attach.trace import runs, sampled
from watari.attach.trace.aside import Aside
from watari.case.axis import parse_duration


@pytest.mark.parametrize("seconds", [0.1, 1, 10, 100])
@pytest.mark.parametrize("left", [1, 5, 30, 300])
def test_after_sampling_the_program_has_time_to_end(seconds, left) -> None:
    bounds = sampled.Bounds.of(seconds, left)
    assert bounds is not None
    assert bounds.end == left
    assert bounds.sampling <= bounds.until < left
    assert left - bounds.until >= min(seconds, left / 2)


def test_the_time_before_the_first_context_does_not_shorten_sampling() -> None:
    """PyTorch: 9 of 13 seconds are imports."""
    whole, cuda = (sampled.Bounds.of(13, 30, start) for start in (0, 9))
    assert whole is not None
    assert cuda is not None
    assert cuda.end == whole.end == 30
    assert (whole.until, cuda.until) == pytest.approx((15.7, 25.6))


def test_without_time_nothing_is_sampled(tmp_path, made_up) -> None:
    said: list[str] = []
    start = Start((tracing.program("linked"), "device", "4096"))
    bounds = sampled.Bounds.of(10, 0.5)
    touches, why = sampled.reported(start, tmp_path, made_up, bounds, 0, said.append)
    assert (bool(touches), said) == (False, [])
    assert why == sampled.NO_TIME


def test_the_sampled_run_gets_what_the_other_runs_left(tmp_path) -> None:
    ended, content = trace(tmp_path, "linked", "device", "4096", "sleep", "1")
    of = content["observed"]
    (most,) = re.findall(r"it is ended after (.*) \(--no", ended.stderr)
    runs_before = sum(of["replay"]["untraced"]) + of["traced_seconds"]
    whole = sampled.TIMES * of["untraced_seconds"] + tracing.WHOLE
    assert 0 < parse_duration(most.replace(" ", "")) < whole - runs_before


def test_new_memory_stays_as_it_is_when_sampling_is_over(tmp_path, made_up) -> None:
    words = "device 4096 sleep 2 device 8192 device 12288 sleep 0"
    start = Start((tracing.program("linked"), *words.split()))
    sampling = runs.Sampling(60, until=1.5)
    ending, log, _ = runs.traced_run(start, tmp_path, made_up, "managed", sampling)
    assert ending.code == 0
    got = {one.bytes: one.got for one in log.allocations}
    assert got == {4096: "managed", 8192: "managed", 12288: "device"}


def test_of_many_allocations_the_largest_are_moved(tmp_path, made_up) -> None:
    words = "hold 512 " * 2100 + "device 4096"
    start = Start((tracing.program("linked"), *words.split()))
    touches, why = sampled.sample(start, tmp_path, made_up, sampled.Bounds(60, 60))
    assert why.startswith("up to 53 small allocations (")
    ((launch,),) = touches.kernels.values()
    assert [touch.bytes for touch in launch.values()] == [4096]


def test_work_aside_gives_its_result_or_its_error() -> None:
    go = threading.Event()
    work = Aside(lambda: go.wait(10) and 1 / 4)
    go.set()
    assert work.result() == 0.25
    with pytest.raises(ZeroDivisionError):
        Aside(lambda: 1 / 0).result()
