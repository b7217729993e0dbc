"""Comparisons for people, on a terminal, and for programs, as plain values.

A note of several rows is printed once, below the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column
from rich.text import Text

from watari.cases import presentation
from watari.common import tables
from watari.common.case_table import CaseTable
from watari.plan.request import Request, describe_all
from watari.report.compare import (
    CHANGED,
    LOST,
    ONLY_BASE,
    ONLY_NEW,
    Comparison,
    Row,
    exit_code,
)
from watari.report.outliers import LEAST_RUNS, Outlier
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
# of rows: alarms come last, where a terminal shows them
ORDER = (SAME, ONLY_BASE, ONLY_NEW, UNSURE, FASTER, CHANGED, SLOWER, LOST)
WORST = 5  # cases of a run that deviates in many


def render(rows: Sequence[Row]) -> RenderableType:
    """The head of a comparison, a table of the verdicts, and the number of each verdict."""
    lines = rows.head if isinstance(rows, Comparison) else ()
    rows = sorted(rows, key=lambda row: ORDER.index(row.verdict))
    table = judged("case", "base", "new", "speed ratio", "95%")
    repeated = [note for note, n in Counter(row.note for row in rows).items() if note and n > 1]
    for row, name in zip(rows, labels(rows), strict=True):
        interval = " - ".join(ratio_text(end) for end in row.interval or ())
        note = f"[{repeated.index(row.note) + 1}]" if row.note in repeated else row.note
        table.add_row(
            Text(name),
            speed(row, row.base),
            speed(row, row.new),
            ratio_text(row.ratio) if row.ratio else "",
            interval,
            Text(row.verdict, STYLES.get(row.verdict, "")),
            Text(note),
        )
    verdicts = [row.verdict for row in rows]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in reversed(ORDER) if v in verdicts)
    explained = [Text(f"[{i}] {note}") for i, note in enumerate(repeated, 1)]
    return Group(*map(Text, lines), table, *explained, Text(counts or "nothing to compare"))


def render_nodes(
    comparisons: Mapping[str, Comparison], outliers: Sequence[Outlier]
) -> RenderableType:
    """Several runs against one base: a line for each, then cases that deviate from other runs."""
    table = empty("run", *COUNTED, "others", "speed ratio: worst", "median", "case")
    every = [row for rows in comparisons.values() for row in rows]
    for name, rows in comparisons.items():
        verdicts = Counter(row.verdict for row in rows)
        measured = sorted((row for row in rows if row.ratio), key=lambda row: row.ratio or 0)
        others = sum(n for verdict, n in verdicts.items() if verdict not in COUNTED)
        ratios = [ratio_text(row.ratio or 0) for row in measured]
        middle = ratios[len(ratios) // 2] if ratios else ""
        counts = [str(verdicts[verdict] or "") for verdict in COUNTED]
        worst = labels(measured[:1], every)
        cells = [*counts, str(others or ""), *(ratios[:1] or [""]), middle, *(worst or [""])]
        table.add_row(Text(name), *map(Text, cells))
    if len(comparisons) < LEAST_RUNS:
        return Group(table, Text(f"outliers need {LEAST_RUNS} runs beside the base"))
    if not outliers:
        return Group(table, Text("no run deviates from the others"))
    return Group(table, deviating(outliers, every))


def deviating(outliers: Sequence[Outlier], every: Sequence[Row]) -> CaseTable:
    """The worst cases of each run that deviates, and the number of its other cases."""
    table = empty("deviates from the other runs", "case", "its", "theirs", "speed ratio")
    for run in dict.fromkeys(o.run for o in outliers):
        mine = [o for o in outliers if o.run == run]
        worst, rest = mine[:WORST], [o.ratio for o in mine[WORST:]]
        for o, name in zip(worst, labels([o.row for o in worst], every), strict=True):
            low = Text(f"{o.ratio:.3f}", ALARM if o.ratio < 1 else "green")
            shown = (speed(o.row, seconds) for seconds in (o.seconds, o.typical))
            table.add_row(Text(o.run), Text(name), *shown, low)
        if rest:
            more = f"{len(rest)} more case{'s'[: len(rest) > 1]}"
            table.add_row(Text(run), more, "", "", f"{min(rest):.3f} - {max(rest):.3f}")
    return table


def as_values(
    base: str,
    comparisons: Mapping[str, Comparison],
    outliers: Sequence[Outlier],
    threshold: float,
    fail_on_unsure: bool,
) -> dict[str, Any]:
    """Comparisons and outliers as plain values; times in s, of one sample."""
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


def ratio_text(ratio: float) -> str:
    """A ratio with three decimals, `<0.001` or `>1000`."""
    return "<0.001" if ratio < 0.001 else f"{ratio:.3f}" if ratio < 1000 else ">1000"


def empty(first: str, *titles: str, more: Sequence[Column] = ()) -> CaseTable:
    """A table without rows; numbers to the right."""
    columns = (Column(t) if t == "case" else tables.number(t) for t in titles)
    return CaseTable(*columns, *more, first=first, padding=tables.WIDE)


def judged(first: str, *titles: str) -> CaseTable:
    """The same, with a verdict and a note at the end."""
    return empty(first, *titles, more=(tables.word("verdict"), tables.text()))


def labels(rows: Sequence[Row], among: Sequence[Row] = ()) -> list[str]:
    """Each case in one line, with its phase and with the axes by which it differs from other cases
    of the same line in `rows` or `among`."""
    texts = describe_all([Request(row.case, row.parameters, 1) for row in (*rows, *among)])
    return [
        text if row.part in ("", WHOLE) else f"{text}, {row.part}"
        for text, row in zip(texts, rows, strict=False)
    ]


def speed(row: Row, seconds: float | None) -> str:
    """The sample in the unit of its case, or the time if it moves no bytes."""
    if seconds is None:
        return ""
    shown, size = presentation(row.case), row.bytes_per_sample
    return f"{shown.value(seconds, size):.4g} {shown.unit}" if size else f"{seconds:.4g} s"
