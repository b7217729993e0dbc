"""The time of N steps and a touch: N t_step + t_gather + t_move + t_cpu, from measured parts.

The parts come from the same result file: the step from the case without a touch, the rest from the
touches of the smallest N. So the line over N is a forecast for every other N. It gives the N from
which a touch takes less than a tenth of the steps between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from watari.results.measured import Measured

FREE = 10  # a touch is free if the steps between take at least this many times as long


def step_seconds(m: Measured) -> float:
    """The median of steps that neither have nor follow a touch; 0 without such steps."""
    every = int(m.parameters["every"])
    touched = m.parameters["cpu-touch"] != "none"
    found = [
        seconds
        for trial in m.trials
        for n, seconds in enumerate(trial["host_s"][1:], 2)
        if not (touched and (n % every == 0 or (n - 1) % every == 0))
    ]
    return float(median(found)) if found else 0.0


def of_touches(m: Measured, series: str) -> float:
    """The median over all touches of a part's seconds; 0 without touches."""
    every = int(m.parameters["every"])
    found = [v for trial in m.trials for v in trial["series"][series][every - 1 :: every]]
    return float(median(found)) if found else 0.0


def period_seconds(m: Measured) -> float:
    """The mean time of a step over whole periods, times N."""
    every = int(m.parameters["every"])
    cells = [trial["quantities"]["cells_per_s"]["value"] for trial in m.trials]
    return every * cells_of(m) / float(median(cells))


def cells_of(m: Measured) -> int:
    """Cells of the grid."""
    from watari.cases.les.axes import shape

    return math.prod(shape(str(m["grid"])))


def base_of(m: Measured, cases: Sequence[Measured]) -> float:
    """The time of a step without a touch: from the case without touches, else from this one."""
    same = ("processor", "style", "grid", "cycles", "precision", "ranks", "split", "halo")
    for other in cases:
        alike = all(other.parameters.get(n) == m.parameters.get(n) for n in same)
        if other.run == m.run and other.drawn and alike and other.parameters["cpu-touch"] == "none":
            return step_seconds(other)
    return step_seconds(m)


def touch_seconds(m: Measured, cases: Sequence[Measured]) -> float:
    """The time of a touch: a whole period less N steps without one, so with faults in any step."""
    return max(0.0, period_seconds(m) - int(m.parameters["every"]) * base_of(m, cases))


def free_from(touch: float, step: float) -> int:
    """The N from which a touch takes less than a tenth of the steps between."""
    return max(1, math.ceil(round(FREE * touch / step, 6))) if step > 0 else 1


def measured_free_from(of: Sequence[Measured], cases: Sequence[Measured]) -> str:
    """The same N from cases that differ in N alone: the time that a touch adds to each step falls
    to a tenth of a step there, on the line over 1/N between two cases. `100 or less` or `above 100`
    if all cases lie on one side."""
    step = base_of(of[0], cases)
    points = sorted((int(m["every"]), period_seconds(m) / int(m["every"]) - step) for m in of)
    limit, before = step / FREE, None
    for n, added in points:
        if added <= limit:
            if before is None:
                return "1" if n == 1 else f"{n} or less"
            part = (limit - added) / (before[1] - added)
            return str(math.ceil(round(1 / (1 / n + part * (1 / before[0] - 1 / n)), 6)))
        before = (n, added)
    return f"above {points[-1][0]}"
