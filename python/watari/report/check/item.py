"""A check's answers, and the run that they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from watari.case.profile import STORE as STORED
from watari.cases import CASES
from watari.report.check.causes import CPU, GPU, LINK, STORE
from watari.report.check.stored import Earlier, Stored
from watari.results.measured import Measured
from watari.results.schema import Results
from watari.results.significance import THRESHOLD

PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"
LOST = "lost"  # an earlier run had it


@dataclass(frozen=True)
class Item:
    """The answer to one question. `says` has the numbers."""

    check: str
    name: str
    verdict: str
    says: str
    path: frozenset[str] = frozenset()  # parts; a cause that touches one is likely
    causes: tuple[str, ...] = ()

    def as_values(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "path": sorted(self.path)}


@dataclass(frozen=True)
class Run:
    """A run, and the values that it is compared with."""

    results: Results
    measured: list[Measured]
    machine: dict[str, Any]  # with the fastest links that the hardware allows
    baseline: Results | None = None
    stored: Stored = field(default_factory=Stored)
    earlier: Sequence[Earlier] = ()  # of this machine
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by case; "" for the others

    def threshold(self, case: str, default: float = THRESHOLD) -> float:
        """The change that matters for a case."""
        return self.thresholds.get(case, self.thresholds.get("", default))


def path_of(m: Measured) -> frozenset[str]:
    """The parts of a machine that a case's bytes cross."""
    if m.case not in CASES:
        return frozenset()
    touched = set()
    for phase in CASES[m.case].profile(m.parameters).phases:
        for t in phase.transfers:
            sides = {
                "cpu" if side == "cpu" else GPU
                for side in (t.source, t.target, t.reader)
                if side and side != STORED
            }
            touched |= {LINK} if len(sides) > 1 else sides
            touched |= {STORE} if STORED in (t.source, t.target) else set()
    return frozenset({CPU if side == "cpu" else side for side in touched})
