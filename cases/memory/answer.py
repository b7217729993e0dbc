"""Advice on the memory in which data should be, from the copies, passes and touches of a run.

Ways to use data that the CPU made are compared by `setup + n each`, in seconds per GB (ways.py,
case/sentence.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case import limits
from watari.case.sentence import (
    ALIKE,
    Bar,
    Option,
    Sentence,
    arrays,
    bar,
    best,
    comparable,
    confidence,
    confidence_of,
    cost,
    from_pass,
    span,
)
from watari.cases.memory.ways import GPU, of_case, of_data, options, turn
from watari.cases.notes import limit, within_cache
from watari.common.units import format_duration, format_size, format_speed, format_times
from watari.machine.usable import usable_cores
from watari.results.measured import Measured

MANY = 100  # passes that "again and again" stands for
MARGIN = 0.05  # less is no reason to change the program
CLEARLY = 1.5  # times slower: what a program should never do


def of_limit(m: Measured) -> Bar | None:
    """The rate of a case as a part of the limit of its path."""
    most = limit(m)
    return bar(m.median, most, f"the limit, {format_speed(most)}") if most else None


def of_link(speed: float, m: Measured) -> Bar | None:
    """A speed in GB/s as a part of the link's limit."""
    most = (limits.link_bandwidth(m.machine, "cpu", "gpu") or 0.0) / 1e9
    return bar(speed, most, f"the link, {format_speed(most)}") if most else None


def again(cases: Sequence[Measured]) -> list[Sentence]:
    """GPU memory against reading in place, and the pass from which moving data there pays."""
    local = best(of_case(cases, "copy"), **GPU, from_="device", to="device", means="kernel")
    paths = {
        name: option
        for name, option in options(cases).items()
        if name in ("in place", "copy", "prefetch")
        if local and comparable([int(local["size"]), *option.sizes])
    }
    if not local or not {"in place", "copy"} & paths.keys():
        return []
    text = f"GPU memory. A kernel copies there at {format_speed(local.median)} (read and written)"
    in_place = paths.get("in place")
    if in_place:
        times = format_times(in_place.each.middle / of_data(local).middle, 3)
        text += f". A pass is {times} times as fast as over pinned memory, read in place "
        text += f"({in_place.each.speed})"
    names = {"copy": "a copy to GPU memory", "prefetch": "a prefetch of managed memory"}
    pays = [
        f"{words} ({paths[name].setup.speed}) pays {moment}"
        for name, words in names.items()
        if in_place and name in paths and (moment := from_pass(in_place, paths[name]))
    ]
    crossover = "; ".join(pays)
    crossover = f"{crossover[:1].upper()}{crossover[1:]}." if pays else ""
    figure = format_speed(local.median)
    sizes = {int(local["size"]), *(size for option in paths.values() for size in option.sizes)}
    sure = confidence(local)
    return [Sentence("again", f"{text}.", figure, sure, crossover, arrays(sizes), of_limit(local))]


def for_more(first: Option, rest: Sequence[Option]) -> tuple[Option, str] | None:
    """The best way for many passes and the pass from which it pays, if it is another way and better
    by MARGIN."""
    bar = first.total(MANY).middle * (1 - MARGIN)
    other = min(rest, key=lambda option: option.total(MANY).middle, default=None)
    if not other or other.total(MANY).middle > bar:
        return None
    return other, from_pass(first, other)


def once(cases: Sequence[Measured]) -> list[Sentence]:
    """The way with the shortest single pass, and the speeds of the others."""
    ordered = sorted(options(cases).values(), key=lambda option: option.total(1).middle)
    if len(ordered) < 2:
        return []
    first, *rest = ordered
    spent = first.total(1)
    alike = [o for o in rest if o.total(1).low <= spent.high]
    others = [f"{o.name} ({o.total(1).speed})" for o in rest if o not in alike]
    text = f"{first.name}: {spent.speed}, transfer included"
    if alike:
        text += f". As fast within the intervals: {'; '.join(o.name for o in alike)}"
    if others:
        text += f". Slower: {'; '.join(others)}"
    pair = for_more(first, rest)
    crossover = f"For more passes, {pair[0].name} pays {pair[1]}." if pair else ""
    sure = confidence_of(spent, first.trials)
    sizes = [size for option in ordered for size in option.sizes]
    beside = of_link(1 / spent.middle, cases[0])
    return [Sentence("once", f"{text}.", spent.speed, sure, crossover, arrays(sizes), beside)]


