"""Wet bulb globe temperature, 0.7 natural wet bulb + 0.2 globe + 0.1 air, by Liljegren (2008).

    globe     eps (L - sigma T^4) + (1 - albedo) K = h (T - Ta)
    wet bulb  T = Ta - evaporation / ratio (es(T) - e) / (P - es(T)) (Pr / Sc)^0.56
                  + (eps (L - sigma T^4) + (1 - albedo) K) / h

h is that of a sphere of 5.08 cm and of a cylinder of 7 mm, of air at the mean of both temperatures.
Both equations are solved by Newton's method, to a millikelvin. Temperatures are in K, pressures in
hPa, fluxes in W/m2.

The paper computes K and L for open country. Here they follow from the fluxes of six directions, by
sums that give the paper's own K and L there (`open_country`). Its wick gets twice the diffuse light
that a vertical cylinder would; this is kept.

Liljegren, Carhart, Lawday, Tschopp, Sharp (2008): Modeling the wet bulb globe temperature using
standard meteorological measurements. J. Occup. Environ. Hyg. 5, 645.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from watari.cases.les.comfort.radiant import DIRECTIONS, SIDES, Fluxes

Array = Any  # of NumPy


SIGMA = 5.6696e-8  # the paper's
HEAT, AIR, WATER = 1003.5, 28.97, 18.015  # J/(kg K); g/mol
GAS = 8314.34 / AIR  # J/(kg K)
PRANDTL = HEAT / (HEAT + 1.25 * GAS)
RATIO = HEAT * AIR / WATER
LEAST_SPEED = 0.13  # m/s
EMISSIVITY, WICK_ALBEDO, GLOBE_ALBEDO = 0.95, 0.4, 0.05
WICK, WICK_LENGTH, GLOBE = 0.007, 0.0254, 0.0508  # m: two diameters and a length
GROUND_EMISSIVITY, GROUND_ALBEDO = 0.999, 0.45
CRITICAL = {"pressure": 36.4 * 218, "temperature": 132 * 647.3}  # atm, K: of air times of water
CLOSE, MOST_STEPS = 1e-3, 30  # K; Newton's steps
BLOCK = 1 << 15  # points that are computed together: they fit a cache


def saturation(kelvin: Array) -> Array:
    """Vapour pressure over water, hPa (Buck 1981)."""
    return np.asarray(6.1121 * 1.004 * np.exp(17.502 * (kelvin - 273.15) / (kelvin - 32.18)))


def viscosity(kelvin: Array) -> Array:
    """Of air, kg/(m s)."""
    omega = (kelvin / 97 - 2.9) / 0.4 * -0.034 + 1.048
    return np.asarray(2.6693e-6 * np.sqrt(AIR * kelvin) / (3.617**2 * omega))


def diffusivity(kelvin: Array, pressure: Array) -> Array:
    """Of vapour in air, m2/s."""
    scale = CRITICAL["pressure"] ** (1 / 3) * CRITICAL["temperature"] ** (5 / 12)
    scale *= math.sqrt(1 / AIR + 1 / WATER) * 3.64e-8
    ratio = kelvin / math.sqrt(CRITICAL["temperature"])
    return np_power(ratio, 2.334) * scale * 1013.25 / pressure


def np_power(of: Array, exponent: float) -> Array:
    """A power of each number."""
    return np.asarray(np.power(of, exponent))


def evaporation(kelvin: Array) -> Array:
    """Heat of evaporation, J/kg."""
    return (313.15 - kelvin) / 30 * -71100 + 2.4073e6


def reynolds(kelvin: Array, pressure: Array, speed: Array, diameter: float) -> Array:
    """Reynolds number of the air around the instrument."""
    density = pressure * 100 / (GAS * kelvin)
    return np.asarray(np.maximum(speed, LEAST_SPEED) * density * diameter / viscosity(kelvin))


def conductivity(kelvin: Array) -> Array:
    """Of air, W/(m K)."""
    return (HEAT + 1.25 * GAS) * viscosity(kelvin)


def sphere(kelvin: Array, pressure: Array, speed: Array) -> Array:
    """Transfer of heat to air from the globe, W/(m2 K)."""
    nusselt = 2 + 0.6 * np_power(reynolds(kelvin, pressure, speed, GLOBE), 0.5) * PRANDTL**0.3333
    return nusselt * conductivity(kelvin) / GLOBE


def cylinder(kelvin: Array, pressure: Array, speed: Array) -> Array:
    """Transfer of heat to air from the wick, W/(m2 K)."""
    nusselt = 0.281 * np_power(reynolds(kelvin, pressure, speed, WICK), 0.6) * PRANDTL**0.44
    return nusselt * conductivity(kelvin) / WICK


def newton(start: Array, step: Callable[[Array], Array]) -> Array:
    """Subtracts steps from a temperature until the largest is below a millikelvin."""
    kelvin = np.array(start, dtype=float)
    for _ in range(MOST_STEPS):
        change = step(kelvin)
        kelvin -= change
        if not np.abs(change).max(initial=0) > CLOSE:
            break
    return kelvin


def globe(air: Array, pressure: Array, speed: Array, short: Array, long: Array) -> Array:
    """Temperature of the black globe; `short` and `long`: the mean over its surface."""
    gained = EMISSIVITY * long + (1 - GLOBE_ALBEDO) * short

    def step(kelvin: Array) -> Array:
        h = sphere((kelvin + air) / 2, pressure, speed)
        lost = EMISSIVITY * SIGMA * kelvin**4 + h * (kelvin - air)
        return (lost - gained) / (4 * EMISSIVITY * SIGMA * kelvin**3 + h)

    return newton(air + 0 * gained, step)


def wet_bulb(
    air: Array, vapour: Array, pressure: Array, speed: Array, short: Array, long: Array
) -> Array:
    """Natural wet bulb temperature; `short` and `long`: the mean over the wick."""
    gained = EMISSIVITY * long + (1 - WICK_ALBEDO) * short

    def step(kelvin: Array) -> Array:
        mean = (kelvin + air) / 2
        h = cylinder(mean, pressure, speed)
        density = pressure * 100 / (GAS * mean)
        schmidt = viscosity(mean) / (density * diffusivity(mean, pressure))
        cooling = evaporation(mean) / RATIO * np_power(PRANDTL / schmidt, 0.56)
        wet = saturation(kelvin)
        heat = (gained - EMISSIVITY * SIGMA * kelvin**4) / h
        error = kelvin - air + cooling * (wet - vapour) / (pressure - wet) - heat
        steeper = wet * 17.502 * 240.97 / (kelvin - 32.18) ** 2  # of saturation
        slope = 1 + cooling * steeper * (pressure - vapour) / (pressure - wet) ** 2
        return error / (slope + 4 * EMISSIVITY * SIGMA * kelvin**3 / h)

    return newton(air + 0 * gained, step)


@dataclass(frozen=True)
class Wbgt:
    """Temperatures of each point, K."""

    wbgt: Array
    wet_bulb: Array
    globe: Array


def on_globe(on: Fluxes) -> tuple[Array, Array]:
    """Short and long wave, the mean over a sphere: a sixth from each direction, and a quarter of
    the beam."""
    return on.short.mean(0) + on.beam / 4, on.long.mean(0)


def on_wick(on: Fluxes) -> tuple[Array, Array]:
    """Short and long wave of the wick, as the paper has them."""
    rise = math.radians(on.elevation)
    end = 0.25 * WICK / WICK_LENGTH
    sides, up = len(SIDES), DIRECTIONS.index("up")
    short = 2 * on.short[:sides].mean(0) + end * on.short[up]
    short = short + on.beam * (math.cos(rise) / math.pi + end * math.sin(rise))
    return short, on.long[:sides].mean(0)


def wbgt(air: Array, vapour: Array, pressure: float, speed: Array, on: Fluxes) -> Wbgt:
    """Of points with air temperature (K), vapour pressure (hPa), pressure (hPa), wind (m/s). Points
    of which a number is NaN have no value."""
    each = np.broadcast_arrays(air, vapour, speed, *on_globe(on), *on_wick(on))
    known = np.isfinite(np.sum(each, axis=0))
    flat = [a[known].astype(float) for a in each]
    found = np.full((2, *known.shape), np.nan)
    wet, black = np.empty((2, flat[0].size))
    p = np.asarray(pressure)
    for first in range(0, wet.size, BLOCK):
        some = slice(first, first + BLOCK)
        ta, e, v, sphere_k, sphere_l, wick_k, wick_l = (a[some] for a in flat)
        wet[some] = wet_bulb(ta, e, p, v, wick_k, wick_l)
        black[some] = globe(ta, p, v, sphere_k, sphere_l)
    found[:, known] = wet, black
    return Wbgt(0.7 * found[0] + 0.2 * found[1] + 0.1 * np.asarray(air), found[0], found[1])


def open_country(
    air: Array, vapour: Array, solar: Array, direct: Array, elevation: float
) -> Fluxes:
    """The paper's fluxes: ground of the air's temperature, and a sky whose emissivity follows from
    the vapour. `solar` is on the ground, and its share `direct` is the beam."""
    sky_short, ground_short = (1 - direct) * solar, GROUND_ALBEDO * solar
    sky_long = 0.575 * np_power(vapour, 0.143) * SIGMA * air**4
    ground_long = GROUND_EMISSIVITY * SIGMA * air**4
    sides = len(SIDES)

    def six(sky: Array, ground: Array) -> Array:
        return np.stack([*[(sky + ground) / 2] * sides, sky, ground])

    beam = direct * solar / math.sin(math.radians(elevation))
    return Fluxes(six(sky_short, ground_short), six(sky_long, ground_long), beam, elevation)
