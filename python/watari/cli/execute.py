"""`watari exec`: a program with changes from outside, in production."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watari.attach.changes import CHANGES
from watari.cli.app import app
from watari.common.errors import UsageError


@app.command(
    "exec",
    context_settings={"allow_interspersed_args": False},
    epilog="Examples: watari exec --staged --pooled -- ./a.out 1000 · mpirun -n 4 watari exec "
    '--from advise.json -- ./a.out · eval "$(watari exec --pooled --print)"',
)
def execute(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM [ARGUMENTS...]", help="the program, unmodified"),
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help=CHANGES["staged"].help)] = False,
    pooled: Annotated[bool, typer.Option("--pooled", help=CHANGES["pooled"].help)] = False,
    prefetched: Annotated[
        bool, typer.Option("--prefetched", help=CHANGES["prefetched"].help)
    ] = False,
    huge: Annotated[bool, typer.Option("--huge", help=CHANGES["huge"].help)] = False,
    near: Annotated[bool, typer.Option("--near", help=CHANGES["near"].help)] = False,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--from", metavar="FILE", help="the changes that `watari advise --json` names; a trace"
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="at exit one line: what changed, and what it saved")
    ] = False,
    prints: Annotated[
        bool, typer.Option("--print", help="print the variables for a shell, and run nothing")
    ] = False,
) -> None:
    """Runs a CUDA program with changes that make it faster, without an edit of its source."""
    from watari import __version__
    from watari.attach.execute import Asked, exports, run

    chosen = dict(zip(CHANGES, (staged, pooled, prefetched, huge, near), strict=True))
    asked = Asked(
        tuple(name for name, is_chosen in chosen.items() if is_chosen),
        tuple(words or ()),
        tuple(map(str, sources or ())),
        verbose,
    )
    if prints:
        for line in exports(asked, __version__):
            print(line)
        return
    if not words:
        raise UsageError(
            "exec what? put the program after --, as in: watari exec --staged -- ./a.out"
        )
    run(asked)
