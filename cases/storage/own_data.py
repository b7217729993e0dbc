"""The user's own data in place of test files, `file=PATH`: where they lie.

PATH is what `watari.open` takes; a file of no format that it knows is read from its first byte to
its last. Blocks lie one behind the other in each file or object, from the first element on, or from
the next page where direct I/O or sectors need that. What is left at the end is not read.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from watari.case.axis import Parameters, expanded
from watari.case.engines import QUEUED
from watari.common.errors import FileError
from watari.common.files import allow_open
from watari.objects import is_address

if TYPE_CHECKING:
    from watari.arrays.layout import Layout

PAGE = 4096  # bytes


@dataclass(frozen=True)
class OwnData:
    """`bytes` of each of these files or objects, from `offset` on."""

    paths: list[str]
    offset: int
    bytes: int

    def size(self, block: int) -> int:
        """Bytes of all whole blocks."""
        return len(self.paths) * (self.bytes // block) * block


def layout_of(path: str) -> Layout:
    """Where the data lie. Raises FileError, UnsupportedError, UsageError."""
    # with NumPy, which other trials start without
    from watari.arrays.opening import UnknownFormatError, located
    from watari.arrays.source import place_of

    try:
        found = located(path)
    except UnknownFormatError:
        source = place_of(path).open(path)
        size = source.size
        source.close()
        found = located(path, shape=(size,), dtype="u1")
    if found.source is not None:
        found.source.close()
    return found.layout


def own_data(parameters: Parameters) -> OwnData:
    """The data of `file`. Raises FileError, UnsupportedError, UsageError."""
    path = str(parameters["file"])
    layout = layout_of(path if is_address(path) else expanded(path))
    paths = [layout.file(at) for at in itertools.product(*map(range, layout.grid))]
    whole = parameters["engine"] in QUEUED or (
        parameters["cache"] == "none" and not is_address(path)
    )
    unit = PAGE if whole else 1
    offset = -(-layout.offset // unit) * unit
    size = layout.offset + layout.chunk_bytes - offset if paths else 0
    if size < parameters["block"]:
        raise FileError(
            f"{layout.name}: {max(size, 0)} bytes in a row, less than a block of "
            f"{parameters['block']}"
        )
    return OwnData(paths, offset, size)


def native(parameters: Parameters) -> Parameters:
    """The data as the library takes them; all of their files may be open."""
    if not parameters["file"]:
        return {}
    found = own_data(parameters)
    if not is_address(found.paths[0]):
        allow_open(str(parameters["file"]), len(found.paths))
    return {"paths": found.paths, "offset": found.offset, "bytes": found.bytes}
