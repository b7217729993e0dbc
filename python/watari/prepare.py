"""What comes before the first trial: what is asked for and of which machine; memory made ready."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from watari import prefault, results
from watari.axes import Machine, format_size
from watari.errors import UsageError
from watari.journal import State, path_for
from watari.launch import Launcher
from watari.machine import Machine as MachineRecord
from watari.plan import Plan
from watari.program import program

NOTE = "PREFAULTED"  # where program.environment says how much memory was touched beforehand


def fresh(plan: Plan, machine: Machine, launcher: Launcher) -> State:
    """A run of which nothing is measured yet."""
    return State(
        program(launcher),
        results.Plan(name=plan.name, description=plan.description, source=plan.source),
        MachineRecord.model_validate(machine),
        list(plan.requests),
        [[] for _ in plan.requests],
    )


def check_output(output: Path, resumed: bool) -> None:
    """Raises UsageError where no result file can be, or one has the journal of a killed run."""
    if output.exists() and not output.is_file():
        raise UsageError(f"{output} is not a file: -o names the result file")
    journal = path_for(output)
    if not resumed and journal.exists():
        raise UsageError(
            f"{journal} has what a run measured before it was killed: continue it with "
            f"watari run --resume {quote(str(journal))}, or remove it"
        )


def grow_memory(state: State, machine: Machine) -> None:
    """Touches memory once where a hypervisor gives it on first use, and notes how much."""
    size = prefault.wanted(state.requests, machine)
    if machine["virtual_machine"] and size and prefault.start(size):
        state.program.environment[NOTE] = format_size(size)
