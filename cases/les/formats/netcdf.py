"""The wind as CF NetCDF-4, and back.

Buildings are missing values. If the map of heights has a projection of the earth, x and y are its
coordinates, and each column has a latitude and a longitude.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from watari.cases.les.comfort.facets import BY_COLUMN, BY_PLANE, Radiation
from watari.cases.les.comfort.maps import HEIGHT, TITLES
from watari.cases.les.comfort.radiant import DIRECTIONS
from watari.cases.les.output import NAMES, Wind
from watari.cases.les.picture import low_plane
from watari.common.errors import UsageError
from watari.common.files import reason, write_atomically

START = "2000-01-01 00:00:00"
LEAVES = "leaf_area_density"
EVERY = ("u", "v", "w", "theta")  # the fields of every run; a run with mist has more


def netcdf(path: Path, of: Wind) -> None:
    """CF NetCDF-4. Raises FileError."""
    from netCDF4 import Dataset

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "wind.nc"
        with Dataset(made, "w", format="NETCDF4") as file:
            file.Conventions = "CF-1.10"
            file.title = "Wind in a city"
            file.source = "watari wind, a large-eddy simulation"
            add_axes(file, of)
            file.createDimension("time", None)
            add_times(file, "time", (of.seconds,), "simulated time")
            add_fields(file, of)
            if of.planes:
                add_planes(file, of)
            if of.map is not None:
                add_map(file, of)
            add_leaves(file, of)
            add_radiation(file, of)
        write_atomically(path, made.read_bytes())


def add_axes(file: Any, of: Wind) -> None:
    """x, y and z of cell centres in metres; on the earth, x and y are those of the projection."""
    place, metres = of.place, "m"
    starts, unit = ((0.0, 0.0), 1.0) if place is None else ((place.x, place.y), place.unit)
    if unit != 1:
        metres = f"{unit:.12g} m"
    for name, count, start in zip("zyx", of.solid.shape, (0.0, *reversed(starts)), strict=True):
        file.createDimension(name, count)
        axis = file.createVariable(name, "f8", (name,))
        axis.units, axis.axis = "m" if name == "z" else metres, name.upper()
        centres = (np.arange(count) + 0.5) * of.spacing
        axis[:] = centres if name == "z" else start + centres / unit
        if name != "z" and place is not None and place.mapping:
            axis.standard_name = f"projection_{name}_coordinate"
    file["z"].positive, file["z"].standard_name = "up", "height"
    if place is not None:
        add_place(file, of)


def add_place(file: Any, of: Wind) -> None:
    """Latitude and longitude of each column, and the projection."""
    if (place := of.place) is None:
        return
    longitude, latitude = place.degrees(*np.meshgrid(file["x"][:], file["y"][:]))
    for name, units, values in (
        ("lat", "degrees_north", latitude),
        ("lon", "degrees_east", longitude),
    ):
        column = file.createVariable(name, "f8", ("y", "x"), zlib=True)
        column.standard_name = {"lat": "latitude", "lon": "longitude"}[name]
        column.units = units
        column[:] = values
    if place.mapping:
        crs = file.createVariable("crs", "i4")
        crs.setncatts({**place.mapping, "crs_wkt": place.wkt})


def located(of: Wind, variable: Any, more: str = "") -> None:
    """The attributes by which a variable over y and x names its place."""
    coordinates = f"{more} lat lon" if of.place is not None else more
    if coordinates:
        variable.coordinates = coordinates.strip()
    if of.place is not None and of.place.mapping:
        variable.grid_mapping = "crs"


def add_fields(file: Any, of: Wind) -> None:
    """Every field, whole, at the end."""
    for name, values in of.fields.items():
        whole = file.createVariable(
            name, "f4", ("time", "z", "y", "x"), zlib=True, fill_value=np.float32(1e20)
        )
        whole.standard_name, whole.units = NAMES[name]
        located(of, whole)
        whole[0] = np.ma.masked_array(values, of.solid)


def add_map(file: Any, of: Wind) -> None:
    """A map of comfort, with what it assumes."""
    if of.map is None:
        return
    height = file.createVariable("height_of_map", "f4")
    height.units, height.axis, height.positive = "m", "Z", "up"
    height[...] = HEIGHT
    made = file.createVariable(
        of.map.name, "f4", ("time", "y", "x"), zlib=True, fill_value=np.float32(1e20)
    )
    made.units, made.long_name = "degC", TITLES[of.map.name]
    made.comment = "; ".join(of.map.notes)
    located(of, made, "height_of_map")
    made[0] = of.map.values


def add_leaves(file: Any, of: Wind) -> None:
    """The leaf area density of each cell, if there are trees."""
    if of.leaves is None:
        return
    made = file.createVariable(LEAVES, "f4", ("z", "y", "x"), zlib=True)
    made.units, made.long_name = "m-1", "leaf area density"
    located(of, made)
    made[:] = of.leaves


def add_radiation(file: Any, of: Wind) -> None:
    """The radiation on people, if the run computed it."""
    if (found := of.radiation) is None:
        return
    file.createDimension("plane", len(DIRECTIONS))
    for names, axes in ((BY_PLANE, ("plane", "y", "x")), (BY_COLUMN, ("y", "x"))):
        for name, (units, meaning) in names.items():
            made = file.createVariable(name, "f4", axes, zlib=True, fill_value=np.float32(1e20))
            made.units, made.long_name = units, meaning
            if "plane" in axes:
                made.planes = f"face {', '.join(DIRECTIONS)}"
            located(of, made)
            made[:] = np.ma.masked_invalid(getattr(found, name))
    file.sun_elevation, file.sun_azimuth = found.elevation, found.azimuth


def add_times(file: Any, name: str, seconds: tuple[float, ...], long_name: str) -> None:
    """An axis of times. CF requires a reference date, so the simulation has one."""
    time = file.createVariable(name, "f8", (name,))
    time.units, time.calendar = f"seconds since {START}", "standard"
    time.standard_name, time.long_name, time.axis = "time", long_name, "T"
    time[:] = seconds


def add_planes(file: Any, of: Wind) -> None:
    """Planes of every touch, on an axis of times of their own; a coordinate gives their place."""
    file.createDimension("touch", len(of.touches))
    add_times(file, "touch", of.touches, "simulated time of a look of the CPU")
    depth, length, _ = of.solid.shape
    places = {"y": ("z_low", low_plane(depth, of.spacing)), "z": ("y_cut", length // 2)}
    for place, cells in places.values():
        at = file.createVariable(place, "f8")
        at.units, at.axis = file[place[0]].units, place[0].upper()
        at[...] = file[place[0]][cells]
    for name, (axis, values) in of.planes.items():
        plane = file.createVariable(
            name, "f4", ("touch", axis, "x"), zlib=True, fill_value=np.float32(1e20)
        )
        standard, plane.units = NAMES[name.split("_")[0]]
        at, place = file[places[axis][0]][...], places[axis][0]
        plane.standard_name, plane.coordinates = standard, place
        if axis == "y":
            located(of, plane, place)
        plane.long_name = f"{standard} at {place[0]} = {at:g} m"
        plane[:] = values


def read(path: Path) -> Wind:
    """The flow at the end of an earlier run, from the file that it wrote. Raises UsageError."""
    try:
        from netCDF4 import Dataset
    except ImportError:
        raise UsageError(f"{path}: a .nc needs netCDF4: pip install 'watari[city]'") from None
    try:
        if not path.is_file():
            raise UsageError(f"{path}: is no file")
        with Dataset(path) as file:
            missing = [n for n in (*EVERY, "z", "time") if n not in file.variables]
            if missing:
                raise UsageError(f"{path}: no result of watari wind: it has no {missing[0]}")
            return flow_of(file)
    except UsageError:
        raise
    except Exception as error:  # of many kinds, by HDF5
        raise UsageError(f"{path}: not a complete result of watari wind: {reason(error)}") from None


def radiation_in(file: Any) -> Radiation | None:
    """The radiation on people of an open file; none if its run computed none."""
    if any(name not in file.variables for name in (*BY_PLANE, *BY_COLUMN)):
        return None
    each = {n: np.ma.filled(file[n][:].astype(float), np.nan) for n in (*BY_PLANE, *BY_COLUMN)}
    return Radiation(**each, elevation=float(file.sun_elevation), azimuth=float(file.sun_azimuth))


def flow_of(file: Any) -> Wind:
    """The fields of an open file at the end."""
    found = {
        n: file[n][-1] for n in file.variables if file[n].dimensions == ("time", "z", "y", "x")
    }
    solid = np.ma.getmaskarray(found["theta"])
    heights = solid.sum(0)
    if not (solid == (np.arange(len(solid))[:, None, None] < heights)).all():
        raise UsageError(f"{file.filepath()}: air below a building: some fields are missing")
    spacing = float(2 * file["z"][0])
    whole = Wind(
        {n: a.filled(0) for n, a in found.items()}, solid, spacing, float(file["time"][-1])
    )
    leaves = np.ma.filled(file[LEAVES][:], 0) if LEAVES in file.variables else None
    return replace(
        whole,
        fields={n: np.asarray(a) for n, a in whole.fields.items()},
        leaves=leaves,
        radiation=radiation_in(file),
    )
