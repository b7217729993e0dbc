"""The solvers compared with NumPy's direct solver and SciPy's iterative ones, on random systems, on
the CPU and on a GPU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest
from builds import built
from launching import HANGS

PROGRAM = "tests/cpp/krylov/krylov_solve"
METHODS = ("cg", "bicgstab", "gmres", "fgmres", "cg_mixed", "bicgstab_mixed")
TOLERANCE = {"f": 1e-5, "F": 1e-5, "d": 1e-11, "D": 1e-11}


@pytest.fixture(scope="module")
def program() -> Path:
    return built(PROGRAM) / PROGRAM


class Solver:
    def __init__(self, program: Path, processor: str, folder: Path) -> None:
        self.program, self.processor, self.folder = program, processor, folder

    def __call__(
        self,
        method: str,
        a: numpy.ndarray,
        b: numpy.ndarray,
        x: numpy.ndarray | None = None,
        **options: Any,
    ) -> tuple[numpy.ndarray, list[dict[str, Any]]]:
        systems = 1 if b.ndim == 1 else len(b)
        start = numpy.zeros_like(b) if x is None else x
        for name, values in {"a": a, "b": b, "x": start}.items():
            values.astype(a.dtype).tofile(self.folder / name)
        given = {"tolerance": 1e-10, "iterations": 1000, "restart": 30, "preconditioned": 0}
        given |= options
        words = [self.processor, method, a.dtype.char, len(a), systems, self.folder]
        words += given.values()
        done = subprocess.run(
            [self.program, *map(str, words)], capture_output=True, text=True, timeout=HANGS
        )
        assert done.returncode == 0, done.stderr
        solution = numpy.fromfile(self.folder / "x", a.dtype).reshape(b.shape)
        return solution, json.loads(done.stdout)


@pytest.fixture(params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def solve(program: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Solver:
    return Solver(program, request.param, tmp_path)


def scalars(random: numpy.random.Generator, kind: str, *shape: int) -> numpy.ndarray:
    values = random.standard_normal(shape)
    if kind in "FD":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(kind)


def system(method: str, kind: str, length: int, seed: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    random = numpy.random.default_rng(seed)
    a = scalars(random, kind, length, length)
    if method.startswith("cg"):
        a = (a @ a.conj().T / length).astype(kind) + numpy.eye(length, dtype=kind)
    else:
        a = a + numpy.eye(length, dtype=kind) * 2.5 * length**0.5
    return a.astype(kind), scalars(random, kind, length)


@pytest.mark.parametrize("preconditioned", [0, 1])
@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("method", METHODS)
def test_solutions_are_those_of_a_direct_solver(
    solve: Solver, method: str, kind: str, preconditioned: int
) -> None:
    if method.endswith("mixed") and kind in "fF":
        pytest.skip("mixed precision is for double outside")
    for length, seed in ((1, 1), (40, 2), (257, 3)):
        a, b = system(method, kind, length, seed)
        x, (report,) = solve(method, a, b, tolerance=TOLERANCE[kind], preconditioned=preconditioned)
        assert report["reason"] == "converged"
        exact = numpy.linalg.solve(a.astype("D"), b.astype("D"))
        condition = numpy.linalg.cond(a)
        error = numpy.linalg.norm(x - exact) / numpy.linalg.norm(exact)
        assert error < 3 * condition * TOLERANCE[kind]
        residual = numpy.linalg.norm(b.astype("D") - a.astype("D") @ x.astype("D"))
        floor = 1e-5 if kind in "fF" else 1e-14
        assert report["true_residual"] == pytest.approx(
            residual, rel=1e-2, abs=floor * float(numpy.linalg.norm(b))
        )
        assert report["norm_b"] == pytest.approx(numpy.linalg.norm(b), rel=1e-6)


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("method", METHODS)
def test_a_first_guess_and_several_right_hand_sides(solve: Solver, method: str, kind: str) -> None:
    a, b = system(method, kind, 90, 7)
    random = numpy.random.default_rng(8)
    many = numpy.stack([b, 0 * b, 1e-3 * scalars(random, kind, 90), scalars(random, kind, 90)])
    guess = scalars(random, kind, *many.shape)
    x, reports = solve(method, a, many, guess, tolerance=1e-10)
    assert [report["reason"] for report in reports] == ["converged"] * 4
    exact = numpy.linalg.solve(a, many.T).T
    assert numpy.abs(x - exact).max() < 1e-9 * numpy.abs(exact).max()
    assert not x[1].any()
    assert reports[1]["iterations"] == 0


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres"])
def test_iterations_are_those_of_scipy(solve: Solver, method: str, kind: str) -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    for seed in range(5):
        a, b = system(method, kind, 150, seed)
        counted: list[Any] = []
        options: dict[str, Any] = {"rtol": 1e-9, "atol": 0, "callback": counted.append}
        if method == "gmres":
            options |= {"restart": 30, "callback_type": "pr_norm"}
        x, info = getattr(linalg, method)(a, b, **options)
        assert info == 0
        own, (report,) = solve(method, a, b, tolerance=1e-9)
        assert report["reason"] == "converged"
        assert abs(report["iterations"] - len(counted)) <= 1
        assert numpy.linalg.norm(own - x) < 1e-7 * numpy.linalg.norm(x)


def test_a_fixed_count_is_that_many_steps_of_the_formula(solve: Solver) -> None:
    a, b = system("cg", "D", 60, 5)
    x, r, p = numpy.zeros_like(b), b.copy(), b.copy()
    for _ in range(6):
        q = a @ p
        rho = numpy.vdot(r, r)
        alpha = rho / numpy.vdot(p, q)
        x, r = x + alpha * p, r - alpha * q
        p = r + numpy.vdot(r, r) / rho * p
    own, (report,) = solve("enqueue_cg", a, b, iterations=6)
    assert (report["reason"], report["iterations"]) == ("limit", 6)
    assert numpy.linalg.norm(own - x) < 1e-13 * numpy.linalg.norm(x)


def test_mixed_precision_reaches_the_accuracy_of_double(solve: Solver) -> None:
    for method in ("cg_mixed", "bicgstab_mixed"):
        a, b = system(method, "D", 120, 4)
        x, (report,) = solve(method, a, b, tolerance=1e-13)
        assert report["reason"] == "converged"
        assert numpy.linalg.norm(b - a @ x) < 1.5e-13 * numpy.linalg.norm(b)


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("method", METHODS)
def test_singular_systems(solve: Solver, method: str, kind: str) -> None:
    random = numpy.random.default_rng(3)
    basis, _ = numpy.linalg.qr(scalars(random, kind, 50, 50))
    a = basis * numpy.r_[0.0, numpy.linspace(1, 3, 49)] @ basis.conj().T  # one null vector
    b = a @ scalars(random, kind, 50)
    x, (report,) = solve(method, a, b, tolerance=1e-9)
    assert report["reason"] == "converged"
    assert numpy.linalg.norm(b - a @ x) < 2e-9 * numpy.linalg.norm(b)
    x, (report,) = solve(method, a, b + basis[:, 0], tolerance=1e-9)  # no solution
    assert report["reason"] not in ("converged", "running")
    assert numpy.isfinite(x).all()


@pytest.mark.parametrize("where", ["a", "b", "x"])
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_number_is_no_success(
    solve: Solver, method: str, value: float, where: str
) -> None:
    a, b = system(method, "d", 30, 6)
    x = numpy.zeros_like(b)
    {"a": a[7], "b": b, "x": x}[where][7] = value
    _, (report,) = solve(method, a, b, x)
    assert report["reason"] == "breakdown"
