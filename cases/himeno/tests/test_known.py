"""A trial of Himeno is compared with known values of gosa and of the field."""

from __future__ import annotations

from pathlib import Path

import pytest
from himeno_fields import parameters, run

from watari.cases.himeno import known
from watari.cases.himeno import trial as himeno_trial
from watari.cases.himeno.axes import GRIDS
from watari.common.errors import WrongResultError
from watari.results import schema


def test_a_wrong_gosa_is_reported_with_both_values() -> None:
    p = parameters(grid="XS")
    with pytest.raises(WrongResultError, match=r"iteration 3 is 1\.0+e-02, not 6\.229796415e-03"):
        himeno_trial.check(p, [1e-2, 1e-2, 1e-2], 0)
    with pytest.raises(WrongResultError, match="not finite"):
        himeno_trial.check(p, [float("nan")], 0)
    assert himeno_trial.check(p, [1e-2], 0) == 0
    assert himeno_trial.check({**p, "data": "general"}, [1.0] * 3, 0) == 0


def known_run(grid: str, iterations: int) -> tuple[list[float], int]:
    """A series of gosa with the known values, and the fingerprint at its end."""
    gosa = [1.0] * iterations
    for n, value, _ in known.gosa(grid, directives=False):
        if n <= iterations:
            gosa[n - 1] = value
    field = known.fingerprint(grid, iterations)
    assert field is not None
    return gosa, field


@pytest.mark.parametrize("iterations", [200, 3000])
def test_the_last_gosa_and_the_field_are_compared(iterations: int) -> None:
    p = parameters(processor="gpu", style="managed", grid="XL", iterations=iterations)
    gosa, field = known_run("XL", iterations)
    assert himeno_trial.check(p, gosa, field) == iterations
    with pytest.raises(WrongResultError, match=rf"field after iteration {iterations} is \d+, not"):
        himeno_trial.check(p, gosa, field + 1)
    in_directives = {**p, "style": "acc-data"}  # which have bits of their own
    assert himeno_trial.check(in_directives, gosa, field + 1) == iterations
    gosa[-1] *= 1 + 1e-7
    with pytest.raises(WrongResultError, match=f"gosa of iteration {iterations} is"):
        himeno_trial.check(p, gosa, field)
    assert himeno_trial.check(in_directives, gosa, field) == iterations


def test_a_length_without_known_values_is_compared_at_the_last_that_has_one() -> None:
    p = parameters(processor="gpu", style="managed", grid="XL", iterations=250)
    gosa, _ = known_run("XL", 200)
    assert himeno_trial.check(p, [*gosa, *[4e-4] * 50], 7) == 200
    gosa[-1] *= 1.001
    with pytest.raises(WrongResultError, match="gosa of iteration 200 is"):
        himeno_trial.check(p, [*gosa, *[4e-4] * 50], 7)


@pytest.mark.parametrize(("grid", "iterations"), [("XS", 1000), ("S", 100), ("M", 3)])
def test_known_fields(grid: str, iterations: int) -> None:
    trial = run(grid=grid, iterations=iterations)
    assert known.fingerprint(grid, iterations) == trial["quantities"]["fingerprint"]["value"]
    assert trial["quantities"]["verified_iteration"]["value"] == iterations
    assert trial["verified"] is True


def test_the_check_counts_a_rehearsal() -> None:
    trial = run(grid="XS", iterations=97, rehearsal=3)
    assert trial["quantities"]["verified_iteration"]["value"] == 100
    p = parameters(grid="XS", rehearsal=3, iterations=1)
    assert himeno_trial.check(p, [1.0], 0) == 0  # iteration 4: no value is known


NAMES = ("*-himeno*.json", "*-nvlink-openacc.json")
RESULTS = [f for n in NAMES for f in sorted((Path(__file__).parents[3] / "results").rglob(n))]


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_trials_on_gpus_have_the_known_values(file: Path) -> None:
    for case in schema.read(file).cases:
        if case.case != "himeno" or case.status != "ok":
            continue
        for trial in case.trials:
            field = trial.quantities["fingerprint"].value
            last = himeno_trial.check(case.parameters, trial.series["gosa"], field)
            assert last == len(trial.series["gosa"]) or case.parameters["grid"] not in GRIDS
