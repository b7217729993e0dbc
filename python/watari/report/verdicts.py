"""Comparisons for people, on a terminal, and for programs, as plain values.

A note that several rows have stands once, below the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from watari.plan.request import Request, describe_all
from watari.report.compare import CHANGED, LOST, Comparison, Row, exit_code
from watari.report.outliers import Outlier
from watari.results.significance import FASTER, SAME, SLOWER, UNSURE
from watari.results.statistics import WHOLE

ALARM = "bold red"
STYLES = {
    SAME: "dim",
    FASTER: "green",
    SLOWER: ALARM,
    UNSURE: "yellow",
    CHANGED: ALARM,
    LOST: ALARM,
}


COUNTED = (LOST, SLOWER, FASTER, SAME, UNSURE)


def render(rows: Sequence[Row]) -> RenderableType:
    """What was compared, a table of the verdicts, and how many there are of each."""
    table = empty("case", "base", "new", "new/base", "95%")
    table.add_column("verdict", no_wrap=True)
    table.add_column("", overflow="fold")
    repeated = [note for note, n in Counter(row.note for row in rows).items() if note and n > 1]
    for row, name in zip(rows, labels(rows), strict=True):
        interval = f"{row.interval[0]:.3f} - {row.interval[1]:.3f}" if row.interval else ""
        note = f"[{repeated.index(row.note) + 1}]" if row.note in repeated else row.note
        table.add_row(
            Text(name),
            speed(row, row.base),
            speed(row, row.new),
            f"{row.ratio:.3f}" if row.ratio else "",
            interval,
            Text(row.verdict, STYLES.get(row.verdict, "")),
            Text(note),
        )
    verdicts = [row.verdict for row in rows]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
    lines = rows.head if isinstance(rows, Comparison) else ()
    explained = [Text(f"[{i}] {note}") for i, note in enumerate(repeated, 1)]
    return Group(*map(Text, lines), table, *explained, Text(counts or "nothing to compare"))


def render_nodes(
    comparisons: Mapping[str, Comparison], outliers: Sequence[Outlier]
) -> RenderableType:
    """Several runs against one base: a line for each, then what deviates from the other runs."""
    table = empty("run", *COUNTED, "others", "new/base")
    for name, rows in comparisons.items():
        verdicts = Counter(row.verdict for row in rows)
        ratios = sorted(row.ratio for row in rows if row.ratio)
        others = sum(n for verdict, n in verdicts.items() if verdict not in COUNTED)
        median = f"{ratios[len(ratios) // 2]:.3f}" if ratios else ""
        counts = [str(verdicts[verdict] or "") for verdict in COUNTED]
        table.add_row(Text(name), *counts, str(others or ""), median)
    if not outliers:
        return Group(table, Text("no run deviates from the others"))
    deviating = empty("deviates from the other runs", "case", "its speed", "theirs", "its/theirs")
    every = [row for rows in comparisons.values() for row in rows]
    for o, name in zip(outliers, labels([o.row for o in outliers], every), strict=True):
        low = Text(f"{o.ratio:.3f}", ALARM if o.ratio < 1 else "green")
        shown = (speed(o.row, seconds) for seconds in (o.seconds, o.typical))
        deviating.add_row(Text(o.run), Text(name), *shown, low)
    return Group(table, deviating)


def as_values(
    base: str,
    comparisons: Mapping[str, Comparison],
    outliers: Sequence[Outlier],
    threshold: float,
    fail_on_unsure: bool,
) -> dict[str, Any]:
    """All of it as plain values; times in s, of one sample."""
    return {
        "base": base,
        "threshold": threshold,
        "comparisons": [
            {
                "new": name,
                "head": list(rows.head),
                "exit_code": exit_code(rows, fail_on_unsure),
                "rows": [asdict(row) for row in rows],
            }
            for name, rows in comparisons.items()
        ],
        "outliers": [
            {
                "run": o.run,
                "case": o.row.case,
                "parameters": o.row.parameters,
                "part": o.row.part,
                "seconds": o.seconds,
                "typical": o.typical,
                "ratio": o.ratio,
            }
            for o in outliers
        ],
    }


def empty(first: str, *titles: str) -> Table:
    """A table without rows; numbers to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for title in titles:
        numbers = title != "case"
        table.add_column(title, justify="right" if numbers else "left", no_wrap=numbers)
    return table


def labels(rows: Sequence[Row], among: Sequence[Row] = ()) -> list[str]:
    """Each case in one line, with the axes by which it differs from others of the same line (of
    these rows, or of those that it is among), and its phase."""
    texts = describe_all([Request(row.case, row.parameters, 1) for row in (*rows, *among)])
    return [
        text if row.part in ("", WHOLE) else f"{text}, {row.part}"
        for text, row in zip(texts, rows, strict=False)
    ]


def speed(row: Row, seconds: float | None) -> str:
    """GB/s, or the time where a sample moves no bytes."""
    if seconds is None:
        return ""
    return (
        f"{row.bytes_per_sample / seconds / 1e9:.4g} GB/s"
        if row.bytes_per_sample
        else f"{seconds:.4g} s"
    )
