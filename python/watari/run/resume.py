"""Resumes a run: reads a result file or a journal, and checks that it fits this machine and
program."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

from watari.case import anonymous
from watari.case.axis import unknown
from watari.cases import find
from watari.common.errors import UsageError
from watari.common.variables import HIDDEN
from watari.machine import hosts
from watari.machine.record import Machine
from watari.plan.request import Request, describe
from watari.results import schema
from watari.run.journal import SUFFIX, State, is_left, path_for, plain_trial, read
from watari.run.launcher import Launcher
from watari.run.prepare import environment


def load(path: Path) -> tuple[State, Path]:
    """The state in a result file or a journal, and the result file of the resumed run.

    A journal beside a result file is newer: a run that resumed the file was killed.
    """
    name = path.name.removesuffix(SUFFIX)
    if not name:
        raise UsageError(f"'{path}' names no result file or journal to resume")
    output = path.with_name(name)
    if is_left(path_for(output)):
        return read(path_for(output)), output
    stored = schema.read(path)
    requests, trials = [], []
    for c in stored.cases:
        requests.append(Request(c.case, c.parameters, c.trials_planned))
        trials.append([plain_trial(c, t) for t in c.trials])
    known = {request.key for request in requests}
    for m in stored.missing:
        request = Request(m.case, m.parameters, m.trials)
        if request.key not in known:
            requests.append(request)
            trials.append([])
    return State(stored.program, stored.plan, stored.machine, requests, trials), output


def earlier(path: Path, launcher: Launcher) -> tuple[State, Path, Launcher]:
    """The state in the file, its result file, and the launcher of its trials: the one given now,
    else the earlier one. Raises FileError, UsageError."""
    state, output = load(path)
    require_whole(state, path)
    for request in state.requests:
        check_known(request, path)
    return state, output, launcher if launcher.chosen else earlier_launcher(state, path)


def continued(path: Path, state: State, new: State, same_plan: bool, launcher: Launcher) -> State:
    """The earlier state of the file, to be resumed with `launcher`.

    `new` is a run as it would start now; with `same_plan` both must have the same requests. Raises
    UsageError.
    """
    check_fit(state, new, path, same_plan)
    state.machine = joined(state.machine, new.machine)
    state.program.environment.update(environment(launcher))
    state.program.launcher = new.program.launcher or state.program.launcher
    state.program.anonymous |= new.program.anonymous
    return state


def joined(earlier: Machine, now: Machine) -> Machine:
    """The earlier record, with the new hosts added."""
    machine, other = (m.model_dump(mode="json", by_alias=True) for m in (earlier, now))
    for name in dict.fromkeys(now.hosts):
        if name not in machine["hosts"]:
            machine = hosts.with_host(machine, name, hosts.of_host(other, name))
            machine["hosts"] = [*machine["hosts"], name]
    return Machine.model_validate(machine)


def earlier_launcher(state: State, path: Path) -> Launcher:
    """The launcher that a run was started with. Raises UsageError where not all of it is kept."""
    template = state.program.launcher
    if template and HIDDEN in template:
        raise UsageError(
            f"{path} was measured with --launcher {quote(template)}, and a result does not keep "
            "what stands for ***: give --launcher again"
        )
    return Launcher.parse(template) if template else Launcher()


def require_whole(state: State, path: Path) -> None:
    """Raises UsageError where an anonymous result lacks the folder that its cases used."""
    if any(str(r.parameters.get("folder")).startswith(anonymous.LEFT_OUT) for r in state.requests):
        raise UsageError(f"{path} cannot be resumed: --anonymous left out folder= of its cases")


def check_fit(old: State, new: State, path: Path, same_plan: bool) -> None:
    """Raises UsageError if the earlier run and a run now differ in program, machine or plan."""
    pairs: list[tuple[str, Any, Any]] = [
        ("watari version", old.program.version, new.program.version),
        ("watari revision", old.program.revision, new.program.revision),
        ("processors", [p.name for p in old.machine.processors], processor_names(new)),
    ]
    for name in ("name", "architecture", "kernel", "page_size", "driver", "cuda"):
        pairs.append((f"machine {name}", getattr(old.machine, name), getattr(new.machine, name)))
    for property_name, before, after in pairs:
        if before != after:
            raise UsageError(
                f"{path} cannot be resumed: {property_name} was {before}, is now {after}"
            )
    if same_plan:
        before_keys, after_keys = ({r.key: r for r in s.requests} for s in (old, new))
        for request in [*after_keys.values(), *before_keys.values()]:
            if request.key not in before_keys or request.key not in after_keys:
                side = "is not in it" if request.key in after_keys else "is not in the plan given"
                raise UsageError(
                    f"{path} cannot be resumed with this plan: '{describe(request)}' {side}"
                )


def check_known(request: Request, path: Path) -> None:
    """Raises UsageError for a case or axis of a newer version."""
    try:
        axes = find(request.case).axes
        for axis in request.parameters:
            if axis not in axes:
                raise unknown(f"axis of {request.case}", axis, axes)
    except UsageError as error:
        raise UsageError(f"{path} cannot be resumed: {error}") from None


def processor_names(state: State) -> list[str]:
    """Names of CPU and GPUs."""
    return [processor.name for processor in state.machine.processors]
