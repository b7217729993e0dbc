"""The wind as files: NetCDF by CF's rules (.nc), VTK's image data (.vti), a picture (.png).

Velocities are those of cell centres; buildings are missing values.
"""

from __future__ import annotations

import base64
import io
import struct
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.common.errors import UnsupportedError
from watari.common.files import write_atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

THETA0 = 300.0  # K, of which theta is the deviation
HEIGHT = 2.0  # m, of the picture's plane
NAMES = {
    "u": ("eastward_wind", "m s-1"),
    "v": ("northward_wind", "m s-1"),
    "w": ("upward_air_velocity", "m s-1"),
    "theta": ("air_potential_temperature", "K"),
}


@dataclass(frozen=True)
class Wind:
    """u, v, w and theta of cell centres, [z][y][x]; where no air is; metres; seconds."""

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
    """What a trial kept, moved from faces to centres; x and y go around, the lid has no wind
    through it. Its planes were kept every `every` steps of `dt` seconds."""
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
    """Of each touch: the components of centres that lie in the horizontal plane 2 m above the
    ground and in the x-z plane through the middle, by name, with the axis beside x."""
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


def low_plane(depth: int, spacing: float) -> int:
    """The plane of cells 2 m above the ground."""
    return min(int(HEIGHT / spacing), depth - 1)


def netcdf(path: Path, of: Wind) -> None:
    """CF NetCDF-4. Raises UnsupportedError, FileError."""
    try:
        from netCDF4 import Dataset
    except ImportError:
        raise UnsupportedError("a .nc file needs netCDF4: pip install 'watari[city]'") from None
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "wind.nc"
        with Dataset(made, "w", format="NETCDF4") as file:
            file.Conventions = "CF-1.10"
            file.title = "Wind in a city, by watari"
            for name, count in zip("zyx", of.solid.shape, strict=True):
                file.createDimension(name, count)
                axis = file.createVariable(name, "f4", (name,))
                axis.units, axis.axis = "m", name.upper()
                axis[:] = (np.arange(count) + 0.5) * of.spacing
            file["z"].positive = "up"
            file.createDimension("time", None)
            time = file.createVariable("time", "f8", ("time",))
            time.units, time.long_name = "s", "simulated time"
            time[0] = of.seconds
            for name, (standard, units) in NAMES.items():
                whole = file.createVariable(
                    name, "f4", ("time", "z", "y", "x"), zlib=True, fill_value=np.float32(1e20)
                )
                whole.standard_name, whole.units = standard, units
                whole[0] = np.ma.masked_array(of.fields[name], of.solid)
            if of.planes:
                add_planes(file, of)
        write_atomically(path, made.read_bytes())


def add_planes(file: Any, of: Wind) -> None:
    """Planes of every touch, on an axis of times of their own."""
    import numpy as np

    file.createDimension("touch", len(of.touches))
    time = file.createVariable("touch", "f8", ("touch",))
    time.units, time.long_name = "s", "simulated time of a look of the CPU"
    time[:] = of.touches
    depth, length, _ = of.solid.shape
    places = {
        "y": f"z = {(low_plane(depth, of.spacing) + 0.5) * of.spacing:g} m",
        "z": f"y = {(length // 2 + 0.5) * of.spacing:g} m",
    }
    for name, (axis, values) in of.planes.items():
        plane = file.createVariable(
            name, "f4", ("touch", axis, "x"), zlib=True, fill_value=np.float32(1e20)
        )
        standard, plane.units = NAMES[name.split("_")[0]]
        plane.standard_name, plane.long_name = standard, f"{standard} at {places[axis]}"
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
        array("theta", masked["theta"], 1),
        "</CellData></Piece></ImageData></VTKFile>\n",
    ]
    write_atomically(path, "\n".join(content))


def picture(path: Path, of: Wind) -> None:
    """Speed 2 m above the ground and in the vertical cut through most of the buildings, in grey.
    Raises UnsupportedError, FileError."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError("a .png needs matplotlib: pip install 'watari[city]'") from None
    depth, length, width = (n * of.spacing for n in of.solid.shape)
    speed = of.speed
    k = low_plane(speed.shape[0], of.spacing)
    j = int(of.solid.sum(axis=(0, 2)).argmax())
    panels = (
        (speed[k], length, f"wind at {(k + 0.5) * of.spacing:g} m above the ground", "y, m"),
        (speed[:, j], depth, f"cut at y = {(j + 0.5) * of.spacing:g} m", "z, m"),
    )
    tall = 2 + 7 * (length + depth) / width
    figure = Figure(figsize=(8, min(tall, 14)), layout="constrained")
    FigureCanvasAgg(figure)
    both = figure.subplots(2, 1, height_ratios=[length, depth])
    most = float(speed.max())
    for axes, (values, high, title, label) in zip(both, panels, strict=True):
        axes.set_facecolor("#8c8f96")
        shown = axes.imshow(
            values, origin="lower", extent=(0, width, 0, high), vmin=0, vmax=most, cmap="viridis"
        )
        axes.set(title=title, xlabel="x, m", ylabel=label)
    figure.colorbar(shown, ax=both, label="m/s", shrink=0.6)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    write_atomically(path, content.getvalue())


WRITERS = {".nc": netcdf, ".vti": vti, ".png": picture}
