"""Reads the files of the model: JSON by a schema, with the field of an error."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from watari.common import reading
from watari.common.errors import FileError

Read = TypeVar("Read", bound=BaseModel)


def read_as(schema: type[Read], path: Path, what: str) -> Read:
    """The content of a file. Raises FileError, which says that it is no `what` and names the
    field."""
    return checked(schema, reading.content(path), path, what)


def checked(schema: type[Read], content: bytes, path: Path, what: str) -> Read:
    """As `read_as`, for a file that was read already: a pipe can be read once."""
    try:
        return schema.model_validate_json(content)
    except ValidationError as error:
        every = error.errors()
        first = next((one for one in every if one["loc"] == ("schema",)), every[0])
        where = ".".join(map(str, first["loc"])) or "the file"
        raise FileError(f"{path}: no {what}: {where}: {why(where, first)}") from None


def why(where: str, first: ErrorDetails) -> str:
    """The error of a field. Another version of Watari may have other schemas and fields."""
    if where == "schema" and first["type"] == "literal_error":
        wanted = first.get("ctx", {}).get("expected", "another one")
        return f"{first['input']!r}, but this version of Watari reads {wanted}"
    if first["type"] == "extra_forbidden":
        return "this version of Watari does not know it"
    return first["msg"]
