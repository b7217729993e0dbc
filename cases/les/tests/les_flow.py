"""A made-up flow around a building, and its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from watari.cases.les import output
from watari.cases.les.city.place import Place
from watari.cases.les.formats import map_drawing, netcdf


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


def written(path: str | Path, of: output.Wind) -> Path:
    pytest.importorskip("netCDF4")
    netcdf.netcdf(Path(path), of)
    return Path(path)


def dataset(path: str | Path, of: output.Wind) -> Any:
    """A flow's file, opened by netCDF4."""
    return pytest.importorskip("netCDF4").Dataset(written(path, of))


def drawn_panels(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any, str]]:
    """Values, scale and title of the panels that pictures draw from now on."""
    drawn: list[tuple[Any, Any, str]] = []
    panel = map_drawing.panel

    def watched(axes: Any, of: Any, values: Any, scale: Any, title: str) -> Any:
        drawn.append((values, scale, title))
        return panel(axes, of, values, scale, title)

    monkeypatch.setattr(map_drawing, "panel", watched)
    return drawn
