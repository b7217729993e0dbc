"""`watari completion` and `watari man`: for the shell and for packagers."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from watari.case.axis import unknown
from watari.cli.app import app, commands_by_name
from watari.common.console import print_lines


@app.command(
    epilog="Example: watari completion bash > ~/.local/share/bash-completion/completions/watari"
)
def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish")],
) -> None:
    """Prints a script that completes commands, options, cases, axes and values."""
    from watari.cli import completion as scripts

    if shell not in scripts.SHELLS:
        raise unknown("shell", shell, scripts.SHELLS)
    print_lines(scripts.script(shell, commands_by_name()))


@app.command(epilog="Example: watari man > ~/.local/share/man/man1/watari.1")
def man() -> None:
    """Prints the manual page, in the format of `man`."""
    from watari.cli import man as manual

    print_lines(manual.page(commands_by_name(), version("watari")))
