"""`watari run --dry-run`: cases, bytes, disk and time of a run that is not started.

The time is the first estimate of the budget (run/budget.py): from the bytes at typical rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group
from rich.text import Text

from watari.case.axis import Machine
from watari.cases import find
from watari.common import tables
from watari.common.case_table import CaseTable
from watari.common.units import format_bytes, format_duration
from watari.machine import record
from watari.plan.request import Request, describe_all, no_sense
from watari.run.budget import Estimate, refused


def disk(requests: Sequence[Request]) -> dict[str, int]:
    """Bytes of files by folder; trials of one case use the same files again."""
    largest: dict[tuple[str, str], int] = {}
    for request in requests:
        size = find(request.case).profile(request.parameters).disk
        location = (str(request.parameters.get("folder", "")), request.case)
        largest[location] = max(largest.get(location, 0), size)
    folders: dict[str, int] = {}
    for (folder, _), size in largest.items():
        folders[folder] = folders.get(folder, 0) + size
    return {folder: size for folder, size in folders.items() if size}


def note(request: Request, machine: record.Machine) -> str:
    """Why a case will not be measured, where that is known beforehand; else empty."""
    return no_sense(request) or ("not on this machine" if refused(request, machine) else "")


def render(requests: Sequence[Request], machine: Machine) -> Group:
    """A line a case, and the sums, for rich to print."""
    known = record.Machine.model_validate(machine)
    estimate = Estimate(known)
    titles = ("trials", "bytes a trial", "memory", "disk", "time")
    table = CaseTable(*map(tables.number, titles), tables.text())
    seconds, moved, run = 0.0, 0, []
    for request, name in zip(requests, describe_all(requests), strict=True):
        profile, why = find(request.case).profile(request.parameters), note(request, known)
        taken = request.trials * estimate.seconds(request)
        seconds += taken
        if not why:
            moved += request.trials * profile.bytes
            run.append(request)
        table.add_row(
            Text(name),
            str(request.trials),
            format_bytes(profile.bytes),
            format_bytes(profile.memory),
            format_bytes(profile.disk) if profile.disk else "",
            format_duration(taken),
            Text(why),
        )
    sums = totals(requests, moved, seconds, disk(run))
    return Group(table, Text(sums), Text("nothing was measured: --dry-run"))


def totals(
    requests: Sequence[Request], moved: int, seconds: float, folders: Mapping[str, int]
) -> str:
    """`12 cases, 36 trials: 96 GB, about 40 s; disk: 1.07 GB in ~/.cache/watari`."""
    trials = sum(request.trials for request in requests)
    files = ", ".join(f"{format_bytes(n)} in {folder}" for folder, n in folders.items())
    return (
        f"{len(requests)} case{'s'[: len(requests) != 1]}, {trials} trial{'s'[: trials != 1]}: "
        f"{format_bytes(moved)}, about {format_duration(seconds)}; disk: {files or 'none'}"
    )
