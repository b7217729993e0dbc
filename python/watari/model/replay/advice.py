"""The answer for a program: where its time goes, what would help, and the memory styles."""

from __future__ import annotations

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
    """The program in a memory style. `seconds`: of the whole run. `reason`: why it is not
    predicted."""

    style: str
    seconds: Cost | None = None
    reason: str = ""


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
