"""A run: trials one after another, and the result file made of them.

The first trials of all cases come first, then all second ones, and so on: drift of the machine
affects all cases alike, and a run that ends early has trials of each. Every finished trial is in
the journal before the next one starts.
"""

from __future__ import annotations

import statistics
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from watari.case import anonymous, limits
from watari.cases import find, presentation
from watari.common import interrupts
from watari.common.errors import FileError, WatariError
from watari.common.files import reason
from watari.common.progress import Progress, Silent
from watari.plan.request import Request, describe_all, no_sense
from watari.results import schema
from watari.results.statistics import parts
from watari.results.trial import Status
from watari.results.trial import Trial as TrialRecord
from watari.run import launch, scratch
from watari.run.budget import Estimate
from watari.run.gpu_mpi import Probe
from watari.run.journal import OF_CASE, Journal, State, Trial, checked_trial, path_for
from watari.run.launcher import Launcher, ranks_of
from watari.run.worker import empty_trial, now

WORST_FIRST: tuple[Status, ...] = ("failed", "wrong", "unsupported", "ok")
ENDING_SECONDS = 1.0  # reserved of a budget for writing the result file


@dataclass
class Options:
    """Options of a run. `deadline` is a moment of time.monotonic()."""

    output: Path
    launcher: Launcher = field(default_factory=Launcher)
    time_limit: float | None = None
    deadline: float | None = None
    progress: Progress = field(default_factory=Silent)
    gpu_mpi: Probe = field(default_factory=Probe)


def ended(state: State, index: int) -> bool:
    """Whether a case has no trials left: all ran, or the machine does not support it."""
    trials = state.trials[index]
    unsupported = bool(trials) and trials[0]["status"] == "unsupported"
    return unsupported or len(trials) >= state.requests[index].trials


def remaining(state: State) -> list[Request]:
    """The requests with missing trials, and the number of these."""
    return [
        replace(request, trials=request.trials - len(state.trials[index]))
        for index, request in enumerate(state.requests)
        if not ended(state, index)
    ]


def following(state: State, spent: list[float], skipped: set[int], fair: bool) -> int | None:
    """The request whose trial is to be run next; None when all are ended or skipped.

    Round by round, so that drift affects all alike. Under a budget (`fair`), once every case has a
    trial, the case with the least time so far is next: slow paths then get fewer trials than fast
    ones.
    """

    def turn(index: int) -> tuple[float, ...]:
        done = len(state.trials[index])
        return (1, spent[index], index) if fair and done else (0 if fair else done, index)

    waiting = [i for i in range(len(state.requests)) if i not in skipped and not ended(state, i)]
    return min(waiting, key=turn, default=None)


def seconds_left(state: State, estimate: Estimate) -> float:
    """Seconds that all remaining trials should take."""
    return sum(
        estimate.seconds(request) * (request.trials - len(state.trials[index]))
        for index, request in enumerate(state.requests)
        if not ended(state, index)
    )


def speed_text(request: Request, trial: Trial) -> str:
    """The median sample of a trial, in the unit of its case; empty without samples."""
    speed = rate(trial)
    if not speed:
        return ""
    shown, size = presentation(request.case), int(trial["bytes_per_sample"])
    return f"{shown.value(size / speed, size):.4g} {shown.unit}"


def rate(trial: Trial) -> float | None:
    """Bytes per second of the median sample; of the fastest phase, where there are phases."""
    if not trial["host_s"]:
        return None
    times = [statistics.median(part) for part in parts(trial).values()]
    return trial["bytes_per_sample"] / min(times) if min(times) > 0 else None


def measure(request: Request, options: Options) -> Trial | None:
    """One trial that a result file can hold; None if the budget ended before it did."""
    directory = options.output.parent
    reason = no_sense(request) or options.gpu_mpi.unsupported(request, options.launcher, directory)
    if reason:
        return empty_trial("unsupported", reason, now(), ranks_of(request))
    limit = options.time_limit or launch.time_limit(request)
    left = options.deadline - time.monotonic() if options.deadline else limit
    started = time.monotonic()
    trial = launch.trial(request, options.launcher, min(limit, left), directory)
    if left < limit and time.monotonic() - started >= left:
        return None
    try:
        checked_trial(request, trial)
    except ValueError as error:
        return empty_trial("failed", f"the worker's result is malformed: {error}", now())
    return trial


def line(name: str, request: Request, number: int, trial: Trial, seconds: float) -> str:
    """The outcome of a trial in one line, for people."""
    outcome = speed_text(request, trial) or trial.get("error", "")
    of = f"trial {number} of {request.trials}"
    return f"{name}, {of}: {trial['status']} {outcome} ({seconds:.1f} s)"


