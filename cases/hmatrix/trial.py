"""One trial of case `hmatrix`."""

from __future__ import annotations

from typing import Any

from watari.case import modelled_store
from watari.case.axis import Parameters, expanded
from watari.case.engines import folders_of
from watari.case.native import module, passed, verified
from watari.cases.hmatrix.axes import FILE, matrix_bytes


def native_parameters(parameters: Parameters) -> dict[str, Any]:
    """The case as the library takes it."""
    given = passed(parameters) | {"ranks": parameters["ranks"]}
    given["folders"] = [expanded(folder) for folder in folders_of(given.pop("folder"))]
    given |= modelled_store.native(parameters["store"])
    known = not parameters["mesh"].startswith(FILE)
    given["expected_bytes"] = matrix_bytes(parameters) if known else 0
    del given["mesh"]  # the surface is made of it
    return given


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process."""
    name = parameters["mesh"]
    from watari.cases.hmatrix.mesh import load  # with NumPy, which other trials start without

    mesh = load(expanded(name.removeprefix(FILE)) if name.startswith(FILE) else name)
    surface = module(__package__).HmatrixSurface(mesh.vertices, mesh.triangles, mesh.signs, False)
    trial = module(__package__).hmatrix(surface, native_parameters(parameters))
    trial["notes"] = [*surface.notes(), *trial["notes"]]
    modelled_store.tell(trial, parameters["store"])
    return verified(trial, "{count} rows of a product are not those of the dense matrix")
