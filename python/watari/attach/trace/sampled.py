"""The run in which launches are sampled, and the time that it may take.

The whole trace takes at most 4 T + 15 s, T the seconds of the program as it is. The sampled run
gets what is left of that after the other runs, without the time to read its records and to write
the files. Sampling ends early enough that the program can reach its end: new memory is then as the
program asks for it, and the rest takes as long as the program does from its first context on. No
kernel is launched before that: a program of Python may import for seconds. Sampling has half of the
time in any case.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from watari.attach.start import Ending, Start, code_words
from watari.attach.trace.observed import placed, touched
from watari.attach.trace.records.lives import grouped
from watari.attach.trace.records.records import Counter, Kind, Recorded
from watari.attach.trace.runs import LAUNCHES, Sampling, busiest, fresh, traced_run
from watari.common.errors import UnsupportedError
from watari.common.kernels import short
from watari.common.units import counted, format_duration, format_size

TIMES, WHOLE = 4.0, 15.0  # a trace takes at most this multiple of the program, and these seconds
SAMPLING = 5.0  # seconds that sampling may take, beyond those of the program as it is
SLOWER = 1.1  # times as long that the rest of a program takes after sampling
LEAST = 1.0  # seconds of a sampled run
MOST_NAMES = 5  # of kernels, in a message
NO_TIME = (
    f"no launch was sampled: the other runs took all the time of a trace ({TIMES:g} "
    f"times the program, and {WHOLE:g} s)"
)


@dataclass(frozen=True)
class Bounds:
    """Bounds of the sampled run, in seconds: of sampling, of the run, and from its start until
    sampling is over."""

    sampling: float
    end: float
    until: float = math.inf

    @classmethod
    def of(cls, seconds: float, left: float, start: float = 0.0) -> Bounds | None:
        """The bounds for a program that takes `seconds` as it is, with `left` for the run; none if
        that is not enough. `start`: of these, the seconds before its first context."""
        if left < LEAST:
            return None
        until = max(left - SLOWER * (seconds - start), left / 2)
        return cls(min(SAMPLING + seconds, until), left, until)


class Clock:
    """The seconds of a whole trace, from now on."""

    def __init__(self) -> None:
        self.begun = self.now()

    def now(self) -> float:
        """Seconds of CLOCK_MONOTONIC."""
        return time.monotonic()

    def left(self, seconds: float) -> float:
        """What a trace of a program that takes `seconds` may still take."""
        return TIMES * seconds + WHOLE - (self.now() - self.begun)


def reported(
    start: Start,
    files: Path,
    path: Path,
    bounds: Bounds | None,
    code: int,
    report: Callable[[str], None],
) -> tuple[touched.Touches, str]:
    """`sample`, with lines of progress."""
    if bounds is None:
        return touched.Touches(), NO_TIME
    most = format_duration(min(start.limit, bounds.end))
    report(
        "run in which the first launches of each kernel are sampled, for at most "
        f"{format_duration(bounds.sampling)}; it is ended after {most} (--no-touches omits it)"
    )
    begun = time.monotonic()
    touches, why = sample(start, fresh(files, "sampled"), path, bounds, code)
    launches = sum(map(len, touches.kernels.values()))
    report(
        f"sampled {counted(launches, 'launch', 'launches')} of "
        f"{counted(len(touches.kernels), 'kernel', 'kernels')} "
        f"in {format_duration(time.monotonic() - begun)}"
    )
    return touches, why


def sample(
    start: Start, files: Path, path: Path, bounds: Bounds, code: int = 0
) -> tuple[touched.Touches, str]:
    """The touches of kernels, and the gaps in them. After the seconds for sampling the program runs
    on without it. `code`: the exit code of the program as it is."""
    sampling = Sampling(bounds.sampling, bounds.until)
    bounded = replace(start, limit=min(start.limit, bounds.end))
    try:
        ending, log, processes = traced_run(bounded, files, path, "managed", sampling)
    except UnsupportedError as error:
        return touched.Touches(), str(error)
    if not processes or (ending.code != code and not ending.timed_out):
        ended = "no records" if not processes else ending.reason or code_words(ending.code)
        why = f"the program fails with its memory managed: {ended}"
        return touched.Touches(), why
    process = busiest(processes)
    own = grouped([a for a in log.allocations if a.process == process.pid and a.bytes])
    touches = replace(
        touched.of_run(process, own), placed=placed.of_run(process), unplaced=placed.said(process)
    )
    return touches, "; ".join(not_sampled(process, touches, ending))


def not_sampled(process: Recorded, touches: touched.Touches, ending: Ending) -> list[str]:
    """Gaps of the sampled run, in words."""
    why = [] if touches else ["no launch could be sampled"]
    if ending.timed_out:
        why.append(
            f"the sampled run was ended after {ending.limit:.3g} s: kernels that come later were "
            "not sampled, and bytes are lower limits"
        )
    elif process.dropped or not process.ended:
        why.append("records of the sampled run were lost: bytes are lower limits")
    if touches.unended:
        why.append(
            f"{touches.unended} sampled launches were not seen to end in their time: their bytes "
            "are those of recorded transfers, a lower limit"
        )
    if touches.unseen:
        why.append(
            "the page table of the CPU could not be read, or not in full: bytes are those of "
            "recorded transfers, a lower limit"
        )
    if len(unmoved := process.of(Kind.UNMOVED)):
        most = unmoved[np.argmax(unmoved["detail"])]
        why.append(
            f"up to {most['detail']} small allocations ({format_size(int(most['bytes']))}) were "
            "not moved before a launch, since there are so many: what it touches of them is unknown"
        )
    if touches.unwatched:
        why.append(
            f"records of faults alone say whether launches write {touches.unwatched} of the "
            "allocations"
        )
    few = process.of(Kind.UNSAMPLED)
    if len(few):
        names = [
            f"{short(process.names.get(int(one['name']), 'unnamed'))} ({one['detail']})"
            for one in few
        ]
        most = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        why.append(f"time ended sampling before {LAUNCHES} launches of: {most}")
    return why


def lost(process: Recorded, touches: touched.Touches) -> list[str]:
    """Reports migrations of the sampled run that have no record: page tables show what moved there.
    If the traced program migrates memory, its records may be lost likewise."""
    migrations = sum(len(process.counters(c)) for c in (Counter.TO_GPU, Counter.TO_CPU))
    missing = touches.found - touches.recorded
    if not (migrations and missing):
        return []
    return [
        f"in the sampled run {format_size(missing)} of {format_size(touches.found)} that moved to "
        "the GPU have no record: bytes by faults are lower limits here"
    ]
