"""A made-up flow around a building, and its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from watari.cases.les import output
from watari.cases.les.city.place import Place
from watari.cases.les.formats import netcdf


def flow(x: int = 12, y: int = 8, seconds: float = 12.5, place: Place | None = None) -> output.Wind:
    """Random air around one building, with two looks at planes."""
    some = np.random.default_rng(1)
    solid = np.zeros((6, y, x), bool)
    solid[:3, 2, 3] = True
    fields = {n: some.random(solid.shape, dtype="f4") for n in "uvw"}
    fields["theta"] = 300 + some.random(solid.shape, dtype="f4")
    seen = some.random((2, 4, y + 6, x), dtype="f4")
    planes = output.planes_of(seen, solid, 2.0)
    return output.Wind(fields, solid, 2.0, seconds, planes, (1.0, 2.5), place)


def written(name: str, of: output.Wind) -> Path:
    pytest.importorskip("netCDF4")
    netcdf.netcdf(Path(name), of)
    return Path(name)
