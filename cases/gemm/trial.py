"""One trial of case `gemm`."""

from __future__ import annotations

from typing import Any

from watari.case import modelled_store
from watari.case.axis import Parameters, expanded
from watari.case.engines import folders_of
from watari.case.native import module, passed, verified
from watari.machine import openblas


def native_parameters(parameters: Parameters) -> dict[str, Any]:
    """The case as the library takes it."""
    given = passed(parameters)
    folders = [expanded(folder) for folder in folders_of(given.pop("folder"))]
    rows = modelled_store.native(parameters["store"])
    return {**given, **rows, "folders": folders, "blas_folder": openblas.folder()}


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process."""
    trial = module(__package__).gemm(native_parameters(parameters))
    modelled_store.tell(trial, parameters["store"])
    return verified(trial, "{count} elements of C are not alpha A B + beta C")
