"""The trace file: input of `predict` and `advise`, and the data of the page."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from watari.attach.events import Events, Frame
from watari.attach.trace.observed import findings, phases
from watari.attach.trace.observed.findings import Seen, seconds_of
from watari.attach.trace.observed.placed import unplaced
from watari.attach.trace.observed.touched import Launch, Touches
from watari.attach.trace.records import lines
from watari.attach.trace.records.lives import NOBODY, grouped, owners
from watari.attach.trace.records.records import Array, Counter, Kind, Recorded
from watari.attach.trace.records.sites import Sites
from watari.attach.trace.records.transfers import Direction, How, totals, transfers
from watari.common.units import format_size
from watari.model.trace_file import SCHEMA

COLUMNS = 60  # of the heat map
COSTLIEST = 10
HOW = {How.COPY: "copied", How.FAULT: "by faults", How.PREFETCH: "prefetched"}
COUNTED = {
    Counter.GPU_FAULT: "gpu_faults",
    Counter.CPU_FAULT: "cpu_faults",
    Counter.THRASHING: "thrashing",
}
WHERE = {
    Direction.TO_GPU: "to GPU",
    Direction.TO_CPU: "to CPU",
    Direction.ON_GPU: "on GPU",
    Direction.ON_CPU: "on CPU",
}


def labels(events: Events, of: Sequence[Any], known: Mapping[Frame, str]) -> list[str]:
    """A name for people of each allocation: call site, size, and a number where two are alike."""
    sites = {site: lines.site(events.sites.get(site, ()), known) for site in {a.site for a in of}}
    plain = [
        f"{sites[a.site]} ({format_size(a.bytes)})" + (f" x {len(a.parts)}" if a.parts else "")
        for a in of
    ]
    count, seen = Tally(plain), Tally[str]()
    named = []
    for text in plain:
        seen[text] += 1
        named.append(f"{text} no. {seen[text]}" if count[text] > 1 else text)
    return named


def unique(names: Sequence[str]) -> list[str]:
    """The same names, with a mark where one occurs twice (several processes, or a fork)."""
    seen = Tally[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}@{seen[name]}")
    return found


def timeline(moved: Array, count: int, begin: int, end: int) -> list[dict[str, list[int]]]:
    """Bytes of each allocation to the GPU and to the CPU, by column of the heat map."""
    width = max((end - begin) / COLUMNS, 1)
    sums = np.zeros((count, 2, COLUMNS))
    rows = moved[(moved["allocation"] != NOBODY) & (moved["direction"] <= Direction.TO_CPU)]
    at = np.clip((rows["start"].astype(float) - begin) / width, 0, COLUMNS - 1).astype(int)
    np.add.at(sums, (rows["allocation"], rows["direction"], at), rows["bytes"].astype(float))
    return [
        {"to_gpu": [int(n) for n in row[0]], "to_cpu": [int(n) for n in row[1]]} for row in sums
    ]


def costliest(seen: Seen, sites: Mapping[int, str]) -> list[dict[str, Any]]:
    """Transfers grouped by kind, direction, allocation and call site; the groups that took
    longest."""
    moved = seen.moved
    groups = moved[["how", "direction", "allocation", "site", "pageable"]]
    alike = np.lexsort([groups[name] for name in groups.dtype.names or ()])
    changes = groups[alike][1:] != groups[alike][:-1]
    first = np.flatnonzero(np.r_[True, changes])[: len(moved)]
    counts = np.diff(np.r_[first, len(moved)])
    sizes, seconds = (
        np.add.reduceat(values[alike], first) if len(first) else np.zeros(0)
        for values in (moved["bytes"], (moved["end"] - moved["start"]) * 1e-9)
    )
    rows = moved[alike[first]]
    return [
        {
            "how": HOW[How(rows["how"][i])],
            "direction": WHERE[Direction(rows["direction"][i])],
            "allocation": seen.label(int(rows["allocation"][i])),
            "site": sites.get(int(rows["site"][i]), "by the driver"),
            "pageable": bool(rows["pageable"][i]),
            "count": int(counts[i]),
            "bytes": int(sizes[i]),
            "traced_seconds": float(seconds[i]),
        }
        for i in np.argsort(-seconds, kind="stable")[:COSTLIEST]
    ]


def kernel_rows(seen: Seen, names: Mapping[str, str], why: str) -> list[dict[str, Any]]:
    """Launches, time, touched bytes and placements of each kernel; the longest first. `why`: gaps
    of the sampled run."""
    kernels = seen.process.of(Kind.KERNEL)
    rows = []
    for identifier in np.unique(kernels["name"]):
        of = kernels[kernels["name"] == identifier]
        name = seen.process.names.get(int(identifier), "unnamed")
        sampled = seen.touches.kernels.get(name, [])
        timed = seen.touches.placed.get(name, [])
        reasons = seen.touches.unplaced.get(name, [])
        rows.append(
            {
                "name": name,
                "symbol": seen.process.symbols.get(int(identifier), ""),
                "launches": len(of),
                "traced_seconds": seconds_of(of),
                "sampled": len(sampled),
                "touched": touched_rows(sampled, names),
                "placements": [one.as_json() for one in timed],
                "unplaced": unplaced(timed, len(of), reasons, why),
            }
        )
    return sorted(rows, key=lambda row: -row["traced_seconds"])


def touched_rows(sampled: Sequence[Launch], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """The allocations that sampled launches touch: number of these launches, mean bytes of one."""
    rows = []
    for name in dict.fromkeys(name for launch in sampled for name in launch):
        own = [launch[name] for launch in sampled if name in launch]
        rows.append(
            {
                "allocation": names.get(name, name),
                "launches": len(own),
                "bytes": round(sum(touch.bytes for touch in own) / len(own)),
                "reads": any(touch.reads for touch in own),
                "writes": any(touch.writes for touch in own),
            }
        )
    return sorted(rows, key=lambda row: -row["bytes"])


def allocation_rows(seen: Seen, names: Sequence[str]) -> list[dict[str, Any]]:
    """Transfers and faults of each allocation."""
    counts = {}
    for counter in COUNTED:
        faults = seen.process.counters(counter)
        found = owners(seen.allocations, faults["address"], faults["start"])
        counts[counter] = Tally(int(owner) for owner in found)
    times, sizes = totals(seen.moved, len(seen.allocations))
    rows = []
    for index, allocation in enumerate(seen.allocations):
        total = {
            f"{HOW[How(how)]} {WHERE[Direction(direction)]}": int(sizes[index, how, direction])
            for how, direction in np.argwhere(times[index])
        }
        rows.append(
            {
                "name": names[index],
                "label": seen.labels[index],
                "site": allocation.site,
                "api": allocation.api,
                "kind": allocation.kind,
                "bytes": allocation.bytes,
                "lives": len(allocation.lives),
                "moved": total,
                **{word: counts[counter][index] for counter, word in COUNTED.items()},
            }
        )
    return rows


def by_phase(seen: Seen, stretches: Sequence[phases.Stretch]) -> list[dict[int, Tally[str]]]:
    """For each phase and allocation: bytes each way, faults of either side, thrashing."""
    found: list[dict[int, Tally[str]]] = [{} for _ in stretches]
    if not stretches:
        return found

    def add(word: str, times: Array, owner_of: Array, amounts: Array) -> None:
        places = phases.index_of(stretches, times).tolist()
        for phase, owner, amount in zip(places, owner_of.tolist(), amounts.tolist(), strict=True):
            if owner != NOBODY:
                found[phase].setdefault(owner, Tally())[word] += amount

    for direction, word in ((Direction.TO_GPU, "to_gpu"), (Direction.TO_CPU, "to_cpu")):
        rows = seen.moved[seen.moved["direction"] == direction]
        add(word, rows["start"], rows["allocation"], rows["bytes"])
    for counter, word in COUNTED.items():
        rows = seen.process.counters(counter)
        found_at = owners(seen.allocations, rows["address"], rows["start"])
        add(word, rows["start"], found_at, np.ones(len(rows), np.int64))
    return found


def seen_of(
    process: Recorded, events: Events, touches: Touches, seconds: float
) -> tuple[Seen, Sites]:
    """The traced process with its allocations, and its call sites in words."""
    every = [a for a in events.allocations if a.process == process.pid and a.bytes]
    own = grouped(every)
    stacks = (*events.sites.values(), *process.sites.values())
    known = lines.of(frame for stack in stacks for frame in stack)
    moved = transfers(process, own)
    copies = {number: lines.site(stack, known) for number, stack in process.sites.items()}
    of_allocations = {site: lines.site(stack, known) for site, stack in events.sites.items()}
    sites = Sites(copies, of_allocations, every)
    return Seen(process, own, labels(events, own, known), moved, touches, seconds), sites


def trace(
    name: str,
    seen: Seen,
    sites: Mapping[int, str],
    facts: dict[str, Any],
) -> dict[str, Any]:
    """The content of the trace file. `facts`: the command, its seconds, the check, why it is
    incomplete."""
    names = unique([a.name for a in seen.allocations])
    stretches = phases.with_uses(seen.process, seen.moved, seen.allocations, seen.touches)
    known = dict(zip((a.name for a in seen.allocations), seen.labels, strict=True))
    times = seen.process.records["start"][seen.process.records["start"] > 0]
    begin, end = (int(times.min()), int(times.max())) if len(times) else (0, 1)
    return {
        "schema": SCHEMA,
        "name": name,
        "allocations": [
            {"name": n, "bytes": a.bytes} for n, a in zip(names, seen.allocations, strict=True)
        ],
        "phases": phases.rows(stretches, names, bool(seen.touches)),
        "observed": {
            **facts,
            "findings": findings.all_of(seen),
            "allocations": allocation_rows(seen, names),
            "transfers": costliest(seen, sites),
            "kernels": kernel_rows(seen, known, facts["touches"]),
            "timeline": {
                "seconds": (end - begin) * 1e-9,
                "columns": COLUMNS,
                "rows": timeline(seen.moved, len(names), begin, end),
                "phases": [
                    {
                        "processor": s.processor,
                        "start": (s.start - begin) * 1e-9,
                        "end": (s.end - begin) * 1e-9,
                        "kernels": s.kernels,
                        "to_gpu": s.to_gpu,
                        "to_cpu": s.to_cpu,
                        "allocations": [
                            {"name": names[owner], **seen_there}
                            for owner, seen_there in sorted(there.items())
                        ],
                    }
                    for s, there in zip(stretches, by_phase(seen, stretches), strict=True)
                ],
            },
        },
    }
