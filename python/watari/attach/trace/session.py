"""Traces a program: the check, a run as it is, a traced run, and a run with sampled kernels.

check     runs watari_touches, whose touches are known: does this machine lose records?
as it is  its seconds are the measurement; those of the other runs are not. A library notes when
          CUDA has started, and nothing else. A short program runs so three times
traced    the preloaded library records allocations, CUPTI records copies and migrations
huge      one more run where the CPU touches much memory first: its page faults count
sampled   all memory is managed, and evicted before the first launches of each kernel: its pages
          on the GPU afterwards are those that the launch touched. Meanwhile the traced run is
          replayed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from watari.attach import events
from watari.attach.entry import obstacle
from watari.attach.start import Ending, Start, code_words, require_program
from watari.attach.trace import again, check, clock, paged, sampled
from watari.attach.trace import cost as costs
from watari.attach.trace.aside import Aside
from watari.attach.trace.graph import replayed
from watari.attach.trace.observed import observed, touched
from watari.attach.trace.observed.findings import Seen
from watari.attach.trace.records.records import Counter, Kind, Recorded
from watari.attach.trace.runs import busiest, fresh, traced_run, variables
from watari.common.errors import UnsupportedError, WatariError
from watari.common.variables import readable
from watari.machine import cupti
from watari.machine.probe import machine, nvml

CLOCKS = 1_000_000_000  # ns by which the clocks of GPU and CPU may differ
WRITING, OF_CALL = 2.0, 5e-6  # seconds to make and write the files, and more for each call
NOT_ASKED = "not asked for"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Traced:
    """The content of the trace file, the data for Perfetto, and the replay of the program."""

    content: dict[str, Any]
    seen: Seen
    again: replayed.Replayed


def incomplete(process: Recorded, ending: Ending, judged: check.Check) -> list[str]:
    """Why a trace is incomplete."""
    reasons = [f"check before the trace: {reason}" for reason in judged.reasons]
    reasons += [f"CUPTI: {error}" for error in dict.fromkeys(process.errors)]
    if process.dropped:
        reasons.append(f"CUPTI dropped {process.dropped} records")
    if process.destroyed:
        reasons.append(f"another process destroyed {process.destroyed} records")
    if not process.ended:
        how = ending.reason or "it called _exit, or a child goes on"
        reasons.append(f"the records end before the program does ({how})")
    if strange := outside(process):
        reasons.append(f"{strange} records have times outside the run: another clock")
    migrations = sum(len(process.counters(c)) for c in (Counter.TO_GPU, Counter.TO_CPU))
    faults = sum(len(process.counters(c)) for c in (Counter.GPU_FAULT, Counter.CPU_FAULT))
    if migrations and not faults:
        reasons.append(f"{migrations} transfers of managed memory, and no fault")
    return reasons


def outside(process: Recorded) -> int:
    """Number of records with a time before the library was loaded, or after the end; some kinds
    have none."""
    begun, ended = process.of(Kind.BEGIN), process.of(Kind.END)
    starts = process.records["start"][process.records["start"] > 0]
    late = starts > ended["start"][0] + CLOCKS if len(ended) else np.zeros(len(starts), bool)
    early = starts + CLOCKS < begun["start"][0] if len(begun) else np.zeros(len(starts), bool)
    return int((late | early).sum())


@dataclass(frozen=True)
class Prepared:
    """What is measured before a program is traced: CUPTI's library, the check, and the cost of
    tracing. They are the machine's, not the program's."""

    path: Path
    judged: check.Check
    cost: costs.Measured


def prepared(files: Path, report: Report) -> Prepared:
    """Runs the check and the bursts of calls. Raises WatariError where nothing can be traced."""
    try:
        path = cupti.find()
        report("check: a program whose touches are known")
        folder = fresh(files, "check")
        judged = check.check(variables(folder, path), folder)
        folder = fresh(files, "cost")
        return Prepared(path, judged, costs.measured(variables(folder, path), folder))
    except UnsupportedError as error:
        raise WatariError(str(error)) from None


def trace(start: Start, files: Path, samples: bool, report: Report) -> Traced:
    """Runs the check and every run, and makes the trace. Raises UsageError where there is no such
    program, WatariError where it cannot be traced."""
    timer = sampled.Clock()
    require_program(start.command)
    return trace_prepared(start, files, samples, report, prepared(files, report), timer)


def trace_prepared(
    start: Start,
    files: Path,
    samples: bool,
    report: Report,
    ready: Prepared,
    timer: sampled.Clock,
) -> Traced:
    """The trace, after the check, which serves several programs of a process. `timer` began with
    the command."""
    path, judged, cost = ready.path, ready.judged, ready.cost
    others = nvml.computing()
    report("run as it is")
    first = clock.as_it_is(start, fresh(files, "as-is"))
    if first.ending.timed_out:
        raise WatariError(f"{start.command[0]}: {first.ending.reason}: raise --time-limit")
    report("run with both libraries")
    ending, log, processes = traced_run(start, fresh(files, "traced"), path)
    reading = timer.now() - ending.begun - ending.seconds
    if not log.uses_cuda or not processes:
        raise WatariError(no_cuda(start, ending, log))
    plains = [first, *clock.repeated(start, files, first)]
    plain = sorted((p.ending for p in plains), key=lambda one: one.seconds)[len(plains) // 2]
    process = busiest(processes)
    seen, sites = observed.seen_of(process, log, touched.Touches(), ending.seconds)
    parts = [one.parts for one in plains]
    replaying = Aside(
        lambda: replayed.of_run(process, log, ending, parts, cost, len(processes), others, sites)
    )
    touches, why = touched.Touches(), NOT_ASKED
    if samples:
        still = reading + WRITING + len(process.calls) * OF_CALL
        time = again.Time(
            plain.seconds,
            min(part.start for part in parts),
            lambda: timer.left(plain.seconds) - still,
        )
        touches, why = sampled.reported(start, files, path, time.bounds(), plain.code, report)
        if few := again.lacking(process, touches):
            touches = again.placements(start, files, path, touches, few, time, plain.code, report)
        seen = replace(seen, touches=touches)
    reasons = incomplete(process, ending, judged) + sampled.lost(process, touches)
    reasons += [f"the log of allocations ends early: {reason}" for reason in log.cut]
    facts = of_runs(start, plain, ending, reasons, judged)
    facts |= {"processes": len(processes), "touches": why, "cupti": process.cupti}
    facts |= {"traced_once_seconds": process.once, "machine": machine()["name"]}
    played = replaying.result()
    touched_first = paged.facts(start, files, plain, cost.plain, timer.left(plain.seconds))
    facts |= {"replay": played.facts | touched_first}
    name = readable(Path(start.command[0]).name)
    return Traced(observed.trace(name, seen, sites.copies, facts), seen, played)


def no_cuda(start: Start, ending: Ending, log: events.Events) -> str:
    """Why there is nothing to trace."""
    program = start.command[0]
    if log.uses_cuda:
        return f"{program}: initialised CUDA, but the driver did not load the library that records"
    if cut := log.cut + events.complaint(ending.errors):
        return f"{program}: its event log cannot be written: {cut[0]}"
    if why := obstacle(start.command):
        return f"{program} {why}"
    how = f" ({ending.reason})" if ending.reason else ""
    return f"{program}: never initialised CUDA: there is nothing to trace{how}"


def of_runs(
    start: Start, plain: Ending, ending: Ending, reasons: list[str], judged: check.Check
) -> dict[str, Any]:
    """Facts of the runs: command, seconds, exit codes, check, and why the trace is incomplete."""
    return {
        "command": start.text,
        "complete": not reasons,
        "incomplete": reasons,
        "untraced_seconds": plain.seconds,
        "traced_seconds": ending.seconds,
        "ended": code_words(ending.code) if ending.code or ending.timed_out else "",
        "ended_untraced": code_words(plain.code) if plain.code or plain.timed_out else "",
        "check": judged.as_json(),
    }
