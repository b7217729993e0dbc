"""Files of models of SSDs, for the tests of the cases that take them as a store."""

from __future__ import annotations

from pathlib import Path

from watari.case import ssd_model
from watari.case.ssd_model import Error, Row, SsdModel


def store(
    folder: Path, seconds: float = 1e-4, directions: tuple[str, ...] = ("read", "write")
) -> str:
    """`modelled:FILE` of a disk that takes as long for each request, alone or beside up to 63
    others, of 4 to 128 KiB."""
    shape = (1.0,) * len(ssd_model.SHAPE)
    rows = tuple(
        Row(direction, block, depth, seconds, depth / seconds, shape)
        for direction in directions
        for block in (2**12, 2**17)
        for depth in (1, 2, 64)
    )
    error = Error(0, 0, 0, 0)
    path = folder / "ssd.toml"
    path.write_text(ssd_model.text(SsdModel("ssd", "a formula", rows, error, error, None)))
    return f"modelled:{path}"
