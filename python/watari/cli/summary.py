"""The summary of a run: one line a case, with median, spread and status; then the answer.

The reason why a case is not ok, and the notes of its trials, are printed once, below the table: one
missing kind of memory makes many cases unsupported.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group
from rich.text import Text

from watari.cases import presentation
from watari.cases.notes import extras, notes
from watari.common.case_table import CaseTable
from watari.common.tables import number, text
from watari.model.answer import answer
from watari.plan.request import Request, describe
from watari.results import schema
from watari.results.measured import measurements

COLOURS = {"ok": "green", "unsupported": "dim", "wrong": "bold red", "failed": "bold red"}


def trial_notes(case: schema.Case) -> list[str]:
    """The notes of a case's trials, without repetitions."""
    return list(dict.fromkeys(note for trial in case.trials for note in trial.notes))


def numbers(measured: schema.Results) -> list[dict[str, str]]:
    """The columns between trials and status of every case."""
    shown = measurements([measured])
    return [presentation(m.case).columns(m, shown) for m in shown]


def render(measured: schema.Results) -> Group:
    """A table for each set of columns, and the reasons, for rich to print."""
    notes_by_case = [(case.reason, *trial_notes(case)) for case in measured.cases]
    reasons = list(dict.fromkeys(text for texts in notes_by_case for text in texts if text))
    tables: dict[tuple[str, ...], CaseTable] = {}
    shown = measurements([measured])
    hidden = extras(shown, lambda name, parameters: describe(Request(name, parameters, 1)))
    every = zip(measured.cases, numbers(measured), notes_by_case, shown, hidden, strict=True)
    for case, columns, texts, m, axes in every:
        table = tables.setdefault(tuple(columns), empty(columns))
        request = Request(case.case, case.parameters, case.trials_planned)
        marks = [f"[{reasons.index(text) + 1}]" for text in texts if text]
        status = " ".join([case.status, *marks, *case.flags])
        status = ", ".join([status, *notes(m)])
        table.add_row(
            Text(" ".join([describe(request), *axes.split(", ")]).strip()),
            str(len(case.trials)),
            *columns.values(),
            Text(status, COLOURS[case.status]),
        )
    explained = (Text(f"[{i}] {reason}") for i, reason in enumerate(reasons, 1))
    sentences = [
        text
        for s in answer([measured])
        for text in (Text(), Text.assemble((s.title, "bold"), s.line().removeprefix(s.title)))
    ]
    return Group(*tables.values(), *explained, *sentences)


def empty(columns: Iterable[str]) -> CaseTable:
    """A table without rows."""
    return CaseTable(*map(number, ("trials", *columns)), text("status"))
