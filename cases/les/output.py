"""The wind as files: NetCDF by CF's rules (.nc), VTK's image data (.vti), a picture (.png).

Velocities are given at cell centres; buildings are missing values.
"""

from __future__ import annotations

import base64
import io
import math
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.cases.les.mist import HUMIDITY
from watari.cases.les.picture import full_row, low_plane
from watari.common import written
from watari.common.errors import FileError, UsageError
from watari.common.files import reason, write_atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

START = "2000-01-01 00:00:00"
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

    @property
    def speed(self) -> NDArray[Any]:
        """The wind's speed."""
        import numpy as np

        squares = sum(self.fields[name].astype(float) ** 2 for name in "uvw")
        return np.ma.masked_array(np.sqrt(squares), self.solid)


def wind(trial: dict[str, Any], spacing: float, dt: float = 0.0, every: int = 1) -> Wind:
    """The arrays that a trial kept, moved from faces to centres. x and y are periodic; no wind
    crosses the lid. The trial kept planes every `every` steps of `dt` seconds."""
    import numpy as np

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
    if "planes" not in trial:
        return found
    seen = trial["planes"]
    times = tuple(float(every * (n + 1) * dt) for n in range(len(seen)))
    return replace(found, planes=planes_of(seen, solid, spacing), touches=times)


def planes_of(
    seen: NDArray[Any], solid: NDArray[Any], spacing: float
) -> dict[str, tuple[str, NDArray[Any]]]:
    """Two planes at each touch: the horizontal one 2 m above the ground and the x-z plane through
    the middle. Theta and the velocities within each plane, at centres, by name, with the axis
    beside x."""
    import numpy as np

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


def netcdf(path: Path, of: Wind) -> None:
    """CF NetCDF-4. Raises FileError."""
    import numpy as np
    from netCDF4 import Dataset

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "wind.nc"
        with Dataset(made, "w", format="NETCDF4") as file:
            file.Conventions = "CF-1.10"
            file.title = "Wind in a city"
            file.source = "watari wind, a large-eddy simulation"
            for name, count in zip("zyx", of.solid.shape, strict=True):
                file.createDimension(name, count)
                axis = file.createVariable(name, "f4", (name,))
                axis.units, axis.axis = "m", name.upper()
                axis[:] = (np.arange(count) + 0.5) * of.spacing
            file["z"].positive = "up"
            file.createDimension("time", None)
            add_times(file, "time", (of.seconds,), "simulated time")
            for name in of.fields:
                standard, units = NAMES[name]
                whole = file.createVariable(
                    name, "f4", ("time", "z", "y", "x"), zlib=True, fill_value=np.float32(1e20)
                )
                whole.standard_name, whole.units = standard, units
                whole[0] = np.ma.masked_array(of.fields[name], of.solid)
            if of.planes:
                add_planes(file, of)
        write_atomically(path, made.read_bytes())


def add_times(file: Any, name: str, seconds: tuple[float, ...], long_name: str) -> None:
    """An axis of times. CF requires a reference date, so the simulation has one."""
    time = file.createVariable(name, "f8", (name,))
    time.units, time.calendar = f"seconds since {START}", "standard"
    time.standard_name, time.long_name, time.axis = "time", long_name, "T"
    time[:] = seconds


