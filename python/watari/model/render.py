"""Predictions and advice as tables, lines and plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.table import Column, Table

from watari.case.sentence import Sentence
from watari.cases import CASES
from watari.common import tables
from watari.common.units import format_bytes, format_duration, format_latency, format_speed
from watari.model import predict
from watari.model.advise import Advice
from watari.model.machine import MachineProfile
from watari.model.predict import Prediction
from watari.model.work import PARTS
from watari.results import statistics
from watari.results.key import key
from watari.results.measured import Measured, measurements
from watari.results.schema import Results


def whole_seconds(m: Measured) -> float:
    """Seconds of a measured case: its samples, and those timed outside them; median of trials."""
    outside = CASES[m.case].outside
    return float(
        median(
            sum(statistics.seconds(trial))
            + sum(trial["quantities"][q]["value"] for q in outside if q in trial["quantities"])
            for trial in m.trials
        )
    )


def known_key(case: str, parameters: Mapping[str, Any]) -> str:
    """The key that a prediction and a measurement of it share, without threads, which are each
    machine's own."""
    return key(case, {n: v for n, v in parameters.items() if n not in ("threads", "oversubscribe")})


def measured(results: Sequence[Results]) -> dict[str, float]:
    """Seconds of every case of result files that the model may predict, by key."""
    found = {}
    for m in measurements(results) if results else []:
        if m.case in CASES and m.drawn and not m.flagged:
            found[known_key(m.case, m.parameters)] = whole_seconds(m)
    return found


def beside(case: str, one: Prediction, seen: Mapping[str, float]) -> float | None:
    """The measured seconds of a predicted case; None where there are none."""
    return seen.get(known_key(case, one.parameters)) if one.parameters else None


def case_of(title: str) -> str:
    """The case that a title begins with."""
    return title.split(" ", 1)[0]


def table(title: str, predictions: Sequence[Prediction], seen: Mapping[str, float]) -> Table:
    """A line a style, seconds by part."""
    used = [part for part in PARTS if any(part in p.parts for p in predictions)]
    titles = (*used, "seconds", "from", "to", *(["measured"] if seen else []))
    shown = tables.table(tables.word("style"), *map(tables.right, titles), title=title)
    for one in sorted(predictions, key=lambda p: (bool(p.reason), p.total.middle)):
        if one.reason:
            shown.add_row(one.style, *["-"] * (len(used) + 3), *(["-"] if seen else []))
            continue
        seconds = [one.parts[n].middle if n in one.parts else 0.0 for n in used]
        cells = [spent(each) if each else "" for each in seconds]
        total = one.total
        ends = [spent(each) for each in (total.middle, total.low, total.high)]
        value = beside(case_of(title), one, seen)
        more = [spent(value) if value is not None else ""] if seen else []
        shown.add_row(one.style, *cells, *ends, *more)
    return shown


def spent(seconds: float) -> str:
    """A time with three digits."""
    return format_latency(seconds) if seconds < 100 else format_duration(seconds)


def joined(texts: Sequence[tuple[str, str]]) -> list[str]:
    """`explicit, managed: why`: styles with the same text in one line."""
    styles: dict[str, list[str]] = {}
    for style, text in texts:
        styles.setdefault(text, []).append(style)
    return [f"{', '.join(names)}: {text}" for text, names in styles.items()]


def notes(predictions: Sequence[Prediction]) -> list[str]:
    """Lines below the table: why a style has no seconds, what was assumed or left out."""
    lines = joined([(p.style or "this case", p.reason) for p in predictions if p.reason])
    without = [(p.style, ", ".join(p.left_out)) for p in predictions if p.left_out]
    lines += [f"{line} left out: not measured" for line in joined(without)]
    assumed = dict.fromkeys(text for p in predictions for text in p.assumed)
    return [*lines, *(f"assumed: {text}" for text in assumed)]


def values(
    title: str,
    predictions: Sequence[Prediction],
    profile: MachineProfile,
    seen: Mapping[str, float],
) -> dict[str, Any]:
    """The predictions of one program for `--json`."""
    return {
        "what": title,
        "machine": profile.name,
        "kind": profile.kind,
        "styles": [
            {
                "style": p.style,
                "reason": p.reason or None,
                **({} if p.reason else p.total.plain()),
                "parts": {name: c.plain() for name, c in p.parts.items()},
                "measured": beside(case_of(title), p, seen),
                "assumed": list(p.assumed),
                "left_out": list(p.left_out),
                "why": predict.derivation(p, profile),
            }
            for p in predictions
        ],
    }


def advice(title: str, given: Advice) -> Table:
    """A line a style, best first."""
    counted = any(rank.effort is not None for rank in given.ranked)
    titles = ("seconds", "from", "to", *(["statements"] if counted else []))
    shown = tables.table(tables.word("style"), *map(tables.right, titles), title=title)
    for rank in given.ranked:
        total = rank.total
        ends = [spent(each) for each in (total.middle, total.low, total.high)]
        effort = ["" if rank.effort is None else str(rank.effort)] if counted else []
        shown.add_row(rank.prediction.style, *ends, *effort)
    return shown


def advice_lines(given: Advice) -> list[str]:
    """The verdict, the step that decides, break-evens, refused styles and doubts."""
    refused = [(style or "this case", why) for style, why in given.refused.items()]
    return [
        given.verdict,
        *([f"because {given.because}"] if given.because else []),
        *(f"break-even: {line}" for line in given.break_even),
        *(f"not said: {line}" for line in joined(refused)),
        *(f"not sure: {text}" for text in given.unsaid),
    ]


def advice_values(title: str, given: Advice) -> dict[str, Any]:
    """The advice on one program for `--json`."""
    return {
        "what": title,
        "best": list(given.best),
        "verdict": given.verdict,
        "because": given.because or None,
        "break_even": list(given.break_even),
        "not_sure": list(given.unsaid),
        "refused": dict(given.refused),
        "ranked": [
            {"style": r.prediction.style, **r.total.plain(), "statements": r.effort}
            for r in given.ranked
        ],
    }


def sentence(one: Sentence) -> dict[str, Any]:
    """A sentence of the answer for `--json`."""
    return {"title": one.title, **asdict(one)}


def curves(profile: MachineProfile) -> Table:
    """A machine profile for people: its steps with the rate of the largest size."""
    others = map(Column, ("sizes", "rate", "interval", "source"))
    title = f"{profile.name}: {profile.title}"
    shown = tables.table(tables.word("step"), *others, title=title)
    for name, curve in sorted(profile.curves.items()):
        last = curve.points[-1]
        sizes = [format_bytes(p.bytes) for p in (curve.points[0], last)]
        rates = [last.bytes / s / 1e9 for s in (last.seconds, last.high, last.low)]
        shown.add_row(
            name,
            " to ".join(dict.fromkeys(sizes)),
            format_speed(rates[0]),
            format_speed(*rates[1:]),
            curve.source,
        )
    return shown
