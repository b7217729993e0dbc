"""The split of the stored results: some fit a profile, the others test it.

Fitted: one run of the standard plan. Tested by size (the thesis's arrays of 4 and 8 GB, the sweep
of sizes), by case (applications, of which the profile has none) and by machine (a host of four
GPUs). No tested result was fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from watari.cases import CASES
from watari.common.errors import UnsupportedError
from watari.model import predict
from watari.model.machine import MachineProfile
from watari.model.predict import Prediction
from watari.model.profiles import fit, observe
from watari.model.render import whole_seconds
from watari.results import schema
from watari.results.measured import Measured, measurements

RESULTS = Path(__file__).parents[3] / "results"
FITTED = RESULTS / "nvidia-h200-x86_64" / "20261121-standard.json"
TESTED = (
    "nvidia-h200-x86_64/20261121-gh200-sam.json",
    "nvidia-h200-x86_64/20261121-miyabi-memory.json",
    "nvidia-h200-x86_64/20261121-himeno-sam.json",
    "nvidia-h200-x86_64/20261123-lattice.json",
    *sorted(str(p.relative_to(RESULTS)) for p in RESULTS.glob("4x-nvidia-h200-x86_64/*.json")),
)


@dataclass(frozen=True)
class Pair:
    """A case that was not fitted: its seconds, and the prediction for the same samples."""

    measured: Measured
    seconds: float
    prediction: Prediction

    @property
    def error(self) -> float:
        """The relative error, with its sign."""
        return self.prediction.total.middle / self.seconds - 1

    @property
    def inside(self) -> bool:
        """Whether the measured seconds lie in the interval."""
        total = self.prediction.total
        return total.low <= self.seconds <= total.high


@cache
def profile() -> MachineProfile:
    """The profile of the fitted run."""
    return fit.fit([schema.read(FITTED)], [FITTED.name])


def predicted(m: Measured, by: MachineProfile) -> Prediction | None:
    """The prediction for a measured case; None where the model refuses."""
    try:
        program = observe.program_of(m)
    except UnsupportedError:
        return None
    counts = [len(samples) for samples in observe.by_phase(m, m.trials[0])]
    one = predict.of_program(program.repeated(counts), by)
    return None if one.reason else one


@cache
def pairs() -> tuple[Pair, ...]:
    """Every tested case that the model predicts."""
    return tuple(of_files([RESULTS / name for name in TESTED], profile()))


def of_files(files: Iterable[Path], by: MachineProfile) -> Iterator[Pair]:
    """The cases of result files, one file after another, as a profile predicts them."""
    for file in files:
        for m in measurements([schema.read(file)]):
            if m.case in CASES and m.drawn and not m.flagged:
                one = predicted(m, by)
                if one:
                    yield Pair(m, whole_seconds(m), one)
