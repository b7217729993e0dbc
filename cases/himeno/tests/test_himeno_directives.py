"""The Himeno styles in directives, on a GPU. As host code they are tested from C++."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from himeno_fields import parameters

from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import trial as himeno_trial
from watari.common.errors import UnsupportedError

STYLES = [name for name, style in himeno_axes.STYLES.items() if style.in_directives]
FOR_A_GPU = [name for name in STYLES if name not in ("f-cpu", "f-do-concurrent")]
FORMS = ["fused", "two-kernel"]


def run(style: str, **given: Any) -> dict[str, Any]:
    try:
        return himeno_trial.run(parameters(**{"processor": "gpu", "style": style, **given}))
    except UnsupportedError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("style", FOR_A_GPU)
def test_the_cpu_is_no_substitute(style: str) -> None:
    with pytest.raises(UnsupportedError, match=f"style {style} needs a GPU"):
        himeno_trial.run(parameters(style=style, grid="XS", iterations=1))


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("grid", "iterations"), [("XS", 1000), ("S", 64)])
def test_gosa_is_the_reference_and_the_gpu_ran(
    style: str, form: str, grid: str, iterations: int
) -> None:
    trial = run(style, form=form, grid=grid, iterations=iterations)
    assert trial["verified"] is True
    assert trial["quantities"]["ran_on_gpu"]["value"] == 1
    assert len(trial["host_s"]) == iterations


@pytest.mark.gpu
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("grid", ["3x3x3", "5x6x7", "17x9x33", "20x12x130"])
def test_general_data_give_the_gosa_of_the_cpu(style: str, form: str, grid: str) -> None:
    given = {"grid": grid, "iterations": 5, "data": "general", "form": form}
    expected = np.array(run("system", **{**given, "processor": "cpu"})["series"]["gosa"])
    gosa = np.array(run(style, **given)["series"]["gosa"])
    # bound on the sum of squares for an error of 1e-6 in ss at every point (Cauchy-Schwarz)
    most = 2 * np.sqrt(expected * himeno_axes.interior(grid)) * 1e-6
    assert (np.abs(gosa - expected) <= most).all()
