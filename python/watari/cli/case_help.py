"""`watari run CASE --help` and `watari list CASE`: axes, choices, defaults and an example, from the
case's row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import Axis
from watari.case.case import Case
from watari.cli.help import Command
from watari.common.console import print_lines

HELP = ("-h", "--help")


def axis_line(axis: Axis, width: int) -> str:
    """Name, summary, choices and default."""
    choices = f" ({', '.join(axis.choices)})" if axis.choices else ""
    return f"  {axis.name:<{width}} {axis.summary}{choices} [{axis.default_text}]"


def axes_text(case: Case) -> str:
    """The case and a line for each axis."""
    axes = (TRIALS, *case.axes.values())
    width = max(len(axis.name) for axis in axes) + 1
    lines = [axis_line(axis, width) for axis in axes]
    return "\n".join([f"{case.name}: {case.summary}", *lines])


def example(case: Case) -> str:
    """A command that measures the case."""
    return f"watari run {case.name} {case.example}".rstrip()


def help_text(case: Case) -> str:
    """The help of a case: usage, axes, sizes and an example."""
    return (
        f"Usage: watari run {case.name} [AXIS=VALUE[,VALUE...]]... [OPTIONS]\n\n"
        f"{axes_text(case)}\n\n"
        "Sizes read as 64KiB, 4GB (10^9 bytes) or 4G. Sweeps: 4KiB,1GiB; 1MiB..1GiB, each\n"
        "size twice the one before.\n"
        f"Example: {example(case)}\n"
        "Options of every case: watari run --help"
    )


def named_case(arguments: Sequence[str]) -> Case | None:
    """The case whose help is requested, if any: the first argument that names a case. Raises
    UsageError for another tool's word."""
    if not set(HELP) & set(arguments):
        return None
    if arguments[0] not in cases.CASES and cases.written(arguments[0]):
        cases.find(arguments[0])
    return next((cases.CASES[word] for word in arguments if word in cases.CASES), None)


class RunCommand(Command):
    """A command whose help is that of the case, where one is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        case = named_case(args)
        if case:
            print_lines(help_text(case))
            raise typer.Exit
        return super().parse_args(ctx, args)
