"""The first section of a trace's page: where the time goes, what would help, memory styles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from watari.common.errors import WatariError
from watari.common.variables import readable
from watari.model import asked
from watari.model.replay.advice import Answer
from watari.model.replay.answer import bars, says
from watari.model.replay.answer.answered import answer, graph_of, recorded
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.styles.groups import verdict
from watari.model.trace_file import Trace


@dataclass(frozen=True)
class Shown:
    """An answer, and where its rates come from. `helps`: whether changes were considered."""

    answer: Answer
    where: str = ""
    helps: bool = True


def of_trace(trace: Trace, graph: Graph, links: Links) -> Shown:
    """The answer for the machine of the trace; without changes where that is not known."""
    machine, _, where = asked.for_trace(None, None, recorded(trace)[0].machine)
    found = answer(trace, graph, links, machine)
    return Shown(found, where, not found.stops)


def of_file(trace: Trace, path: Path) -> Shown | None:
    """The answer for a trace file; None where it has no replay."""
    if trace.observed is None or trace.observed.replay is None:
        return None
    try:
        return of_trace(trace, *graph_of(path, trace))
    except WatariError as error:
        return without_graph(trace, str(error))


def without_graph(trace: Trace, why: str) -> Shown:
    """Where the time goes alone, as the trace file has it."""
    _, seen = recorded(trace)
    stops = tuple(one.text for one in seen.met if one.stops)
    notes = tuple(one.text for one in seen.met if not one.stops)
    known = (trace.name, seen.untraced_seconds, seen.seconds, seen.shares)
    return Shown(Answer(*known, notes=(*notes, why), stops=stops), helps=False)


def values(shown: Shown) -> Mapping[str, Any]:
    """What the template needs."""
    found = shown.answer
    total = found.seconds or 1
    rows = [
        (says.saved(s), f"{says.part(s, total):.1%}", s.text, s.site, says.how(s), s.is_sure)
        for s in found.savings
    ]
    styles = [
        (words, verdict(styled), list(says.grouped(styled)))
        for part, words in says.STYLES.items()
        if (styled := getattr(found, part))
    ]
    rates = [f"rates of {shown.where}"] if shown.where and shown.helps else []
    return {
        "answer": found,
        "bars": bars.inline(found),
        "shares": bars.rows(found),
        "helps": shown.helps,
        "savings": rows,
        "left": says.left(found.left, total) if found.left else "",
        "nothing": says.NOTHING_HELPS,
        "styles": styles,
        "notes": [readable(note) for note in (*found.notes, *rates)],
    }
