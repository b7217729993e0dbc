"""The checks: a row a kind of check, each of which looks at a run and gives its items.

An item passes, fails, or is unknown, with the reason; one that fails has the likely causes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from watari.case import limits
from watari.case.profile import STORE as STORED
from watari.cases import CASES, find, presentation, words
from watari.common.errors import UsageError
from watari.common.units import format_rate, format_size
from watari.machine.probe.links import pcie_bandwidth
from watari.report.check.causes import CPU, GPU, LINK, STORE, likely, states
from watari.report.compare import LOST, Row, compare
from watari.report.verdicts import label
from watari.results import published
from watari.results.measured import Measured, measurements
from watari.results.schema import Results
from watari.results.significance import FASTER, SAME, SLOWER, THRESHOLD

PASS, FAIL, UNKNOWN = "pass", "fail", "unknown"
OTHER_MACHINE = 0.15  # by which sound machines with one part differ: driver, slot, CPU


@dataclass(frozen=True)
class Item:
    """The answer to one question. `says` has the numbers."""

    check: str
    name: str
    verdict: str
    says: str
    path: frozenset[str] = frozenset()  # what a cause must touch to be likely
    causes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """A run, and what it is held against."""

    results: Results
    measured: list[Measured]
    machine: dict[str, Any]  # whose links are those that the hardware has at most
    baseline: Results | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by case; "" for the others

    def threshold(self, case: str, default: float = THRESHOLD) -> float:
        """The change that matters for a case."""
        return self.thresholds.get(case, self.thresholds.get("", default))


def path_of(m: Measured) -> frozenset[str]:
    """What a case's bytes cross."""
    if m.case not in CASES:
        return frozenset()
    touched = set()
    for phase in CASES[m.case].profile(m.parameters).phases:
        for t in phase.transfers:
            sides = {
                "cpu" if side == "cpu" else GPU
                for side in (t.source, t.target, t.reader)
                if side and side != STORED
            }
            touched |= {LINK} if len(sides) > 1 else sides
            touched |= {STORE} if STORED in (t.source, t.target) else set()
    return frozenset({CPU if side == "cpu" else side for side in touched})


def correct(run: Run) -> list[Item]:
    """Every case is correct, and below what physics allows."""
    items = []
    for m in run.measured:
        name = f"{m.case} {words(m.case, m.parameters)}"
        if m.status in ("wrong", "failed"):
            items.append(Item("correct", name, FAIL, f"{m.status}: {m.reason}", path_of(m)))
        elif m.flagged:
            text = f"{', '.join(m.flags)}: the number is not believed"
            items.append(Item("correct", name, FAIL, text))
    bad = len(items)
    good = sum(m.status == "ok" for m in run.measured) - sum(m.flagged for m in run.measured)
    if not bad:
        says = f"{good} cases have the right result" if good else "nothing was measured"
        items.append(Item("correct", "results", PASS if good else UNKNOWN, says))
    return items


def quantities(run: Run) -> list[tuple[published.Quantity, Measured]]:
    """The published quantities that the run measured: the largest plain array of each path."""
    largest: dict[tuple[Any, ...], tuple[published.Quantity, Measured]] = {}
    for quantity in published.quantities().values():
        for m in run.measured:
            shown = presentation(m.case)
            if not (m.case in CASES and m.drawn and m.status == "ok" and shown.plain(m)):
                continue
            if not quantity.matches(m.case, m.parameters) or not beyond_cache(m):
                continue
            place = (quantity.name, m["processor"], m["from"], m["to"], m["memory"])
            other = largest.get(place)
            if other is None or int(m["size"]) > int(other[1]["size"]):
                largest[place] = quantity, m
    return list(largest.values())


def beyond_cache(m: Measured) -> bool:
    """Whether the array is so large that caches do not answer for memory."""
    least = limits.BEYOND_CACHE * limits.cache_bytes(m.machine, str(m["processor"] or "gpu"))
    return isinstance(m["size"], int) and m["size"] > least


def physical(run: Run) -> list[Item]:
    """The part of the physical limit that sound hardware reaches."""
    items = []
    for quantity, m in quantities(run):
        if not quantity.least:
            continue
        most = limits.limit(find(m.case).profile(m.parameters), run.machine)
        item = Item("physical limit", title(quantity, m), UNKNOWN, "", path_of(m))
        if not most:
            text = f"{format_rate(m.median)} GB/s; the limit of this path is not known"
            items.append(replace(item, says=text))
            continue
        limit = most / 1e9
        says = (
            f"{format_rate(m.median)} GB/s, {m.median / limit:.0%} of {format_rate(limit)} GB/s; "
            f"at least {quantity.least:.0%} is expected"
        )
        passed = m.median >= quantity.least * limit
        items.append(replace(item, verdict=PASS if passed else FAIL, says=says))
    return items


def title(quantity: published.Quantity, m: Measured) -> str:
    """A quantity and the size of what was measured."""
    return f"{quantity.title}, {format_size(m['size'])}"


def same_part(machine: Mapping[str, Any], entry: published.Published) -> bool:
    """Whether a published value is of this machine's GPU: `NVIDIA H200` and `H200, PCIe Gen5`."""
    kinds = {link["kind"] for link in machine["links"]}
    names = [p["name"] for p in machine["processors"] if p["kind"] == "gpu"]
    parts = {word for name in names for word in name.split() if any(c.isdigit() for c in word)}
    other = {word.strip(",;()") for word in entry.machine.replace("/", " ").split()}
    return bool(parts & other) and ("GH200" in other) == ("c2c" in kinds)


