"""The radiation on people that a run with `radiation` computed (native/radiation/people.hpp): from
its own facets and leaves, with their temperatures, what they reflect, shadows and the shade of
trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from watari.cases.les.comfort.radiant import DIRECTIONS, Fluxes

Array = Any  # of NumPy

# variables of a file, by plane and then by column, or by column: name, unit, meaning
BY_PLANE = {
    "light": ("W m-2", "diffuse and reflected light on planes 1.5 m above the ground"),
    "long_waves": ("W m-2", "long waves on planes 1.5 m above the ground"),
}
BY_COLUMN = {
    "beam": ("W m-2", "light of the sun on a plane across it, 1.5 m above the ground"),
    "ground_temperature": ("K", "temperature of the ground"),
}


@dataclass(frozen=True)
class Radiation:
    """W/m2 and K by column, NaN in buildings; the sun in degrees above the horizon and clockwise
    from north."""

    light: Array  # by DIRECTIONS
    long_waves: Array
    beam: Array
    ground_temperature: Array
    elevation: float
    azimuth: float

    @property
    def fluxes(self) -> Fluxes:
        """On a person."""
        return Fluxes(self.light, self.long_waves, self.beam, self.elevation)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a map says about them."""
        import numpy as np

        known = self.ground_temperature[np.isfinite(self.ground_temperature)] - 273.15
        ground = f"{known.min():.3g} to {known.max():.3g} C" if known.size else "nowhere"
        most = float(np.nanmax(self.beam, initial=0.0))
        return (
            f"radiation: between the run's facets and leaves; sun {self.elevation:.3g} degrees "
            f"high at azimuth {self.azimuth:.3g}, beam at most {most:.3g} W/m2",
            f"ground and walls: those of the run, steady at its begin; ground {ground}",
        )


def radiation_of(people: Array, sun: tuple[float, float]) -> Radiation:
    """The radiation of a trial's array: light by plane, long waves by plane, beam, ground."""
    planes = len(DIRECTIONS)
    each = people.astype(float)
    beam, ground = each[2 * planes :]
    return Radiation(each[:planes], each[planes : 2 * planes], beam, ground, *sun)