def turns(cases: Sequence[Measured]) -> list[Sentence]:
    """The cheapest way of a turn with one pass on each side, and with many."""
    moving = [m for m in of_case(cases, "migration") if m.drawn and m["phases"] == "gpu+cpu+gpu"]
    large = max((int(m["size"]) for m in moving), default=0) / ALIKE
    sizes = [int(m["size"]) for m in moving if int(m["size"]) >= large]
    size = max(sizes, key=lambda n: (sizes.count(n), n), default=0)  # where most paths compare
    found = [option for m in moving if m["size"] == size and (option := turn(m))]
    ordered = sorted(found, key=lambda option: option.total(1).middle)
    if not ordered:
        return []
    first, *rest = ordered
    spent = first.total(1)
    per_gb = f"{format_duration(spent.middle)} per GB"
    text = f"{first.name}: a turn, with one pass by each processor, takes {per_gb}"
    if rest:
        others = ", ".join(f"{o.name} {format_duration(o.total(1).middle)}" for o in rest)
        text += f" (others: {others})"
    pair = for_more(first, rest)
    crossover = f"{pair[0].name.capitalize()} pays {pair[1]}, in each turn." if pair else ""
    ends = (format_duration(end) for end in (spent.low, spent.high))
    sure = f"95%: {'–'.join(ends)}, {first.trials} trials" if first.trials > 1 else "a single trial"
    last = ordered[-1]
    beside = bar(spent.middle, last.total(1).middle, f"the time of {last.name}") if rest else None
    return [Sentence("turns", f"{text}.", per_gb, sure, crossover, arrays([size]), beside)]


