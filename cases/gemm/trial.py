"""One trial of case `gemm`."""

from __future__ import annotations

import time
from typing import Any

from watari.case.axis import Parameters, expanded
from watari.case.native import compiled, verified
from watari.machine import openblas


def native_parameters(parameters: Parameters) -> dict[str, Any]:
    """The case as the library takes it."""
    given = {name.replace("-", "_"): value for name, value in parameters.items()}
    given |= {name: float(parameters[name]) for name in ("alpha", "beta")}
    folder = expanded(parameters["folder"])
    return {
        **given,
        "folder": folder,
        "blas_folder": openblas.folder(),
        "seed": time.time_ns() >> 20,
    }


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process. Its seed, which generates the matrices, is a new one each time."""
    given = native_parameters(parameters)
    trial = compiled("gemm")(given)
    trial["quantities"]["seed"] = {"value": float(given["seed"]), "unit": "1"}
    return verified(trial, "{count} elements of C are not alpha A B + beta C")
