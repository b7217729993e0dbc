"""The file of a graph: measured times and what orders them. A reader fits it again.

A ZIP archive of one array for each column, and graph.json for the rest. Times are whole ns, as
differences to the row before: they are small, and compress well.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from watari.common.errors import FileError
from watari.common.files import write_atomically
from watari.model.replay.graph import CALLS, OPERATIONS, Array, Graph, Join, Stream

SCHEMA = "watari-graph-2"
TIMES = ("start", "end")
FITTED = {"gap", "own", "late", "takes", "issue", "after", "turn"}
LEVEL = 1  # of compression: level 6 takes several times as long


def columns(rows: Array) -> dict[str, Array]:
    """The columns to write: times as differences."""
    found = {name: rows[name] for name in rows.dtype.names or () if name not in FITTED}
    starts = np.rint(rows["start"]).astype(np.int64)
    found["start"] = np.diff(starts, prepend=0)
    found["end"] = np.rint(rows["end"]).astype(np.int64) - starts
    return found


def rows_of(found: dict[str, Array], kind: np.dtype[Any]) -> Array:
    """The rows of columns."""
    rows = np.zeros(len(found["start"]), kind)
    for name, column in found.items():
        rows[name] = column
    rows["start"] = np.cumsum(found["start"])
    rows["end"] = rows["start"] + found["end"]
    return rows


def write(graph: Graph, path: Path) -> None:
    """Writes a graph with its measured times."""
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
        "once": graph.once,
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


def read(path: Path) -> Graph:
    """Reads a graph, which is not fitted. Raises FileError for any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            rest = json.loads(archive.read("graph.json"))
            if rest["schema"] != SCHEMA:
                raise FileError(f"{path}: a graph of schema {rest['schema']}, not {SCHEMA}")
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
            tuple(Stream(**one) for one in rest["streams"]),
            (),
            tuple(rest["functions"]),
            {int(number): name for number, name in rest["names"].items()},
            tuple(Join(**one) for one in rest["joins"]),
            tuple(rest["sites"]),
            last=rest["last"],
            tail=rest["tail"],
            start_seconds=rest["start_seconds"],
            once=rest["once"],
        )
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise FileError(f"{path}: no graph of a trace: {error}") from None