def add_planes(file: Any, of: Wind) -> None:
    """Planes of every touch, on an axis of times of their own; a coordinate gives their place."""
    import numpy as np

    file.createDimension("touch", len(of.touches))
    add_times(file, "touch", of.touches, "simulated time of a look of the CPU")
    depth, length, _ = of.solid.shape
    places = {"y": ("z_low", low_plane(depth, of.spacing)), "z": ("y_cut", length // 2)}
    for place, cells in places.values():
        at = file.createVariable(place, "f4")
        at.units, at.axis = "m", place[0].upper()
        at[...] = (cells + 0.5) * of.spacing
    for name, (axis, values) in of.planes.items():
        plane = file.createVariable(
            name, "f4", ("touch", axis, "x"), zlib=True, fill_value=np.float32(1e20)
        )
        standard, plane.units = NAMES[name.split("_")[0]]
        at, place = file[places[axis][0]][...], places[axis][0]
        plane.standard_name, plane.coordinates = standard, place
        plane.long_name = f"{standard} at {place[0]} = {at:g} m"
        plane[:] = values


def vti(path: Path, of: Wind) -> None:
    """VTK's image data, by cell; buildings are NaN. Raises FileError."""
    import numpy as np

    def array(name: str, values: NDArray[Any], width: int) -> str:
        data = np.ascontiguousarray(values, "<f4").tobytes()
        text = base64.b64encode(struct.pack("<Q", len(data)) + data).decode()
        head = f'<DataArray type="Float32" Name="{name}" NumberOfComponents="{width}" '
        return f'{head}format="binary">{text}</DataArray>'

    masked = {n: np.where(of.solid, np.float32("nan"), a) for n, a in of.fields.items()}
    velocity = np.stack([masked[name] for name in "uvw"], -1)
    extent = " ".join(f"0 {n}" for n in reversed(of.solid.shape))
    step = " ".join([f"{of.spacing:g}"] * 3)
    content = [
        '<?xml version="1.0"?>',
        '<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f'<ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="{step}">',
        f'<Piece Extent="{extent}"><CellData Vectors="wind" Scalars="theta">',
        array("wind", velocity, 3),
        *(array(name, masked[name], 1) for name in masked if name not in "uvw"),
        "</CellData></Piece></ImageData></VTKFile>\n",
    ]
    write_atomically(path, "\n".join(content))


def picture(path: Path, of: Wind) -> None:
    """Wind speed near 2 m above the ground and in the vertical cut through most of the buildings,
    each with colours of its own. Raises FileError."""
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    d = of.spacing
    depth, length, width = (n * d for n in of.solid.shape)
    heights = of.solid.sum(0)
    k, j = low_plane(of.solid.shape[0], d), full_row(heights)
    at, cut = (k + 0.5) * d, (j + 0.5) * d
    panels: tuple[tuple[Any, ...], ...] = (
        (np.s_[k], "v", heights, "y", cut, f"{at:g} m above the ground (dashed: the cut below)"),
        (np.s_[:, j], "w", heights[j], "z", at, f"cut at y = {cut:g} m (dashed: the plane above)"),
    )
    tall = min(1.6 + 7 * (length + depth) / width, 16)
    figure = Figure(figsize=(8.4, tall), layout="compressed")
    FigureCanvasAgg(figure)
    figure.suptitle(
        f"Wind speed after {of.seconds:.4g} s; buildings are grey, tall ones darker", fontsize=13
    )
    both = figure.subplots(2, 1, height_ratios=[length, depth], sharex=True)
    for axes, (plane, other, tall_as, name, line, title) in zip(both, panels, strict=True):
        air = draw_plane(axes, of, plane, ("u", other), tall_as)
        axes.axhline(line, color="#e0542f", linewidth=0.9, linestyle=(0, (6, 4)))
        axes.set_ylabel(f"{name}, m")
        axes.set_title(title, fontsize=11)
        high = length if name == "y" else depth
        figure.colorbar(air, ax=axes, label="m/s", pad=0.02, aspect=32 * high / width, extend="max")
    both[1].set_xlabel("x, m")
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    write_atomically(path, content.getvalue())


def draw_plane(
    axes: Any, of: Wind, plane: Any, names: tuple[str, str], heights: NDArray[Any]
) -> Any:
    """Speed in colours, buildings by their height, and the wind in the plane as some forty arrows a
    row; returns the colours. The scale ends below the speed of the fastest 0.3% of cells."""
    import numpy as np

    d, solid, speed = of.spacing, of.solid[plane], of.speed[plane]
    high, width = (n * d for n in solid.shape)
    look: dict[str, Any] = {"origin": "lower", "extent": (0, width, 0, high)}
    most = float(np.percentile(speed.compressed(), 99.7)) or 1.0
    air = axes.imshow(speed, cmap="viridis", vmin=0, vmax=most, **look)
    built = np.ma.masked_array(np.broadcast_to(heights, solid.shape), ~solid)
    tallest = of.solid.sum(0).max()
    axes.imshow(built, cmap="Greys", vmin=-tallest / 4, vmax=1.6 * tallest + 1, **look)

    step = max(1, round(solid.shape[1] / 40))
    some = (slice(step // 2, None, step),) * 2
    wind = (np.ma.masked_array(of.fields[n][plane][some], solid[some]) for n in names)
    y, x = ((np.arange(n)[some[0]] + 0.5) * d for n in solid.shape)
    size = {"angles": "xy", "scale_units": "xy", "scale": most / (1.6 * step * d), "width": 0.0016}
    axes.quiver(x, y, *wind, color="white", alpha=0.75, pivot="mid", headwidth=4, **size)
    axes.set(xlim=(0, width), ylim=(0, high))
    return air


# by suffix, the fields first: how a file is written, and the package that this needs
WRITERS = {
    ".nc": (netcdf, "netCDF4"),
    ".vti": (vti, ""),
    ".png": (picture, "matplotlib.backends.backend_agg"),
}
VTI = rb'<\?xml[^>]*>\s*<VTKFile type="ImageData"'
FIELDS = written.kind(
    "wind fields", " ".join(WRITERS), b"|".join((rb"\x89HDF|CDF", VTI, written.PNG)), strict=True
)


def least_size(path: Path, shape: tuple[int, int, int], fields: int = 4) -> int:
    """Least bytes of a file: a .vti has these numbers of 4 bytes for each cell, in base64."""
    return (
        4 * fields * math.prod(shape) * 4 // 3 if path.suffix.lower() == ".vti" else written.BLOCK
    )


def require_package(path: Path) -> None:
    """Raises UsageError where a package that the file needs is missing."""
    _, package = WRITERS[path.suffix.lower()]
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
        write, _ = WRITERS[path.suffix.lower()]
        try:
            write(path, of)
        except FileError as error:
            failed.append(str(error))
        except Exception as error:  # of many kinds, by the libraries of NetCDF and of pictures
            failed.append(f"{path}: cannot be written: {reason(error)}")
        else:
            done.append(path)
    return done, failed
