"""The styles in directives, on a GPU. As host code they are tested from C++."""

from __future__ import annotations

from typing import Any

import pytest
from asked import GPU, quantities, request

from watari.cases.les import axes, trial
from watari.common.errors import UnsupportedError

STYLES = [name for name, style in axes.STYLES.items() if style.in_directives]


def run(style: str, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "gpu", "threads": 2, "style": style, "grid": "XS", **given}
    return trial.run(request("les", GPU, **wanted).parameters)


def test_there_are_three() -> None:
    assert STYLES == ["acc-data", "acc-managed", "omp-target"]


@pytest.mark.parametrize("style", STYLES)
def test_the_cpu_is_no_substitute(style: str) -> None:
    with pytest.raises(UnsupportedError, match=f"style {style} needs a GPU"):
        run(style, processor="cpu", steps=1)


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("style", "compiler"), [*((style, "gcc") for style in STYLES), ("omp-target", "llvm")]
)
@pytest.mark.parametrize("touch", ["none", "facets", "all"])
def test_the_energy_is_that_of_the_cpus_program(style: str, compiler: str, touch: str) -> None:
    given = {"steps": 20, "every": 5, "cpu-touch": touch}
    expected = run("system", processor="cpu", **given)
    try:
        found = run(style, compiler=compiler, **given)
    except UnsupportedError as reason:
        pytest.skip(str(reason))
    assert found["verified"] is True
    of, right = quantities(found), quantities(expected)
    assert of["ran_on_gpu"] == 1
    for name in ("energy", "mean_theta"):  # measured on a CPU: 1e-7
        assert of[name] == pytest.approx(right[name], rel=1e-5), name
