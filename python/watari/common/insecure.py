"""`--insecure`, the option of every command that reads or writes objects.

Plain http is refused, except to this machine. The option allows it to this process and to those
that it starts, by WATARI_INSECURE=1 in their environment.
"""

from __future__ import annotations

import os
from typing import Annotated

import typer

VARIABLE = "WATARI_INSECURE"


def allow(insecure: bool) -> bool:
    """Allows plain http to other machines."""
    if insecure:
        os.environ[VARIABLE] = "1"
    return insecure


Insecure = Annotated[
    bool,
    typer.Option("--insecure", help="allow plain http to another machine", callback=allow),
]
