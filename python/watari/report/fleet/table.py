"""A fleet on a terminal: a row a node, then its suspects case by case and pair by pair."""

from __future__ import annotations

from collections import Counter

from rich.console import Group as Lines
from rich.console import RenderableType
from rich.text import Text

from watari.report.compare import Row
from watari.report.fleet.judge import (
    FAILED,
    GRAVITY,
    UNKNOWN,
    Fleet,
    Group,
    Typical,
    gravity,
    pairs,
    plural,
)
from watari.report.fleet.node import Level
from watari.report.verdicts import ALARM, STYLES, empty, judged, labels, ratio_text, speed
from watari.results.significance import SLOWER

MOST_ROWS = 60  # nodes of a table; more are in the files of -o
WORST = 5  # cases of a suspect, pairs of suspects
STYLE = {**STYLES, FAILED: ALARM, UNKNOWN: "yellow"}


def as_row(level: Level) -> Row:
    """A level as `watari compare` shows it."""
    size = level.bytes_per_sample
    return Row(level.case, level.parameters, level.part, "", bytes_per_sample=size)


def case_names(group: Group) -> dict[str, str]:
    """Each part of a case in words."""
    rows = [as_row(typical.level) for typical in group.typical.values()]
    return dict(zip(group.typical, labels(rows), strict=True))


def render(fleet: Fleet) -> RenderableType:
    """The groups, the suspects, and the number of each verdict."""
    parts: list[RenderableType] = []
    for group in fleet.groups:
        parts += [Text(head(group)), *nodes(group), *scatter(group, fleet.threshold)]
    parts += [*suspects(fleet), *alike(fleet)]
    parts += [Text(f"left out: {why}", ALARM) for why in fleet.unread]
    words = Counter(one.verdict for one in fleet.nodes)
    counts = ", ".join(f"{words[word]} {word}" for word in GRAVITY if words[word])
    return Lines(*parts, Text(f"{plural(len(fleet.nodes), 'node')}: {counts or 'nothing'}"))


def head(group: Group) -> str:
    """The hardware, and what was measured of it."""
    runs = plural(sum(len(one.node.files) for one in group.nodes), "file")
    cases = plural(len(group.typical), "case")
    return f"{group.hardware}: {plural(len(group.nodes), 'node')}, {runs}, {cases} compared"


def nodes(group: Group) -> list[RenderableType]:
    """A row a node with its worst case; the suspects last, where a terminal shows them."""
    names = case_names(group)
    ordered = sorted(group.nodes, key=gravity, reverse=True)
    table = judged("node", "case", "its", "median", "speed ratio", "MAD")
    for one in ordered[-MOST_ROWS:]:
        cells = ["", "", "", "", ""]
        if worst := one.worst:
            row = as_row(worst.level)
            cells = [
                names[worst.name],
                speed(row, worst.level.median),
                speed(row, worst.typical.seconds),
                ratio_text(worst.ratio),
                f"{worst.typical.mad:.1%}",
            ]
        verdict = Text(one.verdict, STYLE.get(one.verdict, ""))
        table.add_row(Text(one.node.host), *map(Text, cells), verdict, Text("; ".join(one.says)))
    rest = len(ordered) - MOST_ROWS
    more = f"{rest} more nodes are nearer to the median; -o fleet.csv writes every one"
    return [table, Text(more)] if rest > 0 else [table]


def scatter(group: Group, threshold: float) -> list[RenderableType]:
    """A line for each case whose nodes scatter beyond the threshold: no node of it stands out."""
    wide = sorted(
        ((t.mad, name, t) for name, t in group.typical.items() if t.mad > threshold), reverse=True
    )
    names = case_names(group)
    lines: list[RenderableType] = [
        Text(f"nodes scatter by {mad:.0%} in {names[name]}, median {shown(t)}")
        for mad, name, t in wide[:WORST]
    ]
    rest = len(wide) - WORST
    return [*lines, Text(f"and in {plural(rest, 'case')} more")] if rest > 0 else lines


def shown(typical: Typical) -> str:
    """The median of the nodes in words."""
    return speed(as_row(typical.level), typical.seconds)


def suspects(fleet: Fleet) -> list[RenderableType]:
    """The worst cases of each suspect, and how its machine differs."""
    names = {k: v for group in fleet.groups for k, v in case_names(group).items()}
    table = empty("slower than the median", "case", "its", "median", "speed ratio")
    lines: list[RenderableType] = []
    for one in fleet.suspects[-MOST_ROWS:]:
        slow = [ratio for ratio in one.ratios if ratio.verdict == SLOWER]
        for ratio in slow[:WORST]:
            row = as_row(ratio.level)
            its, median = speed(row, ratio.level.median), speed(row, ratio.typical.seconds)
            cells = map(Text, (one.node.host, names[ratio.name], its, median))
            table.add_row(*cells, Text(ratio_text(ratio.ratio), ALARM))
        if rest := len(slow) - WORST:
            more = f"{plural(rest, 'case')} more" if rest > 0 else ""
            if more:
                ends = f"{ratio_text(slow[WORST].ratio)} - {ratio_text(slow[-1].ratio)}"
                table.add_row(Text(one.node.host), more, "", "", ends)
        if one.differs:
            lines.append(Text(f"{one.node.host} differs: {'; '.join(one.differs[:WORST])}"))
    return [table, *lines] if table.row_count else lines


def alike(fleet: Fleet) -> list[RenderableType]:
    """The pairs of suspects that are slower in the same cases."""
    found = pairs(fleet.suspects)
    table = empty("suspects", "and", "slower in both", "speed, first/second")
    for pair in found[:WORST]:
        hosts = (pair.first.node.host, pair.second.node.host)
        table.add_row(*map(Text, hosts), str(pair.both), ratio_text(pair.ratio))
    rest = len(found) - WORST
    more = [Text(f"{plural(rest, 'pair')} more: --json has every one")] if rest > 0 else []
    return [table, *more] if found else []
