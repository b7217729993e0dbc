"""One program of other people: measured as it is, in each style and with each change, and
traced for what `watari advise` says of it.

The first run is not counted. After one pass over all styles and changes, those whose noise may
decide run once more, in turn with the program as it is (stranger_rounds.py), for REPEATED seconds.
One that takes long, or far longer than as it is, is not repeated. The trace is that of `watari
trace`, whose check of the machine is made once.

Seconds of styles and changes have the typical start of CUDA in place of their own (`start`); those
of older rows have their own.
"""

from __future__ import annotations

import json
import shlex
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import median

import stranger_changes
import stranger_pairs
import stranger_rounds
from stranger_table import SCHEMA, Row, Stranger

from watari.attach import imposed, measure, record
from watari.attach.measure import Measured, Run
from watari.attach.start import Start, require_program
from watari.attach.styles import AS_IS, STYLES
from watari.attach.trace import sampled, session
from watari.common.errors import WatariError
from watari.common.files import write_atomically
from watari.common.places import portable
from watari.model.replay import files as graphs
from watari.run import scratch
from watari.run.worker import now

FIRST = 20.0  # seconds that the first run may take
LONG = 3.0  # seconds: a style that takes longer runs once
FAR = 2.0  # times the first run: a style that takes longer runs once
REPEATED = 5.0  # seconds of further rounds, and as many more as the first run took
TIMES, LEAST = 12.0, 4.0  # time limit of a run: multiple of the first run's seconds, at least (s)
TRACED = 0.6  # part of the time left that a trace may take
OWN, RUNS = 3.0, 6.0  # a program of more seconds has as many times more than others
NO_TIME = "the time for this program was over"


@dataclass(frozen=True)
class Clock:
    """The time for a program, in seconds of time.monotonic. `latest`: of all programs."""

    end: float
    latest: float

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self.end - time.monotonic()

    def of(self, first: float) -> Clock:
        """The same for a program whose first run took so many seconds: a trace takes 4 times as
        long, and 15 s (PyTorch: 9 s of imports in each run)."""
        return Clock(min(self.latest, self.end + RUNS * max(first - OWN, 0.0)), self.latest)


def worked(runs: list[Run]) -> list[float]:
    """Seconds of the runs that ended well."""
    return [round(one.ending.seconds, 6) for one in runs if one.status == "ok"]


def typical_start(measured: Measured) -> float:
    """Seconds of the start of CUDA, the median of the runs as it is."""
    runs = [one for one in measured.of(AS_IS) if one.status == "ok"]
    return median(map(stranger_pairs.start, runs)) if runs else 0.0


def steady(measured: Measured, name: str) -> list[float]:
    """Seconds of the runs that ended well, each with the typical start of CUDA in place of its own,
    which is most of the noise of a short program. Changes that may act on it keep their own."""
    runs = [one for one in measured.of(name) if one.status == "ok"]
    if stranger_pairs.is_whole(name):
        return worked(runs)
    start = typical_start(measured)
    return [
        round(s + start - stranger_pairs.start(r), 6)
        for s, r in zip(worked(runs), runs, strict=True)
    ]


def outcome(measured: Measured, style: str) -> Row:
    """Seconds, status and reason of a style."""
    runs = measured.of(style)
    if reason := measured.unsupported.get(style):
        return {"seconds": [], "status": "unsupported", "reason": reason}
    if not runs:
        return {"seconds": [], "status": "unmeasured", "reason": NO_TIME}
    last = runs[-1]
    found: Row = {"seconds": steady(measured, style), "status": last.status, "reason": last.reason}
    if last.ending.timed_out:
        found |= {"status": "timeout", "limit": last.ending.limit}
    return found


def limit(first: float, clock: Clock) -> float:
    """Time limit of a run, by the seconds of the first one."""
    return max(0.1, min(clock.left, max(LEAST, TIMES * first)))


