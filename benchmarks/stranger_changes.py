"""Measured savings of changes from outside, beside those that `watari advise` predicts.

slower   its runs take 2% and the program's spread longer
short    it saves less than 0.6 of what it could, where that takes over 5% of the run (staged: in
         the copies themselves, where pairs have their seconds):
         staged: seconds of pageable copies of 4 MiB and more - bytes / RATES; those of the trace,
         else of the calls in the first run, which may also wait for earlier work
         pooled: seconds of repeated allocations - 10 us for each
right    the predicted saving is within 20%, or 1% of the run
likely   it is right, or off by no more than two standard errors of the measured saving

A saving that was measured in pairs (stranger_pairs.py) comes before one of medians.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, stdev

import numpy as np
import stranger_noise
import stranger_pairs
from stranger_table import Row

SLOWER = 0.02  # of the run
PART, LEAST = 0.2, 0.01  # of a saving, and of the run: how far a saving may be off
ERRORS = 2.0  # standard errors of a measured saving
MATTERS, ENOUGH = 0.05, 0.6  # of the run; of what could be saved
KEPT = 1e-5  # seconds of a kept allocation and its release
# bytes of a copy, and bytes per second that threads stage (H100, 16 cores; the slower direction)
RATES = ((2**23, 19e9), (2**26, 29e9), (2**30, 46e9))


@dataclass(frozen=True)
class Change:
    """Seconds of the run that a change saves. `predicted`: None without a prediction;
    `could`: what it could save, 0 where that does not matter."""

    program: str
    change: str
    measured: float
    predicted: float | None
    run: float
    spread: float
    could: float = 0.0
    error: float = 0.0  # standard error of the measured saving; 0 where it is not known
    inside: float | None = None  # seconds that it saves in the copies that it acts on

    @property
    def loses(self) -> bool:
        """Whether the program is slower with it, beyond 2% and its spread."""
        return -self.measured > (SLOWER + self.spread) * self.run

    @property
    def is_short(self) -> bool:
        """Whether it saves too little of what it could."""
        saved = self.measured if self.inside is None else self.inside
        return saved < ENOUGH * self.could

    @property
    def right(self) -> bool:
        """Whether the predicted saving is near the measured one."""
        return self.off <= allowed(self.measured, self.run)

    @property
    def likely(self) -> bool:
        """Whether noise alone may keep the predicted saving from the measured one."""
        return self.right or self.off <= ERRORS * self.error

    @property
    def off(self) -> float:
        """How far the predicted saving is from the measured one, in seconds."""
        return abs((self.predicted or 0.0) - self.measured)


def allowed(measured: float, run: float) -> float:
    """How far a predicted saving may be off, in seconds."""
    return max(PART * abs(measured), LEAST * run)


def spread_of(runs: list[float]) -> float:
    """Standard deviation as a part of the median; 0 for a single run. One slow run of three thus
    widens it less than the distance of that run would."""
    return stdev(runs) / median(runs) if len(runs) > 1 else 0.0


def as_is(row: Row) -> tuple[float, float]:
    """Seconds as it is, and their spread, beside the runs of styles."""
    return median(row["as_is"]), spread_of(row["as_is"])


def ratio(row: Row, seconds: float) -> float:
    """From seconds in the run of the trace to those in the run of the styles."""
    untraced: float = row["trace"].get("untraced_seconds", seconds)
    return seconds / untraced


def middle(row: Row, part: str) -> dict[str, float]:
    """Median seconds of the styles or changes that worked."""
    given = row.get(part, {}).items()
    return {name: median(one["seconds"]) for name, one in given if one["seconds"] and good(one)}


def good(one: Row) -> bool:
    """Whether runs of a style ended well."""
    return bool(one["status"] in ("ok", "unmeasured", "timeout"))


def could(row: Row, change: str, seconds: float) -> float:
    """Seconds that a change could save; 0 where what it acts on takes little of the run."""
    counts = row.get("counts", {})
    taken, least = 0.0, 0.0
    if change == "staged":
        copied = row.get("copied") or {
            "count": counts.get("pageable_copies", 1.0),
            "bytes": counts.get("large_pageable_bytes", 0.0),
            "seconds": counts.get("large_pageable_s", 0.0),
        }
        taken = copied["seconds"] * ratio(row, seconds)
        moved, size = copied["bytes"], copied["bytes"] / max(copied["count"], 1.0)
        sizes, rates = zip(*RATES, strict=True)
        least = moved / float(np.interp(np.log2(max(size, 1.0)), np.log2(sizes), rates))
    elif change == "pooled":
        taken = row.get("repeated_s", 0.0)
        least = KEPT * counts.get("allocations", 0.0)
    return max(0.0, taken - least) if taken > MATTERS * seconds else 0.0


def changes(row: Row) -> list[Change]:
    """Each imposed change of a program; several are joined by `+`."""
    seconds, spread = as_is(row)
    advice = row.get("advice", {})
    said = {one["style"]: one["seconds"] for one in advice.get("changes", ()) if "seconds" in one}
    found = []
    runs = {name: row["changes"][name]["seconds"] for name in middle(row, "changes")}
    paired = {name: pairs for name, pairs in row.get("pairs", {}).items() if pairs}
    for name in {**runs, **paired}:
        if pairs := paired.get(name):
            saved = stranger_pairs.differences(pairs, name)
            before = [pair[0] for pair in pairs]
            run, off = median(before), spread_of(before)
            measured, error = median(saved), stranger_pairs.error(saved)
            of_copies = stranger_pairs.of_copies(pairs) if name == "staged" else []
            inside = median(of_copies) if of_copies else None
        else:
            inside = None
            base = row.get("whole") if stranger_pairs.is_whole(name) else None
            base = base or row["as_is"]
            run, off, measured = seconds, spread, median(base) - median(runs[name])
            error = stranger_noise.error(base, runs[name])
        predicted = None
        if name in said:
            predicted = (advice["measured"] - said[name]) * ratio(row, run)
        able = could(row, name, seconds)
        known = error if math.isfinite(error) else 0.0
        change = Change(row["name"], name, measured, predicted, run, off, able, known, inside)
        found.append(change)
    return found
