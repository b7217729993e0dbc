"""What a run would do: cases, bytes, time and disk, without a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from watari.case.axis import Machine
from watari.cases import find
from watari.common.progress import duration
from watari.common.units import format_bytes
from watari.machine import record
from watari.plan.request import Request, describe, no_sense
from watari.run.budget import Estimate, refused

QUICK_SAMPLES = 5


def quick(requests: Sequence[Request]) -> list[Request]:
    """The same cases with one trial of a few samples: whether all works, not how fast it is."""
    short = []
    for request in requests:
        parameters = dict(request.parameters)
        if isinstance(parameters.get("samples"), int):
            parameters["samples"] = min(parameters["samples"], QUICK_SAMPLES)
        short.append(replace(request, parameters=parameters, trials=1))
    return list({request.key: request for request in short}.values())


def disk_bytes(requests: Sequence[Request]) -> int:
    """Of the files that stay or are made: equal ones are used again."""
    files = {
        (r.case, r.parameters.get("folder"), n)
        for r in requests
        if (n := find(r.case).disk(r.parameters))
    }
    return sum(size for _, _, size in files)


def render(requests: Sequence[Request], machine: Machine) -> Group:
    """A line a case, and the sums. Times are guesses from bytes at typical rates."""
    estimate = Estimate(record.Machine.model_validate(machine))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", overflow="fold")
    for title in ("trials", "bytes a trial", "memory", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    seconds, moved = 0.0, 0
    for request in requests:
        profile = find(request.case).profile(request.parameters)
        taken = estimate.seconds(request) * request.trials
        why = no_sense(request) or ""
        if refused(request, estimate.machine):
            why = why or "this machine does not have it: unsupported"
        else:
            moved += profile.bytes * request.trials
        seconds += taken
        row = (str(request.trials), format_bytes(profile.bytes), format_bytes(profile.memory))
        table.add_row(Text(describe(request)), *row, f"about {duration(taken)}", Text(why))
    sums = f"{len(requests)} cases, {sum(r.trials for r in requests)} trials, "
    sums += f"{format_bytes(moved)} moved, about {duration(seconds)}"
    disk = disk_bytes(requests)
    sums += f", {format_bytes(disk)} of disk" if disk else ", no disk"
    return Group(table, Text(sums))
