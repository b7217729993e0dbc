"""Maps of comfort at 1.5 m above the ground: air and mean radiant temperature, UTCI, WBGT.

Air and wind are those of the simulation, and so is the radiation of a run that has it (facets.py).
What it did not compute is assumed, and each assumption is a note of the map: humidity by an option,
radiation under one sky (onesky.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from watari.cases.les import mist
from watari.cases.les.comfort import onesky, radiant, utci, wbgt
from watari.cases.les.comfort.onesky import Sky

if TYPE_CHECKING:
    from watari.cases.les.output import Wind

Array = Any  # of NumPy

FREEZING = 273.15
PRESSURE = 1000.0  # hPa
THETA0 = 300.0  # K
GAS_RATIO = 0.622
HEIGHT = onesky.HEIGHT
SKY = Sky()
TITLES = {
    "tair": "Air temperature",
    "tmrt": "Mean radiant temperature",
    "utci": "UTCI",
    "wbgt": "WBGT",
}


@dataclass(frozen=True)
class Near:
    """The air 1.5 m above the ground, [y][x], NaN in buildings: K, m/s, kg/kg."""

    air: Array
    speed: Array
    vapour: Array  # hPa

    @property
    def humidity(self) -> Array:
        """Relative humidity, %."""
        return 100 * self.vapour / saturation(self.air)


@dataclass(frozen=True)
class Map:
    """Degrees C at 1.5 m, [y][x], masked in buildings and where the index is not defined."""

    name: str
    values: Any
    notes: tuple[str, ...]
    heights: Array  # of buildings, m
    spacing: float
    label: str  # of the run
    leafy: Array | None = None  # columns with leaves

    def all_notes(self, other: Map | None) -> list[str]:
        """What the map assumes; where that of another run has other numbers, these too."""
        theirs = [] if other is None else [n for n in other.notes if n not in self.notes]
        return [*self.notes, *(f"{other.label}: {note}" for note in theirs if other)]

    @property
    def title(self) -> str:
        """Of a picture."""
        return f"{TITLES[self.name]} {HEIGHT:g} m above the ground"


def saturation(kelvin: Any) -> Any:
    """Vapour pressure over water, hPa (Bolton 1980)."""
    return 6.112 * np.exp(17.67 * (kelvin - FREEZING) / (kelvin - 29.65))


def at_height(of: Array, spacing: float, logarithmic: bool = False) -> Array:
    """A field of cell centres, [z][y][x], at 1.5 m. Below the lowest centres a velocity follows the
    law of the wall, and other numbers do not change."""
    place = HEIGHT / spacing - 0.5
    if place >= 0:
        low = min(int(place), of.shape[0] - 2)
        share = min(place - low, 1.0)
        return (1 - share) * of[low] + share * of[low + 1]
    if not logarithmic:
        return of[0]
    z0 = onesky.ROUGHNESS
    return of[0] * (math.log(HEIGHT / z0) / math.log(spacing / 2 / z0))


def near(of: Wind, humidity: float | None) -> Near:
    """The air at 1.5 m. Without vapour in the flow, its pressure is that of `humidity` % at 300 K;
    without a humidity that of the air before mist, so that a run without mist compares with one."""
    street = of.solid.sum(0) == 0
    kelvin = at_height(of.fields["theta"].astype(float), of.spacing)
    squares = sum(at_height(of.fields[n].astype(float), of.spacing, True) ** 2 for n in "uvw")
    if humidity is not None and "q" not in of.fields:
        vapour = np.full(kelvin.shape, humidity / 100 * saturation(THETA0))
    else:
        dry = np.full(kelvin.shape, mist.HUMIDITY)
        q = at_height(of.fields["q"].astype(float), of.spacing) if "q" in of.fields else dry
        vapour = q * PRESSURE / (GAS_RATIO + (1 - GAS_RATIO) * q)
    hidden = np.where(street, 0.0, np.nan)
    return Near(kelvin + hidden, np.sqrt(squares) + hidden, vapour + hidden)


def humidity_note(of: Wind, humidity: float | None) -> str:
    """Where the humidity comes from."""
    if "q" in of.fields:
        return "humidity: computed"
    if humidity is None:
        return f"humidity: {mist.HUMIDITY:g} kg/kg everywhere, that of the air before mist"
    return f"humidity: {humidity:g}% at {THETA0 - FREEZING:.4g} C, the same vapour everywhere"


def radiation(of: Wind, here: Near, heights: Array, sky: Sky) -> tuple[radiant.Fluxes, list[str]]:
    """What falls on people, and how it was found."""
    if of.radiation is not None:
        return of.radiation.fluxes, list(of.radiation.notes)
    notes = [
        f"radiation: {sky}",
        "ground and walls: steady temperature in this air and light, one reflection",
    ]
    if of.leaves is not None:
        notes.append("trees: no shade, since the run had no --radiation")
    return onesky.fluxes(heights, of.spacing, here.air, here.speed, sky), notes


def comfort(name: str, of: Wind, humidity: float | None = None, sky: Sky = SKY) -> Map:
    """The map `name` of a flow."""
    here = near(of, humidity)
    heights = of.solid.sum(0) * of.spacing

    def finished(values: Array, *notes: str) -> Map:
        label = f"after {of.seconds:.4g} s"
        leafy = None if of.leaves is None else of.leaves.any(0)
        return Map(name, np.ma.masked_invalid(values), notes, heights, of.spacing, label, leafy)

    if name == "tair":
        return finished(here.air - FREEZING)
    on, notes = radiation(of, here, heights, sky)
    if name == "tmrt":
        values = radiant.mean_radiant(on) - FREEZING
        return finished(values + 0 * here.air, *notes)
    notes.append(humidity_note(of, humidity))
    if name == "wbgt":
        kelvin = wbgt.wbgt(here.air, here.vapour, PRESSURE, here.speed, on).wbgt
        notes.append(f"pressure: {PRESSURE:g} hPa; WBGT by Liljegren (2008)")
        return finished(kelvin - FREEZING, *notes)
    felt = utci.utci(
        here.air - FREEZING,
        radiant.mean_radiant(on) - FREEZING,
        here.speed,
        here.humidity,
        here.vapour,
    )
    slow = f"wind below {utci.LEAST_WIND:g} m/s at 10 m counts as that: {felt.slow:.1%} of the map"
    notes += [slow, f"outside the range of UTCI, without colour: {felt.outside:.1%} of the map"]
    return finished(felt.values, *notes)
