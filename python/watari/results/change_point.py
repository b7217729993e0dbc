"""The change of level in a series: the end of a migration, and the plateaus before and after it.

Pages may move gradually (50 to 60 samples on a GH200) or all within one sample (faults, over
PCIe); late samples and short drops are everyday noise, and most series never change at all.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from watari.results.statistics import Array, Samples

# The largest distance of a plateau's samples from its level, in standard deviations of the noise.
# The first follows a gradual change closest to its end; the second detects one slow sample in much
# noise.
DEVIATIONS = (2.0, 4.0)
CHANCE = 0.06  # of mistaking strays at the beginning for a change; lets 1 slow sample of 9 count


@dataclass(frozen=True)
class Settling:
    """A change of level: samples [0, start) lie on the plateau `before`, [end, n) on `after`.

    Between them the series moves; start = end is a step. `end` is None if the series still moves at
    its last samples; `after` is then the level it has reached. `seconds` is the time up to `end`.
    """

    start: int
    end: int | None
    before: float
    after: float
    seconds: float | None


def settle(
    samples: Samples, times: Samples | None = None, tolerance: float = 0.05, floor: float = 0.0
) -> Settling | None:
    """The change of level in `samples`: times, rates or fractions; None if it is all noise.

    `times` are the seconds of every sample, if the samples are not times. A sample lies on a
    plateau within `tolerance` of its level, two standard deviations of its noise, or `floor`,
    whichever is largest; fractions that end at 0 need a floor (0.02).

    Method: the last plateau's level is the median of the last quarter. The end is the split that
    best separates samples off it from samples on it: the maximum over i of the sum, over samples
    before i, of +1 (off) or -1 (on). Strays and short drops later cannot move it. It counts as a
    change if strays alone would seldom look like it (see `by_chance`). The start is located in the
    same way in the samples before it, with the level of the first three samples.
    """
    values = np.asarray(samples, dtype=np.float64)
    if len(values) < 4:
        return None
    last = values[-max(3, len(values) // 4) :]
    after = float(np.median(last))
    for first_alone, deviations in itertools.product((False, True), DEVIATIONS):
        width = max(deviations * noise_of(last), tolerance * abs(after), floor)
        off = np.abs(values - after) > width
        end = best_split(off)
        moves = still_moving(values[end:], off, width)
        judged = 1 if first_alone else end
        if moves or (end > 0 and by_chance(values, end, judged, after) <= CHANCE):
            break
    else:
        return None
    after = float(np.median(values[-3:] if moves else values[end:]))
    head = values if moves else values[:end]
    first = float(np.median(head[:3]))
    width = max(DEVIATIONS[0] * noise_of(head), tolerance * abs(first), floor)
    start = max(1, best_split(np.abs(head - first) <= width))
    taken = values if times is None else np.asarray(times, dtype=np.float64)
    return Settling(
        start=start,
        end=None if moves else end,
        before=float(np.median(head[:start])),
        after=after,
        seconds=None if moves else float(taken[:end].sum()),
    )


def noise_of(values: Array) -> float:
    """Standard deviation of the noise, by the median of the differences between neighbours.

    Neither a trend nor a few strays change it, for they are in few of the differences.
    """
    if len(values) < 3:
        return 0.0
    return float(1.4826 * np.median(np.abs(np.diff(values))) / np.sqrt(2))


def best_split(inside: npt.NDArray[np.bool_]) -> int:
    """The i for which most of the flags before it are set and most after it are not; 0 if none."""
    score = np.concatenate([[0], np.cumsum(np.where(inside, 1, -1))])
    return int(np.argmax(score))


def by_chance(values: Array, end: int, judged: int, after: float) -> float:
    """The probability that strays alone make as clear a beginning as values[:judged].

    Strays as far off as half the beginning have a frequency q after `end` (half a stray is added,
    since a series without strays may still have some). The score of `best_split` is then a random
    walk that reaches m with probability (q / (1 - q))^m, the gambler's ruin. Judging the first
    sample alone detects a pass that faults every page in: it is a hundred times slower than the
    next, which lies a little off.
    """
    distance = np.abs(values - after)
    far = distance >= np.median(distance[:judged]) / 2
    later = far[end:]
    q = (later.sum() + 0.5) / (len(later) + 1)
    score = 2 * int(far[:judged].sum()) - judged
    return float(min(1.0, (q / (1 - q)) ** score)) if q < 0.5 and score > 0 else 1.0


def still_moving(plateau: Array, off: npt.NDArray[np.bool_], width: float) -> bool:
    """Whether the last plateau is none: it has fewer than three samples, slopes, or ends with three
    samples off it."""
    if off[-3:].all() or len(plateau) < 3:
        return True
    half = len(plateau) // 2
    return bool(abs(np.median(plateau[half:]) - np.median(plateau[:half])) > width)
