"""A case: one row of the registry (cases/), with everything that other modules need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari.case.axis import Axis, Machine, Parameters
from watari.case.profile import Profile

if TYPE_CHECKING:
    from watari.run.worker import Trial


# quantities of a program with styles (case/stopwatch.hpp): the model's name of each
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
    """A case: its axes, one trial, and the resources that a trial needs.

    Hooks get complete parameters, except `settle`, which gets the given ones.
    """

    name: str
    summary: str
    line: str  # beginning of `describe`, with axes in braces
    axes: dict[str, Axis]
    run: Callable[[Parameters], Trial]  # one trial, as `trial` below completes it
    profile: Callable[[Parameters], Profile]
    # `settle` completes the given parameters and refuses contradictions, before defaults;
    # `require_sense` refuses impossible combinations, after defaults
    settle: Callable[[Parameters], Parameters] = dict
    require_sense: Callable[[Parameters], None] = lambda parameters: None
    # seconds of a trial that its bytes do not explain: a slow disk, arithmetic
    extra_seconds: Callable[[Parameters], float] = lambda parameters: 0.0
    # questions to the machine before a trial, as run/gpu_mpi.py names them
    asks: Callable[[Parameters], tuple[str, ...]] = lambda parameters: ()
    # text of axes in `describe`, where it is not their value; "" leaves an axis out
    labels: Callable[[Parameters], dict[str, str]] = nothing
    # requests of the standard plan on a machine: axes, as a user gives them
    standard: Callable[[Machine], list[dict[str, Any]]] = lambda machine: []
    # lines that forecast the trials
    forecast: Callable[[list[Parameters], Machine], list[str]] = lambda wanted, machine: []
    # `example`: words after `watari run NAME` that show a use; `also`: other tools' words for the
    # case, each with the axes that it stands for
    example: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    # the same work in each memory style, by the style's word: parameters that `predict` compares
    alternatives: Callable[[Parameters], dict[str, Parameters]] = nothing
    # quantities of a trial that are seconds outside its samples, each with its part of the model
    outside: Mapping[str, str] = field(default_factory=dict)
    size: str = ""  # of cases on several ranks: the axis from which the work follows
    threads_compute: bool = True  # axis `threads` is the number of OpenMP threads
    styles: Path | None = None  # folder of the sources that `effort` counts
    presentation: str = "watari.case.presentation"  # module with PRESENTATION
    # commands of a case in cases/, each with its module, whose add_to(app) adds it
    commands: Mapping[str, str] = field(default_factory=dict)
    # before a run: refuses a user's file that is missing or damaged
    require_files: Callable[[Parameters], None] = lambda parameters: None

    def trial(self, parameters: Parameters) -> Trial:
        """One trial, in the worker, with the bytes and flops of a sample: those that the trial
        counted as it ran, else those of the profile."""
        made = self.run(parameters)
        counted = self.profile(parameters)
        return {
            "bytes_per_sample": counted.bytes_per_sample,
            "flops_per_sample": counted.flops_per_sample,
            **made,
        }
