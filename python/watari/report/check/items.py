"""The checks: each row of CHECKS is a function that returns the items of a run.

An item passes, fails, or is unknown, with the reason; a failed item has the likely causes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from watari.cases import find, words
from watari.common.errors import UsageError
from watari.machine.probe.links import pcie_bandwidth
from watari.report.check.causes import likely, states
from watari.report.check.earlier import lost
from watari.report.check.expect import Wanted, expected
from watari.report.check.hardware import absent, clocks, distance, hosts
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item, Run, path_of
from watari.report.check.pcie import links
from watari.report.check.stored import Earlier, Stored, read_all
from watari.report.check.values import physical, same_parts
from watari.report.compare import LOST as GONE
from watari.report.compare import Row, compare
from watari.report.verdicts import labels
from watari.results.measured import measurements
from watari.results.schema import Results
from watari.results.significance import FASTER, SAME, SLOWER


def correct(run: Run) -> list[Item]:
    """Every case is correct, and below what physics allows."""
    items = []
    for m in run.measured:
        name = f"{m.case} {words(m.case, m.parameters)}"
        if m.status in ("wrong", "failed"):
            items.append(Item("correct", name, FAIL, f"{m.status}: {m.reason}", path_of(m)))
        elif m.flagged:
            text = f"{', '.join(m.flags)}: do not use this number"
            items.append(Item("correct", name, FAIL, text))
    bad = len(items)
    good = sum(m.status == "ok" for m in run.measured) - sum(m.flagged for m in run.measured)
    if not bad:
        says = f"{good} cases have the right result" if good else "nothing was measured"
        items.append(Item("correct", "results", PASS if good else FAIL, says))
    if not_run := len(run.results.missing):
        text = f"{not_run} case{'s'[: not_run > 1]}: the run ended before these"
        items.append(Item("correct", "planned, not measured", UNKNOWN, text))
    return items


def baseline(run: Run) -> list[Item]:
    """Every case is as fast as in the baseline, a site's own run of this machine in good order."""
    if run.baseline is None:
        return []
    judged: dict[float, list[Row]] = {}
    for threshold in {run.threshold(c.case) for c in [*run.results.cases, *run.baseline.cases]}:
        judged[threshold] = compare(run.baseline, run.results, threshold)
    paths = {(m.case, str(m.parameters)): path_of(m) for m in run.measured}
    verdicts = {SLOWER: FAIL, GONE: LOST, SAME: PASS, FASTER: PASS}
    items = []
    for threshold, rows in judged.items():
        for row, name in zip(rows, labels(rows), strict=True):
            if run.threshold(row.case) != threshold or not (row.new or row.verdict == GONE):
                continue
            change = f"{row.ratio:.3f} of baseline's speed" if row.ratio else ""
            says = "; ".join(text for text in (row.verdict, change, row.note) if text)
            path = paths.get((row.case, str(row.parameters)), frozenset())
            verdict = verdicts.get(row.verdict, UNKNOWN)
            items.append(Item("baseline", name, verdict, says, path))
    return items


CHECKS: tuple[Callable[[Run], list[Item]], ...] = (
    correct,
    links,
    absent,
    clocks,
    distance,
    hosts,
    physical,
    same_parts,
    baseline,
    lost,
)


CAUSED = ("correct", "physical limit", "same part", "baseline")  # the record may show a cause


def at_most(machine: dict[str, Any]) -> dict[str, Any]:
    """The machine with the fastest PCIe of its GPUs: a reduced link is no physical limit."""
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
    folder: Path | None = None,
    earlier: Sequence[Earlier] = (),
    wanted: Wanted | None = None,
) -> list[Item]:
    """Every item of every check of a run. `thresholds` is by case, "" for all others; `folder` has
    earlier results of the same part; `earlier` are runs of this machine; `wanted` is expected."""
    machine = at_most(results.machine.model_dump(mode="json", by_alias=True))
    stored = read_all(folder.rglob("*.json"), machine) if folder else Stored()
    measured = measurements([results])
    run = Run(results, measured, machine, baseline, stored, earlier, thresholds or {})
    for name in run.thresholds:
        if name:
            find(name)
    items = [item for row in CHECKS for item in row(run)] + expected(machine, wanted or {})
    return [
        replace(item, causes=tuple(likely(machine, set(item.path))))
        if item.verdict == FAIL and item.check in CAUSED
        else item
        for item in items
    ]


def parse_thresholds(texts: Sequence[str], parse: Callable[[str], float]) -> dict[str, float]:
    """Thresholds by case, from texts such as `copy=5%` and `3%`. Raises UsageError."""
    thresholds: dict[str, float] = {}
    for text in texts:
        case, equals, value = text.rpartition("=")
        if equals:
            find(case)
        if case in thresholds:
            raise UsageError(f"--threshold {text}: given twice for {case or 'all cases'}")
        thresholds[case] = parse(value)
    return thresholds


def exit_code(items: Sequence[Item], fail_on_unknown: bool = False) -> int:
    """4 if an item is lost; 3 if one fails (or is unknown, with `fail_on_unknown`); else 0."""
    verdicts = {item.verdict for item in items}
    if LOST in verdicts:
        return 4
    return 3 if verdicts & ({FAIL, UNKNOWN} if fail_on_unknown else {FAIL}) else 0
