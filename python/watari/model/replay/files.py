"""The file of a graph: measured times and what orders them. A reader fits it again.

A ZIP archive of one array for each column, and graph.json for the rest. Times are whole ns, as
differences to the row before: they are small, and compress well.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from watari.common import reading
from watari.common.errors import FileError
from watari.common.files import write_atomically
from watari.model.files import checked
from watari.model.replay.graph import (
    CALLS,
    OPERATIONS,
    Array,
    Graph,
    Join,
    Machine,
    Stream,
    Tracing,
)
from watari.model.replay.sound import problems

SCHEMA = "watari-graph-2"
TIMES = ("start", "end")  # whole ns
MOST = 4 * reading.MOST  # bytes of all columns: some 100 for each call
LATER = {"migrates"}  # that old graphs lack
FITTED = {"gap", "own", "late", "cost", "takes", "issue", "after", "turn"}
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, MemoryError),
    *(KeyError, ValueError, TypeError, AttributeError, RuntimeError, OverflowError),
)
LEVEL = 1  # of compression: level 6 takes several times as long


class Rest(BaseModel):
    """graph.json: what is not in a column. Times are ns."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    schema_: Literal["watari-graph-2"] = Field(alias="schema")
    streams: list[Stream]
    functions: list[str]
    sites: list[str]
    names: dict[Annotated[str, Field(pattern=r"^[0-9]{1,20}$")], str]
    joins: list[Join]
    last: int
    tail: float
    start_seconds: float
    tracing: Tracing
    machine: Machine


def columns(rows: Array) -> dict[str, Array]:
    """The columns to write: times as differences."""
    found = {name: rows[name] for name in rows.dtype.names or () if name not in FITTED}
    starts = np.rint(rows["start"]).astype(np.int64)
    found["start"] = np.diff(starts, prepend=0)
    found["end"] = np.rint(rows["end"]).astype(np.int64) - starts
    return found


def rows_of(found: dict[str, Array], kind: np.dtype[Any]) -> Array:
    """The rows of columns. Raises ValueError where they are of another kind, or of other lengths:
    NumPy would convert and repeat them."""
    rows = np.zeros(found["start"].size, kind)
    for name, column in found.items():
        wanted = np.dtype(np.int64) if name in TIMES else kind[name]
        if column.shape != rows.shape or column.dtype != wanted:
            raise ValueError(f"{name} is no column of {len(rows)} {wanted}")
    for name in kind.names or ():
        if name not in FITTED and (name in found or name not in LATER):
            rows[name] = found[name]
    rows["start"] = np.cumsum(found["start"])
    rows["end"] = rows["start"] + found["end"]
    return rows


def write(graph: Graph, path: Path) -> str:
    """Writes a graph with its measured times. Returns its digest."""
    rest = {
        "schema": SCHEMA,
        "streams": [asdict(one) for one in graph.streams],
        "functions": graph.functions,
        "sites": graph.sites,
        "names": {str(number): name for number, name in graph.names.items()},
        "joins": [asdict(one) for one in graph.joins],
        "last": graph.last,
        "tail": graph.tail,
        "start_seconds": graph.start_seconds,
        "tracing": asdict(graph.tracing),
        "machine": asdict(graph.machine),
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        archive.writestr("graph.json", json.dumps(rest))
        for part, rows in (("calls", graph.calls), ("operations", graph.operations)):
            for name, column in columns(rows).items():
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, np.ascontiguousarray(column), allow_pickle=False)
                archive.writestr(f"{part}/{name}.npy", buffer.getbuffer())
    write_atomically(path, data.getvalue())
    return digest(data.getvalue())


def digest(data: bytes) -> str:
    """What a trace has of its graph, to recognise it."""
    return hashlib.sha256(data).hexdigest()


def read(path: Path, expected: str = "") -> Graph:
    """Reads a graph, which is not fitted. `expected`: its digest, where one is known. Raises
    FileError for any other file."""
    data = reading.content(path)
    if expected and digest(data) != expected:
        raise FileError(f"{path}: it is the graph of another trace, or was cut off")
    graph = content(path, data)
    if wrong := next(problems(graph), ""):
        raise FileError(f"{path}: no graph of a trace: {wrong}")
    return graph


def content(path: Path, data: bytes) -> Graph:
    """The graph in the bytes of a file. Raises FileError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > MOST:
                raise FileError(f"{path}: no graph of a trace: it has more than {MOST >> 30} GiB")
            rest = checked(Rest, archive.read("graph.json"), path, "graph of a trace")
            parts: dict[str, dict[str, Array]] = {"calls": {}, "operations": {}}
            for name in archive.namelist():
                part, _, column = name.partition("/")
                if column:
                    with archive.open(name) as file:
                        parts[part][column.removesuffix(".npy")] = np.load(
                            io.BytesIO(file.read()), allow_pickle=False
                        )
        return Graph(
            rows_of(parts["calls"], CALLS),
            rows_of(parts["operations"], OPERATIONS),
            tuple(rest.streams),
            (),
            tuple(rest.functions),
            {int(number): name for number, name in rest.names.items()},
            tuple(rest.joins),
            tuple(rest.sites),
            last=rest.last,
            tail=rest.tail,
            start_seconds=rest.start_seconds,
            tracing=rest.tracing,
            machine=rest.machine,
        )
    except BROKEN as error:
        raise FileError(f"{path}: no graph of a trace: {error}") from None
