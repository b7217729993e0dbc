"""The application to which commands are added, and helpers of several commands."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, cast

import typer
from typer.models import CommandFunctionType

from watari.case.axis import Machine
from watari.cli.help import Command, Group
from watari.common.console import Console


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


def commands_by_name() -> dict[str, Any]:
    """Every command of `watari`."""
    return dict(cast(Any, typer.main.get_command(app)).commands)


def this_machine() -> Machine:
    """The record of this machine."""
    from watari.machine.probe import machine

    return machine()


def show(renderable: Any) -> None:
    """Prints a table or text: 80 columns at least on a terminal, 160 through a pipe."""
    console = Console()
    Console(max(console.width, 80) if console.is_terminal else 160).print(renderable)
