"""Speed of case `himeno`, computed from the samples and laps of its trials, here alone.

    GFLOPS = flops of an iteration x iterations / seconds / 1e9       score = MFLOPS / 82.84
    fraction of the floor = (bytes of an iteration / rate of a copy) / seconds of an iteration

Three rates, which are always named, since each answers another question:

    benchmark  the time of jacobi(), which the original and the studies measure: all iterations, and
               the laps that LAPS marks. Allocation, copies and release of the GPU's own memory are
               inside; initial data, and the reading of the result by the CPU, are outside
    steady     the median iteration after pages have moved
    whole      all iterations and all laps: a program without its initial data

A steady iteration of one rank is timed by device events if the trial has them, all else by the
host's clock. The floor is the time in which a copy measured in the same result file would move an
iteration's bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median, median_low
from typing import NamedTuple

from watari.cases import reference
from watari.cases.himeno.axes import BYTES_PER_POINT, points
from watari.common.units import format_rate
from watari.results import statistics
from watari.results.change_point import settle
from watari.results.measured import Measured
from watari.results.statistics import Summary, Trial, summary

PENTIUM_III = 82.84  # MFLOPS of the machine that scores 1
OUTSIDE = ("allocate", "transfer_in", "transfer_out", "release")
# in the order in which a run spends them; `halo` is spent in iterations of all phases
PARTS = (*OUTSIDE[:2], "first", "migrating", "steady", "halo", *OUTSIDE[2:])


class Lap(NamedTuple):
    """A lap of a trial (himeno/loop.hpp): its part of the run, and whether jacobi() has it."""

    part: str
    inside: bool


LAPS = {
    "allocate": Lap("allocate", False),
    "allocate_device": Lap("allocate", True),
    "transfer_in": Lap("transfer_in", True),
    "transfer_out": Lap("transfer_out", True),
    "release_device": Lap("release", True),
    "read": Lap("transfer_out", False),
    "release": Lap("release", False),
}


@dataclass(frozen=True)
class Performance:
    """One case: each number is the median over trials. None where it is not known."""

    benchmark: float  # GFLOPS, as are the next two
    steady: float | None
    whole: float
    apart: bool  # whether `benchmark` has allocation and release of the GPU's own memory
    rate: float | None  # GB/s of a steady iteration
    first: float  # s
    migrated: int  # iterations after the first until pages have moved
    inside: float  # s of `benchmark`
    total: float  # s of `whole`
    parts: dict[str, float]  # s by PARTS, the whole run
    levels: tuple[float, ...]  # steady GFLOPS by trial; of the benchmark if no trial is steady

    @property
    def score(self) -> float:
        """Himeno's score: 1 is a Pentium III at 600 MHz."""
        return 1e3 * self.benchmark / PENTIUM_III

    @property
    def level(self) -> float:
        """GFLOPS in the steady state; of the benchmark without one."""
        return self.benchmark if self.steady is None else self.steady

    @property
    def benchmark_text(self) -> str:
        """`2071`; `~2071` for an older result, in which memory of the CPU and of the GPU is
        allocated and released in one lap: neither lap is counted."""
        return f"{'' if self.apart else '~'}{format_rate(self.benchmark)}"


@dataclass(frozen=True)
class Split:
    """The parts of a series: iterations [1, `steady`) migrate; `last` is the length."""

    steady: int
    last: int


def split(trial: Trial) -> Split:
    """Divides a trial into first iteration, migration and steady state.

    Pages may move in the phase `rest`: they do if its times fall to a lower level, until they reach
    it, or to the end if they never do (change_point.py).
    """
    times = statistics.seconds(trial)
    for phase in trial.get("phases") or []:
        change = settle(times[phase["first"] :]) if phase["name"] == "rest" else None
        if change and change.before > change.after:
            return Split(
                len(times) if change.end is None else phase["first"] + change.end, len(times)
            )
    return Split(min(1, len(times)), len(times))


def laps(trial: Trial) -> dict[str, float]:
    """Seconds of the laps that a trial has, by LAPS."""
    reported = trial.get("quantities") or {}
    return {name: reported[name]["value"] for name in LAPS if name in reported}


def laps_apart(trial: Trial) -> bool:
    """Whether memory of the GPU alone has laps of its own. In older results `allocate` and
    `release` include it, and `transfer_out` includes the present `read`."""
    return "read" in laps(trial)


def benchmark_seconds(trial: Trial) -> float:
    """Seconds of jacobi()."""
    return sum(trial["host_s"]) + sum(s for name, s in laps(trial).items() if LAPS[name].inside)


def whole_seconds(trial: Trial) -> float:
    """Seconds of the whole run."""
    return sum(trial["host_s"]) + sum(laps(trial).values())


