"""Before the first trial: the head of the result file, and memory that is touched once."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from watari import _native
from watari.case.axis import Machine, expanded
from watari.case.engines import FOLDER, folders_of
from watari.cases import find
from watari.common import variables
from watari.common.errors import UsageError
from watari.common.places import RESULTS as RESULTS
from watari.common.units import exact_size
from watari.machine import record
from watari.plan.plan import Plan
from watari.plan.request import Request
from watari.results import schema
from watari.run import prefault
from watari.run.journal import State, check_dead, is_left, path_for
from watari.run.launcher import PINNING, Launcher
from watari.run.worker import now

NOTE = "PREFAULTED"  # key in program.environment: memory that was touched beforehand


def version() -> str:
    """The installed version; that of a source tree is not known."""
    try:
        return importlib.metadata.version("watari")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def environment(launcher: Launcher) -> dict[str, str]:
    """The variables that matter, as the trials see them; OMP_NUM_THREADS is an axis of each."""
    set_by_user = variables.relevant(os.environ)
    return variables.kept({**PINNING, **set_by_user, **launcher.environment})


def program(launcher: Launcher) -> schema.Program:
    """This program, now: the head of a result file."""
    built = _native.build()
    return schema.Program(
        version=version(),
        revision=built.get("revision") or None,
        compiler=built.get("compiler") or None,
        flags=built.get("flags") or None,
        cuda=built.get("cuda") or None,
        command=variables.kept_command(["watari", *sys.argv[1:]]),
        launcher=variables.kept_launcher(launcher.template) if launcher.chosen else None,
        environment=environment(launcher),
        started=now(),
    )


def fresh(plan: Plan, machine: Machine, launcher: Launcher) -> State:
    """A run that has measured nothing yet."""
    return State(
        program(launcher),
        schema.Plan(name=plan.name, description=plan.description, source=plan.source),
        record.Machine.model_validate(machine),
        list(plan.requests),
        [[] for _ in plan.requests],
    )


def check_folders(requests: Sequence[Request]) -> None:
    """Raises UsageError for a missing folder of test files: a mistyped path would fill the disk
    that it happens to lie on. A trial makes the default folder. Raises FileError or UsageError for
    a user's file that a case cannot read."""
    for request in requests:
        find(request.case).require_files(request.parameters)
        folder = request.parameters.get("folder", FOLDER)
        if folder == FOLDER or not find(request.case).profile(request.parameters).disk:
            continue
        for each in folders_of(folder):
            if not os.path.isdir(expanded(each)):
                raise UsageError(
                    f"{request.case}: folder={each} does not exist; make it "
                    f"(mkdir -p {shlex.quote(each)}), or leave it out for {FOLDER}"
                )


def check_journal(output: Path, resumed: Path | None) -> None:
    """Raises UsageError where `output` has the journal of another run. `resumed`: result file of
    the run that is resumed."""
    journal = path_for(output)
    try:
        journal.stat()
    except FileNotFoundError:
        return
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise UsageError(f"{journal}: {error.strerror}") from None
    own = resumed and os.path.realpath(output) == os.path.realpath(resumed)
    if is_left(journal) and not own:
        check_dead(journal)
        raise UsageError(
            f"{journal} has the trials of a killed run: resume it with "
            f"watari run --resume {shlex.quote(str(journal))}, or remove it"
        )


def grow_memory(state: State, machine: Machine) -> None:
    """Touches memory once on a virtual machine, which may get it on first use, and notes how
    much."""
    size = prefault.wanted(state.requests, machine)
    if machine["virtual_machine"] and size and prefault.start(size):
        state.program.environment[NOTE] = exact_size(size)
