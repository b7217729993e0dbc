"""Places on the earth: coordinates of a result whose city is a map with a projection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from les_flow import dataset, flow

from watari.cases.les.city import maps
from watari.cases.les.city.place import Place

UTM = 32654  # zone 54 N: its central meridian is 141 degrees east


pytestmark = pytest.mark.usefixtures("in_folder")


def geotiff(name: str, metres: Any, south: float) -> None:
    """A map of cells of 2 m around the central meridian."""
    rasterio = pytest.importorskip("rasterio")
    rows, columns = metres.shape
    where = rasterio.transform.from_origin(500_000 - columns, south + 2 * rows, 2, 2)
    of = {"width": columns, "height": rows, "count": 1, "dtype": "float32", "transform": where}
    with rasterio.open(name, "w", driver="GTiff", crs=f"EPSG:{UTM}", **of) as file:
        file.write(metres[::-1].astype("f4"), 1)  # north first


def meridian_arc(degrees: float) -> float:
    """Metres from the equator along a meridian of WGS 84."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    angles = np.linspace(0, math.radians(degrees), 20001)
    each = a * (1 - e2) / (1 - e2 * np.sin(angles) ** 2) ** 1.5
    return float(((each[1:] + each[:-1]) / 2 * np.diff(angles)).sum())


def test_a_map_on_the_earth_gives_the_result_its_coordinates() -> None:
    metres = np.zeros((8, 12))
    metres[2, 3] = 6
    geotiff("city.tif", metres, 3_950_000)
    found = maps.place("file:city.tif", 2.0)
    assert found is not None
    with dataset("w.nc", flow(place=found)) as file:
        assert file["x"][:].tolist() == [500_000 - 12 + 1 + 2 * n for n in range(12)]
        assert file["y"][0] == 3_950_001
        assert file["x"].standard_name == "projection_x_coordinate"
        middle = (file["lon"][:, 5] + file["lon"][:, 6]) / 2
        assert np.abs(middle - 141).max() < 1e-9
        assert meridian_arc(file["lat"][0, 5]) * 0.9996 == pytest.approx(3_950_001, abs=0.01)
        assert file["u"].grid_mapping == "crs"
        assert file["u"].coordinates == "lat lon"
        crs = file["crs"]
        assert crs.grid_mapping_name == "transverse_mercator"
        assert crs.longitude_of_central_meridian == 141
        assert crs.scale_factor_at_central_meridian == pytest.approx(0.9996)
        assert crs.false_easting == 500_000
        assert "WGS" in crs.crs_wkt
        assert (file["u"][0].mask[0] == (metres > 0)).all()
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset("w.nc", decode_coords="all") as data:
        assert {"lat", "lon", "crs"} <= set(data["u"].coords)


def test_a_map_without_a_projection_has_local_coordinates() -> None:
    np.save("h.npy", np.zeros((8, 12)))
    assert maps.place("file:h.npy", 2.0) is None
    assert maps.place("flat", 2.0) is None
    with dataset("w.nc", flow()) as file:
        assert file["x"][0] == 1
        assert "lat" not in file.variables
        assert "grid_mapping" not in file["u"].ncattrs()


def test_a_projection_with_two_parallels_has_both() -> None:
    wkt = (
        'PROJCS["x",PROJECTION["Lambert_Conformal_Conic_2SP"],PARAMETER["latitude_of_origin",46.5],'
        'PARAMETER["central_meridian",3],PARAMETER["standard_parallel_1",49],'
        'PARAMETER["standard_parallel_2",44],PARAMETER["false_easting",700000]]'
    )
    found = Place(0, 0, 1, wkt).mapping
    assert found["grid_mapping_name"] == "lambert_conformal_conic"
    assert found["standard_parallel"] == [49, 44]
    assert Place(0, 0, 1, 'PROJECTION["Bonne"]').mapping == {}
