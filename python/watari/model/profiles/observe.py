"""Observations of elementary steps from result files: each sample is some work, and its seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from watari.case import limits
from watari.cases import CASES, presentation, words
from watari.model.program import Program, of_profile
from watari.model.walk import Traits, parts
from watari.model.work import Step, Work, components
from watari.results import statistics
from watari.results.measured import Measured

OUTLIERS = (0.05, 0.95)  # quantiles of samples


@dataclass(frozen=True)
class Observation:
    """Seconds of some work: the middle and the ends of its samples. `computes`: a program's own
    kernels do it, whose passes need not have the rate of memory."""

    work: Work
    seconds: float
    low: float
    high: float
    source: str
    computes: bool = False


def observed(work: Work, samples: Sequence[Sequence[float]], source: str) -> Observation | None:
    """The observation of samples by trial; None where there are none."""
    series = [list(s) for s in samples if len(s)]
    if not series or not work:
        return None
    pooled = np.concatenate([np.asarray(s) for s in series])
    middle = float(median(median(s) for s in series))
    low, high = (float(np.quantile(pooled, q)) for q in OUTLIERS)
    if middle <= 0:
        return None
    return Observation(work, middle, min(low, middle), max(high, middle), source)


def program_of(m: Measured) -> Program:
    """The program of a measured case. Raises UnsupportedError."""
    case = CASES[m.case]
    return of_profile(m.case, case.profile(m.parameters), case.outside)


def by_phase(m: Measured, trial: dict[str, object]) -> list[list[float]]:
    """The samples of each phase, as the profile counts them."""
    times = statistics.seconds(trial)
    repeats = [phase.repeats for phase in CASES[m.case].profile(m.parameters).phases]
    if len(repeats) == 1:
        return [times]
    ends = np.cumsum([0, *repeats])
    return [times[a:b] for a, b in pairwise(ends)]


def of_case(m: Measured, traits: Traits) -> list[Observation]:
    """The observations of steps in the trials of a case."""
    program = program_of(m)
    whole = parts(program, traits)
    source = f"{m.case} {words(m.case, m.parameters)}"
    split = [by_phase(m, trial) for trial in m.trials]
    found: list[Observation | None] = []
    for index, phase in enumerate(program.phases):
        mine = {p.name: p.work for p in whole if p.phase == phase.name}
        series = [trial[index] for trial in split if index < len(trial)]
        if phase.fresh:
            if any(isinstance(item, Step) for item in mine["first"]):  # else it only makes data
                found.append(observed(mine["first"], series, source))
            continue
        steady = mine.get("steady", ())
        if components(mine["first"]) != components(steady):  # else it only shows a cold start
            found.append(observed(mine["first"], [s[:1] for s in series], source))
        found.append(observed(steady or mine["first"], [s[1:] or s for s in series], source))
    outside = CASES[m.case].outside
    for name in dict.fromkeys(outside.values()):
        laps = [
            [v["value"] for quantity, v in t["quantities"].items() if outside.get(quantity) == name]
            for t in m.trials
        ]
        values = [sum(mine) for mine in laps if mine]
        work = tuple(item for p in whole if p.name == name for item in p.work)
        found.append(observed(work, [[v] for v in values], source))
    if len(program.allocations) == 1:
        for name, part in (("allocate_s", "allocate"), ("free_s", "release")):
            series = [t["series"].get(name, []) for t in m.trials]
            work = next(p.work for p in whole if p.name == part)
            found.append(observed(work, series, source))
    computes = any(phase.flops for phase in program.phases)
    return [replace(each, computes=computes) for each in found if each]


def of_setup(cases: Sequence[Measured]) -> list[Observation]:
    """Observations of the allocation of page-locked memory: the setup of a trial takes longer for a
    larger array. Trials of copies do not time the allocation itself."""
    found = []
    groups: dict[str, list[Measured]] = {}
    for m in cases:
        kinds = [a.kind for a in CASES[m.case].profile(m.parameters).allocations]
        if kinds.count("pinned") == 1 and all("setup_s" in t["quantities"] for t in m.trials):
            quiet = {**m.parameters, "size": 0}
            groups.setdefault(f"{m.case} {words(m.case, quiet)}", []).append(m)
    for source, same in groups.items():
        small, *_, large = sorted([*same, same[0]], key=lambda m: int(m["size"] or 0))
        if not large["size"] or large["size"] <= 64 * small["size"]:
            continue
        base, spent = (
            [float(t["quantities"]["setup_s"]["value"]) for t in m.trials] for m in (small, large)
        )
        series = [[s - median(base)] for s in spent if s > median(base)]
        step = Step("allocate pinned", large["size"])
        found.append(observed((step,), series, f"setup of {source}"))
    return [each for each in found if each]


def usable(m: Measured) -> bool:
    """Whether a case shows plain steps."""
    return m.case in CASES and m.drawn and m.ranks == 1 and presentation(m.case).plain(m)


def impossible(m: Measured) -> str:
    """Why a measurement cannot be true; empty where it can."""
    profile = CASES[m.case].profile(m.parameters)
    if m.flagged:
        return ", ".join(m.flags)
    rate = max((max(rates) for rates in m.rates), default=0) * 1e9
    middle = m.median * 1e9
    if limits.flags(profile, m.parameters, middle, m.machine):
        most = (limits.limit(profile, m.machine) or 0) / 1e9
        return f"{middle / 1e9:.5g} GB/s, above the {most:.4g} GB/s of its memory or link"
    return "" if np.isfinite(rate) else "no rate"
