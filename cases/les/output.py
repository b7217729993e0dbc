"""The wind that a run leaves, and its files: NetCDF (.nc), VTK (.vti, .pvd), a picture (.png).

Velocities are given at cell centres; buildings are missing values. formats/ writes the files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from watari.cases.les.city.place import Place
from watari.cases.les.comfort.facets import Radiation, radiation_of
from watari.cases.les.mist import HUMIDITY
from watari.cases.les.picture import low_plane
from watari.common import written
from watari.common.errors import FileError, UsageError
from watari.common.files import reason

if TYPE_CHECKING:
    from watari.cases.les.comfort.maps import Map

THETA0 = 300.0  # K; theta is the deviation from it
NAMES = {
    "u": ("eastward_wind", "m s-1"),
    "v": ("northward_wind", "m s-1"),
    "w": ("upward_air_velocity", "m s-1"),
    "theta": ("air_potential_temperature", "K"),
    "T": ("air_temperature", "K"),
    "q": ("specific_humidity", "1"),
    "l": ("mass_fraction_of_cloud_liquid_water_in_air", "1"),
}


@dataclass(frozen=True)
class Wind:
    """u, v, w and theta at cell centres, [z][y][x]; `solid` marks cells without air; `spacing` in
    metres; simulated seconds."""

    fields: dict[str, NDArray[Any]]
    solid: NDArray[Any]
    spacing: float
    seconds: float
    planes: dict[str, tuple[str, NDArray[Any]]] = field(default_factory=dict)
    touches: tuple[float, ...] = ()  # s, of the planes
    place: Place | None = None  # of its map of heights on the earth
    map: Map | None = None  # of comfort
    before: Map | None = None  # the same of another run
    leaves: NDArray[Any] | None = None  # leaf area density, 1/m, [z][y][x]
    radiation: Radiation | None = None  # on people, by the run's own facets

    @property
    def speed(self) -> NDArray[Any]:
        """The wind's speed."""
        squares = sum(self.fields[name].astype(float) ** 2 for name in "uvw")
        return np.ma.masked_array(np.sqrt(squares), self.solid)


def wind(
    trial: dict[str, Any],
    spacing: float,
    dt: float = 0.0,
    every: int = 1,
    sun: tuple[float, float] = (45.0, 180.0),
) -> Wind:
    """The arrays that a trial kept, moved from faces to centres. x and y are periodic; no wind
    crosses the lid. The trial kept planes every `every` steps of `dt` seconds, under a sun at this
    elevation and azimuth."""
    u, v, w = (trial[name] for name in "uvw")
    above = np.concatenate([w[1:], np.zeros_like(w[:1])])
    solid = np.arange(u.shape[0])[:, None, None] < trial["heights"]
    fields = {
        "u": (u + np.roll(u, -1, 2)) / 2,
        "v": (v + np.roll(v, -1, 1)) / 2,
        "w": (w + above) / 2,
        "theta": trial["theta"] + np.float32(THETA0),
    }
    if "q" in trial:
        fields["T"] = fields["theta"]  # at these heights
        fields["q"] = trial["q"] + np.float32(HUMIDITY)
        fields["l"] = trial["l"]
    seconds = float(trial["quantities"]["simulated"]["value"])
    found = Wind(fields, solid, spacing, seconds)
    if len(cells := trial.get("trees", ())):
        found = replace(found, leaves=leaves_of(cells, solid.shape))
    if "people" in trial:
        found = replace(found, radiation=radiation_of(trial["people"], sun))
    if "planes" not in trial:
        return found
    seen = trial["planes"]
    times = tuple(float(every * (n + 1) * dt) for n in range(len(seen)))
    return replace(found, planes=planes_of(seen, solid, spacing), touches=times)


def leaves_of(cells: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Leaf area densities by cell, of x, y, z and density of each cell with leaves."""
    density = np.zeros(shape, np.float32)
    i, j, k = (cells[:, n].astype(int) for n in range(3))
    density[k, j, i] = cells[:, 3]
    return density


def planes_of(
    seen: NDArray[Any], solid: NDArray[Any], spacing: float
) -> dict[str, tuple[str, NDArray[Any]]]:
    """Two planes at each touch: the horizontal one 2 m above the ground and the x-z plane through
    the middle. Theta and the velocities within each plane, at centres, by name, with the axis
    beside x."""
    depth, length, _ = solid.shape
    low, cut = seen[:, :, :length], seen[:, :, length:]
    above = np.concatenate([cut[:, 2, 1:], np.zeros_like(cut[:, 2, :1])], 1)
    horizontal = {
        "u": (low[:, 0] + np.roll(low[:, 0], -1, 2)) / 2,
        "v": (low[:, 1] + np.roll(low[:, 1], -1, 1)) / 2,
        "theta": low[:, 3] + np.float32(THETA0),
    }
    vertical = {
        "u": (cut[:, 0] + np.roll(cut[:, 0], -1, 2)) / 2,
        "w": (cut[:, 2] + above) / 2,
        "theta": cut[:, 3] + np.float32(THETA0),
    }
    ground, middle = solid[low_plane(depth, spacing)], solid[:, length // 2]
    both = (("low", "y", ground, horizontal), ("cut", "z", middle, vertical))
    return {
        f"{name}_{where}": (axis, np.ma.masked_array(a, np.broadcast_to(mask, a.shape)))
        for where, axis, mask, of in both
        for name, a in of.items()
    }


# by suffix, the fields first: the module and function that write a file, and the package it needs
WRITERS = {
    ".nc": ("netcdf", "netcdf", "netCDF4"),
    ".vti": ("vtk", "vti", ""),
    ".pvd": ("vtk", "series", ""),
    ".png": ("drawing", "picture", "matplotlib.backends.backend_agg"),
}
VTK = rb'<\?xml[^>]*>\s*<VTKFile type="(ImageData|Collection)"'
FIELDS = written.kind(
    "wind fields", " ".join(WRITERS), b"|".join((rb"\x89HDF|CDF", VTK, written.PNG)), strict=True
)


def writer(suffix: str) -> Callable[[Path, Wind], None]:
    """The function that writes files of a suffix."""
    module, name, _ = WRITERS[suffix]
    written_by: Callable[[Path, Wind], None]
    written_by = getattr(import_module(f"watari.cases.les.formats.{module}"), name)
    return written_by


def least_size(path: Path, shape: tuple[int, int, int], fields: int = 4) -> int:
    """Least bytes of a file: a .vti has these numbers of 4 bytes for each cell, in base64."""
    whole = path.suffix.lower() == ".vti"
    return 4 * fields * math.prod(shape) * 4 // 3 if whole else written.BLOCK


def require_package(path: Path) -> None:
    """Raises UsageError where a package that the file needs is missing."""
    *_, package = WRITERS[path.suffix.lower()]
    try:
        if package:
            import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        text = f"-o {path}: a {path.suffix.lower()} needs {name}: pip install 'watari[city]'"
        raise UsageError(text) from None


def write_all(files: Sequence[Path], of: Wind) -> tuple[list[Path], list[str]]:
    """Writes the files, the fields first, each whether or not another one fails. Returns those that
    were written, and why the others were not."""
    done, failed = [], []
    for path in sorted(files, key=lambda path: [*WRITERS].index(path.suffix.lower())):
        try:
            writer(path.suffix.lower())(path, of)
        except FileError as error:
            failed.append(str(error))
        except Exception as error:  # of many kinds, by the libraries of NetCDF and of pictures
            failed.append(f"{path}: cannot be written: {reason(error)}")
        else:
            done.append(path)
    return done, failed
