"""Speed of case `himeno`, computed from the samples of its trials, here alone.

    GFLOPS = flops of an iteration x iterations / seconds / 1e9       score = MFLOPS / 82.84
    fraction of the floor = (bytes of an iteration / rate of a copy) / seconds of an iteration

Three answers to "how fast?", and none of them hides the others: an iteration of the steady state,
the loop as Himeno's own convention takes it (first iteration and migration included), and the whole
run with what is outside the loop (allocation, transfers, release). A steady iteration of one rank
is timed by device events if the trial has them, all else by the host's clock. The floor is the time
in which a copy measured in the same result file would move an iteration's bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_low

from watari.cases import reference
from watari.cases.himeno.axes import BYTES_PER_POINT, points
from watari.common.units import format_rate
from watari.results import statistics
from watari.results.change_point import settle
from watari.results.measured import Measured
from watari.results.statistics import Trial

PENTIUM_III = 82.84  # MFLOPS of the machine that scores 1
OUTSIDE = ("allocate", "transfer_in", "transfer_out", "release")
# in the order in which a run spends them; `halo` is spent in iterations of all phases
PARTS = (*OUTSIDE[:2], "first", "migrating", "steady", "halo", *OUTSIDE[2:])


@dataclass(frozen=True)
class Performance:
    """One case: each number is the median over trials. None where it is not known."""

    gflops: float  # of the loop
    whole: float  # GFLOPS of the loop and the time outside it
    steady: float | None  # GFLOPS of an iteration of the steady state
    rate: float | None  # GB/s of such an iteration
    first: float  # s
    migrated: int  # iterations after the first until pages have moved
    parts: dict[str, float]  # s by PARTS, the whole run
    levels: tuple[float, ...]  # steady GFLOPS by trial; of the loop if no trial is steady

    @property
    def score(self) -> float:
        """Himeno's score: 1 is a Pentium III at 600 MHz."""
        return 1e3 * self.gflops / PENTIUM_III

    @property
    def outside(self) -> float:
        """Seconds outside the loop."""
        return sum(self.parts[name] for name in OUTSIDE)

    @property
    def loop(self) -> float:
        """Seconds in the loop."""
        return sum(self.parts.values()) - self.outside


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


def parts(trial: Trial) -> dict[str, float]:
    """Seconds of one run by part (PARTS), by the host's clock."""
    boundaries = split(trial)
    reported = {name: value["value"] for name, value in (trial.get("quantities") or {}).items()}
    halo = (trial.get("series") or {}).get("halo_s") or [0.0] * boundaries.last
    bare = [t - h for t, h in zip(trial["host_s"], halo, strict=True)]
    seconds = {name: reported.get(name, 0.0) for name in OUTSIDE}
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
    loops = [sum(trial["host_s"]) for trial in m.trials]
    outside = [sum(part[name] for name in OUTSIDE) for part in spent]
    gflop_counts = [m.flops_per_sample * len(trial["host_s"]) / 1e9 for trial in m.trials]
    steady = [seconds for trial in m.trials if (seconds := steady_seconds(trial))]
    gflops = [gflop / loop for gflop, loop in zip(gflop_counts, loops, strict=True)]
    runs = zip(gflop_counts, loops, outside, strict=True)
    levels = [m.flops_per_sample / seconds / 1e9 for seconds in steady]
    return Performance(
        gflops=median(gflops),
        whole=median(gflop / (loop + out) for gflop, loop, out in runs),
        steady=median(levels) if levels else None,
        rate=m.bytes_per_sample / median(steady) / 1e9 if steady else None,
        first=median(statistics.seconds(trial)[0] for trial in m.trials),
        migrated=median_low(split(trial).steady for trial in m.trials) - 1,
        parts={name: median(part[name] for part in spent) for name in PARTS},
        levels=tuple(levels or gflops),
    )


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
    """In one line: `2664 GFLOPS, 4387 GB/s (103% of copy)`."""
    performance, part = of(m), fraction(m, cases)
    if performance.steady is None or performance.rate is None:
        return f"{format_rate(performance.gflops)} GFLOPS, not steady"
    share = f" ({part:.0%} of copy)" if part else ""
    return f"{format_rate(performance.steady)} GFLOPS, {format_rate(performance.rate)} GB/s{share}"
