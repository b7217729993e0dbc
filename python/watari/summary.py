"""What a run prints when it is done: one line a case, with median, spread and status.

Why a case is not ok, and what its trials noted, is said once, below the table: a machine without a
kind of memory lacks it in many cases.
"""

from __future__ import annotations

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from watari import cases, gemm_case, performance, results, storage, view
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
        elif case.case == "storage" and m.drawn:
            rate, spread = speed(case)
            told = storage.speed(m.trials)
            requests = storage.rate_text(told.requests_per_s)
            found.append((f"{rate}, {requests}, p99 {storage.time_text(told.p99)}", spread))
        elif case.case == "gemm" and m.drawn:
            told_of = gemm_case.speed(m.flops_per_sample, m.trials)
            found.append((gemm_case.speed_text(told_of), speed(case)[1]))
        else:
            found.append(speed(case))
    return found


def notes(case: results.Case) -> list[str]:
    """What its trials noted, each thing once."""
    return list(dict.fromkeys(note for trial in case.trials for note in trial.notes))


def render(measured: results.Results) -> Group:
    """The table and the reasons, for rich to print."""
    said = [(case.reason, *notes(case)) for case in measured.cases]
    reasons = list(dict.fromkeys(text for texts in said for text in texts if text))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", overflow="fold")
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("spread", justify="right", no_wrap=True)
    table.add_column("status", overflow="fold")
    for case, told, texts in zip(measured.cases, speeds(measured), said, strict=True):
        request = cases.Request(case.case, case.parameters, case.trials_planned)
        numbers = [f"[{reasons.index(text) + 1}]" for text in texts if text]
        status = " ".join([case.status, *numbers, *case.flags])
        table.add_row(
            Text(cases.describe(request)),
            str(len(case.trials)),
            *told,
            Text(status, COLOURS[case.status]),
        )
    return Group(table, *(Text(f"[{i}] {reason}") for i, reason in enumerate(reasons, 1)))