def same_parts(run: Run) -> list[Item]:
    """What was published and stored of the same part, within the threshold."""
    entries = published.values(own=True)
    items = []
    for quantity, m in quantities(run):
        if quantity.unit != "GB/s" or quantity.less or quantity.over:
            continue
        theirs = [
            e
            for e in entries
            if e.quantity == quantity.name and e.kind == "measured" and same_part(m.machine, e)
        ]
        value = m.part(quantity.sample)
        item = Item("same part", title(quantity, m), UNKNOWN, "", path_of(m))
        if not theirs:
            text = f"{format_rate(value)} GB/s; no value of this part is stored"
            items.append(replace(item, says=text))
            continue
        least, threshold = min(e.low for e in theirs), run.threshold(m.case, OTHER_MACHINE)
        says = f"{format_rate(value)} GB/s; {theirs[0].text} GB/s by {theirs[0].source}"
        passed = value >= least * (1 - threshold)
        items.append(replace(item, verdict=PASS if passed else FAIL, says=says))
    return items


def baseline(run: Run) -> list[Item]:
    """A site's own run of this machine when it was well."""
    if run.baseline is None:
        return []
    judged: dict[float, list[Row]] = {}
    for threshold in {run.threshold(c.case) for c in [*run.results.cases, *run.baseline.cases]}:
        judged[threshold] = compare(run.baseline, run.results, threshold)
    paths = {(m.case, str(m.parameters)): path_of(m) for m in run.measured}
    verdicts = {SLOWER: FAIL, LOST: FAIL, SAME: PASS, FASTER: PASS}
    items = []
    for threshold, rows in judged.items():
        for row in rows:
            if run.threshold(row.case) != threshold or not (row.new or row.verdict == LOST):
                continue
            change = f"{row.ratio:.3f} of baseline's speed" if row.ratio else ""
            says = "; ".join(text for text in (row.verdict, change, row.note) if text)
            path = paths.get((row.case, str(row.parameters)), frozenset())
            verdict = verdicts.get(row.verdict, UNKNOWN)
            items.append(Item("baseline", label(row), verdict, says, path))
    return items


def links(run: Run) -> list[Item]:
    """PCIe: lanes in use of those that the GPU has, generation that the slot allows."""
    items = []
    for name, state in states(run.machine):
        for what, now, most in (
            ("lanes", "link_width", "link_width_most"),
            ("generation", "link_generation_most", "gpu_generation_most"),
        ):
            low, high = state.get(now), state.get(most)
            verdict = UNKNOWN if low is None or high is None else PASS if low >= high else FAIL
            says = f"{low} of {high}" if verdict != UNKNOWN else "not reported"
            items.append(Item("hardware", f"{name}, PCIe {what}", verdict, says, frozenset({LINK})))
    return items


def clocks(run: Run) -> list[Item]:
    """Memory as the data sheet has it: its bandwidth is computed from this clock and width."""
    items = []
    for name, state in states(run.machine):
        clock, width = state.get("memory_clock_most"), state.get("memory_width")
        held = [reason for reason in state["slowed_by"] if reason != "application-clocks"]
        says = f"{clock} MHz, {width} bits" if clock and width else "not reported"
        verdict = FAIL if held else PASS if clock and width else UNKNOWN
        says += f"; held down: {', '.join(held)}" if held else ""
        items.append(Item("hardware", f"{name}, clocks", verdict, says, frozenset({GPU})))
    return items


def distance(run: Run) -> list[Item]:
    """CPUs of the run beside the GPU."""
    from watari.report.check.causes import far, host

    if not host(run.machine).get("allowed_cpus") or len(run.machine["processors"]) < 2:
        return []
    text = far(run.machine)
    says = text or "the run has CPUs of the GPU's node"
    return [Item("hardware", "NUMA node", FAIL if text else PASS, says, frozenset({LINK}))]


CHECKS: tuple[Callable[[Run], list[Item]], ...] = (
    correct,
    links,
    clocks,
    distance,
    physical,
    same_parts,
    baseline,
)


def at_most(machine: dict[str, Any]) -> dict[str, Any]:
    """The machine with PCIe as its GPUs allow it at most: a reduced link is no physical limit."""
    most = {
        name: pcie_bandwidth(state.get("gpu_generation_most"), state.get("link_width_most"))
        for name, state in states(machine)
    }
    rows = [
        {**link, "bandwidth": most.get(link["to"]) or link["bandwidth"]}
        if link["kind"] == "pcie"
        else link
        for link in machine["links"]
    ]
    return {**machine, "links": rows}


def check(
    results: Results,
    baseline: Results | None = None,
    thresholds: Mapping[str, float] | None = None,
) -> list[Item]:
    """Every item of every check of a run. `thresholds` is by case, "" for all others."""
    machine = at_most(results.machine.model_dump(mode="json", by_alias=True))
    run = Run(results, measurements([results]), machine, baseline, thresholds or {})
    for name in run.thresholds:
        if name:
            find(name)
    items = [item for row in CHECKS for item in row(run)]
    return [
        replace(item, causes=tuple(likely(machine, set(item.path))))
        if item.verdict == FAIL and item.check != "hardware"
        else item
        for item in items
    ]


def parse_thresholds(texts: Sequence[str], parse: Callable[[str], float]) -> dict[str, float]:
    """By case, of `copy=5%` and `3%`. Raises UsageError."""
    thresholds: dict[str, float] = {}
    for text in texts:
        case, equals, value = text.rpartition("=")
        if equals:
            find(case)
        if case in thresholds:
            raise UsageError(f"--threshold {text}: given twice for {case or 'all cases'}")
        thresholds[case] = parse(value)
    return thresholds


def exit_code(items: Sequence[Item]) -> int:
    """3 where anything fails, else 0."""
    return 3 if any(item.verdict == FAIL for item in items) else 0
