"""One sentence of the answer: where data should live, with its figure, confidence and crossover.

A cost is in seconds per GB of data, with its interval over trials. Two ways cost `setup` once and
`each` per pass. The second pays from the first whole n for which

    setup_2 + n each_2 < setup_1 + n each_1

A sentence claims nothing beyond the sizes that were measured, and names them (`measured`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from watari.common.units import format_duration, format_rate, format_size, format_speed
from watari.results.measured import Measured
from watari.results.statistics import interval

# topics of the answer, in order; a machine without a GPU answers those of its CPU
TOPICS = {
    "again": "Read again and again by the GPU",
    "once": "Used once by the GPU",
    "turns": "Used by both processors in turn",
    "larger": "Larger than GPU memory",
    "cpu-again": "Used again and again by the CPU",
    "cpu-once": "Used once by the CPU",
    "files": "Larger than memory",
    "slow": "Slow ways",
    "steps": "Followed from pointer to pointer",
    "apart": "Small elements that lie apart",
    "counters": "Counted by many threads",
    "tree": "A tree of pointers",
    "own-kernel": "Kernels of one's own",
}


ALIKE = 16  # arrays down to this part of the largest are as good as the largest
ENOUGH = 3  # trials
HOPELESS = 5  # an interval from x to 5 x says nothing


@dataclass(frozen=True)
class Bar:
    """A share, 0 to 1, and what it is of: `88% of the limit, 4.81 TB/s`."""

    share: float
    says: str


def bar(part: float, whole: float | None, of: str) -> Bar | None:
    """The bar of a part of a whole; None where the whole is not known, or not the larger one."""
    if not whole or not 0 < part <= whole:
        return None
    share = part / whole
    return Bar(share, f"{share:.0%} of {of}" if share >= 0.01 else f"under 1% of {of}")


# where the short answer of a text ends
ENDS = re.compile(r"(: |; |\. |, (?=\d|where |read into )|\.$)")


@dataclass(frozen=True)
class Sentence:
    """The answer of a run on one topic. Empty `crossover`: there is none."""

    topic: str
    text: str  # complete, with its figures
    figure: str  # the number that it rests on: `4.28 TB/s`
    confidence: str  # of the figure: its 95% interval, or `a single trial`
    crossover: str = ""
    measured: str = ""  # sizes of the measured data: `arrays of 1 MiB to 1 GiB`
    bar: Bar | None = None

    @property
    def answer(self) -> str:
        """The short answer: `GPU memory`, of `GPU memory. A kernel copies there at 4.25 TB/s.`"""
        return ENDS.split(self.text, maxsplit=1)[0]

    @property
    def rest(self) -> str:
        """The text after the short answer."""
        found = ENDS.search(self.text)
        return self.text[found.end() :].strip() if found else ""

    @property
    def sure(self) -> str:
        """The sizes and the confidence."""
        return "; ".join(filter(None, (self.measured, self.confidence)))

    @property
    def title(self) -> str:
        """The data that the sentence is about."""
        return TOPICS.get(self.topic, self.topic)

    def line(self) -> str:
        """The whole sentence as plain text."""
        parts = [f"{self.title}: {self.text}", self.crossover, f"({self.sure})"]
        return " ".join(part for part in parts if part and part != "()")


@dataclass(frozen=True)
class Cost:
    """Seconds per GB of data: middle, and the ends of its interval."""

    middle: float
    low: float
    high: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.middle + other.middle, self.low + other.low, self.high + other.high)

    def times(self, count: float) -> Cost:
        """The cost, multiplied by `count`."""
        return Cost(self.middle * count, self.low * count, self.high * count)

    def plain(self) -> dict[str, float]:
        """Plain values, for JSON."""
        return {"seconds": self.middle, "low": self.low, "high": self.high}

    @property
    def within(self) -> str:
        """`1.2 s (1.1 s to 1.4 s)`."""
        low, high = format_duration(self.low), format_duration(self.high)
        return f"{format_duration(self.middle)} ({low} to {high})"

    @property
    def speed(self) -> str:
        """GB of data per second."""
        return format_speed(1 / self.middle)


NOTHING = Cost(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Option:
    """One way to use data: its cost once, and per pass."""

    name: str
    setup: Cost
    each: Cost
    trials: int
    sizes: tuple[int, ...] = ()  # bytes of the measured arrays

    def total(self, passes: int) -> Cost:
        """The cost of the setup and of these passes."""
        return self.setup + self.each.times(passes)


def span(sizes: Iterable[int]) -> str:
    """`1 GiB`, `1 MiB to 4 MiB`: the smallest and the largest size."""
    ends = sorted({*sizes})
    return " to ".join(format_size(end) for end in dict.fromkeys((ends[0], ends[-1])))


def arrays(sizes: Iterable[int]) -> str:
    """`arrays of 1 MiB to 4 MiB`."""
    return f"arrays of {span(sizes)}"


def comparable(sizes: Sequence[int]) -> bool:
    """Whether arrays of these sizes are as good as each other (ALIKE)."""
    return max(sizes) <= ALIKE * min(sizes)


def cost(seconds: Sequence[float], gigabytes: float) -> Cost:
    """The cost per GB, from the seconds of each trial on data of this size."""
    each = [s / gigabytes for s in seconds]
    low, high = interval(each) or (min(each), max(each))
    return Cost(median(each), low, high)


def pays_from(first: Option, second: Option) -> tuple[int, int | None] | None:
    """The first pass from which the second way is faster: earliest and latest within the intervals
    (None: perhaps never). None where its passes are not cheaper."""

    def passes(setup: float, saved: float) -> int | None:
        return max(1, math.floor(setup / saved) + 1) if saved > 0 else None

    usual = passes(second.setup.middle - first.setup.middle, first.each.middle - second.each.middle)
    if usual is None:
        return None
    soon = passes(second.setup.low - first.setup.high, first.each.high - second.each.low)
    late = passes(second.setup.high - first.setup.low, first.each.low - second.each.high)
    return min(soon or usual, usual), late


def ordinal(number: int) -> str:
    """`1st`, `22nd`, `113th`."""
    last = 0 if number % 100 in (11, 12, 13) else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def from_pass(first: Option, second: Option) -> str:
    """`from the 2nd pass on`, `from the 1st to 3rd pass on`; empty where it never pays."""
    found = pays_from(first, second)
    if not found:
        return ""
    soon, late = found
    if late is None:
        return f"from the {ordinal(soon)} pass on, but this is not certain"
    to = "" if late == soon else f" to {ordinal(late)}"
    return f"from the {ordinal(soon)}{to} pass on"


def confidence(m: Measured) -> str:
    """`95%: 4.25–4.26 TB/s, 3 trials` of its rate; `a single trial`."""
    return within(m.summary.interval, m.summary.medians)


def confidence_of(speed: Cost, trials: int) -> str:
    """The confidence of a cost, as GB of data per second."""
    if trials < 2 or speed.low <= 0:
        return "a single trial" if trials == 1 else f"{trials} trials"
    return within((1 / speed.high, 1 / speed.low), [1 / speed.middle] * trials)


def within(
    ends: tuple[float, float] | None,
    levels: Sequence[float],
    shown: Callable[[float, float], str] = format_speed,
) -> str:
    """An interval in words, of GB/s unless `shown` differs; too few trials where it is too wide."""
    if not ends:
        return "a single trial" if len(levels) == 1 else f"{len(levels)} trials"
    if ends[1] > HOPELESS * ends[0]:
        return f"{len(levels)} trials are too few for an interval"
    return f"95%: {shown(*ends)}, {len(levels)} trials"


def nanoseconds(low: float, high: float) -> str:
    """A range of times: `1.2–1.3 ns`."""
    return f"{format_rate(low)}–{format_rate(high)} ns"


def best(cases: Sequence[Measured], **wanted: object) -> Measured | None:
    """The best case with these parameters: neither flagged nor wrong, of a large array, with enough
    trials; of these the largest array, then the most trials."""
    fitting = [
        m
        for m in cases
        if m.drawn
        and not m.flagged
        and m.bytes_per_sample
        and all(m[name.rstrip("_")] == value for name, value in wanted.items())
    ]
    large = max((int(m["size"] or 0) for m in fitting), default=0) / ALIKE

    def weight(m: Measured) -> tuple[bool, bool, int, int]:
        size, trials = int(m["size"] or 0), len(m.trials)
        return size >= large, trials >= ENOUGH, size, trials

    return max(fitting, key=weight, default=None)