def larger(cases: Sequence[Measured]) -> list[Sentence]:
    """Parts that are brought from CPU memory, and how often each must be used."""
    option = options(cases).get("copy")
    copies = of_case(cases, "copy")
    m = best(copies, **GPU, from_="pinned", to="device", means="copy-engine")
    if not option or not m:
        return []
    text = (
        f"pinned CPU memory: copy parts to the GPU, at {format_speed(m.median)}, while the "
        "GPU works on other parts."
    )
    passes = max(1, -(-option.setup.middle // option.each.middle))
    crossover = f"With fewer than {passes:.0f} passes over each part the link is the limit."
    sizes = arrays({int(m["size"]), *option.sizes})
    figure = format_speed(m.median)
    return [Sentence("larger", text, figure, confidence(m), crossover, sizes, of_limit(m))]


def slow_ways(cases: Sequence[Measured]) -> list[Sentence]:
    """Ways that are much slower than another way to the same end, and copies that are too small."""
    copies, touches = of_case(cases, "copy"), of_case(cases, "touch")
    engine = {**GPU, "to": "device", "means": "copy-engine"}
    pinned, pageable = (best(copies, **engine, from_=kind) for kind in ("pinned", "pageable"))
    fetch, fault = (
        best(touches, **GPU, memory="managed", operation=how) for how in ("prefetch", "fault")
    )
    pairs = [
        ("copies from pageable memory", pageable, "from pinned memory", pinned),
        ("page faults of the GPU", fault, "by a prefetch", fetch),
    ]
    slow = [
        (
            good.median / bad.median,
            f"{what}, {format_times(good.median / bad.median)} times slower than {instead} "
            f"({format_speed(bad.median)} against {format_speed(good.median)})",
            bad,
            good,
            instead.partition(" ")[2],
        )
        for what, bad, instead, good in pairs
        if bad and good and good.median > CLEARLY * bad.median
        if comparable([int(bad["size"]), int(good["size"])])
    ]
    if not slow:
        return []
    slow.sort(key=lambda item: -item[0])
    text = f"{'; '.join(words for _, words, *_ in slow)}."
    worst, better, way = slow[0][2:]
    same = [m for m in copies if pinned and all(m[n] == pinned[n] for n in (*engine, "from"))]
    crossover = too_small(pinned, [m for m in same if m.drawn and not m.flagged]) if pinned else ""
    sizes = arrays(int(m["size"]) for _, _, *pair, _ in slow for m in pair)
    figure = format_speed(worst.median)
    beside = bar(worst.median, better.median, f"the rate of {way}")
    return [Sentence("slow", text, figure, confidence(worst), crossover, sizes, beside)]


def too_small(large: Measured, copies: Sequence[Measured]) -> str:
    """The measured sizes below the smallest that reaches half of the rate of the large copy."""
    least = min(int(m["size"]) for m in (large, *copies) if m.median >= large.median / 2)
    small = [int(m["size"]) for m in copies if m["size"] < least]
    if not small:
        return ""
    of = format_size(int(large["size"]))
    return f"Copies of {span(small)} reach less than half of the rate with {of}."


def cpu_again(cases: Sequence[Measured]) -> list[Sentence]:
    """Caches against memory, by the size of the array."""
    own = {"processor": "cpu", "from_": "pageable", "to": "pageable"}
    copies = [m for m in of_case(cases, "copy") if best([m], **own)]
    if not copies:
        return []
    cores = usable_cores(copies[0].machine)
    counts = [int(m["threads"]) for m in copies]  # of most cases; if equal, at most one a core
    usual = max(counts, key=lambda n: (counts.count(n), n <= cores, n))
    sizes: dict[int, Measured] = {}
    for m in (m for m in copies if m["threads"] == usual):
        if (same := best([m], **own)) and len(same.trials) >= len(
            sizes.get(int(m["size"]), m).trials
        ):
            sizes[int(m["size"])] = same
    if len(sizes) < 2:
        return []
    memory = sizes[max(sizes)]
    fastest = max(sizes.values(), key=lambda m: m.median)
    figure, what = format_speed(memory.median), format_size(memory["size"])
    shown = arrays(sizes)
    if fastest.median < CLEARLY * memory.median:
        text = f"{shown} alike. None is much faster than {figure}, the rate with {what}."
        return [Sentence("cpu-again", text, figure, confidence(memory), measured=shown)]
    cached = within_cache(fastest) and not within_cache(memory)
    parts, there = ("that fit its caches", "from memory ") if cached else ("that are smaller", "")
    text = (
        f"parts {parts}. A copy runs at {format_speed(fastest.median)} with arrays of "
        f"{format_size(fastest['size'])}, and at {figure} {there}with {what}."
    )
    more = [size for size in sorted(sizes) if size > fastest["size"]]
    fast = [size for size in more if sizes[size].median >= fastest.median / 2]
    lost = [size for size in more if size > max(fast, default=0)]
    crossover = f"Arrays of {span(lost)} have less than half of the faster rate." if lost else ""
    beside = bar(memory.median, fastest.median, f"the rate with {format_size(fastest['size'])}")
    return [Sentence("cpu-again", text, figure, confidence(memory), crossover, shown, beside)]


def cpu_once(cases: Sequence[Measured]) -> list[Sentence]:
    """Fresh memory against memory that was touched before."""
    m = best(of_case(cases, "touch"), processor="cpu", memory="pageable", operation="first-touch")
    levels = [(t.get("series") or {}).get("second_pass_s") for t in m.trials] if m else []
    if not m or not all(levels):
        return []
    later = cost([median(level) for level in levels if level], int(m["size"]) / 1e9)
    fresh = of_data(m)
    if fresh.middle < CLEARLY * later.middle:
        return []
    text = (
        f"memory that the program has used before, where a pass runs at {later.speed}; the first "
        f"write to fresh pages runs at {fresh.speed}."
    )
    passes = fresh.middle / later.middle
    crossover = f"Fresh pages cost as much as {format_times(passes)} passes."
    sizes = arrays([int(m["size"])])
    beside = bar(later.middle, fresh.middle, "the rate of memory used before")
    return [Sentence("cpu-once", text, fresh.speed, confidence(m), crossover, sizes, beside)]


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """All sentences from these cases; sentences on the CPU alone if the GPU gives none."""
    parts = (again, once, turns, larger, slow_ways)
    sentences = [sentence for part in parts for sentence in part(cases)]
    return sentences or [sentence for part in (cpu_again, cpu_once) for sentence in part(cases)]
