"""Where a map of heights lies on the earth: its projection, by CF's names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# CF's name of a projection and of its parameters, by their names in WKT
EASTING = {"false_easting": "false_easting", "false_northing": "false_northing"}
ORIGIN = {"latitude_of_origin": "latitude_of_projection_origin"}
CENTRAL = {"central_meridian": "longitude_of_central_meridian"}
PROJECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "Transverse_Mercator": (
        "transverse_mercator",
        {**EASTING, **ORIGIN, **CENTRAL, "scale_factor": "scale_factor_at_central_meridian"},
    ),
    "Lambert_Conformal_Conic_2SP": (
        "lambert_conformal_conic",
        {
            **EASTING,
            **ORIGIN,
            **CENTRAL,
            "standard_parallel_1": "standard_parallel",
            "standard_parallel_2": "standard_parallel",
        },
    ),
    "Lambert_Azimuthal_Equal_Area": (
        "lambert_azimuthal_equal_area",
        {
            **EASTING,
            "latitude_of_center": "latitude_of_projection_origin",
            "longitude_of_center": "longitude_of_projection_origin",
        },
    ),
}


@dataclass(frozen=True)
class Place:
    """Where a map lies: its south-western corner in a projection, whose unit has `unit` metres."""

    x: float
    y: float
    unit: float
    wkt: str

    @property
    def mapping(self) -> dict[str, Any]:
        """The projection by CF's names; empty for one that is not in the table."""
        named = re.search(r'PROJECTION\["(\w+)"', self.wkt)
        if named is None or named[1] not in PROJECTIONS:
            return {}
        name, parameters = PROJECTIONS[named[1]]
        found: dict[str, Any] = {"grid_mapping_name": name}
        for theirs, ours in parameters.items():
            if value := re.search(rf'PARAMETER\["{theirs}",([-+\d.eE]+)', self.wkt):
                number = float(value[1])
                found[ours] = [found[ours], number] if ours in found else number
        return found

    def degrees(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Longitude and latitude (WGS 84)."""
        import numpy as np
        from rasterio.crs import CRS
        from rasterio.warp import transform

        found = transform(CRS.from_wkt(self.wkt), "EPSG:4326", np.ravel(x), np.ravel(y))
        longitude, latitude = (np.reshape(part, np.shape(x)) for part in found[:2])
        return longitude, latitude
