"""`watari uploads`: the parts that killed programs left on a server of objects."""

from __future__ import annotations

from typing import Annotated

import typer

from watari.cli.app import app
from watari.common.errors import UsageError
from watari.common.insecure import Insecure


@app.command(
    epilog="Examples: watari uploads s3://bucket/ · watari uploads s3://bucket/results/ --abort"
)
def uploads(
    address: Annotated[str, typer.Argument(help="s3://bucket/ or s3://bucket/prefix")],
    abort: Annotated[bool, typer.Option("--abort", help="remove their parts")] = False,
    insecure: Insecure = False,
) -> None:
    """Lists uploads to a server of objects that were neither completed nor aborted, as a killed
    program leaves them. Their parts take space there until they are aborted."""
    from watari import objects

    if not objects.is_address(address):
        raise UsageError(
            f"'{address}' is no address of objects: s3://bucket/ or s3://bucket/prefix"
        )
    bucket = address.removeprefix(objects.PREFIX).partition("/")[0]
    found = objects.uploads(address)
    for each in found:
        if abort:
            objects.abort(address, each)
        done = "aborted " if abort else ""
        print(f"{done}{objects.PREFIX}{bucket}/{each.key}  begun {each.started}")
    if not found:
        print(f"no open upload below {address}")
