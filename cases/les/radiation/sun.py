"""The place of the sun: elevation and azimuth from latitude, longitude, day and hour.

The low-precision formulas of the Astronomical Almanac, of the years 1950 to 2050; n: days since the
noon of 2000-01-01.

    L = 280.460 + 0.9856474 n;   g = 357.528 + 0.9856003 n        mean longitude, anomaly, degrees
    lam = L + 1.915 sin g + 0.020 sin 2g;   e = 23.439 - 4e-7 n   ecliptic longitude, obliquity
    sin(declination) = sin e sin lam;   RA = atan2(cos e sin lam, cos lam)
    equation of time = 4 (L - RA) minutes
"""

from __future__ import annotations

import re
from datetime import date
from math import asin, atan2, cos, degrees, radians, sin

from watari.common.errors import UsageError

SOUTH = "south"
FORM = "LATITUDE:LONGITUDE:YYYY-MM-DD:HOUR"
PATTERN = re.compile(
    r"(-?\d{1,2}(?:\.\d{1,6})?):(-?\d{1,3}(?:\.\d{1,6})?):(\d{4}-\d\d-\d\d):(\d{1,2}(?:\.\d{1,6})?)",
    re.ASCII,
)
YEARS = range(1950, 2051)  # in which the formulas hold
NOON_OF_2000 = date(2000, 1, 1).toordinal() + 0.5


def parse(text: str) -> str:
    """The text of a sun. Raises UsageError."""
    if text != SOUTH:
        parts(text)
    return text


def parts(text: str) -> tuple[float, float, date, float]:
    """Latitude, longitude, day, hour. Raises UsageError."""
    example = f"write {SOUTH} or {FORM}, such as 35.68:139.77:2026-06-21:3; hours are in UT"
    match = PATTERN.fullmatch(text)
    if not match:
        raise UsageError(f"'{text[:80]}' is not a sun; {example}")
    latitude, longitude, hour = float(match[1]), float(match[2]), float(match[4])
    try:
        day = date.fromisoformat(match[3])
    except ValueError:
        raise UsageError(f"sun {text}: {match[3]} is not a day") from None
    if day.year not in YEARS:
        raise UsageError(f"sun {text}: the formula is for {YEARS[0]} to {YEARS[-1]}")
    for name, value, most in (("latitude", latitude, 90), ("longitude", longitude, 180)):
        if abs(value) > most:
            raise UsageError(f"sun {text}: a {name} is from -{most} to {most}")
    if hour >= 24:
        raise UsageError(f"sun {text}: an hour is from 0 to below 24")
    return latitude, longitude, day, hour


def place(text: str) -> tuple[float, float]:
    """Elevation above the horizon, and azimuth from north over east, in degrees. Raises
    UsageError."""
    if text == SOUTH:
        return 45.0, 180.0
    latitude, longitude, day, hour = parts(text)
    declination, right_ascension, mean = of_day(day.toordinal() - NOON_OF_2000 + hour / 24)
    ahead = (degrees(mean - right_ascension) + 180) % 360 - 180  # of the mean sun
    angle = radians(15 * (hour - 12) + longitude + ahead)  # since noon
    north = radians(latitude)
    up = sin(north) * sin(declination) + cos(north) * cos(declination) * cos(angle)
    azimuth = atan2(
        -cos(declination) * sin(angle),
        sin(declination) * cos(north) - cos(declination) * sin(north) * cos(angle),
    )
    return degrees(asin(max(-1.0, min(1.0, up)))), degrees(azimuth) % 360


def of_day(n: float) -> tuple[float, float, float]:
    """Declination, right ascension and mean longitude, in radians, n days after noon of 2000."""
    mean, anomaly = radians(280.460 + 0.9856474 * n), radians(357.528 + 0.9856003 * n)
    longitude = mean + radians(1.915) * sin(anomaly) + radians(0.020) * sin(2 * anomaly)
    tilt = radians(23.439 - 4e-7 * n)
    declination = asin(sin(tilt) * sin(longitude))
    return declination, atan2(cos(tilt) * sin(longitude), cos(longitude)), mean
