"""The application to which commands are added, and helpers of several commands.

A command is added when it is asked for: the modules of all commands take longer to import than most
commands need.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, cast

import typer
from typer.models import CommandFunctionType, CommandInfo

from watari import cases
from watari.case.axis import Machine
from watari.cli.help import Command, Group
from watari.common.console import Console

MODULES = {  # of each command, in the order of the help
    **dict.fromkeys(("probe", "list", "doctor"), "listing"),
    "run": "run",
    "try": "attempt",
    "exec": "execute",
    "trace": "trace",
    **dict.fromkeys(("report", "effort"), "draw"),
    **dict.fromkeys(("profile", "predict", "advise"), "advice"),
    **dict.fromkeys(("compare", "check"), "judge"),
    "fleet": "fleet",
    "export": "export",
    "uploads": "uploads",
    **dict.fromkeys(("completion", "man"), "shell"),
}


class App(typer.Typer):
    """An application whose commands have the help of help.py."""

    def command(
        self, name: str | None = None, *, cls: Any = Command, **given: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Adds a command as typer does, by default of class help.Command."""
        return super().command(name, cls=cls, **given)


app = App(
    name="watari",
    cls=Group,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        print(f"watari {version('watari')}")
        raise typer.Exit


@app.callback()
def common(
    asked: Annotated[
        bool,
        typer.Option(
            "--version", help="the version of this program", callback=show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Measures how data crosses the memories of a GPU machine."""


def modules() -> dict[str, str]:
    """The module of each command, in the order of the help: those of the cases come last."""
    own = (each for case in cases.CASES.of_folders() for each in case.commands.items())
    return {name: f"watari.cli.{module}" for name, module in MODULES.items()} | dict(own)


@cache
def add(module: str) -> None:
    """Adds the commands of a module: it does so when it is imported, one of a case when asked."""
    added = import_module(module)
    if hasattr(added, "add_to"):
        added.add_to(app)


def add_commands(word: str = "") -> None:
    """Adds the command of this name; all commands for any other word."""
    known = modules()
    if word in known:
        add(known[word])
        return
    for module in known.values():
        add(module)
    names = list(known)
    app.registered_commands.sort(key=lambda each: names.index(name_of(each)))


def name_of(command: CommandInfo) -> str:
    """The name under which a command was added."""
    return command.name or cast(Any, command.callback).__name__


def commands_by_name() -> dict[str, Any]:
    """Every command of `watari`."""
    add_commands()
    return dict(cast(Any, typer.main.get_command(app)).commands)


def this_machine() -> Machine:
    """The record of this machine."""
    from watari.machine.probe import machine

    return machine()


def show(renderable: Any) -> None:
    """Prints a table or text: 80 columns at least on a terminal, 160 through a pipe."""
    console = Console()
    Console(max(console.width, 80) if console.is_terminal else 160).print(renderable)
