"""What a run prints when it is done: one line a case, with median, spread and status.

Why a case is not ok is said once, below the table: a machine without a kind of memory lacks it in
many cases.
"""

from __future__ import annotations

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from watari import cases, performance, results, view
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


def render(measured: results.Results) -> Group:
    """The table and the reasons, for rich to print."""
    reasons = list(dict.fromkeys(case.reason for case in measured.cases if case.reason))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", overflow="fold")
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("spread", justify="right", no_wrap=True)
    table.add_column("status", overflow="fold")
    for case, told in zip(measured.cases, speeds(measured), strict=True):
        request = cases.Request(case.case, case.parameters, case.trials_planned)
        number = [f"[{reasons.index(case.reason) + 1}]"] if case.reason else []
        status = " ".join([case.status, *number, *case.flags])
        table.add_row(
            Text(cases.describe(request)),
            str(len(case.trials)),
            *told,
            Text(status, COLOURS[case.status]),
        )
    return Group(table, *(Text(f"[{i}] {reason}") for i, reason in enumerate(reasons, 1)))
