"""Trials of case himeno, their arrays, and the same iterations in NumPy."""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from asked import GPU, request

from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import trial as himeno_trial

Field = npt.NDArray[np.float64]
HOOK = Path(himeno_axes.__file__).with_name("libhimeno_fields.so")
NAMES = ["p", "wrk2", "wrk1", "bnd", "a0", "a1", "a2", "a3", "b0", "b1", "b2", "c0", "c1", "c2"]

# the request of ranks that have one thread each: their bits do not depend on the number of ranks
ranked = partial(request, "himeno", GPU, processor="cpu", threads=1, iterations=6, data="general")


def parameters(**given: Any) -> dict[str, Any]:
    wanted = {"processor": "cpu", "threads": 2, **given}
    return request("himeno", GPU, **wanted).parameters


def run(**given: Any) -> dict[str, Any]:
    return himeno_trial.run(parameters(**given))


def fingerprints(*trials: dict[str, Any]) -> set[float]:
    """The different fields at the end of these trials."""
    return {trial["quantities"]["fingerprint"]["value"] for trial in trials}


def fields(**given: Any) -> dict[str, Any]:
    """The 14 arrays and the last gosa after some iterations; after 0 the initial arrays."""
    if not HOOK.exists():
        pytest.skip("built without WATARI_TESTS")
    iterations = given.pop("iterations")
    p = parameters(**given)
    shape = himeno_axes.shape(p["grid"])
    arrays = np.empty((14, *shape), np.float32)
    words = (("form", "fused"), ("kernel", "tuned"), ("data", "general"))
    compute = ctypes.CDLL(str(HOOK)).himeno_fields
    compute.restype = ctypes.c_double
    gosa = compute(
        0 if p["processor"] == "gpu" else -1,
        (ctypes.c_size_t * 3)(*shape),
        iterations,
        *(ctypes.c_bool(p[axis] == word) for axis, word in words),
        arrays.ctypes.data_as(ctypes.c_void_p),
    )
    return {**dict(zip(NAMES, arrays, strict=True)), "gosa": gosa}


def at(p: Field, i: int, j: int, k: int) -> Field:
    """p at the interior points, shifted by i, j, k."""
    n = p.shape
    return p[1 + i : n[0] - 1 + i, 1 + j : n[1] - 1 + j, 1 + k : n[2] - 1 + k]


def iteration(p: Field, x: dict[str, Field]) -> tuple[Field, float]:
    """One Jacobi iteration in double precision, written from the formula."""
    s0 = (
        x["a0"] * at(p, 1, 0, 0)
        + x["a1"] * at(p, 0, 1, 0)
        + x["a2"] * at(p, 0, 0, 1)
        + x["b0"] * (at(p, 1, 1, 0) - at(p, 1, -1, 0) - at(p, -1, 1, 0) + at(p, -1, -1, 0))
        + x["b1"] * (at(p, 0, 1, 1) - at(p, 0, -1, 1) - at(p, 0, 1, -1) + at(p, 0, -1, -1))
        + x["b2"] * (at(p, 1, 0, 1) - at(p, -1, 0, 1) - at(p, 1, 0, -1) + at(p, -1, 0, -1))
        + x["c0"] * at(p, -1, 0, 0)
        + x["c1"] * at(p, 0, -1, 0)
        + x["c2"] * at(p, 0, 0, -1)
        + x["wrk1"]
    )
    ss = (s0 * x["a3"] - at(p, 0, 0, 0)) * x["bnd"]
    after = p.copy()
    after[1:-1, 1:-1, 1:-1] += 0.8 * ss
    return after, float((ss * ss).sum())


def reference(start: dict[str, Any], iterations: int) -> tuple[Field, float]:
    inner = (slice(1, -1),) * 3
    x = {n: v[inner].astype(np.float64) for n, v in start.items() if n not in ("p", "gosa")}
    p, gosa = start["p"].astype(np.float64), 0.0
    for _ in range(iterations):
        p, gosa = iteration(p, x)
    return p, gosa


def compare_with_reference(**given: Any) -> None:
    start = fields(data="general", iterations=0, **given)
    expected, gosa = reference(start, 5)
    computed = fields(data="general", iterations=5, **given)
    np.testing.assert_allclose(computed["p"], expected, rtol=1e-5, atol=1e-6)
    assert computed["gosa"] == pytest.approx(gosa, rel=1e-5, abs=1e-6)
