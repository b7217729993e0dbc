"""Traces a program: the check, a run as it is, a traced run, and a run with sampled kernels.

check     runs watari_touches, whose touches are known: does this machine lose records?
as it is  its seconds are the measurement; those of the other runs are not. A library notes when
          CUDA has started, and nothing else. A short program runs so three times
traced    the preloaded library records allocations, CUPTI records copies and migrations
sampled   all memory is managed, and evicted before the first launches of each kernel: its pages
          on the GPU afterwards are those that the launch touched
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from watari.attach import events
from watari.attach.entry import obstacle
from watari.attach.start import (
    Ending,
    Start,
    code_words,
    library,
    preloaded,
    require_program,
    run,
)
from watari.attach.trace import check, clock, lines, observed, placed, records, replayed, touched
from watari.attach.trace import cost as costs
from watari.attach.trace.bounds import Bounds
from watari.attach.trace.findings import Seen
from watari.attach.trace.lives import grouped
from watari.attach.trace.records import Counter, Kind, Recorded
from watari.common.errors import UnsupportedError, WatariError
from watari.common.kernels import short
from watari.common.units import format_duration, format_size
from watari.common.variables import readable
from watari.machine import cupti
from watari.machine.probe import machine, nvml

INJECTED = "libwatari_injected.so"
CLOCKS = 1_000_000_000  # ns by which the clocks of GPU and CPU may differ
LAUNCHES = 16  # sampled launches of each kernel
MOST_NAMES = 5  # of kernels, in a message
NOT_ASKED = "not asked for"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Traced:
    """The content of the trace file, the data for Perfetto, and the replay of the program."""

    content: dict[str, Any]
    seen: Seen
    again: replayed.Replayed


def variables(files: Path, library_of_cupti: Path, sampling: float = 0) -> dict[str, str]:
    """Environment variables that make the driver load the injected library, which writes into
    `files`. `sampling`: seconds that sampling may take; 0 samples no launch."""
    return {
        "CUDA_INJECTION64_PATH": str(library(INJECTED, files)),
        "WATARI_TRACE_FOLDER": str(files),
        "WATARI_TRACE_CUPTI": str(library_of_cupti),
        **(
            {"WATARI_TRACE_EVICT": str(LAUNCHES), "WATARI_TRACE_EVICT_SECONDS": str(sampling)}
            if sampling
            else {}
        ),
    }


def fresh(files: Path, name: str) -> Path:
    """Makes a folder for one run."""
    folder = files / name
    folder.mkdir()
    return folder


def traced_run(
    start: Start, files: Path, path: Path, style: str = "as-is", sampling: float = 0
) -> tuple[Ending, events.Events, list[Recorded]]:
    """One run with both libraries in the program."""
    ending = run(start, {**preloaded(files, style), **variables(files, path, sampling)}, files)
    processes = records.read(files)
    for process in processes:
        process.symbols = process.names
        process.names = lines.demangled(process.symbols)
    return ending, events.read(files / "events"), processes


def busiest(processes: list[Recorded]) -> Recorded:
    """The process with most kernels, copies and counters: some programs use CUDA in several
    processes."""
    counted = (Kind.KERNEL, Kind.COPY, Kind.COUNTER)
    return max(processes, key=lambda p: sum(len(p.of(kind)) for kind in counted))


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


def sample(
    start: Start, files: Path, path: Path, bounds: Bounds, code: int = 0
) -> tuple[touched.Touches, str]:
    """The touches of kernels, and the gaps in them. After the seconds for sampling the program runs
    on without it. `code`: the exit code of the program as it is."""
    sampling = bounds.sampling
    bounded = replace(start, limit=min(start.limit, bounds.end))
    try:
        ending, log, processes = traced_run(bounded, files, path, "managed", sampling)
    except UnsupportedError as error:
        return touched.Touches(), str(error)
    if not processes or (ending.code != code and not ending.timed_out):
        ended = "no records" if not processes else ending.reason or code_words(ending.code)
        why = f"the program fails with its memory managed: {ended}"
        return touched.Touches(), why
    process = busiest(processes)
    own = grouped([a for a in log.allocations if a.process == process.pid and a.bytes])
    touches = replace(
        touched.of_run(process, own), placed=placed.of_run(process), unplaced=placed.said(process)
    )
    return touches, "; ".join(not_sampled(process, touches, ending))


def not_sampled(process: Recorded, touches: touched.Touches, ending: Ending) -> list[str]:
    """Gaps of the sampled run, in words."""
    why = [] if touches else ["no launch could be sampled"]
    if ending.timed_out:
        why.append(
            f"the sampled run was ended after {ending.limit:.3g} s: kernels that come later were "
            "not sampled, and bytes are lower limits"
        )
    elif process.dropped or not process.ended:
        why.append("records of the sampled run were lost: bytes are lower limits")
    if touches.unended:
        why.append(
            f"{touches.unended} sampled launches were not seen to end in their time: their bytes "
            "are those of recorded transfers, a lower limit"
        )
    if touches.unseen:
        why.append(
            "the page table of the CPU could not be read, or not in full: bytes are those of "
            "recorded transfers, a lower limit"
        )
    if touches.unwatched:
        why.append(
            f"records of faults alone say whether launches write {touches.unwatched} of the "
            "allocations"
        )
    few = process.of(Kind.UNSAMPLED)
    if len(few):
        names = [
            f"{short(process.names.get(int(one['name']), 'unnamed'))} ({one['detail']})"
            for one in few
        ]
        most = ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")
        why.append(f"time ended sampling before {LAUNCHES} launches of: {most}")
    return why


def lost(process: Recorded, touches: touched.Touches) -> list[str]:
    """Reports migrations of the sampled run that have no record: page tables show what moved there.
    If the traced program migrates memory, its records may be lost likewise."""
    migrations = sum(len(process.counters(c)) for c in (Counter.TO_GPU, Counter.TO_CPU))
    missing = touches.found - touches.recorded
    if not (migrations and missing):
        return []
    return [
        f"in the sampled run {format_size(missing)} of {format_size(touches.found)} that moved to "
        "the GPU have no record: bytes by faults are lower limits here"
    ]


def trace(start: Start, files: Path, samples: bool, report: Report) -> Traced:
    """Runs the check and every run, and makes the trace. Raises UsageError where there is no such
    program, WatariError where it cannot be traced."""
    require_program(start.command)
    started = time.monotonic()
    try:
        path = cupti.find()
        report("check: a program whose touches are known")
        folder = fresh(files, "check")
        judged = check.check(variables(folder, path), folder)
        folder = fresh(files, "cost")
        cost = costs.measured(variables(folder, path), folder)
    except UnsupportedError as error:
        raise WatariError(str(error)) from None
    others = nvml.computing()
    report("run as it is")
    first = clock.as_it_is(start, fresh(files, "as-is"))
    if first.ending.timed_out:
        raise WatariError(f"{start.command[0]}: {first.ending.reason}: raise --time-limit")
    report("run with both libraries")
    ending, log, processes = traced_run(start, fresh(files, "traced"), path)
    if not log.uses_cuda or not processes:
        raise WatariError(no_cuda(start, ending, log))
    plains = [first, *clock.repeated(start, files, first)]
    plain = sorted((p.ending for p in plains), key=lambda one: one.seconds)[len(plains) // 2]
    process = busiest(processes)
    touches, why = touched.Touches(), NOT_ASKED
    if samples:
        spent = time.monotonic() - started
        bounds = Bounds.of(plain.seconds, spent, len(process.calls))
        most = format_duration(min(start.limit, bounds.end))
        report(
            "run in which the first launches of each kernel are sampled, for at most "
            f"{format_duration(bounds.sampling)}; it is ended after {most} (--no-touches omits it)"
        )
        begun = time.monotonic()
        touches, why = sample(start, fresh(files, "sampled"), path, bounds, plain.code)
        launches = sum(map(len, touches.kernels.values()))
        report(
            f"sampled {launches} launches of {len(touches.kernels)} kernels "
            f"in {format_duration(time.monotonic() - begun)}"
        )
    seen, sites = observed.seen_of(process, log, touches, ending.seconds)
    reasons = incomplete(process, ending, judged) + lost(process, touches)
    reasons += [f"the log of allocations ends early: {reason}" for reason in log.cut]
    facts = of_runs(start, plain, ending, reasons, judged)
    facts |= {"processes": len(processes), "touches": why, "cupti": process.cupti}
    facts |= {"traced_once_seconds": process.once, "machine": machine()["name"]}
    parts = [one.parts for one in plains]
    again = replayed.of_run(process, log, ending, parts, cost, len(processes), others, sites)
    facts |= {"replay": again.facts}
    name = readable(Path(start.command[0]).name)
    return Traced(observed.trace(name, seen, sites.copies, facts), seen, again)


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
