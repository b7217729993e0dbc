"""A machine profile from result files: each sample is seconds = sum over its steps, and a sample
with one unknown step gives a point of that step's curve.

Rounds: first samples of a single step (copies, passes in local memory), then passes over the link,
then the time by which a first sample exceeds its pass (faults). Within a round several samples of
one step and size give one point: the median of the cases, with the 5th and 95th percentile of all
samples around it. The interval reaches at least SESSION to either side (HOST, where the CPU does
the work): machines of one kind differ by this from one day to the next.

Passes of an application give no point, since its kernels need not have the rate of memory; its
transfers, faults, allocations and releases do. Samples above a physical limit of the machine are
refused, and the profile lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from watari.case import limits
from watari.cases import words
from watari.common.errors import UnsupportedError, UsageError
from watari.machine.record import Machine
from watari.model.machine import Curve, MachineProfile, Point, Refused
from watari.model.price import Prices
from watari.model.profiles.beside import contention, latencies, of_several, stores
from watari.model.profiles.levels import Level, with_capacities
from watari.model.profiles.observe import Observation, impossible, of_case, of_setup, usable
from watari.model.work import Pass, Step, components
from watari.results.measured import Measured, measurements
from watari.results.schema import Results

SESSION, HOST = 0.05, 0.25  # nine of ten held-out results lie inside: docs/evidence/advise.md
BY_CPU = ("cpu", "pageable", "fault", "populate", "allocate", "release")
SAME_SIZE = 1.02  # sizes nearer than this are one point
LEAST_SHARE = 0.05  # of a sample: an unknown step with a smaller share gives no point
Row = tuple[float, Observation, float]  # bytes, observation, seconds that other steps of it take


def solve(observations: Iterable[Observation], profile: MachineProfile) -> MachineProfile:
    """The profile with every curve that the observations give."""
    left = list(observations)
    for link in (False, True, True, False, False):
        prices = Prices(profile)
        found: dict[str, list[Row]] = {}
        for each in left:
            point = unknown_of(each, prices, link)
            if point:
                found.setdefault(point[0], []).append(point[1:])
        if link and not profile.duplex_known:
            profile = with_duplex(left, profile)
        new = {key: curve(key, rows, levels(key, profile.machine)) for key, rows in found.items()}
        profile = profile.model_copy(update={"curves": {**profile.curves, **new}})
    return profile


def unknown_of(
    each: Observation, prices: Prices, link: bool
) -> tuple[str, float, Observation, float] | None:
    """The one step of an observation that no curve has: its key, bytes, and the others' seconds."""
    known = prices.profile.curves
    unknown = {key: n for key, n in components(each.work).items() if key not in known}
    if len(unknown) != 1:
        return None
    ((key, size),) = unknown.items()
    if each.computes and key.split()[0] in ("pass", "read", "write"):
        return None
    alone = len(components(each.work)) == 1
    crossing = key.endswith("link")
    if crossing != link and not alone:
        return None
    if crossing:  # the link is slower than the local end, so it takes the whole time
        both = [w for w in each.work if isinstance(w, Pass) and w.read and w.written]
        return None if both else (key, size, each, 0.0)
    rest = [w for w in each.work if not (isinstance(w, Step) and w.key == key)]
    spent = 0.0 if alone else prices.work(rest).middle
    if each.seconds - spent < LEAST_SHARE * each.seconds:
        return None
    return key, size, each, spent


def with_duplex(observations: Sequence[Observation], profile: MachineProfile) -> MachineProfile:
    """The profile with the part of the shorter direction that both at once add to the longer one,
    where a pass shows it."""
    prices, seen = Prices(profile), []
    for each in observations:
        if len(each.work) != 1 or not isinstance(each.work[0], Pass):
            continue
        one = each.work[0]
        keys = {f"{way} {one.processor} link" for way in ("read", "write")}
        if one.read and one.written and keys <= profile.curves.keys():
            read = prices.priced(f"read {one.processor} link", one.read).middle
            written = prices.priced(f"write {one.processor} link", one.written).middle
            shorter = min(read, written)
            seen.append((each.seconds - max(read, written)) / shorter)
    if not seen:
        return profile
    share = min(1.0, max(0.0, median(seen)))
    return profile.model_copy(update={"duplex": share, "duplex_known": True})


