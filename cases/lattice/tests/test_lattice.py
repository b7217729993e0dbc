"""Case lattice: published values, refusals, and detection of wrong results."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import commanded
import pytest
from asked import GPU, request
from command_line import refused

from watari.cases.lattice import axes, case, trial
from watari.common.errors import UnsupportedError, UsageError, WrongResultError
from watari.machine import probe
from watari.plan.request import Request, resolve
from watari.results import schema

DIRECTIVES = [style.name for style in axes.STYLES.values() if style.in_directives]
PROGRAMS = [style for style in axes.STYLES if style not in DIRECTIVES]
SMALL = {"processor": "cpu", "lattice": "4x4x4x4"}


def requests(**given: Any) -> list[Request]:
    return resolve("lattice", {**SMALL, **given}, probe.machine())


def run(**given: Any) -> dict[str, Any]:
    return trial.run(requests(**given)[0].parameters)


def value(of: dict[str, Any], name: str) -> float:
    return float(of["quantities"][name]["value"])


def residuals(of: dict[str, Any]) -> list[float]:
    return list(of["series"]["residual"])


@pytest.mark.parametrize("kernel", ["shared", "tuned"])
@pytest.mark.parametrize("lattice", ["4x4x4x4", "8x8x8x16"])
def test_published_values_come_out(lattice: str, kernel: str) -> None:
    made = run(lattice=lattice, kernel=kernel)
    assert made.get("status", "ok") == "ok", made
    assert made["verified"] is True
    assert value(made, "residual") < 1e-12
    steps = len(made["host_s"])
    assert steps == len(made["series"]["residual"]) == int(value(made, "iterations")) // 2


@pytest.mark.parametrize(
    "given",
    [{"precision": "mixed"}, {"precision": "single"}, {"links": 12}, {"rhs": 3}],
    ids=lambda given: next(iter(given)) + str(next(iter(given.values()))),
)
def test_other_forms_have_the_same_solution(given: dict[str, Any]) -> None:
    made = run(lattice="8x8x8x16", **given)
    assert made["verified"] is True, made
    limit = 2e-6 if given.get("precision") == "single" else 1e-12
    assert value(made, "residual") < limit


@pytest.mark.parametrize("precision", ["double", "single", "mixed"])
def test_the_residual_is_computed_again_apart_from_the_solver(precision: str) -> None:
    made = run(precision=precision, rhs=2, lattice="4x4x4x8")
    limit = 2e-6 if precision == "single" else 1e-12
    assert 0 < value(made, "plain_residual") < limit


def test_a_solution_that_does_not_solve_the_system_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = run() | {"wrong_elements": 1}
    wrong["quantities"]["plain_residual"]["value"] = 1e-9
    monkeypatch.setattr("watari.cases.lattice._native.lattice", lambda parameters: wrong)
    made = run()
    assert (made["status"], made["verified"]) == ("wrong", False)
    assert made["error"] == "|b - D x| / |b| is 1e-09, above the limit"


def test_the_bits_do_not_depend_on_the_threads_and_the_first_residual_is_published() -> None:
    one, two = run(lattice="8x8x8x16", threads=1), run(lattice="8x8x8x16", threads=2)
    assert value(one, "norm2") == value(two, "norm2")
    assert value(one, "log_det") == value(two, "log_det")
    assert residuals(one) == residuals(two)
    assert residuals(one)[0] == pytest.approx(0.1385099525168, abs=1e-12)


@pytest.mark.parametrize("lattice", ["4x4x4x6", "2x2x2x2", "2x6x4x8"])
@pytest.mark.parametrize("kernel", ["shared", "tuned"])
def test_lattices_of_any_even_extents_are_solved(lattice: str, kernel: str) -> None:
    made = run(lattice=lattice, kernel=kernel)
    assert made.get("status", "ok") == "ok", made
    assert made["verified"] is None
    assert value(made, "residual") < 1e-11


@pytest.mark.parametrize(
    ("lattice", "says"),
    [
        ("4x4x4x5", "every extent must be even"),
        ("4x4x4", "is not a lattice"),
        ("0x4x4x4", "is not a lattice"),
        ("class9", "class1, class2, class3"),
        ("100000x100000x100000x100000", "larger than any machine can hold"),
    ],
)
def test_what_is_no_lattice_is_refused(lattice: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        requests(lattice=lattice)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["lattice=8x8x8x15"], "every extent must be even"),
        (["lattice=4x4x4x8", "split=4x1x1x1"], "no even number for each of 4 ranks"),
        (["lattice=4x4x4x8", "ranks=3"], "no even number for each of 3 ranks"),
    ],
)
def test_the_command_refuses_what_does_not_divide(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, "run", "lattice", "processor=cpu", *words)


@pytest.mark.parametrize("style", DIRECTIVES)
def test_the_cpu_is_no_substitute_for_directives(style: str) -> None:
    with pytest.raises(UnsupportedError, match=f"style {style} needs a GPU"):
        run(style=style)


@pytest.mark.parametrize(
    "given", [{}, {"precision": "single"}, {"precision": "mixed"}, {"links": 12, "rhs": 2}]
)
def test_the_memory_of_a_trial_is_that_of_its_profile(given: dict[str, Any]) -> None:
    parameters = requests(lattice="8x8x8x16", **given)[0].parameters
    per_site = value(trial.run(parameters), "state_bytes_per_site")
    known = axes.memory_bytes(parameters) / axes.sites("8x8x8x16")
    # the solver also keeps sums of pieces and scalars
    assert known <= per_site < 1.03 * known + 8
    assert case.profile(parameters).footprint["pageable"] == int(known * 8**3 * 16)


def test_class_3_fits_one_gpu_of_80_gb() -> None:
    for style in ("explicit", "managed", "acc-data"):
        on_gpu = request("lattice", GPU, processor="gpu", lattice="class3", style=style)
        footprint = case.profile(on_gpu.parameters).footprint
        state = footprint.get("device", footprint.get("managed", 0))
        assert state == 1920 * axes.sites("class3") < 80e9


def test_names_and_extents_are_the_same_lattice() -> None:
    assert axes.parse_lattice("32x32x32x32") == "class2"
    assert axes.shape("class3") == (64, 64, 64, 32)


def test_too_few_iterations_are_a_failed_trial_that_names_the_step(tmp_path: Path) -> None:
    words = ("run", "lattice", "processor=cpu", "lattice=4x4x4x4", "iterations=20", "trials=1")
    made = tmp_path / "run.json"
    commanded.watari(tmp_path, (*words, "-o", str(made)), os.environ, code=1)
    (tried,) = schema.read(made).cases[0].trials
    assert tried.status == "failed"
    assert "limit of iterations at step 10, after 20 applications of D" in str(tried.error)


def known_quantities(more: int = 0) -> dict[str, dict[str, float]]:
    """The published quantities of 8x8x8x16, with more iterations."""
    known = trial.KNOWN[8, 8, 8, 16]
    return {
        "log_det": {"value": known.log_det},
        "links_re": {"value": known.links.real},
        "links_im": {"value": known.links.imag},
        "norm2": {"value": known.norm2},
        "iterations": {"value": 219 + more},
    }


@pytest.mark.parametrize("name", known_quantities())
def test_a_wrong_value_is_noticed(name: str) -> None:
    parameters = requests(lattice="8x8x8x16")[0].parameters
    quantities = known_quantities()
    assert trial.check(parameters, quantities) is True
    # the error of an imaginary part is relative to the real one
    quantities[name]["value"] *= {"iterations": 2, "links_im": 1 + 1e-4}.get(name, 1 + 1e-8)
    with pytest.raises(WrongResultError):
        trial.check(parameters, quantities)


@pytest.mark.parametrize(("ranks", "more", "right"), [(1, 1, False), (2, 2, True), (2, 3, False)])
def test_sums_in_another_order_may_take_a_step_more(ranks: int, more: int, right: bool) -> None:
    parameters = requests(lattice="8x8x8x16", ranks=ranks)[0].parameters
    with nullcontext() if right else pytest.raises(WrongResultError):
        assert trial.check(parameters, known_quantities(more)) is True


@pytest.mark.gpu
@pytest.mark.parametrize("style", PROGRAMS)
def test_styles_have_the_same_bits(style: str) -> None:
    memories = {memory["kind"]: memory for memory in probe.machine()["memories"]}
    if style == "system" and not memories["system"]["supported"]:
        pytest.skip(memories["system"]["reason"])
    given = {"processor": "gpu", "lattice": "class1"}
    made, plain = (run(**given, style=each) for each in (style, "explicit"))
    assert made["verified"] is True
    assert value(made, "norm2") == value(plain, "norm2")
    assert residuals(made) == residuals(plain)


@pytest.mark.gpu
@pytest.mark.parametrize("lattice", ["16x16x16x32", "class2", "4x4x4x6"])
@pytest.mark.parametrize("kernel", ["shared", "tuned"])
def test_a_gpu_has_the_published_values(lattice: str, kernel: str) -> None:
    made = run(processor="gpu", lattice=lattice, kernel=kernel)
    assert made["verified"] is not False, made


@pytest.mark.gpu
@pytest.mark.parametrize("lattice", ["8x8x8x16", "class1"])
@pytest.mark.parametrize("style", DIRECTIVES)
def test_directives_have_the_published_values_on_a_gpu(style: str, lattice: str) -> None:
    try:
        made = run(processor="gpu", lattice=lattice, style=style)
    except UnsupportedError as reason:
        pytest.skip(str(reason))
    assert made["verified"] is True, made
    assert value(made, "ran_on_gpu") == 1
    assert value(made, "residual") < 1e-12
