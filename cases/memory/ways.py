"""The measured ways by which a GPU uses data of the CPU: `setup + n each`, in seconds per GB.

A pass of the GPU reads every byte once and writes as many to its own memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.sentence import NOTHING, Cost, Option, best, comparable, cost
from watari.cases.memory.words import as_copy, plain
from watari.results import statistics
from watari.results.measured import Measured

GPU = {"processor": "gpu"}
SHARED = {"managed": "managed memory, moved by faults", "system": "system memory, used as it is"}


def of_case(cases: Sequence[Measured], name: str) -> list[Measured]:
    """Cases of this name without unusual values."""
    return [m for m in cases if m.case == name and plain(m)]


def medians(m: Measured) -> list[float]:
    """Seconds of a sample, the median of each trial."""
    return [median(statistics.seconds(trial)) for trial in m.trials]


def of_data(m: Measured) -> Cost:
    """The cost per GB of a case's array, not of the bytes that the case counts."""
    return cost(medians(m), int(m["size"]) / 1e9)


def shared(m: Measured, name: str) -> Option:
    """The option of pages that move in the first passes: the extra time of these is its setup."""
    gigabytes = int(m["size"]) / 1e9
    series = [statistics.seconds(trial) for trial in m.trials]
    settled = [median(times[-max(1, len(times) // 4) :]) for times in series]
    moved = [
        max(0.0, sum(times[: len(times) // 4 + 1]) - (len(times) // 4 + 1) * level)
        for times, level in zip(series, settled, strict=True)
    ]
    setup = cost(moved, gigabytes) if min(moved) > 0 else NOTHING
    return Option(name, setup, cost(settled, gigabytes), len(series), (int(m["size"]),))


def path(name: str, moved: Measured | None, passed: Measured) -> Option:
    """The option of data that move once, if at all, before the passes."""
    each, rows = of_data(passed), [m for m in (moved, passed) if m]
    sizes = tuple(int(m["size"]) for m in rows)
    return Option(name, of_data(moved) if moved else NOTHING, each, len(rows[0].trials), sizes)


def options(cases: Sequence[Measured]) -> dict[str, Option]:
    """The measured paths by which the GPU reads the CPU's data, those of large arrays."""
    copies, found = of_case([as_copy(m) for m in cases], "copy"), {}
    local = best(copies, **GPU, from_="device", to="device", means="kernel")
    in_place = best(copies, **GPU, from_="pinned", to="device", means="kernel")
    if in_place:
        found["in place"] = path("pinned memory, read in place", None, in_place)
    if local:
        for kind, name in (("pinned", "copy"), ("pageable", "pageable")):
            m = best(copies, **GPU, from_=kind, to="device", means="copy-engine")
            if m:
                text = f"GPU memory, copied from {kind} memory"
                found[name] = path(text, m, local)
        fetch = best(of_case(cases, "touch"), **GPU, memory="managed", operation="prefetch")
        if fetch:
            found["prefetch"] = path("managed memory, prefetched", fetch, local)
    for kind, text in SHARED.items():
        sides = {"hint": "none", "source": "cpu", "destination": "gpu"}
        m = best(of_case(cases, "access"), **GPU, memory=kind, **sides)
        if m:
            found[kind] = shared(m, text)
    large = max((size for option in found.values() for size in option.sizes), default=0)
    return {name: o for name, o in found.items() if comparable([*o.sizes, large])}


def turn(m: Measured) -> Option | None:
    """A turn of CPU and GPU: the cost of moving, and a pass on each side. None without three
    phases.

    The first phase moves one of two arrays, later ones both: the last two phases have the same
    share of the prefetches' time.
    """
    gigabytes, setups, passes = int(m["size"]) / 1e9, [], []
    for trial in m.trials:
        parts = list(statistics.parts(trial).values())
        if len(parts) < 3:
            return None
        last = parts[-2:]
        steady = [median(times[-max(1, len(times) // 4) :]) for times in last]
        fetched = (trial.get("quantities") or {}).get("prefetch", {}).get("value", 0.0)
        share = 4 / (1 + 2 * (len(parts) - 1))
        moved = sum(times[0] - level for times, level in zip(last, steady, strict=True))
        setups.append(max(moved, 0.0) + fetched * share)
        passes.append(sum(steady))
    setup = cost(setups, gigabytes) if min(setups) > 0 else NOTHING
    hint = "without a hint" if m["hint"] == "none" else f"with hint {m['hint']}"
    return Option(f"{m['memory']} memory {hint}", setup, cost(passes, gigabytes), len(passes))