def run_trials(state: State, options: Options, journal: Journal, hold: interrupts.Hold) -> None:
    """Runs the remaining trials until the budget is spent or an interrupt comes."""
    estimate, progress = Estimate(state.machine), options.progress
    names = describe_all(state.requests)
    spent, skipped = [0.0] * len(state.requests), set[int]()
    for number, (request, trials) in enumerate(zip(state.requests, state.trials, strict=True)):
        for earlier in trials:
            estimate.learn_earlier(request, sum(earlier["host_s"]))
            spent[number] += estimate.seconds(request)
    fair = options.deadline is not None
    while not hold.came and (index := following(state, spent, skipped, fair)) is not None:
        request, started = state.requests[index], time.monotonic()
        needed = estimate.seconds(request)
        if options.deadline and started + needed > options.deadline:
            skipped.add(index)  # a shorter one may still fit
            continue
        progress.start(names[index], seconds_left(state, estimate))
        trial = measure(request, options)
        if trial is None:
            skipped.add(index)
            continue
        seconds = time.monotonic() - started
        estimate.learn(request, seconds, sum(trial["host_s"]))
        journal.add(index, trial)
        spent[index] += seconds
        number = len(state.trials[index])
        progress.finish(
            line(names[index], request, number, trial, seconds), seconds_left(state, estimate)
        )


def execute(state: State, options: Options) -> tuple[schema.Results, bool]:
    """Runs the trials and writes the result file. Returns the results, and whether the run was
    interrupted (Ctrl-C, SIGTERM).

    Raises WatariError where results cannot be stored; the journal then has the completed trials.
    Raises UsageError where another run writes the same result.
    """
    try:
        options.output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{options.output}: cannot be written: {reason(error)}") from None
    if options.deadline:
        options.deadline -= ENDING_SECONDS
    scratch.remove_left(options.output.parent)
    hold = interrupts.Hold()
    # remembers interrupts between trials, and while results are written
    with closing(Journal(path_for(options.output), state)) as journal, hold.remember():
        try:
            with options.progress:
                run_trials(state, options, journal, hold)
        except KeyboardInterrupt:
            hold.came = True
        except (OSError, FileError) as error:
            raise stopped(journal, described(error)) from None
        measured = assemble(state)
        try:
            schema.write(options.output, measured)
        except FileError as error:
            raise stopped(journal, str(error)) from None
        journal.remove()
    return measured, hold.came


def described(error: OSError | FileError) -> str:
    """File and cause of an error."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def stopped(journal: Journal, reason: str) -> WatariError:
    """The error of a run that cannot continue, or cannot store its results."""
    if not any(journal.state.trials):
        journal.remove()
        return WatariError(f"{reason}; nothing was measured")
    if not journal.is_there():
        return WatariError(f"{reason}; the completed trials are lost: {journal.path} was removed")
    return WatariError(
        f"{reason}; completed trials are in {journal.path}: "
        f"correct this and resume with watari run --resume {quote(str(journal.path))}"
    )


def assemble(state: State) -> schema.Results:
    """The result file's content."""
    machine = state.machine.model_dump(by_alias=True)
    measured = zip(state.requests, state.trials, strict=True)
    whole = schema.Results(
        program=state.program.model_copy(update={"finished": now()}),
        plan=state.plan,
        machine=state.machine,
        cases=[case(request, trials, machine) for request, trials in measured if trials],
        missing=[
            schema.Missing(case=r.case, parameters=r.parameters, trials=r.trials)
            for r in remaining(state)
        ],
    )
    return anonymous.anonymous([whole])[0] if state.program.anonymous else whole


def case(request: Request, trials: list[Trial], machine: dict[str, Any]) -> schema.Case:
    """All trials of one case, with their common values."""
    status = next(s for s in WORST_FIRST if any(t["status"] == s for t in trials))
    reason = next((t.get("error") for t in trials if t["status"] == status), None)
    kept = [{k: v for k, v in t.items() if k not in OF_CASE} for t in trials]
    common = {name: max(int(t.get(name, 0)) for t in trials) for name in OF_CASE}
    return schema.Case(
        case=request.case,
        parameters=request.parameters,
        status=status,
        reason=reason,
        flags=flags(request, trials, machine),
        trials_planned=request.trials,
        trials=[TrialRecord.model_validate(trial) for trial in kept],
        bytes_per_sample=common["bytes_per_sample"],
        flops_per_sample=common["flops_per_sample"],
    )


def flags(request: Request, trials: list[Trial], machine: dict[str, Any]) -> list[str]:
    """Doubts about the case's rate, the median of its trials."""
    rates = [speed for trial in trials if (speed := rate(trial))]
    if not rates:
        return []
    profile = find(request.case).profile(request.parameters)
    return limits.flags(profile, request.parameters, statistics.median(rates), machine)
