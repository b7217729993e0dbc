"""Parts of a machine profile beside curves: stores, latencies, and several processes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from watari.case.profile import STORE
from watari.cases import CASES, presentation, words
from watari.common.errors import UnsupportedError
from watari.model.machine import Contention, Latency, Rate
from watari.model.profiles.observe import OUTLIERS, impossible, of_case
from watari.model.walk import Traits
from watari.model.work import Work, components
from watari.results.measured import Measured

POINTER = 8  # bytes of a dependent load
ONE_CORE = 2.0  # times what several processes take one after the other


def stores(cases: Sequence[Measured]) -> list[Rate]:
    """Rates of files, by case and parameters."""
    rows = []
    for m in cases:
        profile = CASES[m.case].profile(m.parameters)
        ends = [(t.source, t.target) for phase in profile.phases for t in phase.transfers]
        if profile.flops_per_sample or not any(STORE in pair for pair in ends):
            continue
        low, high = (float(np.quantile(np.concatenate(m.rates), q)) for q in OUTLIERS)
        what = words(m.case, m.parameters)
        rows.append(
            Rate(what=what, rate=m.median, low=min(low, m.median), high=max(high, m.median))
        )
    return rows


def latencies(cases: Sequence[Measured]) -> list[Latency]:
    """Seconds of a dependent load, by processor, memory and size."""
    rows = []
    for m in cases:
        phases = CASES[m.case].profile(m.parameters).phases
        sparse = [a for phase in phases for a in phase.accesses if a.pattern == "sparse"]
        if sparse:
            steps = m.bytes_per_sample / POINTER
            seconds = m.bytes_per_sample / (m.median * 1e9) / steps
            shown = presentation(m.case)
            what = f"{words(m.case, m.parameters)}, {shown.extent(m.parameters)}"
            rows.append(Latency(what=what, seconds=seconds))
    return rows


def contention(cases: Sequence[Measured], traits: Traits) -> list[Contention]:
    """The slowdown of each of several processes against one alone, by their main step. Rates above
    a physical limit are left out, and so are processes on a CPU that took over twice as long as one
    after the other: in older results they had one core together."""
    rows: dict[tuple[str, int], float] = {}
    for m in filter(of_several, cases):
        count = int(m["processes"])
        others = (o for o in cases if o.drawn and o.case == m.case and same_but(o, m))
        alone = next((o for o in others if not impossible(o)), None)
        if alone is None or impossible(m):
            continue
        try:
            pairs = [of_case(c, traits) for c in (alone, replace(m, parameters=alone.parameters))]
        except UnsupportedError:
            continue
        for one, several in zip(*pairs, strict=True):
            factor = several.seconds / one.seconds
            if m["processor"] != "cpu" or factor <= ONE_CORE * count:
                rows[main_key(one.work), count] = max(1.0, factor)
    return [Contention(key=k, processes=n, factor=f) for (k, n), f in sorted(rows.items())]


def of_several(m: Measured) -> bool:
    """Whether several processes measured this case at once."""
    count = m["processes"]
    return m.case in CASES and m.drawn and isinstance(count, int) and count > 1


def main_key(work: Work) -> str:
    """The main step of some work: the first that is no pass over data, else the first pass."""
    keys = list(components(work))
    moving = [key for key in keys if not key.startswith("pass")]
    return (moving or keys)[0]


def same_but(one: Measured, other: Measured) -> bool:
    """Whether two cases differ in their number of processes alone, and the first has one."""
    quiet = ("processes", "threads", "samples")
    return one["processes"] == 1 and all(
        one[name] == value for name, value in other.parameters.items() if name not in quiet
    )
