"""What a run prints when it is done: one line a case, with median, spread and status.

Why a case is not ok, and what its trials noted, is said once, below the table: a machine without a
kind of memory lacks it in many cases.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from watari import gemm_case, performance, results, storage_speed, view
from watari.request import Request, describe
from watari.statistics import WHOLE, summaries, summary

COLOURS = {"ok": "green", "unsupported": "dim", "wrong": "bold red", "failed": "bold red"}


def speed(case: results.Case) -> tuple[str, str]:
    """Median rate over trials and its spread from trial to trial; of the fastest phase."""
    found = summaries([trial.model_dump() for trial in case.trials])
    if not found:
        return "", ""
    part, times = min(found.items(), key=lambda item: item[1].median)
    spread = f"{times.spread:.1%}" if times.trials > 1 else ""
    phase = "" if part == WHOLE else f" ({part})"
    if not case.bytes_per_sample or not times.median:
        return f"{times.median:.3g} s{phase}", spread
    return f"{case.bytes_per_sample / times.median / 1e9:.4g} GB/s{phase}", spread


def speeds(measured: results.Results) -> list[tuple[str, str]]:
    """Median and spread of every case; of Himeno the steady state, in its own numbers."""
    found = []
    shown = view.measured([measured])
    for case, m in zip(measured.cases, shown, strict=True):
        if case.case == "himeno" and m.drawn:
            levels = summary([[level] for level in performance.of(m).levels])
            spread = f"{levels.spread:.1%}" if levels.trials > 1 else ""
            found.append((performance.text(m, shown), spread))
        else:
            found.append(speed(case))
    return found


def notes(case: results.Case) -> list[str]:
    """What its trials noted, each thing once."""
    return list(dict.fromkeys(note for trial in case.trials for note in trial.notes))


def numbers(measured: results.Results) -> list[dict[str, str]]:
    """What the columns between trials and status say of every case: of storage those of fio, of
    gemm those of a BLAS beside its floor."""
    found = []
    shown = view.measured([measured])
    for m, (rate, spread) in zip(shown, speeds(measured), strict=True):
        told = {"median": rate}
        if m.case == "storage":
            told = storage_speed.columns(m)
        elif m.case == "gemm":
            told = gemm_case.columns(m.flops_per_sample, m.trials if m.drawn else [])
        found.append({**told, "spread": spread})
    return found


def render(measured: results.Results) -> Group:
    """The tables, for storage, gemm and all else one each, and the reasons, for rich to print."""
    said = [(case.reason, *notes(case)) for case in measured.cases]
    reasons = list(dict.fromkeys(text for texts in said for text in texts if text))
    tables: dict[tuple[str, ...], Table] = {}
    for case, told, texts in zip(measured.cases, numbers(measured), said, strict=True):
        table = tables.setdefault(tuple(told), empty(told))
        request = Request(case.case, case.parameters, case.trials_planned)
        marks = [f"[{reasons.index(text) + 1}]" for text in texts if text]
        status = " ".join([case.status, *marks, *case.flags])
        table.add_row(
            Text(describe(request)),
            str(len(case.trials)),
            *told.values(),
            Text(status, COLOURS[case.status]),
        )
    explained = (Text(f"[{i}] {reason}") for i, reason in enumerate(reasons, 1))
    return Group(*tables.values(), *explained)


def empty(columns: Iterable[str]) -> Table:
    """A table without rows."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("case", overflow="fold")
    for title in ("trials", *columns):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("status", overflow="fold")
    return table
