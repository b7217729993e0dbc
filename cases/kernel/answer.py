"""Where the data of a kernel should live: its settled launches, and what each memory costs first.

Each kind of memory costs `setup + launches x each` per GB that the kernel moves. Its setup is the
copy or prefetch before the first launch, and the time of the first launches beyond settled ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from watari.case.sentence import (
    ALIKE,
    NOTHING,
    Option,
    Sentence,
    arrays,
    confidence_of,
    cost,
    from_pass,
)
from watari.cases.kernel import files
from watari.cases.kernel.words import before_seconds, memory, settled_seconds, special
from watari.results import statistics
from watari.results.measured import Measured

MANY = 100  # launches that "again and again" stands for


def option(m: Measured) -> Option:
    """The cost of one kind of memory."""
    gigabytes = m.bytes_per_sample / 1e9
    settled = settled_seconds(m)
    series = [list(statistics.seconds(trial)) for trial in m.trials]
    early = [
        max(0.0, sum(times[: len(times) // 4 + 1]) - (len(times) // 4 + 1) * level)
        for times, level in zip(series, settled, strict=True)
    ]
    first = [a + b for a, b in zip(early, before_seconds(m), strict=True)]
    setup = cost(first, gigabytes) if min(first) > 0 else NOTHING
    name = f"{memory(m.parameters)} memory"
    return Option(name, setup, cost(settled, gigabytes), len(series), (int(m["size"]),))


def compared(cases: Sequence[Measured]) -> list[list[Measured]]:
    """For each kernel the cases of its largest arrays, those that are comparable: not flagged, no
    unusual first touch, one for each memory."""
    found: dict[tuple[str, ...], list[Measured]] = {}
    for m in cases:
        usual = m.case == "kernel" and m.drawn and not m.flagged and m.bytes_per_sample
        if usual and not special(m.parameters):
            key = (m["source"], m["kernel"], m["processor"], m.run)
            found.setdefault(key, []).append(m)
    chosen = []
    for same in found.values():
        largest = max(int(m["size"]) for m in same)
        by_memory: dict[str, Measured] = {}
        for m in sorted(same, key=lambda m: int(m["size"])):
            if int(m["size"]) * ALIKE >= largest:
                by_memory[memory(m.parameters)] = m
        chosen.append(list(by_memory.values()))
    return chosen


def sentence(same: Sequence[Measured]) -> tuple[str, str, Option, list[Option]]:
    """The text of one kernel, its crossover, the best way for many launches, and all ways."""
    ordered = sorted((option(m) for m in same), key=lambda one: one.total(MANY).middle)
    best, *rest = ordered
    m = same[0]
    text = f"{m['kernel']} of {files.name_of(m['source'])}: {best.name}, {best.each.speed}"
    if rest:
        text += f" (others: {', '.join(f'{o.name} {o.each.speed}' for o in rest)})"
    once = min(ordered, key=lambda one: one.total(1).middle)
    if once is best:
        return text, "", best, ordered
    pays = from_pass(once, best)
    crossover = f"For a single launch {once.name} is faster"
    moment = pays.replace(" pass on", " launch on")
    return text, f"{crossover}; {best.name} pays {moment}" if pays else crossover, best, ordered


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """One sentence for all kernels that were measured in several kinds of memory."""
    found = [sentence(same) for same in compared(cases) if len(same) > 1]
    if not found:
        return []
    best = found[0][2]
    crossover = "; ".join(part for _, part, *_ in found if part)
    return [
        Sentence(
            "own-kernel",
            f"{'; '.join(text for text, *_ in found)}.",
            best.each.speed,
            confidence_of(best.each, best.trials),
            f"{crossover}." if crossover else "",
            arrays(size for *_, ways in found for way in ways for size in way.sizes),
        )
    ]
