"""One trial of case `hmatrix`."""

from __future__ import annotations

from typing import Any

from watari import _native
from watari.case.axis import Parameters, expanded
from watari.case.native import compiled, verified
from watari.cases.hmatrix.axes import FILE
from watari.cases.hmatrix.mesh import load


def native_parameters(parameters: Parameters) -> dict[str, Any]:
    """The case as the library takes it."""
    given = {name.replace("-", "_"): value for name, value in parameters.items()}
    given |= {name: float(parameters[name]) for name in ("eps", "eta", "tolerance")}
    return {
        **given,
        "folder": expanded(parameters["folder"]),
        "build_threads": 0,  # all
        "iterations": 1000,
    }


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process."""
    name = parameters["mesh"]
    mesh = load(expanded(name.removeprefix(FILE)) if name.startswith(FILE) else name)
    surface = _native.HmatrixSurface(mesh.vertices, mesh.triangles, mesh.signs, False)
    trial = compiled("hmatrix")(surface, native_parameters(parameters))
    trial["notes"] = [*surface.notes(), *trial["notes"]]
    return verified(trial, "{count} rows of a product are not those of the dense matrix")
