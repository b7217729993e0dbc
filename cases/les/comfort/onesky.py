"""Radiation at a person's height under one sky, from the map of heights alone.

The sun is that of the simulation: 800 W/m2 of beam, 100 of diffuse and 350 of long wave sky, 45
degrees high in the south (city/facets.hpp). Shadows and the sky's share follow from the horizon: 16
azimuths as in city/sky.cpp. With b the horizon's angle,

    up     F = mean cos^2 b                     side   F = sum cos(az) ((pi/2 - b)/2 - sin(2b)/4)

Below the horizon of a side there is ground, between that and the sky there are walls. Ground and
walls have the steady temperature of a facet of the simulation, in this air and this light. Each
wall gets the mean light of walls, and light is reflected once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from watari.cases.les.comfort.radiant import DIRECTIONS, SIDES, SIGMA, Fluxes

Array = Any  # of NumPy


AZIMUTHS, REACH = 16, 10  # the horizon is searched up to ten times the tallest building
ALBEDO, EMISSIVITY, INSIDE = 0.1, 0.95, 293.15
HEAT_OF_AIR, KARMAN, ROUGHNESS = 1206.0, 0.4, 0.05
ASPHALT, BRICK = 1.94 * 0.38, 1.37 * 0.61  # W/(m K)
TO_INSIDE = 0.215  # m, from the surface through four layers
HEIGHT = 1.5  # m above the ground


@dataclass(frozen=True)
class Sky:
    """W/m2; degrees above the horizon, and clockwise from north."""

    beam: float = 800.0
    diffuse: float = 100.0
    long: float = 350.0
    elevation: float = 45.0
    azimuth: float = 180.0

    def __str__(self) -> str:
        return (
            f"sun {self.elevation:g} degrees high at azimuth {self.azimuth:g}, beam {self.beam:g}, "
            f"diffuse {self.diffuse:g}, sky's long wave {self.long:g} W/m2"
        )


@dataclass(frozen=True)
class View:
    """Shares of the sky that a plane at each point sees, by DIRECTIONS but the last; whether the
    sun reaches the point."""

    sky: Array
    lit: Array


def horizon(metres: Array, spacing: float, azimuth: float) -> Array:
    """Tangent of the horizon's angle at 1.5 m above the ground of each column; `azimuth` in radians
    from the east to the north. The city is periodic."""
    steepest = np.zeros(metres.shape)
    most = float(metres.max(initial=0)) - HEIGHT
    step = spacing / 2
    seen = None
    for n in range(1, int(REACH * (most + HEIGHT) / step) + 1):
        distance = n * step
        if most <= steepest.min() * distance:  # nothing farther away is higher
            break
        # from the centre of a column
        shift = tuple(
            -math.floor(0.5 + distance * along / spacing)
            for along in (math.sin(azimuth), math.cos(azimuth))
        )
        if shift != seen:  # else the same column, farther away
            np.maximum(steepest, (np.roll(metres, shift, (0, 1)) - HEIGHT) / distance, out=steepest)
        seen = shift
    return steepest


def views(metres: Array, spacing: float, sky: Sky) -> View:
    """What each column sees of the sky and of the sun."""
    angles = [(n + 0.5) * 2 * math.pi / AZIMUTHS for n in range(AZIMUTHS)]
    to_side = [n * math.pi / 2 for n in range(len(SIDES))]
    found = np.zeros((len(SIDES) + 1, *metres.shape))
    weights = [[max(0.0, math.cos(a - side)) for side in to_side] for a in angles]
    total = sum(weights[n][0] for n in range(AZIMUTHS))
    for azimuth, by_side in zip(angles, weights, strict=True):
        b = np.arctan(horizon(metres, spacing, azimuth))
        share = ((math.pi / 2 - b) / 2 - np.sin(2 * b) / 4) / (math.pi / 4)
        for n, weight in enumerate(by_side):
            found[n] += share * (weight / (2 * total))  # half of a side's view is above
        found[-1] += np.cos(b) ** 2 / AZIMUTHS
    to_sun = math.radians(90 - sky.azimuth)
    lit = horizon(metres, spacing, to_sun) < math.tan(math.radians(sky.elevation))
    return View(found, lit & (sky.elevation > 0))


def steady(short: Array, long: Array, air: Array, speed: Array, conducts: float) -> Array:
    """Steady temperature (K) of a facet beside this air: light and long wave that arrive on it are
    lost as long wave, to the air and to the inside."""
    log = math.log(1 / ROUGHNESS)  # half a cell of 2 m above the surface
    transfer = KARMAN**2 / (log * (log + math.log(10)))
    to_air = HEAT_OF_AIR * transfer * np.maximum(speed, 0.1)
    inward = conducts / TO_INSIDE
    kelvin = np.array(air + 0 * (short + speed), dtype=float)
    for _ in range(8):  # Newton
        gain = (1 - ALBEDO) * short + EMISSIVITY * (long - SIGMA * kelvin**4)
        gain = gain - to_air * (kelvin - air) - inward * (kelvin - INSIDE)
        kelvin += gain / (4 * EMISSIVITY * SIGMA * kelvin**3 + to_air + inward)
    return kelvin


def fluxes(metres: Array, spacing: float, air: Array, speed: Array, sky: Sky) -> Fluxes:
    """Of each column at 1.5 m; `air` (K) and `speed` (m/s) beside it, NaN in buildings."""
    view = views(metres, spacing, sky)
    street = np.isfinite(air)
    rise = math.radians(sky.elevation)
    beam = np.where(view.lit, sky.beam, 0.0)
    up = view.sky[-1]
    on_ground = beam * math.sin(rise) + up * sky.diffuse

    def mean(of: Array) -> float:
        return float(of[street].mean())

    # what a wall gets: the mean over the sides of streets, a quarter of them in each direction
    side = mean(view.sky[:-1].mean(0))
    turned = math.radians(sky.azimuth)
    facing = (abs(math.sin(turned)) + abs(math.cos(turned))) / 4
    on_walls = side * sky.diffuse + mean(view.lit * 1.0) * sky.beam * math.cos(rise) * facing
    air_mean, speed_mean = np.array(mean(air)), np.array(mean(speed))
    around = EMISSIVITY * SIGMA * float(air_mean) ** 4 + (1 - EMISSIVITY) * sky.long
    wall_long = side * sky.long + (1 - side) * around
    wall = float(steady(np.array(on_walls), np.array(wall_long), air_mean, speed_mean, BRICK))
    ground_long = up * sky.long + (1 - up) * SIGMA * wall**4
    ground = steady(on_ground, ground_long, air, speed, ASPHALT)

    def leaves(kelvin: Any, arriving: Any) -> Any:
        return EMISSIVITY * SIGMA * kelvin**4 + (1 - EMISSIVITY) * arriving

    below_short, below_long = ALBEDO * on_ground, leaves(ground, ground_long)
    wall_short, wall_out = ALBEDO * on_walls, leaves(wall, wall_long)
    short, long = np.empty((2, len(DIRECTIONS), *metres.shape))
    for n in range(len(SIDES)):
        seen = view.sky[n]
        short[n] = seen * sky.diffuse + (0.5 - seen) * wall_short + 0.5 * mean(below_short)
        long[n] = seen * sky.long + (0.5 - seen) * wall_out + 0.5 * mean(below_long)
    short[-2], long[-2] = up * sky.diffuse + (1 - up) * wall_short, ground_long
    short[-1], long[-1] = below_short, below_long
    return Fluxes(short, long, beam, sky.elevation)
