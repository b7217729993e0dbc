"""The tables of the page: every case, cases that are not ok, missing cases."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from watari import cases
from watari.case.presentation import Table
from watari.case.sentence import ordinal
from watari.cases.notes import extras, notes
from watari.report.overview import STATUSES
from watari.report.reproduce import commands
from watari.results import statistics
from watari.results.measured import Measured
from watari.results.schema import Results


def numbers(measured: Sequence[Measured]) -> list[Table]:
    """The own tables of cases; a table that several cases share comes once."""
    shown = {cases.presentation(m.case).tables for m in measured}
    order = [cases.presentation(name).tables for name in cases.CASES]
    chosen = [make for make in dict.fromkeys(order) if make in shown]
    return [table for make in chosen for table in make(measured)]


def tables(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Every case, in one table for each kind of case."""
    content = []
    for name in dict.fromkeys(m.case for m in measured):
        same = [m for m in measured if m.case == name]
        summary = cases.CASES[name].summary if name in cases.CASES else ""
        rows = [
            row for m, axes in zip(same, extras(same), strict=True) for row in table_rows(m, axes)
        ]
        unit = cases.presentation(name).unit
        content.append(
            {"name": name, "summary": summary, "rows": rows, "count": len(same), "unit": unit}
        )
    return content


def table_rows(m: Measured, axes: str = "") -> list[dict[str, Any]]:
    """A case as rows: one, or one for each phase of its series. `axes` names the axes that its
    words do not show."""
    base = {
        "run": m.run,
        "what": ", ".join(filter(None, [cases.words(m.case, m.parameters), axes])),
        "size": cases.presentation(m.case).extent(m.parameters),
        "status": m.status,
        "reason": m.reason,
        "flags": [*m.flags, *notes(m)],
        "phase": "",
        "trials": f"{len(m.trials)} of {m.planned}" if len(m.trials) < m.planned else m.planned,
        "before": residency(m, "residency_before"),
        "after": residency(m, "residency_after"),
        "command": commands([m])[0],
    }
    if not m.drawn:
        return [{**base, "median": "", "interval": "", "spread": ""}]
    rows = []
    summaries = statistics.summaries(m.trials)
    for phase, times in summaries.items():
        rows.append(
            {
                **base,
                "phase": phase_title(phase, summaries),
                **numbers_of(m, times),
            }
        )
    return rows


def phase_title(phase: str, phases: Collection[str]) -> str:
    """`cpu-1` is `CPU`; `gpu-1` is `GPU, 1st` where a `gpu-2` follows."""
    if phase == statistics.WHOLE:
        return ""
    name, dash, number = phase.partition("-")
    twice = sum(other.partition("-")[0] == name for other in phases) > 1
    return f"{name.upper()}, {ordinal(int(number))}" if dash and twice else name.upper()


def numbers_of(m: Measured, times: statistics.Summary) -> dict[str, str]:
    """Median, interval and spread in the unit of the case."""
    shown = cases.presentation(m.case)

    def text(seconds: float) -> str:
        return f"{shown.value(seconds, m.bytes_per_sample):.4g}"

    ends = sorted(shown.value(end, m.bytes_per_sample) for end in times.interval or ())
    return {
        "median": text(times.median),
        "interval": "–".join(f"{end:.4g}" for end in ends),
        "spread": f"{100 * times.spread:.1f}%" if times.trials > 1 else "",
    }


def residency(m: Measured, when: str) -> str:
    """The share of each array on the CPU side, in the first trial: `source 100%, ...`."""
    arrays = (m.trials[0].get(when) or {}) if m.trials else {}
    parts = {
        array: f"{100 * r['cpu'] / r['bytes']:.0f}%"
        for array, r in sorted(arrays.items(), reverse=True)  # source before destination
        if r["bytes"]
    }
    if len(parts) > 1 and len(set(parts.values())) == 1:
        return f"both {next(iter(parts.values()))}"
    return ", ".join(f"{array} {part}" for array, part in parts.items())


def troubles(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Cases that are not ok, grouped by reason."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for m in measured:
        if m.status != "ok":
            extent = cases.presentation(m.case).extent(m.parameters)
            text = f"{m.case}: {cases.words(m.case, m.parameters)}, {extent}"
            grouped.setdefault((m.run, m.status, m.reason), []).append(text)
    order = sorted(grouped, key=lambda k: (STATUSES.index(k[1]), k[0]))
    return [{"run": k[0], "status": k[1], "reason": k[2], "cases": grouped[k]} for k in order]


def missing(result: Results, name: str) -> dict[str, Any]:
    """Cases of a plan that its run did not reach."""
    rows = []
    for m in result.missing:
        extent = cases.presentation(m.case).extent(m.parameters)
        text = ", ".join(part for part in (cases.words(m.case, m.parameters), extent) if part)
        rows.append(f"{m.case}: {text}: {m.trials} trials")
    return {"run": name, "rows": rows}
