"""Two runs, case by case: same, faster, slower or unsure; `significance.py` has the statistics.

The comparison is of speed (1 / time of a sample, see statistics.seconds) in each phase of each
case: a migration may have become slower towards the GPU alone. A case that is ok in base and not in
new is lost: a missing measurement is not the same speed. `verdicts.py` shows the rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from watari.cases import presentation
from watari.machine.hosts import apart
from watari.results.key import key
from watari.results.schema import Case, Results
from watari.results.significance import (
    SAME,
    SLOWER,
    THRESHOLD,
    UNSURE,
    Judgement,
    discoveries,
    judge_all,
    trials_needed,
    verdict,
)
from watari.results.statistics import Summary

ONLY_BASE, ONLY_NEW, CHANGED = "only in base", "only in new", "status changed"
LOST = "lost"  # ok in base, and not in new
LOOSE = ("threads", "samples", "iterations")  # numbers that may differ between runs of a case


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
    scatter: float = 0.0  # of the level of a run, from trial to trial, in logarithms
    bytes_per_sample: int = 0
    status: str = "ok"  # in the new run
    note: str = ""


Levels = tuple[Sequence[float], Sequence[float]]  # median times of the trials in base and new


class Comparison(list[Row]):
    """The rows, and in `head` a line for each run and for each difference between them."""

    head: tuple[str, ...] = ()


def compare(base: Results, new: Results, threshold: float = THRESHOLD) -> Comparison:
    """Judge every case of two runs; `threshold` is the change of time that matters, 0.05 for 5%."""
    olds, news = pooled(base), pooled(new)
    planned = {key(case.case, case.parameters) for case in new.missing}
    rows: list[tuple[Row, Levels | None]] = []
    partners = match(olds, news)
    for name, old in olds.items():
        partner = partners.get(name)
        if partner is None:
            rows.append((gone(old, name in planned), None))
        else:
            rows += both(old, news[partner])
    matched = set(partners.values())
    rows += [
        (Row(c.case, c.parameters, "", ONLY_NEW, status=c.status, note=c.reason or ""), None)
        for name, c in news.items()
        if name not in matched
    ]
    comparison = Comparison(decided(rows, threshold))
    comparison.head = head(base, new)
    return comparison


def pooled(results: Results) -> dict[str, Case]:
    """Cases by key. A case that occurs twice (a plan with overlapping sweeps) has all trials."""
    cases: dict[str, Case] = {}
    for case in results.cases:
        first = cases.get(case.key)
        if first is None or first.status != "ok":
            cases[case.key] = case
        elif case.status == "ok":
            cases[case.key] = first.model_copy(update={"trials": [*first.trials, *case.trials]})
    return cases


def match(olds: dict[str, Case], news: dict[str, Case]) -> dict[str, str]:
    """Key in base to key in new: the same key, or the same except for axes in LOOSE if only one
    case on each side has it."""
    partners = {name: name for name in olds if name in news}

    def loose(cases: dict[str, Case]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name, case in cases.items():
            rest = {n: v for n, v in case.parameters.items() if n not in LOOSE}
            groups.setdefault(key(case.case, rest), []).append(name)
        return groups

    candidates = loose(news)
    for rest, keys in loose(olds).items():
        others = candidates.get(rest, [])
        if len(keys) == len(others) == 1:
            partners[keys[0]] = others[0]
    return partners


def gone(old: Case, planned: bool) -> Row:
    """A row for a case that new lacks."""
    if old.status != "ok":
        return Row(old.case, old.parameters, "", ONLY_BASE, note=f"{old.status} in base")
    why = "its run ended before this case" if planned else "not in new"
    return Row(old.case, old.parameters, "", LOST, note=f"ok in base, {why}")


def both(old: Case, new: Case) -> list[tuple[Row, Levels | None]]:
    """Rows for a case that both runs have: one for each phase that base has measured."""
    row = Row(new.case, new.parameters, "", UNSURE, status=new.status)
    if old.status != new.status:
        reason = f": {new.reason or old.reason}" if new.reason or old.reason else ""
        note = f"{old.status}, now {new.status}{reason}"
        return [(replace(row, verdict=LOST if old.status == "ok" else CHANGED, note=note), None)]
    if new.status != "ok":
        verdict = SAME if new.status == "unsupported" else UNSURE
        return [(replace(row, verdict=verdict, note=f"{new.status} in both"), None)]
    before, after = compared(old, new)
    rows: list[tuple[Row, Levels | None]] = []
    for part, times in before.items():
        if part not in after:
            rows.append((replace(row, part=part, verdict=LOST, note="not measured in new"), None))
            continue
        measured = replace(
            row,
            part=part,
            base=times.median,
            new=after[part].median,
            bytes_per_sample=new.bytes_per_sample,
            note="; ".join(notes(old, new)),
        )
        rows.append((measured, (times.medians, after[part].medians)))
    return rows or [(replace(row, note="nothing measured in both"), None)]


def compared(old: Case, new: Case) -> tuple[dict[str, Summary], dict[str, Summary]]:
    """The parts of a case in both runs. Series of other lengths have no parts that depend on it."""
    shown = presentation(new.case)
    before, after = (shown.compared(trial.model_dump() for trial in c.trials) for c in (old, new))
    lengths = [{len(trial.host_s) for trial in c.trials if trial.host_s} for c in (old, new)]
    if lengths[0] != lengths[1]:
        before = {name: part for name, part in before.items() if name not in shown.of_length}
    return before, after


def notes(old: Case, new: Case) -> list[str]:
    """Notes on the verdict of a case: axes that differ, other bytes, flags."""
    loose = [(name, old.parameters.get(name), new.parameters.get(name)) for name in LOOSE]
    return [
        *(f"{name} {before}, now {after}" for name, before, after in loose if before != after),
        *(["counts other bytes"] if old.bytes_per_sample != new.bytes_per_sample else []),
        *new.flags,
    ]


def decided(rows: Sequence[tuple[Row, Levels | None]], threshold: float) -> list[Row]:
    """The rows with their verdicts: intervals against the threshold, alarms also against chance."""
    measured = [levels for _, levels in rows if levels]
    judged = judge_all(measured, threshold)
    slower = discoveries([judgement.slower for judgement in judged])
    faster = discoveries([judgement.faster for judgement in judged])
    verdicts = iter(zip(measured, judged, slower, faster, strict=True))
    return [settled(row, *next(verdicts), threshold) if levels else row for row, levels in rows]


def settled(
    row: Row, levels: Levels, judgement: Judgement, slower: bool, faster: bool, threshold: float
) -> Row:
    """A row with its verdict and, if trials are too few for one, the number that may be enough."""
    word, why = verdict(judgement, slower, faster, threshold)
    needed = trials_needed(judgement, threshold) if word == UNSURE else None
    have = min(map(len, levels))
    if needed and needed > have:
        few = f"{have} trial{'s'[: have > 1]} are too few" if have > 1 else "one trial is too few"
        why = "; ".join(text for text in (why, f"{few}: trials={needed} may decide") if text)
    return replace(
        row,
        verdict=word,
        ratio=judgement.ratio,
        interval=judgement.interval,
        scatter=judgement.scatter / math.sqrt(have),
        note="; ".join(text for text in (row.note, why) if text),
    )


def head(base: Results, new: Results) -> tuple[str, ...]:
    """The two runs, then a line for every difference that may be the cause: between the runs, and
    between the hosts of each."""
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
    hosts = [
        f"{name}, host {host}: {text}"
        for name, r in (("base", base), ("new", new))
        for host, text in apart(r.machine.model_dump(mode="json", by_alias=True))
    ]
    return (*runs, *changed, *hosts)


def exit_code(rows: Sequence[Row], fail_on_unsure: bool = False) -> int:
    """4 if anything is lost; 3 if anything is slower (or unsure, with `fail_on_unsure`); 1 if
    something became wrong or failed; else 0."""
    verdicts = {row.verdict for row in rows}
    if LOST in verdicts:
        return 4
    if verdicts & ({SLOWER, UNSURE} if fail_on_unsure else {SLOWER}):
        return 3
    return int(any(r.verdict == CHANGED and r.status in ("wrong", "failed") for r in rows))