def parts(trial: Trial) -> dict[str, float]:
    """Seconds of one run by part (PARTS), by the host's clock."""
    boundaries = split(trial)
    halo = (trial.get("series") or {}).get("halo_s") or [0.0] * boundaries.last
    bare = [t - h for t, h in zip(trial["host_s"], halo, strict=True)]
    seconds = dict.fromkeys(OUTSIDE, 0.0)
    for name, lap in laps(trial).items():
        seconds[LAPS[name].part] += lap
    seconds |= {"first": sum(bare[:1]), "migrating": sum(bare[1 : boundaries.steady])}
    seconds |= {"steady": sum(bare[boundaries.steady :]), "halo": sum(halo)}
    return {name: seconds[name] for name in PARTS}


def steady_seconds(trial: Trial) -> float | None:
    """Seconds of an iteration in the steady state, their median; None without a steady state.

    Several ranks are timed by the host's clock: events of one GPU do not cover their messages.
    """
    boundaries = split(trial)
    times = trial["host_s"] if trial["ranks"] > 1 else statistics.seconds(trial)
    return median(times[boundaries.steady :]) if boundaries.steady < boundaries.last else None


def of(m: Measured) -> Performance:
    """The numbers of a case that has trials."""
    spent = [parts(trial) for trial in m.trials]
    inside, total = (
        [seconds(trial) for trial in m.trials] for seconds in (benchmark_seconds, whole_seconds)
    )
    gflop = [m.flops_per_sample * len(trial["host_s"]) / 1e9 for trial in m.trials]
    benchmark, whole = (
        [n / s for n, s in zip(gflop, each, strict=True)] for each in (inside, total)
    )
    steady = [seconds for trial in m.trials if (seconds := steady_seconds(trial))]
    levels = [m.flops_per_sample / seconds / 1e9 for seconds in steady]
    return Performance(
        benchmark=median(benchmark),
        steady=median(levels) if levels else None,
        whole=median(whole),
        apart=all(map(laps_apart, m.trials)),
        rate=m.bytes_per_sample / median(steady) / 1e9 if steady else None,
        first=median(statistics.seconds(trial)[0] for trial in m.trials),
        migrated=median_low(split(trial).steady for trial in m.trials) - 1,
        inside=median(inside),
        total=median(total),
        parts={name: median(part[name] for part in spent) for name in PARTS},
        levels=tuple(levels or benchmark),
    )


def compared(trials: Iterable[Trial]) -> dict[str, Summary]:
    """The first iteration, and the seconds of an iteration by each rate, for `watari compare`.
    `benchmark` is left out if an older trial has no laps of the GPU's memory alone. For a series
    that never settles `steady` is the median after the first iteration: slower, not lost."""
    runs = statistics.good(trials)
    long = [trial for trial in runs if len(trial["host_s"]) > 1]
    steady = [steady_seconds(t) or median(statistics.seconds(t)[1:]) for t in long]
    apart = all(map(laps_apart, runs))
    each = {
        "first": [statistics.seconds(trial)[0] for trial in runs],
        "benchmark": [benchmark_seconds(t) / len(t["host_s"]) for t in runs] if apart else [],
        "steady": steady,
        "whole": [whole_seconds(t) / len(t["host_s"]) for t in runs],
    }
    return {name: summary([[s] for s in seconds]) for name, seconds in each.items() if seconds}


def copy_rate(m: Measured, cases: Sequence[Measured]) -> float | None:
    """GB/s of a copy in the same result file; None where the file has none, where the grid fits
    into caches, and for several ranks."""
    return reference.copy_rate(m, cases, BYTES_PER_POINT * points(m["grid"]))


def ceiling(m: Measured, cases: Sequence[Measured]) -> float | None:
    """GFLOPS at the floor, of an iteration at the rate of a copy."""
    rate = copy_rate(m, cases)
    return rate * m.flops_per_sample / m.bytes_per_sample if rate and m.bytes_per_sample else None


def fraction(m: Measured, cases: Sequence[Measured]) -> float | None:
    """The floor's time over that of a steady iteration; None where either is not known."""
    rate, steady = copy_rate(m, cases), of(m).rate
    return steady / rate if rate and steady else None


def text(m: Measured, cases: Sequence[Measured]) -> str:
    """In one line: `2071 GFLOPS benchmark, 2664 steady (103% of copy)`."""
    performance, part = of(m), fraction(m, cases)
    share = f" ({part:.0%} of copy)" if part else ""
    steady = "not" if performance.steady is None else format_rate(performance.steady)
    return f"{performance.benchmark_text} GFLOPS benchmark, {steady} steady{share}"
