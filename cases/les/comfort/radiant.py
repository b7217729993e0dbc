"""Radiation on a standing person, and the mean radiant temperature (ISO 7726, six directions).

    S    = a_k (sum W_i K_i + fp I) + a_l sum W_i L_i,     Tmrt = (S / (a_l sigma))^(1/4)
    W_i  = 0.22 for the four sides, 0.06 from above and from below
    fp   = 0.308 cos(g (1 - g^2 / 49402)), g the elevation of the sun in degrees

K_i is diffuse and reflected short wave, L_i long wave, on a plane that faces direction i. I is the
direct beam on a plane across it; it has no part in K_i. a_k 0.7, a_l 0.97.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any  # of NumPy


SIDES = ("east", "north", "west", "south")
DIRECTIONS = (*SIDES, "up", "down")  # to which the plane faces: `up` sees the sky
WEIGHTS = (0.22, 0.22, 0.22, 0.22, 0.06, 0.06)
SHORT, LONG = 0.7, 0.97  # absorbed by a person
SIGMA = 5.670374419e-8


@dataclass(frozen=True)
class Fluxes:
    """W/m2. `short` and `long` are by direction and then by point; the sun is at `elevation`
    degrees, and a point in the shade has a beam of 0."""

    short: Array
    long: Array
    beam: Array
    elevation: float


def projected(elevation: float) -> float:
    """The share of a standing person's surface that the beam sees."""
    return 0.308 * math.cos(math.radians(elevation * (1 - elevation**2 / 49402)))


def mean_radiant(on: Fluxes) -> Array:
    """The mean radiant temperature of each point, K."""
    weights = np.array(WEIGHTS)
    direct = projected(on.elevation) * on.beam
    absorbed = SHORT * (np.tensordot(weights, on.short, 1) + direct)
    absorbed = absorbed + LONG * np.tensordot(weights, on.long, 1)
    return np.asarray((absorbed / (LONG * SIGMA)) ** 0.25)