def levels(key: str, machine: Machine) -> list[Level]:
    """The data caches that the passes of a curve go through."""
    step, who, *_ = key.split()
    found = limits.processor(machine.model_dump(mode="json", by_alias=True), who)
    if step != "pass" or not found:
        return []
    if found["kind"] == "gpu":
        return [Level(found["l2_bytes"], True)]
    data = [c for c in found["caches"] if c["kind"] != "instruction"]
    last = max((c["level"] for c in data), default=0)
    return [Level(c["bytes"] * c["count"], c["level"] == last) for c in data]


def curve(key: str, rows: Sequence[Row], caches: Sequence[Level] = ()) -> Curve:
    """The curve of one step: a point for each size and each cache, ascending."""
    session = HOST if set(BY_CPU) & set(key.split()) else SESSION
    groups: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: row[0]):
        if groups and row[0] <= SAME_SIZE * groups[-1][0][0]:
            groups[-1].append(row)
        else:
            groups.append([row])
    points: list[Point] = []
    for group in groups:
        scaled = [(o, spent, group[0][0] / size) for size, o, spent in group]
        middle = median((o.seconds - spent) * s for o, spent, s in scaled)
        low = min(max((o.low - spent) * s, middle / 10) for o, spent, s in scaled)
        high = max((o.high - spent) * s for o, spent, s in scaled)
        ends = (middle, min(low, middle * (1 - session)), max(high, middle * (1 + session)))
        if points:  # noise must not make more bytes faster
            last = points[-1]
            before = (last.seconds, last.low, last.high)
            ends = tuple(max(a, b) for a, b in zip(ends, before, strict=True))  # type: ignore[assignment]
        points.append(Point(bytes=group[0][0], seconds=ends[0], low=ends[1], high=ends[2]))
    sources = dict.fromkeys(o.source for _, o, _ in rows)
    more = f" and {len(sources) - 1} more" if len(sources) > 1 else ""
    source = f"{next(iter(sources))}{more}"
    return Curve(points=with_capacities(points, caches), source=source)


def fit(results: Sequence[Results], names: Sequence[str]) -> MachineProfile:
    """The profile of the machine of these results. Raises UsageError where they are of several
    machines, or have no measurement that a profile needs."""
    machines = {r.machine.name for r in results}
    if len(machines) != 1:
        raise UsageError(
            f"a profile needs results of one machine; these are of {', '.join(sorted(machines))}"
        )
    return of_measured(measurements(results), results[-1].machine, list(names))


def of_measured(cases: Sequence[Measured], machine: Machine, sources: list[str]) -> MachineProfile:
    """The profile of the machine of these measured cases. Raises UsageError."""
    empty = MachineProfile(
        name=machine.name,
        title=title_of(machine),
        kind="measured",
        sources=sources,
        machine=machine.model_copy(update={"hosts": []}),  # a profile is meant to be published
        curves={},
        route=route_of(machine),
    )
    taken, refused = [], []
    for m in cases:
        alone = usable(m)
        why = impossible(m) if alone or of_several(m) else ""
        if why:
            refused.append(Refused(what=f"{m.case} {words(m.case, m.parameters)}", why=why))
        elif alone:
            taken.append(m)
    observations: list[Observation] = []
    for m in taken:
        try:
            observations += of_case(m, empty.traits)
        except UnsupportedError:
            continue  # a case whose accesses the model does not know
    observations += of_setup(taken)
    profile = solve(observations, empty)
    if not profile.curves:
        why = f"; refused: {refused[0].what}: {refused[0].why}" if refused else ""
        raise UsageError(
            f"{', '.join(sources)}: no measurement that a machine profile needs{why}; `watari run` "
            "makes them"
        )
    more = {
        "refused": refused,
        "stores": stores(taken),
        "latencies": latencies(taken),
        "contention": contention(cases, empty.traits),
    }
    return profile.model_copy(update=more)


def title_of(machine: Machine) -> str:
    """The names of its processors."""
    return " and ".join(dict.fromkeys(p.name for p in machine.processors))


def route_of(machine: Machine) -> Any:
    """How its GPU reaches memory of malloc: `ats`, `hmm`, or empty."""
    routes = [
        (m.route or "").lower() for m in machine.memories if m.kind == "system" and m.supported
    ]
    return next((r for r in ("ats", "hmm") if any(r in route for route in routes)), "")
