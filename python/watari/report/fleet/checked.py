"""`watari check` of many nodes: the items of each, and its cases beside the median of the nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from rich.console import Group, RenderableType
from rich.text import Text

from watari.report.check import items
from watari.report.check.causes import CPU, GPU, LINK, STORE, likely
from watari.report.check.expect import Wanted
from watari.report.check.formats import STYLES, counts, document, suite
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item
from watari.report.check.stored import Earlier
from watari.report.fleet.judge import Fleet, Judged, plural
from watari.report.fleet.node import Node, spread
from watari.report.fleet.table import MOST_ROWS, case_names
from watari.report.verdicts import judged, ratio_text
from watari.results import schema
from watari.results.schema import Results
from watari.results.significance import SLOWER

CHECK = "fleet"
PARTS = (LINK, GPU, CPU, STORE)
MOST_ITEMS = 2  # of a node on a terminal


@dataclass(frozen=True)
class Checked:
    """A node with its items."""

    node: Node
    items: list[Item]
    worst: str = ""  # its slowest case beside the others
    ratio: float | None = None

    def exit_code(self, fail_on_unknown: bool) -> int:
        """The exit code of `watari check` for this node alone."""
        return items.exit_code(self.items, fail_on_unknown)


def check(
    fleet: Fleet,
    baseline: Results | None,
    thresholds: Mapping[str, float],
    folder: Path | None,
    wanted: Wanted,
) -> list[Checked]:
    """The items of every node: of its newest file, with its others as earlier runs."""

    def of(node: Node) -> list[Item]:
        newest, *older = node.files
        earlier = [Earlier(file, schema.read(file)) for file in older]
        results = schema.read(newest)
        return items.check(results, baseline, thresholds, folder, earlier, wanted)

    nodes = [one.node for one in fleet.nodes]
    own = spread(of, nodes)
    names = [case_names(group) for group in fleet.groups for _ in group.nodes]
    checked = []
    for one, found, of_group in zip(fleet.nodes, own, names, strict=True):
        every = [*found, *beside(one, of_group)]
        worst = (of_group[one.worst.name], one.worst.ratio) if one.worst else ()
        checked.append(Checked(one.node, every, *worst))
    return checked


def beside(one: Judged, names: Mapping[str, str]) -> list[Item]:
    """A node beside the others, as items."""
    slow = [ratio for ratio in one.ratios if ratio.verdict == SLOWER]
    found = [
        Item(
            CHECK,
            names[ratio.name],
            FAIL,
            f"{ratio.ratio:.3f} of the median of {ratio.typical.nodes} nodes",
            causes=tuple(one.differs),
        )
        for ratio in slow
    ]
    if one.verdict == LOST:
        found.append(Item(CHECK, "lost", LOST, "; ".join(one.says)))
    if good := len(one.ratios) - len(slow):
        text = f"{plural(good, 'case')} as fast as the median of the nodes"
        found.append(Item(CHECK, "cases", PASS, text))
    elif not slow:
        found.append(Item(CHECK, "cases", UNKNOWN, "; ".join(one.says)))
    return found


def render(checked: Sequence[Checked], unread: Sequence[str]) -> RenderableType:
    """A row a node with its worst case beside the others; the failed ones last, with the first of
    their items."""
    table = judged("node", "case", "speed ratio", "pass", "fail", "lost", "unknown")
    ordered = sorted(checked, key=lambda one: one.exit_code(False))
    for one in ordered[-MOST_ROWS:]:
        number = Counter(item.verdict for item in one.items)
        verdict = next((v for v in (LOST, FAIL) if number[v]), PASS)
        worst = [one.worst, ratio_text(one.ratio)] if one.ratio else ["", ""]
        numbers = [str(number[v] or "") for v in (PASS, FAIL, LOST, UNKNOWN)]
        cells = map(Text, (one.node.host, *worst, *numbers))
        table.add_row(*cells, Text(verdict, STYLES[verdict]), Text(bad_items(one)))
    rest = len(ordered) - MOST_ROWS
    more = [Text(f"{plural(rest, 'node')} more pass: --json has every one")] if rest > 0 else []
    left = [Text(f"left out: {why}", STYLES[FAIL]) for why in unread]
    every = [item for one in checked for item in one.items]
    total = f"{plural(len(checked), 'node')}: {counts(every)}"
    return Group(table, *more, *causes(checked), *left, Text(total))


def bad_items(one: Checked) -> str:
    """The first items that fail, those of a loss before the others."""
    bad = [item for verdict in (LOST, FAIL) for item in one.items if item.verdict == verdict]
    says = [f"{item.check}: {item.name}: {item.says}" for item in bad[:MOST_ITEMS]]
    more = len(bad) - MOST_ITEMS
    return "; ".join([*says, f"{more} more"] if more > 0 else says)


def causes(checked: Sequence[Checked]) -> list[RenderableType]:
    """Likely causes, each once, with the nodes that have it. One that nodes without a failure have,
    too, explains nothing, and is left out."""
    bad = [one for one in checked if one.exit_code(False)]
    sound = [one for one in checked if not one.exit_code(False)]
    shared = {cause for one in sound for cause in likely(one.node.machine, set(PARTS))}
    hosts: dict[str, list[str]] = {}
    for one in bad:
        for cause in dict.fromkeys(cause for item in one.items for cause in item.causes):
            if cause not in shared:
                hosts.setdefault(cause, []).append(one.node.host)
    shown = [
        Text(f"  {', '.join(names[:MOST_ITEMS])}{' ...' * (len(names) > MOST_ITEMS)}: {cause}")
        for cause, names in hosts.items()
    ]
    if bad and not shown:
        text = "in which these nodes differ from those that pass" * bool(sound)
        return [Text(f"likely causes: none in the records of the machines {text}".rstrip())]
    return [Text("likely causes"), *shown] if shown else []


def as_values(checked: Sequence[Checked], fail_on_unknown: bool) -> list[dict[str, Any]]:
    """Each node as `watari check --json` has one run."""
    return [
        {
            "machine": one.node.machine["name"],
            "hosts": one.node.machine["hosts"],
            "started": one.node.started,
            "exit_code": one.exit_code(fail_on_unknown),
            "checks": [item.as_values() for item in one.items],
        }
        for one in checked
    ]


def junit(checked: Sequence[Checked]) -> str:
    """A test suite for each node."""
    root = Xml.Element("testsuites", name="watari check")
    for one in checked:
        root.append(suite(one.node.host, [one.node.host], one.node.started, one.items))
    return document(root)
