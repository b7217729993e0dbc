"""Where a factor of a product lies, for the library: its matrix in a file of any format.

The library itself reads .npy files. Of others `watari.arrays` reads the metadata, and the library
the elements, tile by tile.
"""

from __future__ import annotations

import itertools
import os
import resource
from typing import Any

from watari.arrays.layout import Layout
from watari.arrays.opening import is_npy, located, split
from watari.common.errors import FileError
from watari.memory.bfloat import is_bfloat16

TYPES = ("float32", "float64", "float16", "bfloat16")


def place(path: str) -> dict[str, Any] | None:
    """The place of a factor; None for a .npy file, which the library reads. Raises FileError,
    UnsupportedError."""
    if is_npy(path):
        return None
    found = located(path)
    if not found.place.is_local:
        raise FileError(f"{path}: factors of a product lie in files: read the object into one")
    if found.source is not None:
        found.source.close()
    facts = described(found.layout)
    allow_files(path, len(facts["chunks"]))
    return facts


def allow_files(path: str, count: int) -> None:
    """Raises the number of files that this process may have open, for all chunks of two factors.
    Raises FileError if the system allows fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 1024 + 4 * count  # two factors, each opened twice for a moment
    if not count or soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise FileError(
            f"{path}: {count} chunks, all of which are opened, and this process may open {hard} "
            "files (ulimit -Hn): choose larger chunks"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def files(path: str) -> str:
    """The file or folder that a factor's path names."""
    return split(path, None)[0]


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
        "path": os.path.commonpath(chunks) if in_chunks and len(chunks) > 1 else chunks[0],
        "offset": layout.offset,
        "rows": rows,
        "columns": columns,
        "type": name,
        "by_columns": layout.by_columns,
        "chunks": chunks if in_chunks else [],
        "chunk_rows": chunk_rows,
        "chunk_columns": chunk_columns,
    }
