"""Rates beside physical limits, and beside published and stored values of the same part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from watari.case import limits
from watari.cases import CASES, find, presentation
from watari.common.units import format_rate, format_size
from watari.report.check.item import FAIL, PASS, UNKNOWN, Item, Run, path_of
from watari.report.check.stored import same_case
from watari.results import published
from watari.results.measured import Measured

ABOVE = 1.05  # of a limit: noise is smaller, so a higher rate means a wrong limit
OTHER_MACHINE = 0.15  # by which sound machines with the same part differ: driver, slot, CPU


def quantities(run: Run) -> list[tuple[published.Quantity, Measured]]:
    """The published quantities that the run measured: the largest plain array of each path."""
    largest: dict[tuple[Any, ...], tuple[published.Quantity, Measured]] = {}
    known = [m for m in run.measured if m.case in CASES and m.drawn and m.status == "ok"]
    plain = [m for m in known if presentation(m.case).plain(m)]
    for quantity in published.quantities().values():
        for m in plain:
            if not quantity.matches(m.case, m.parameters) or not beyond_cache(m):
                continue
            path = (quantity.name, m["processor"], m["from"], m["to"], m["memory"])
            other = largest.get(path)
            if other is None or int(m["size"]) > int(other[1]["size"]):
                largest[path] = quantity, m
    return list(largest.values())


def beyond_cache(m: Measured) -> bool:
    """Whether the array is too large for caches to hide the speed of memory."""
    least = limits.BEYOND_CACHE * limits.cache_bytes(m.machine, str(m["processor"] or "gpu"))
    return isinstance(m["size"], int) and m["size"] > least


def physical(run: Run) -> list[Item]:
    """Every rate has the part of the physical limit that sound hardware reaches."""
    items = []
    for name, quantity, m in named(quantities(run)):
        if not quantity.least:
            continue
        most = limits.limit(find(m.case).profile(m.parameters), run.machine)
        item = Item("physical limit", name, UNKNOWN, "", path_of(m))
        if not most:
            text = f"{format_rate(m.median)} GB/s; the limit of this path is not known"
            items.append(replace(item, says=text))
            continue
        limit = most / 1e9
        says = (
            f"{format_rate(m.median)} GB/s, {m.median / limit:.0%} of {format_rate(limit)} GB/s; "
            f"at least {quantity.least:.0%} is expected"
        )
        if m.median > ABOVE * limit:
            says += "; no hardware exceeds it: a reported clock, width or generation is wrong"
        passed = quantity.least * limit <= m.median <= ABOVE * limit
        items.append(replace(item, verdict=PASS if passed else FAIL, says=says))
    return items


def named(
    found: Sequence[tuple[published.Quantity, Measured]],
) -> list[tuple[str, published.Quantity, Measured]]:
    """Each pair with a name: the quantity's title and size; the memory too if that is ambiguous."""
    titles = [f"{quantity.title}, {format_size(m['size'])}" for quantity, m in found]
    kinds = [f", {m['from'] or m['memory']}" for _, m in found]
    names = [t + kind * (titles.count(t) > 1) for t, kind in zip(titles, kinds, strict=True)]
    return [(name, *pair) for name, pair in zip(names, found, strict=True)]


def same_part(machine: Mapping[str, Any], entry: published.Published) -> bool:
    """Whether a published value is of this machine's GPU: `NVIDIA H200` and `H200, PCIe Gen5`."""
    kinds = {link["kind"] for link in machine["links"]}
    names = [p["name"] for p in machine["processors"] if p["kind"] == "gpu"]
    parts = {word for name in names for word in name.split() if any(c.isdigit() for c in word)}
    other = {word.strip(",;()") for word in entry.machine.replace("/", " ").split()}
    return bool(parts & other) and ("GH200" in other) == ("c2c" in kinds)


def same_parts(run: Run) -> list[Item]:
    """Every rate is within the threshold of published and stored values of the same part."""
    entries = published.values(own=True)
    items = []
    for name, quantity, m in named(quantities(run)):
        if quantity.unit != "GB/s" or quantity.less or quantity.over:
            continue
        theirs = [
            e
            for e in entries
            if e.quantity == quantity.name and e.kind == "measured" and same_part(m.machine, e)
        ]
        value = m.part(quantity.sample)
        item = Item("same part", name, UNKNOWN, "", path_of(m))
        earlier = [o.part(quantity.sample) for o in same_case(run.stored, m, path_of(m))]
        if not theirs and not earlier:
            text = f"{format_rate(value)} GB/s; no value of this part is stored"
            items.append(replace(item, says=text))
            continue
        says, bars = [f"{format_rate(value)} GB/s"], []
        if theirs:
            says.append(f"{theirs[0].text} GB/s by {theirs[0].source}")
            bars.append(min(e.low for e in theirs))
        if earlier:
            runs = "a stored run" if len(earlier) == 1 else f"{len(earlier)} stored runs"
            says.append(f"{format_rate(median(earlier))} GB/s in {runs}")
            bars.append(median(earlier))
        passed = value >= max(bars) * (1 - run.threshold(m.case, OTHER_MACHINE))
        items.append(replace(item, verdict=PASS if passed else FAIL, says="; ".join(says)))
    return [*items, *(Item("same part", "stored runs", UNKNOWN, e) for e in run.stored.unread)]
