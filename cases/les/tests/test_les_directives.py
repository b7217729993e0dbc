"""The styles in directives, on a GPU. As host code they are tested from C++."""

from __future__ import annotations

from typing import Any

import pytest
import synthetic

from watari.cases.les import axes, trial
from watari.common.errors import UnsupportedError
from watari.plan.request import resolve

STYLES = [name for name, style in axes.STYLES.items() if style.in_directives]


def run(style: str, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "gpu", "threads": 2, "style": style, "grid": "XS", **given}
    request = resolve("les", wanted, synthetic.gpu_machine())[0]
    return trial.run(request.parameters)


def test_there_are_three() -> None:
    assert STYLES == ["acc-data", "acc-managed", "omp-target"]


@pytest.mark.parametrize("style", STYLES)
def test_the_cpu_is_no_substitute(style: str) -> None:
    with pytest.raises(UnsupportedError, match=f"style {style} needs a GPU"):
        run(style, processor="cpu", steps=1)


@pytest.mark.gpu
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("touch", ["none", "facets", "all"])
def test_the_energy_is_that_of_the_cpus_program(style: str, touch: str) -> None:
    given = {"steps": 20, "every": 5, "cpu-touch": touch}
    expected = run("system", processor="cpu", **given)
    try:
        found = run(style, **given)
    except UnsupportedError as reason:
        pytest.skip(str(reason))
    assert found["verified"] is True
    assert found["quantities"]["ran_on_gpu"]["value"] == 1
    for name in ("energy", "mean_theta"):  # measured on a CPU: 1e-7
        value = expected["quantities"][name]["value"]
        assert found["quantities"][name]["value"] == pytest.approx(value, rel=1e-5), name
