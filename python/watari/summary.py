"""What a run prints when it is done: one line a case, with median, spread and status."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from watari import cases, results
from watari.statistics import WHOLE, summaries

COLOURS = {"ok": "green", "unsupported": "dim", "wrong": "bold red", "failed": "bold red"}


def speed(case: results.Case) -> tuple[str, str]:
    """Median rate over trials and its spread from trial to trial; of the fastest phase."""
    found = summaries([trial.model_dump() for trial in case.trials])
    if not found:
        return "", ""
    part, times = min(found.items(), key=lambda item: item[1].median)
    phase = "" if part == WHOLE else f" ({part})"
    if not case.bytes_per_sample or not times.median:
        return f"{times.median:.3g} s{phase}", f"{times.spread:.1%}"
    return f"{case.bytes_per_sample / times.median / 1e9:.4g} GB/s{phase}", f"{times.spread:.1%}"


def render(measured: results.Results) -> Table:
    """The table, for rich to print."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", overflow="fold")
    table.add_column("trials", justify="right", no_wrap=True)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("spread", justify="right", no_wrap=True)
    table.add_column("status", overflow="fold")
    for case in measured.cases:
        request = cases.Request(case.case, case.parameters, case.trials_planned)
        notes = [case.reason or "", *case.flags]
        status = ": ".join([case.status, ", ".join(filter(None, notes))]).removesuffix(": ")
        table.add_row(
            Text(cases.describe(request)),
            str(len(case.trials)),
            *speed(case),
            Text(status, COLOURS[case.status]),
        )
    return table
