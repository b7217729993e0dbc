"""What comes before the first trial: who measures what on which machine; memory made ready."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys
from pathlib import Path

from watari import prefault, results
from watari.axes import Machine, format_size
from watari.errors import UsageError
from watari.journal import State, check_dead, is_left, path_for
from watari.launch import PINNING, Launcher
from watari.machine import Machine as MachineRecord
from watari.plan import Plan
from watari.worker import now

NOTE = "PREFAULTED"  # where program.environment says how much memory was touched beforehand
TELLING = (
    "OMP_",
    "GOMP_",
    "CUDA_",
    "OMPI_",
    "UCX_",
    "NCCL_",
    "GLIBC_TUNABLES",
    "MALLOC_",
)


def version() -> str:
    """The installed version; that of a source tree is not known."""
    try:
        return importlib.metadata.version("watari")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def environment(launcher: Launcher) -> dict[str, str]:
    """The variables that matter, as the trials see them; OMP_NUM_THREADS is an axis of each."""
    set_by_user = {name: value for name, value in os.environ.items() if name.startswith(TELLING)}
    return {**PINNING, **set_by_user, **launcher.environment}


def program(launcher: Launcher) -> results.Program:
    """This program, now: the head of a result file."""
    from watari import _native

    built: dict[str, str] = getattr(_native, "build", dict)()
    return results.Program(
        version=version(),
        revision=built.get("revision") or None,
        compiler=built.get("compiler") or None,
        flags=built.get("flags") or None,
        cuda=built.get("cuda") or None,
        command=shlex.join(["watari", *sys.argv[1:]]),
        environment=environment(launcher),
        started=now(),
    )


def fresh(plan: Plan, machine: Machine, launcher: Launcher) -> State:
    """A run of which nothing is measured yet."""
    return State(
        program(launcher),
        results.Plan(name=plan.name, description=plan.description, source=plan.source),
        MachineRecord.model_validate(machine),
        list(plan.requests),
        [[] for _ in plan.requests],
    )


def check_output(output: Path, resumed: Path | None) -> None:
    """Raises UsageError where no result file can be, or one has the journal of another run than
    that which is gone on with, whose result file is `resumed`."""
    if output.exists() and not output.is_file():
        raise UsageError(f"{output} is not a file: -o names the result file")
    journal = path_for(output)
    own = resumed and os.path.realpath(output) == os.path.realpath(resumed)
    if is_left(journal) and not own:
        check_dead(journal)
        raise UsageError(
            f"{journal} has what a run measured before it was killed: continue it with "
            f"watari run --resume {shlex.quote(str(journal))}, or remove it"
        )


def grow_memory(state: State, machine: Machine) -> None:
    """Touches memory once where a hypervisor gives it on first use, and notes how much."""
    size = prefault.wanted(state.requests, machine)
    if machine["virtual_machine"] and size and prefault.start(size):
        state.program.environment[NOTE] = format_size(size)
