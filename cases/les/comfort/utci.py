"""The universal thermal climate index, by pythermalcomfort (the polynomial of Broede et al. 2012).

The index is defined for the wind 10 m above the ground, v10 = 1.3786 v(1.5 m), of 0.5 m/s or more.
Slower air counts as 0.5 m/s. A point outside the polynomial's range has no value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from watari.common.errors import UsageError

Array = Any  # of NumPy


TO_TEN_METRES = 1.3786
LEAST_WIND, MOST_WIND = 0.5, 17.0  # m/s, 10 m above the ground
AIR, EXCESS = (-50.0, 50.0), (-30.0, 70.0)  # degrees C; of the radiant temperature over the air's
MOST_VAPOUR = 50.0  # hPa


@dataclass(frozen=True)
class Utci:
    """Degrees C, NaN outside the range; the shares of points."""

    values: Array
    slow: float  # counted as 0.5 m/s
    outside: float


def require() -> None:
    """Raises UsageError without the package."""
    try:
        import pythermalcomfort.models  # noqa: F401
    except ImportError:
        raise UsageError(
            "UTCI needs pythermalcomfort: pip install 'watari[comfort]' (Python 3.11 or newer)"
        ) from None


def utci(air: Array, radiant: Array, wind: Array, humidity: Array, vapour: Array) -> Utci:
    """Of air and mean radiant temperature (degrees C), wind at 1.5 m (m/s), relative humidity (%)
    and vapour pressure (hPa). Points of which a number is NaN have no value and count nowhere."""
    import numpy as np
    from pythermalcomfort.models import utci as by_package

    each = np.broadcast_arrays(air, radiant, TO_TEN_METRES * wind, humidity, vapour)
    known = np.isfinite(np.sum(each, axis=0))
    ta, tr, v10, rh, e = (a[known] for a in each)
    outside = (ta < AIR[0]) | (ta > AIR[1]) | (tr - ta < EXCESS[0]) | (tr - ta > EXCESS[1])
    outside |= (v10 > MOST_WIND) | (e > MOST_VAPOUR)
    found = np.full(known.shape, np.nan)
    if ta.size:
        asked = {"tdb": ta, "tr": tr, "v": np.clip(v10, LEAST_WIND, MOST_WIND), "rh": rh}
        values = by_package(**asked, limit_inputs=False, round_output=False).utci
        found[known] = np.where(outside, np.nan, values)
    count = max(1, ta.size)
    return Utci(found, float((v10 < LEAST_WIND).sum() / count), float(outside.sum() / count))
