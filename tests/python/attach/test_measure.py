"""The verdict on a run, its time limit, and the wait for a program."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from watari.attach import measure
from watari.attach.events import Events
from watari.attach.measure import Measured, Run, judged
from watari.attach.start import Ending, Start, wait
from watari.common.progress import Silent


def ended(code: int, status: str = "ok") -> Run:
    nowhere = Path("absent")
    return Run(
        "managed", "", Ending(1.0, code, False, nowhere, nowhere), Events([], {}), {}, status
    )


@pytest.mark.parametrize(
    ("code", "first", "status", "reason"),
    [
        (0, ended(0), "ok", ""),
        (3, ended(3), "ok", ""),
        (4, ended(3), "failed", ""),
        (0, ended(3), "wrong", "exit code 0, not 3 as it is"),
        (0, ended(3, "failed"), "ok", ""),
    ],
)
def test_an_exit_code_must_stay(code, first, status, reason):
    found = judged(ended(code), first)
    assert (found.status, found.reason) == (status, reason)


@pytest.mark.parametrize(("keeps_limit", "seconds"), [(False, measure.LEAST_LIMIT), (True, 7200)])
def test_a_time_limit_of_the_users_own_holds_for_every_style(monkeypatch, keeps_limit, seconds):
    given = []

    def once(start, style, *_):
        given.append(start.limit)
        return replace(ended(0), style=style)

    monkeypatch.setattr(measure, "once", once)
    start = Start(("a.out",), 7200)
    measured = Measured(start, ["as-is", "managed"], [], ended(0), keeps_limit)
    measure.all_runs(measured, 1, [])
    assert given == [seconds, seconds]


class Noted(Silent):
    """Notes the seconds that are left."""

    def __init__(self) -> None:
        self.left: list[float] = []

    def start(self, text: str, left: float) -> None:
        self.left.append(left)

    def finish(self, text: str, left: float) -> None:
        self.left.append(left)


def test_the_time_that_is_left_is_that_of_the_runs_to_come(monkeypatch) -> None:
    """Each run takes 3 s; the first one, before them, took 1 s."""
    monkeypatch.setattr(measure, "once", lambda start, style, *_: replace(ended(0), style=style))
    times = iter([0.0, 3.0, 3.0, 6.0])
    noted = Noted()
    measured = Measured(Start(("a.out",), 60), ["as-is", "managed"], [], ended(0))
    measure.all_runs(measured, 1, [], noted, lambda: next(times))
    assert noted.left == [2.0, 3.0, 3.0, 0.0]


def test_a_program_may_be_given_more_time_than_poll_takes():
    process = subprocess.Popen(["true"])
    assert wait(process, 1e9) == 0


def test_the_limit_of_a_style_is_never_above_the_users() -> None:
    start = Start(("true",), limit=5.0)
    assert measure.limited(start, 1e6).limit == 5.0
    start = Start(("true",), limit=1e9)
    assert measure.limited(start, 1e3).limit == measure.STYLE_LIMIT * 1e3
    assert measure.limited(start, 0.0).limit == measure.LEAST_LIMIT
