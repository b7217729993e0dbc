"""The files of a matrix that `watari bem` makes beside its output: the matrix, its partial file and
the journal of that. They are resumed, overwritten and removed, so they must be its own.
"""

from __future__ import annotations

from pathlib import Path

from watari.common import written
from watari.common.errors import UsageError
from watari.common.written import Written

# src/watari/hmatrix/file: the magic of the head, which is zero in a partial file; a journal begins
# with `identity`, whose bytes 24 to 39 are eta = 2.0, the bytes of an element, and 1
MAGIC = rb"WATARIHM"
JOURNAL = rb".{24}\x00{7}@[\x04\x08]\x00{3}\x01\x00{3}"
FILES = {
    "": written.kind("matrices", ".hmatrix", MAGIC),
    ".partial": written.kind("partial matrices", ".partial", MAGIC + rb"|\x00{8}"),
    ".partial.journal": written.kind("journals of matrices", ".journal", JOURNAL),
}


def check_own(matrix: Path) -> None:
    """Raises UsageError, FileError if a file with one of these names is of another kind."""
    for suffix, kind in FILES.items():
        path = matrix.with_name(matrix.name + suffix)
        if path.is_symlink():
            raise UsageError(f"{path}: is a link, not a file of `watari bem`: remove it")
        written.check_replaced(Written("matrix", path, kind))
