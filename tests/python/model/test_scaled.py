"""An H100 predicted from its probe and one run on an H200, against its own results.

The profile is that of held_out.py, scaled to the probe. No result of the H100 is fitted. The errors
of each case are in docs/evidence/advise.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import held_out
import numpy as np
from held_out import FITTED, RESULTS, Pair, of_files, profile

from watari.common.errors import FileError
from watari.model.machine import MachineProfile
from watari.model.profiles import scaled
from watari.results import schema

FOLDER = RESULTS / "nvidia-h100-80gb-hbm3-x86_64"
WANTED = 0.15  # median error
CHANGED = "all that scaling changes"


def probe() -> Path:
    """The probe of the H100."""
    return sorted(FOLDER.glob("*-probe.json"))[-1]


@cache
def predicted() -> MachineProfile:
    """The H100's profile, without a measurement on it."""
    return scaled.scaled(profile(), scaled.read_probe(probe()), [FITTED.name, probe().name])


def files() -> Iterator[Path]:
    """The H100's result files, without probes and results of other programs."""
    for file in sorted(FOLDER.glob("*.json")):
        try:
            schema.read(file)
        except FileError:
            continue
        yield file


@cache
def pairs() -> tuple[Pair, ...]:
    """Every case of the H100 that the model predicts."""
    return tuple(of_files(files(), predicted()))


def errors(chosen: list[Pair]) -> np.ndarray:
    return np.abs([pair.error for pair in chosen])


@cache
def unscaled() -> tuple[Pair, ...]:
    """The same cases as the H200's own profile predicts them."""
    made = ((pair, held_out.predicted(pair.measured, profile())) for pair in pairs())
    return tuple(Pair(pair.measured, pair.seconds, one or pair.prediction) for pair, one in made)


def changed(index: int) -> bool:
    """Whether the scaling changes a case's seconds by a tenth or more."""
    mine, theirs = (of[index].prediction.total.middle for of in (pairs(), unscaled()))
    return not 0.9 < mine / theirs < 1.1


def groups() -> dict[str, list[int]]:
    """Indices in `pairs`: of each case, of all cases that the scaling changes, and of all cases."""
    found: dict[str, list[int]] = defaultdict(list)
    for index, pair in enumerate(pairs()):
        found[pair.measured.case].append(index)
    every = list(range(len(pairs())))
    return {**dict(sorted(found.items())), CHANGED: list(filter(changed, every)), "all": every}


def worst(count: int = 15) -> list[str]:
    """The cases that are farthest off."""
    found = sorted(pairs(), key=lambda pair: -abs(pair.error))[:count]
    return [
        f"{pair.error:+.0%} {pair.prediction.total.middle:.3g} s for {pair.seconds:.3g} s: "
        f"{pair.measured.case} {pair.measured.parameters}"
        for pair in found
    ]


def test_the_h100_was_not_fitted() -> None:
    assert predicted().kind == "scaled"
    assert predicted().sources == [FITTED.name, probe().name]
    assert {pair.measured.machine["name"] for pair in pairs()} == {predicted().name}
    assert FITTED.parent != FOLDER


def test_half_of_the_h100_are_within_15_percent() -> None:
    """The standard plan, arrays of 4 and 8 GB, Himeno."""
    assert len(pairs()) > 50
    assert {"copy", "access", "himeno"} <= {pair.measured.case for pair in pairs()}
    assert np.median(errors(list(pairs()))) <= WANTED, "\n".join(worst())


def test_so_are_half_of_what_the_scaling_changes() -> None:
    """The link may be the same, and most cases then say nothing of the scaling."""
    group = groups()[CHANGED]
    assert len(group) > 10
    mine, theirs = (
        np.median(errors([of[index] for index in group])) for of in (pairs(), unscaled())
    )
    assert mine <= WANTED, "\n".join(worst())
    assert mine < theirs


def test_the_intervals_of_the_h100_hold_nine_of_ten() -> None:
    assert np.mean([pair.inside for pair in pairs()]) >= 0.85, "\n".join(worst())
