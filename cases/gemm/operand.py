"""Where a factor of a product lies, for the library: its matrix in a file or object of any format.

The library itself reads .npy files. Of others `watari.arrays` reads the metadata, and the library
the elements, tile by tile.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from watari.arrays.layout import Layout
from watari.arrays.opening import is_npy, located, split
from watari.common.errors import FileError, UsageError
from watari.common.files import allow_open
from watari.common.units import format_bytes, format_count
from watari.memory.bfloat import is_bfloat16
from watari.objects import PREFIX, is_address

SMALL = 2**16  # bytes of a request: a smaller one takes as long
MUCH = 2  # times the bytes that are used
TYPES = ("float32", "float64", "float16", "bfloat16")


def place(path: str) -> dict[str, Any] | None:
    """The place of a factor; None for a .npy file, which the library reads. Raises FileError,
    UnsupportedError."""
    if is_npy(path):
        return None
    found = located(path)
    if found.source is not None:
        found.source.close()
    facts = described(found.layout)
    if found.place.is_local:
        allow_open(path, len(facts["chunks"]))
    return facts


def advice(paths: Sequence[str], plan: Mapping[str, float], tile: int) -> str:
    """What to say of factors in objects whose rows of tiles lie apart; empty for others."""
    received, read, requests = (plan[name] for name in ("bytes_received", "bytes_read", "requests"))
    small = requests > 0 and received / requests < SMALL
    if not small and received < MUCH * read:
        return ""
    named = " and ".join(path for path in dict.fromkeys(paths) if is_address(path))
    why = (
        f"{format_count(requests)} requests of {format_bytes(received / requests)}"
        if small
        else f"{format_bytes(received)} come for {format_bytes(read)} that are used"
    )
    return (
        f"{named}: {why}, since rows of a tile lie apart. Faster: more fast memory, Zarr in chunks "
        f"of {tile} x {tile}, or a local copy"
    )


def files(*paths: str) -> list[str]:
    """The files and folders that factors' paths name."""
    return [split(path, None)[0] for path in paths if not is_address(path)]


def require_apart(named: str, *paths: str) -> None:
    """Raises UsageError where C in objects would replace a factor."""
    if is_address(named) and named.rstrip("/") in {split(p, None)[0].rstrip("/") for p in paths}:
        raise UsageError(f"-o {named} would write over {named}, which is read: name another")


def common(paths: list[str]) -> str:
    """The folder of these files, or the beginning of the keys of these objects."""
    if is_address(paths[0]):
        return PREFIX + os.path.commonpath([each.removeprefix(PREFIX) for each in paths])
    return os.path.commonpath(paths)


def described(layout: Layout) -> dict[str, Any]:
    """A matrix as the library takes it: by rows, or as its transpose by rows. Raises FileError."""
    if len(layout.shape) != 2:
        raise FileError(f"{layout.name}: shape is {layout.shape}: must be a matrix")
    name = "bfloat16" if is_bfloat16(layout.dtype) else layout.dtype.name
    if name not in TYPES:
        raise FileError(f"{layout.name}: elements are {name}: must be {', '.join(TYPES)}")
    if not layout.dtype.isnative:
        raise FileError(f"{layout.name}: elements are {layout.dtype}: bytes in the other order")
    turn = -1 if layout.by_columns else 1
    grid = layout.grid[::turn]
    in_chunks = grid != (1, 1)
    chunks = [layout.file(at[::turn]) for at in itertools.product(*map(range, grid))]
    rows, columns = layout.shape[::turn]
    chunk_rows, chunk_columns = layout.chunks[::turn] if in_chunks else (0, 0)
    whole = layout.chunks == layout.shape
    if not in_chunks and not whole:
        # one chunk that is larger than the matrix: its rows are longer than those of the matrix
        in_chunks, (chunk_rows, chunk_columns) = True, layout.chunks[::turn]
    return {
        "path": common(chunks) if in_chunks and len(chunks) > 1 else chunks[0],
        "offset": layout.offset,
        "rows": rows,
        "columns": columns,
        "type": name,
        "by_columns": layout.by_columns,
        "chunks": chunks if in_chunks else [],
        "chunk_rows": chunk_rows,
        "chunk_columns": chunk_columns,
    }
