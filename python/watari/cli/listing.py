"""`watari probe` and `watari list`: this machine, and the cases, plans and published machines."""

from __future__ import annotations

from typing import Annotated

import typer

from watari import cases
from watari.case.axis import nearest
from watari.cli import case_help, guesses
from watari.cli.app import app, show, this_machine
from watari.common.console import print_json, print_lines
from watari.common.errors import UsageError

LISTS = ("plans", "machines")  # beside the cases


@app.command(epilog="Example: watari probe --json")
def probe(
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
) -> None:
    """Shows what this machine has, what it lacks, and why."""
    from watari.machine.probe import render

    machine = this_machine()
    if as_json:
        print_json(machine)
    else:
        show(render(machine))


def list_case(name: str) -> None:
    """Prints one case: its axes with their choices and defaults. Raises UsageError."""
    print_lines(case_help.axes_text(cases.find(name)) + "\n\n")


def from_elsewhere() -> list[str]:
    """A line for each case of another package, and for each case of this one that fails. Imports
    no package."""
    return [
        *(
            f"{name}: {origin.summary or 'no summary'} (from {origin}); axes: watari list {name}"
            for name, found in cases.CASES.outside.items()
            for origin in found
        ),
        *(f"{name}: {why}" for name, why in cases.CASES.broken.items()),
    ]


def list_plans() -> None:
    """Prints the stored plans with their descriptions."""
    from watari.plan.plan import checked, stored

    for name, path in stored().items():
        description = checked(path).get("description", "")
        print(f"{name}: {' '.join(description.split())}")


@app.command(
    "list",
    epilog=f"Examples: watari list · watari list {next(iter(cases.CASES))} · watari list plans",
)
def list_cases(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[CASE|plans|machines]", help="one case, stored plans or published machines"
        ),
    ] = None,
) -> None:
    """Lists cases with their axes and defaults, or stored plans, or published machines."""
    if name == LISTS[0]:
        list_plans()
        return
    if name == LISTS[1]:
        from watari.model import asked

        print(*asked.machines(), sep="\n")
        return
    if here := guesses.LISTED.get(name or ""):
        raise UsageError(f"'{name}' is not a list; here it is: {here}")
    name = None if name in guesses.LISTED else name
    known = not name or name in cases.CASES or cases.written(name)
    if name and not known and (here := guesses.of_name(name)):
        raise UsageError(here)
    if name and not known and (other := nearest(name, LISTS)):
        raise UsageError(f"unknown list '{name}'{other}; known: {', '.join(LISTS)}, and cases")
    for each in [name] if name else cases.CASES:
        list_case(each)
    if not name:
        print_lines("".join(f"{line}\n" for line in from_elsewhere()))


@app.command(epilog="Example: watari doctor --json")
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
) -> None:
    """Names what this machine lacks or limits, why, and the command that mends it.

    Changes nothing. Exit code 0, whatever is missing.
    """
    from dataclasses import asdict
    from pathlib import Path

    from watari.machine import doctor
    from watari.machine.probe.system import System

    machine = this_machine()
    found = doctor.findings(machine, System(Path("/")))
    if as_json:
        print_json([asdict(finding) for finding in found])
        return
    for finding in found:
        print_lines(f"{finding.what}: {finding.why}\n    {finding.mend}\n")
    problems = f"{len(found) or 'no'} problem{'s' * (len(found) != 1)}"
    print_lines(f"{problems} found; {doctor.looked_at(machine)}\n")
