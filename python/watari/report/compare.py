"""Two runs, case by case: same, faster, slower or unsure; `significance.py` has the statistics.

Compared is the speed (1 / time of a sample, see statistics.seconds) of each case, each phase on its
own: a migration may have become slower towards the GPU alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from watari.plan.request import Request, describe
from watari.results.schema import Case, Results
from watari.results.significance import (
    FASTER,
    SAME,
    SLOWER,
    THRESHOLD,
    UNSURE,
    Judgement,
    holm,
    judge,
    verdict,
)
from watari.results.statistics import WHOLE, summaries

ONLY_BASE, ONLY_NEW, CHANGED = "only in base", "only in new", "status changed"


@dataclass(frozen=True)
class Row:
    """The verdict on one phase of one case. Times are in seconds, of one sample."""

    case: str
    parameters: dict[str, Any]
    part: str  # a phase, or the whole series
    verdict: str
    base: float | None = None  # median over trials of the trials' median times
    new: float | None = None
    ratio: float | None = None  # of the speeds, base / new in time: below 1 is slower
    interval: tuple[float, float] | None = None  # 95% confidence, of the ratio
    bytes_per_sample: int = 0
    status: str = "ok"  # in the new run
    note: str = ""


class Comparison(list[Row]):
    """The rows, and in `head` what was compared: a line for the runs and for each difference."""

    head: tuple[str, ...] = ()


def compare(base: Results, new: Results, threshold: float = THRESHOLD) -> Comparison:
    """Judge every case of two runs; `threshold` is the change of time that matters, 0.05 for 5%."""
    olds, news = pooled(base), pooled(new)
    rows: list[tuple[Row, Judgement | None]] = []
    partners = match(olds, news)
    for key, old in olds.items():
        partner = partners.get(key)
        if partner is None:
            rows.append((alone(old, ONLY_BASE), None))
        else:
            rows += both(old, news[partner], threshold)
    matched = set(partners.values())
    rows += [(alone(case, ONLY_NEW), None) for key, case in news.items() if key not in matched]
    comparison = Comparison(decided(rows, threshold))
    comparison.head = head(base, new)
    return comparison


def pooled(results: Results) -> dict[str, Case]:
    """Cases by key. The same case twice (a plan with overlapping sweeps) has more trials."""
    cases: dict[str, Case] = {}
    for case in results.cases:
        first = cases.get(case.key)
        if first is None or first.status != "ok":
            cases[case.key] = case
        elif case.status == "ok":
            cases[case.key] = first.model_copy(update={"trials": [*first.trials, *case.trials]})
    return cases


def match(olds: dict[str, Case], news: dict[str, Case]) -> dict[str, str]:
    """Key in base to key in new: the same, or the same but for `threads`, which by default are
    those of the machine, where that leaves no doubt."""
    partners = {key: key for key in olds if key in news}

    def loose(cases: dict[str, Case]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for key, case in cases.items():
            rest = {n: v for n, v in case.parameters.items() if n != "threads"}
            groups.setdefault(case.model_copy(update={"parameters": rest}).key, []).append(key)
        return groups

    candidates = loose(news)
    for rest, keys in loose(olds).items():
        others = candidates.get(rest, [])
        if len(keys) == len(others) == 1:
            partners[keys[0]] = others[0]
    return partners


def alone(case: Case, verdict: str) -> Row:
    """A row for a case that one run lacks."""
    status = case.status if verdict == ONLY_NEW else "ok"
    return Row(case.case, case.parameters, "", verdict, status=status, note=case.reason or "")


def both(old: Case, new: Case, threshold: float) -> list[tuple[Row, Judgement | None]]:
    """Rows for a case that both runs have: one for each phase that both have measured."""
    row = Row(new.case, new.parameters, "", UNSURE, status=new.status)
    if old.status != new.status:
        reason = f": {new.reason or old.reason}" if new.reason or old.reason else ""
        note = f"{old.status}, now {new.status}{reason}"
        return [(replace(row, verdict=CHANGED, note=note), None)]
    if new.status != "ok":
        verdict = SAME if new.status == "unsupported" else UNSURE
        return [(replace(row, verdict=verdict, note=f"{new.status} in both"), None)]
    before = summaries(trial.model_dump() for trial in old.trials)
    after = summaries(trial.model_dump() for trial in new.trials)
    rows: list[tuple[Row, Judgement | None]] = []
    for part in (p for p in before if p in after):
        judgement = judge(before[part].medians, after[part].medians, threshold)
        measured = replace(
            row,
            part=part,
            base=before[part].median,
            new=after[part].median,
            ratio=judgement.ratio,
            interval=judgement.interval,
            bytes_per_sample=new.bytes_per_sample,
            note="; ".join(notes(old, new)),
        )
        rows.append((measured, judgement))
    return rows or [(replace(row, note="nothing measured in both"), None)]


def notes(old: Case, new: Case) -> list[str]:
    """Notes on the verdict of a case: other threads, other bytes, flags."""
    threads = [case.parameters.get("threads") for case in (old, new)]
    return [
        *([f"threads {threads[0]}, now {threads[1]}"] if threads[0] != threads[1] else []),
        *(["counts other bytes"] if old.bytes_per_sample != new.bytes_per_sample else []),
        *new.flags,
    ]


def decided(rows: Sequence[tuple[Row, Judgement | None]], threshold: float) -> list[Row]:
    """The rows with their verdicts: intervals against the threshold, alarms also against chance."""
    judged = [judgement for _, judgement in rows if judgement]
    slower, faster = holm([f.slower for f in judged]), holm([f.faster for f in judged])
    alarms = iter(zip(slower, faster, strict=True))
    done = []
    for row, judgement in rows:
        if judgement:
            word, why = verdict(judgement, *next(alarms), threshold)
            row = replace(row, verdict=word, note="; ".join(t for t in (row.note, why) if t))
        done.append(row)
    return done


def head(base: Results, new: Results) -> tuple[str, ...]:
    """What is compared, then a line for every difference that may be the cause."""
    runs = [
        f"{name}: {r.machine.name}, {r.program.started}"
        for name, r in (("base", base), ("new", new))
    ]
    facts = [
        {
            "machine": r.machine.name,
            "processors": ", ".join(p.name for p in r.machine.processors),
            "driver": r.machine.driver,
            "CUDA runtime": r.machine.cuda.runtime if r.machine.cuda else None,
            "kernel": r.machine.kernel,
            "page size": r.machine.page_size,
            "watari": f"{r.program.version} {r.program.revision or ''}".strip(),
            "compiler": f"{r.program.compiler} {r.program.flags or ''}".strip(),
        }
        for r in (base, new)
    ]
    changed = [
        f"{n}: {a or 'none'}, now {facts[1][n] or 'none'}"
        for n, a in facts[0].items()
        if a != facts[1][n]
    ]
    return (*runs, *changed)


def exit_code(rows: Sequence[Row]) -> int:
    """3 if anything is slower; 1 if something came to be wrong or to fail; else 0."""
    if any(row.verdict == SLOWER for row in rows):
        return 3
    return int(any(r.verdict == CHANGED and r.status in ("wrong", "failed") for r in rows))


STYLES = {SAME: "dim", FASTER: "green", SLOWER: "bold red", UNSURE: "yellow", CHANGED: "bold red"}


def render(rows: Sequence[Row]) -> RenderableType:
    """What was compared, a table of the verdicts, and how many there are of each."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", overflow="fold")
    for title in ("base", "new", "new/base", "95%"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("", overflow="fold")
    for row in rows:
        interval = f"{row.interval[0]:.3f} - {row.interval[1]:.3f}" if row.interval else ""
        table.add_row(
            Text(label(row)),
            speed(row, row.base),
            speed(row, row.new),
            f"{row.ratio:.3f}" if row.ratio else "",
            interval,
            Text(row.verdict, STYLES.get(row.verdict, "")),
            Text(row.note),
        )
    verdicts = [row.verdict for row in rows]
    counts = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
    lines = rows.head if isinstance(rows, Comparison) else ()
    return Group(*map(Text, lines), table, Text(counts or "nothing to compare"))


def label(row: Row) -> str:
    """The case in one line, and its phase."""
    text = describe(Request(row.case, row.parameters, 1))
    return text if row.part in ("", WHOLE) else f"{text}, {row.part}"


def speed(row: Row, seconds: float | None) -> str:
    """GB/s, or the time where a sample moves no bytes."""
    if seconds is None:
        return ""
    return (
        f"{row.bytes_per_sample / seconds / 1e9:.4g} GB/s"
        if row.bytes_per_sample
        else f"{seconds:.4g} s"
    )
