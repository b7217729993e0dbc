"""Case atomic: threads of one processor, or of both at once, add to counters that they share.

Bytes are those of the kernel's head comment (cases/atomic/native/kernels.hpp): 8 an update, the
counter that it changes.
"""

from __future__ import annotations

from collections import Counter

from watari.case.axes import MEMORY, PROCESSOR, THREADS, axis, power_of_two, samples, table, words
from watari.case.axis import Axis, Parameters, count, parse_boolean
from watari.case.case import Case
from watari.case.native import native
from watari.case.profile import Access, Phase, Profile
from watari.cases.atomic import standard
from watari.common.errors import UsageError

COUNTER = 8  # bytes
LINE = 128  # bytes from one worker's own counter to the next, with contention=none
GPU_WORKERS = 2**17  # threads of a GPU that share the updates
MOST_BINS, MOST_UPDATES = 2**28, 2**32
SLOWEST_UPDATE = 2e-6  # seconds: many updates share the move of a page between processors
WRONG = "{count} counters do not have the number of their updates"


def bins(p: Parameters) -> int:
    """Counters of a histogram; 1 for other contentions, to which the axis does not apply."""
    return int(p["bins"]) if p["contention"] == "histogram" else 1


def workers(p: Parameters) -> int:
    """Threads that share the updates: those of the processor, and of the CPU beside it."""
    cpu = min(p["updates"], p["threads"])
    if p["processor"] == "cpu":
        return int(cpu)
    return int(min(p["updates"], GPU_WORKERS) + (cpu if p["together"] else 0))


def updates(p: Parameters) -> int:
    """Updates of a sample, by all processors."""
    return int(p["updates"]) * (2 if p["together"] else 1)


def counter_bytes(p: Parameters) -> int:
    """Memory of all counters."""
    return workers(p) * LINE if p["contention"] == "none" else COUNTER * bins(p)


def settle(given: Parameters) -> Parameters:
    """With `together`, memory defaults to managed; with `bins`, contention to histogram."""
    settled = dict(given)
    if settled.get("together") and "memory" not in settled:
        settled["memory"] = "managed"
    if "bins" in settled and "contention" not in settled:
        settled["contention"] = "histogram"
    return settled


def require_sense(p: Parameters) -> None:
    """Raises UsageError for `together` without a GPU."""
    if p["together"] and p["processor"] == "cpu":
        raise UsageError(
            "atomic: together=yes has the CPU's threads beside a GPU: add processor=gpu"
        )


def profile(p: Parameters) -> Profile:
    """The updates of a sample; caches and the GPU's L2 take most of them, so no path is a limit."""
    who, moved = p["processor"], COUNTER * updates(p)
    executed = [who, "cpu"] if p["together"] else [who]
    each = moved // len(executed)
    phase = Phase(
        "updates",
        moved,
        (),
        tuple(Access("counters", one, each, 0, pattern="sparse") for one in executed),
        repeats=int(p["samples"]),
    )
    return Profile((phase,), dict(Counter({p["memory"]: counter_bytes(p)})))


def extra_seconds(p: Parameters) -> float:
    """Seconds of all updates one after the other, and of counting them on the host."""
    return (int(p["samples"]) + 2) * updates(p) * SLOWEST_UPDATE


def labels(p: Parameters) -> dict[str, str]:
    """Hides the bins of a case that is no histogram."""
    return {} if p["contention"] == "histogram" else {"bins": ""}


CASES = (
    Case(
        "atomic",
        "threads of a processor, or of both at once, add to one counter or to a histogram",
        "{processor} {memory} {contention}",
        table(
            PROCESSOR,
            axis(
                "together",
                "CPU threads make the same number of updates at the same time",
                parse_boolean,
                False,
            ),
            MEMORY,
            words(
                "contention",
                "threads update one counter, bins of a histogram, or a counter each",
                "counter",
                "counter",
                "histogram",
                "none",
            ),
            Axis(
                "bins",
                "counters of a histogram: a power of two",
                power_of_two(1, MOST_BINS),
                lambda m, p: 256,
                "256",
            ),
            axis("updates", "updates by each processor in a sample", count(1, MOST_UPDATES), 2**22),
            samples(10),
            THREADS,
        ),
        native(__package__, "atomic", WRONG),
        profile,
        settle,
        require_sense,
        extra_seconds=extra_seconds,
        labels=labels,
        standard=standard.updates,
        example="contention=counter,histogram,none",
        also={"histogram": "contention=histogram", "contention": "", "fetch-add": "", "cas": ""},
        presentation="watari.cases.atomic.words",
    ),
)
