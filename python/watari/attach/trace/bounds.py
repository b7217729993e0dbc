"""The time that the sampled run of a trace may take."""

from __future__ import annotations

from dataclasses import dataclass

SAMPLING = 5.0  # seconds that sampling may take, beyond those of the program as it is
MANAGED = 2.0  # further time of the sampled run, as a multiple of the seconds as it is
WHOLE, TIMES = 15.0, 4.0  # all of a trace: seconds, and a multiple of the seconds as it is
OF_CALL = 30e-6  # seconds that the graph of a call takes
ENOUGH = 6.0  # seconds that the sampled run has in any case


@dataclass(frozen=True)
class Bounds:
    """Bounds of the sampled run: seconds that sampling may take, and the time limit of the run."""

    sampling: float
    end: float

    @classmethod
    def of(cls, seconds: float, spent: float, calls: int) -> Bounds:
        """The bounds for a program that takes `seconds` as it is. `spent`: seconds that its trace
        took so far; `calls`: it has so many, whose graph takes its time afterwards."""
        left = WHOLE + TIMES * seconds - spent - OF_CALL * calls
        end = min(2 * SAMPLING + (1 + MANAGED) * seconds, max(left, ENOUGH + seconds))
        return cls(min(SAMPLING + seconds, end / 2), end)
