"""What a case is: one row of the registry (cases/), complete with all that other modules need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.case.axis import Axis, Machine, Parameters
from watari.case.profile import Profile

if TYPE_CHECKING:
    from watari.run.worker import Trial


# quantities of a program with styles (cases/common/stopwatch.hpp), in the words of the model
OUTSIDE_THE_LOOP = {
    "allocate": "allocate",
    "transfer_in": "bring",
    "transfer_out": "take back",
    "release": "release",
}


def nothing(parameters: Parameters) -> dict[str, Any]:
    """No hook."""
    return {}


@dataclass(frozen=True)
class Case:
    """What can be measured, along which axes, and what a trial of it asks of a machine.

    Hooks see parameters, complete but for `settle`, which sees what was given.
    """

    name: str
    summary: str
    line: str  # how `describe` begins, with axes in braces
    axes: dict[str, Axis]
    run: Callable[[Parameters], Trial]  # one trial, in the worker
    profile: Callable[[Parameters], Profile]
    # what was given, completed and without contradiction, before defaults; what cannot be, after
    settle: Callable[[Parameters], Parameters] = dict
    require_sense: Callable[[Parameters], None] = lambda parameters: None
    # seconds of a trial that its bytes do not explain: a slow disk, arithmetic
    extra_seconds: Callable[[Parameters], float] = lambda parameters: 0.0
    # what the machine must be asked before a trial, as run/gpu_mpi.py names it
    asks: Callable[[Parameters], tuple[str, ...]] = lambda parameters: ()
    # text of axes in `describe`, where it is not their value; "" leaves an axis out
    labels: Callable[[Parameters], dict[str, str]] = nothing
    # what the standard plan has of it on a machine: axes, as a user gives them
    standard: Callable[[Machine], list[dict[str, Any]]] = lambda machine: []
    # lines that forecast what trials will take
    forecast: Callable[[list[Parameters], Machine], list[str]] = lambda wanted, machine: []
    # words after `watari run NAME` that show what it is for; other tools' words for it, each with
    # the axes that belong to it here
    example: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    # the same work in each memory style, by the style's word: parameters that `predict` compares
    alternatives: Callable[[Parameters], dict[str, Parameters]] = nothing
    # quantities of a trial that are seconds outside its samples, and the part that each is
    outside: Mapping[str, str] = field(default_factory=dict)
    threads_compute: bool = True  # axis `threads` is how many OpenMP has
    styles: Path | None = None  # folder of the sources that `effort` counts
    presentation: str = "watari.case.presentation"  # module with PRESENTATION
    commands: str | None = None  # module with the case's own commands
