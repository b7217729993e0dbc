"""Continuing a run: what a result file or a journal has, and whether it fits what is here now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from watari import results
from watari.errors import UsageError
from watari.journal import SUFFIX, State, is_left, path_for, read
from watari.request import Request, describe


def load(path: Path) -> tuple[State, Path]:
    """The state in a result file or a journal, and the result file that it continues to.

    A journal beside a result file is newer: a run that continued the file was killed.
    """
    output = path.with_name(path.name.removesuffix(SUFFIX))
    if is_left(path_for(output)):
        return read(path_for(output)), output
    found = results.read(path)
    requests, trials = [], []
    for c in found.cases:
        requests.append(Request(c.case, c.parameters, c.trials_planned))
        common = {"bytes_per_sample": c.bytes_per_sample, "flops_per_sample": c.flops_per_sample}
        trials.append([{**t.model_dump(exclude_none=True), **common} for t in c.trials])
    known = {request.key for request in requests}
    for m in found.missing:
        request = Request(m.case, m.parameters, m.trials)
        if request.key not in known:
            requests.append(request)
            trials.append([])
    return State(found.program, found.plan, found.machine, requests, trials), output


def continued(path: Path, new: State, same_plan: bool) -> tuple[State, Path]:
    """What the file has, to be gone on with here and now, and the result file for it.

    `new` is a run as it would start now; with `same_plan` the file must be of the same requests.
    Raises FileError, UsageError.
    """
    state, output = load(path)
    check_fit(state, new, path, same_plan)
    hosts = [*state.machine.hosts, *new.machine.hosts]
    state.machine = state.machine.model_copy(update={"hosts": list(dict.fromkeys(hosts))})
    state.program.environment.update(new.program.environment)
    return state, output


def check_fit(old: State, new: State, path: Path, same_plan: bool) -> None:
    """Raises UsageError if what was measured before and what would be now are not one run."""
    pairs: list[tuple[str, Any, Any]] = [
        ("watari version", old.program.version, new.program.version),
        ("watari revision", old.program.revision, new.program.revision),
        ("processors", [p.name for p in old.machine.processors], processor_names(new)),
    ]
    for name in ("name", "architecture", "kernel", "page_size", "driver", "cuda"):
        pairs.append((f"machine {name}", getattr(old.machine, name), getattr(new.machine, name)))
    for what, before, after in pairs:
        if before != after:
            raise UsageError(f"{path} cannot be continued: {what} was {before}, is now {after}")
    if same_plan:
        before_keys, after_keys = ({r.key: r for r in s.requests} for s in (old, new))
        for request in [*after_keys.values(), *before_keys.values()]:
            if request.key not in before_keys or request.key not in after_keys:
                side = "is not in it" if request.key in after_keys else "is not in the plan given"
                raise UsageError(
                    f"{path} cannot be continued with this plan: '{describe(request)}' {side}"
                )


def processor_names(state: State) -> list[str]:
    """Names of CPU and GPUs."""
    return [processor.name for processor in state.machine.processors]
