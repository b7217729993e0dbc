"""The Himeno styles in Fortran on the CPU. Those for a GPU are host code in the tests in C++."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import asked
import pytest
from on_ranks import on_ranks, ranks_run

from watari.cases import effort
from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import trial as himeno_trial
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe, resolve

ON_CPU = ("f-cpu", "f-do-concurrent")
IN_FORTRAN = [name for name, style in himeno_axes.STYLES.items() if style.fortran]


request = partial(
    asked.request, "himeno", machine=asked.GPU, processor="cpu", threads=2, iterations=6
)


def run(**given: Any) -> dict[str, Any]:
    try:
        return himeno_trial.run(request(**given).parameters)
    except UnsupportedError as reason:
        if "gfortran" in str(reason):
            pytest.skip(str(reason))
        raise


@pytest.mark.parametrize("form", ["fused", "two-kernel"])
@pytest.mark.parametrize("style", ON_CPU)
@pytest.mark.parametrize(("grid", "iterations"), [("XS", 1000), ("S", 64)])
def test_gosa_is_the_reference(style: str, form: str, grid: str, iterations: int) -> None:
    trial = run(style=style, form=form, grid=grid, iterations=iterations)
    assert trial["verified"] is True
    assert len(trial["host_s"]) == iterations


@pytest.mark.parametrize("form", ["fused", "two-kernel"])
@pytest.mark.parametrize("grid", ["3x3x3", "5x6x7", "17x9x33", "20x12x130"])
@pytest.mark.parametrize("style", ON_CPU)
def test_general_data_give_the_gosa_of_cpp(style: str, grid: str, form: str) -> None:
    given = {"grid": grid, "data": "general", "form": form}
    expected = run(style="system", **given)["series"]["gosa"]
    found = run(style=style, **given)["series"]["gosa"]
    assert list(found) == pytest.approx(list(expected), rel=1e-6)


@pytest.mark.mpi
@ranks_run
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_ranks_give_the_gosa_of_one(ranks: int, tmp_path: Path) -> None:
    run(style="f-cpu", grid="XS")  # skips where it is not built
    splits = {2: ("2x1x1", "1x2x1", "1x1x2"), 4: ("2x2x1", "1x2x2"), 8: ("2x2x2",)}[ranks]
    trials = [
        request(style=style, grid="11x12x13", split=split, data="general", threads=1)
        for style in ON_CPU
        for split in splits
    ]
    outcomes = on_ranks(ranks, trials, tmp_path)
    for one, outcome in zip(trials, outcomes, strict=True):
        alone = run(style=one.parameters["style"], grid="11x12x13", data="general")
        assert "error" not in outcome, (describe(one), outcome)
        assert outcome["gosa"] == pytest.approx(list(alone["series"]["gosa"]), rel=1e-12)
        assert outcome["fingerprint"] == alone["quantities"]["fingerprint"]["value"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"style": "f-cpu", "compiler": "llvm"}, "compiler=llvm"),
        ({"style": "f-cpu", "compiler": "nvhpc"}, "nvfortran of NVIDIA's HPC SDK"),
        ({"style": "f-do-concurrent", "compiler": "nvhpc"}, "nvfortran"),
        ({"style": "f-acc-data"}, "style f-acc-data needs a GPU"),
    ],
)
def test_what_is_not_built_is_unsupported(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        himeno_trial.run(request(grid="XS", **given).parameters)


def test_a_style_in_cuda_has_no_compiler() -> None:
    wanted = {"style": ["explicit", "omp-target"], "compiler": ["gcc", "llvm"], "processor": "gpu"}
    found = {
        (one.parameters["style"], one.parameters["compiler"])
        for one in resolve("himeno", wanted, asked.GPU)
    }
    assert found == {("explicit", "none"), ("omp-target", "gcc"), ("omp-target", "llvm")}
    with pytest.raises(UsageError, match="needs a compiler: gcc, llvm, nvhpc"):
        request(style="acc-data", compiler="none")


def test_statements_of_fortran_are_counted_as_those_of_cpp() -> None:
    pytest.importorskip("pygments")
    counted = {one.style: one.statements for one in effort.effort("himeno")}
    for style in IN_FORTRAN:
        beside = counted.get(style.removeprefix("f-"))
        if beside is None:
            continue
        # enter data and exit data, where C++ has a data region
        regions = style in ("f-acc-data", "f-acc-host-data", "f-omp-target")
        assert counted[style]["direct data"] == beside["direct data"] + regions, style
        # no swap of pointers: the result comes back from either of two arrays
        assert counted[style]["copy"] == beside["copy"] + (beside["copy"] > 0), style
    assert counted["f-cpu"] == {**dict.fromkeys(effort.KINDS, 0), "allocate": 1, "free": 1}
    assert counted["f-acc-managed"]["allocate"] == counted["acc-managed"]["allocate"] == 7


SOURCE = """
! allocate (in_a_comment(n))
subroutine example
  print *, "deallocate (text)"
  allocate (a(n), &
            b(n))
  !$acc data copyin(a) &
  !$acc& create(b)
  !$acc update host(a)
  !$acc parallel loop deviceptr(a)
  !$acc parallel loop gang
  !$acc end data
  !$omp target update to(a)
  !$omp end target data
  deallocate (a, b)
end subroutine
"""


def test_every_kind_is_counted_once() -> None:
    statements = effort.count_fortran("example", SOURCE).statements
    assert {kind: n for kind, n in statements.items() if n} == {
        "allocate": 1,
        "free": 1,
        "copy": 2,
        "direct data": 2,
    }