def worth(measured: Measured, style: str) -> bool:
    """Whether a style runs once more: it works, and does not take long."""
    runs = measured.of(style)
    most = min(LONG, FAR * measured.learned.ending.seconds)
    return style == AS_IS or not runs or (runs[-1].status == "ok" and worked(runs)[-1] < most)


def one_round(measured: Measured, names: list[str], clock: Clock, same: list[str]) -> None:
    """Runs the program in these styles and with these changes, in turn, as long as there is
    time: a run that has less than FAR times the first one's says nothing at its end."""
    first = measured.learned.ending.seconds
    for name in names:
        too_late = clock.left < FAR * first
        if name in measured.unsupported or not worth(measured, name) or too_late:
            continue
        measured.start = replace(measured.start, limit=limit(first, clock))
        measured.styles = [name]
        measure.all_runs(measured, 1, same)


def repeatable(measured: Measured, names: Iterable[str]) -> dict[str, list[float]]:
    """Seconds of those that ran and may run once more."""
    found = {name: steady(measured, name) for name in names}
    return {name: runs for name, runs in found.items() if runs and worth(measured, name)}


def further_rounds(
    measured: Measured, changes: list[str], most: int, clock: Clock, same: list[str]
) -> None:
    """Repeats what noise may decide, until each has so many runs."""
    end = time.monotonic() + REPEATED + measured.learned.ending.seconds
    while worked(measured.of(AS_IS)) and time.monotonic() < end:
        styles = repeatable(measured, STYLES)
        whole = worked(measured.of(AS_IS))
        names = stranger_rounds.unsettled(styles, repeatable(measured, changes), most, whole)
        known = len(measured.runs)
        one_round(measured, names, clock, same)
        if len(measured.runs) == known:  # nothing is left, or no time
            break


@cache
def prepared() -> session.Prepared:
    """The check of this machine, and the cost of tracing."""
    with scratch.folder(None) as folder:
        return session.prepared(folder, lambda text: None)


def where(error: Exception) -> str:
    """An error and its line, without the folders of this machine."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error} ({Path(at.filename).name}:{at.lineno})"
    return str(portable(text))


def traced(start: Start, keep: Path, clock: Clock, first: float) -> Row:
    """Traces the program, and writes trace and graph beside `keep`, as `watari trace` does."""
    most = max(clock.left * TRACED / 3, min(FAR * first, clock.left))
    bounded = replace(start, limit=max(LEAST, most))
    try:
        with scratch.folder(None) as folder:
            require_program(bounded.command)
            made = session.trace_prepared(
                bounded, folder, True, lambda text: None, prepared(), sampled.Clock()
            )
    except WatariError as error:
        return {"error": portable(str(error))}
    except Exception as error:  # the styles are measured all the same
        return {"error": where(error)}
    graph = keep.with_suffix(".graph")
    made.content["observed"]["replay"]["graph"] = graph.name
    content = portable(made.content)
    graphs.write(made.again.measured, graph)
    write_atomically(keep, json.dumps(content))
    seen = content["observed"]
    names = ("untraced_seconds", "traced_seconds", "complete", "incomplete", "touches", "replay")
    return {"started": now(), **{name: seen[name] for name in names}}


def changes(measured: Measured) -> list[str]:
    """Changes that can matter to the program, by its first run."""
    before = len(measured.styles)
    imposed.add_rows(measured, None)
    return measured.styles[before:]


def counts(one: Run) -> Row:
    """What the first run counted: allocations, copies of pageable memory, and their seconds."""
    return {name: each.value for name, each in record.quantities(one).items()}


def row_of(one: Stranger) -> Row:
    """The row of a program that is not measured yet."""
    return {
        "schema": SCHEMA,
        "name": one.name,
        "source": one.source,
        "revision": one.revision,
        "arguments": shlex.join(one.arguments),
        "edited": one.edited,
        "started": now(),
        "status": "failed",
    }


def of_program(
    one: Stranger, base: Path, keep: Path | None, clock: Clock, count: int, pairs: bool = False
) -> Row:
    """The measurements of a program; `status` is `failed` where it cannot be measured. `keep`: the
    trace's file, for a trace. `count`: most runs of each style. `pairs`: changes only, in pairs."""
    row = row_of(one)
    try:
        if pairs:
            return row | paired_row(one, base, clock)
        return row | measured_row(one, base, keep, clock, count)
    except Exception as error:  # the other programs are measured all the same
        return row | {"reason": where(error)}


