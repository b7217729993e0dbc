"""The answer for a program: where its time goes, what would help, and the memory styles."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from watari.case.sentence import Cost


@dataclass(frozen=True)
class Saving:
    """One change of the program. `saves`: seconds of the whole run, negative where it may lose
    time. `imposed`: the change of `watari try` and `watari exec` that makes it without an edit;
    empty where the source is needed."""

    change: str
    text: str
    saves: Cost
    site: str = ""
    times: int = 0
    bytes: int = 0
    imposed: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether the interval lies above 0, and is no wider than the saving."""
        low, high = self.saves.low, self.saves.high
        return low > 0 and high - low <= self.saves.middle


@dataclass(frozen=True)
class Styled:
    """The program in a memory style. `seconds`: of the whole run, with the interval of the
    difference to the program as it is. `reason`: why it is not predicted. `noise`: seconds by
    which runs differ."""

    style: str
    seconds: Cost | None = None
    reason: str = ""
    noise: float = 0.0

    @property
    def run(self) -> Cost | None:
        """The seconds of one run."""
        return self.seconds and wider(self.seconds, self.noise)


def wider(cost: Cost, noise: float) -> Cost:
    """Seconds of a run, with what runs differ by."""
    low = cost.middle - math.hypot(cost.middle - cost.low, noise)
    high = cost.middle + math.hypot(cost.high - cost.middle, noise)
    return Cost(cost.middle, max(low, 0.0), high)


@dataclass(frozen=True)
class Left:
    """The run with the best changes together: seconds, shares, and these changes."""

    seconds: Cost
    shares: Mapping[str, float]
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """Seconds of the whole run. `measured`: without tracing; `seconds`: by the replay. `changes`:
    the run with changes of `watari exec`. `imposed`: styles that are given from outside;
    `rewritten`: those that the source would have to take. `stops`: why nothing is predicted."""

    title: str
    measured: float
    seconds: float
    shares: Mapping[str, float]
    savings: tuple[Saving, ...] = ()
    left: Left | None = None
    changes: tuple[Styled, ...] = ()
    imposed: tuple[Styled, ...] = ()
    rewritten: tuple[Styled, ...] = ()
    notes: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