def measured_row(one: Stranger, base: Path, keep: Path | None, clock: Clock, count: int) -> Row:
    """What is measured of a program."""
    measured, same, row = begun(one, base, clock)
    if measured is None:
        return row
    clock, start = clock.of(row["first"]), measured.start
    more = changes(measured)
    styles = measured.styles
    one_round(measured, [AS_IS], clock, same)
    row["trace"] = traced(start, keep, clock, row["first"]) if keep else {}
    if count:
        one_round(measured, styles, clock, same)
        further_rounds(measured, more, count, clock, same)
    row["as_is"], row["whole"] = steady(measured, AS_IS), worked(measured.of(AS_IS))
    row["start"] = round(typical_start(measured), 6)
    row["styles"] = {s: portable(outcome(measured, s)) for s in STYLES if s != AS_IS}
    row["changes"] = {s: portable(outcome(measured, s)) for s in more}
    row["counts"] = counts(measured.learned)
    row["repeated_s"] = imposed.acted_on("pooled", measured.learned)
    row["notes"] = portable(measured.notes)
    return row | {"status": "ok" if row["as_is"] else "failed"}


def begun(one: Stranger, base: Path, clock: Clock) -> tuple[Measured | None, list[str], Row]:
    """The first run of a program, and files that must stay the same; no program where it failed."""
    folder = (base / one.folder).resolve()
    start = Start(one.words(base), min(FIRST, clock.left), folder=folder)
    same = [name if name == measure.STDOUT else str(folder / name) for name in one.same]
    require_program(start.command)
    learned = measure.first_run(start, same)
    row: Row = {"first": round(learned.ending.seconds, 6), "exit": learned.ending.code}
    if learned.status != "ok" or not learned.events.uses_cuda:
        reason = portable(learned.reason or learned.ended or "never loads CUDA")
        return None, same, row | {"reason": reason}
    measured = Measured(start, list(STYLES), [], learned, keeps_limit=True)
    measure.learn(measured, learned.events)
    return measured, same, row


def paired_row(one: Stranger, base: Path, clock: Clock) -> Row:
    """The changes that can matter, in pairs with the program as it is."""
    measured, same, row = begun(one, base, clock)
    if measured is None:
        return row
    more = changes(measured)
    clock = clock.of(row["first"])

    def once(name: str) -> Run | None:
        known = len(measured.runs)
        one_round(measured, [name], clock, same)
        done = measured.runs[known:]
        return done[0] if done and done[0].status == "ok" else None

    once(AS_IS)
    row["as_is"] = worked(measured.of(AS_IS))
    pairs = stranger_pairs.measured(more, once, AS_IS, stranger_changes.allowed)
    row["pairs"], row["styles"], row["changes"], row["trace"] = pairs, {}, {}, {}
    row["counts"] = counts(measured.learned)
    row["repeated_s"] = imposed.acted_on("pooled", measured.learned)
    return row | {"status": "ok" if row["as_is"] else "failed"}


def is_cut(row: Row, count: int) -> bool:
    """Whether the time was over before everything was measured. `count`: runs of each style."""
    if not count:
        return "time limit" in row.get("trace", {}).get("error", "")
    parts = (*row.get("styles", {}).values(), *row.get("changes", {}).values())
    return any(one["status"] == "unmeasured" for one in parts)
