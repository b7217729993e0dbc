"""Charges and capacitance of a conductor: `watari.cases.hmatrix.bem.charges`.

The matrix and the solver are the library's (src/watari/hmatrix/solve.hpp); this module has the
Python types, the files, and the units.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from watari import _native
from watari.case.native import module
from watari.cases.hmatrix.mesh import Mesh
from watari.common.errors import FileError, UsageError, WatariError

EPSILON_0 = 8.854187818e-12  # F/m
MOST_BATCH, LEAST_BATCH = 2**22, 2**14  # bytes of a batch of the matrix
BATCHES_IN_MEMORY = 64  # least number of batches that a budget should hold
LEAST_SINGLE = 5e-7  # least eps for elements of 4 bytes, whose error of 6e-8 costs no accuracy


@dataclass(frozen=True)
class Options:
    """Options of a solve. With `fast_memory` 0 everything stays in memory."""

    eps: float = 1e-6
    tolerance: float = 1e-6
    processor: str = "cpu"
    engine: str = ""  # that reads the matrix; empty: the usual one
    fast_memory: int = 0
    solver: str = "gmres"
    preconditioner: str = "block-jacobi"
    threads: int = 0
    iterations: int = 1000
    inner: int = 0  # iterations with the resident batches, as preconditioner of fgmres
    ranks: int = 1  # processes of one launcher that solve together

    def native(self, path: Path) -> dict[str, Any]:
        """The options as the library takes them."""
        names = ("eps", "tolerance", "processor", "solver", "preconditioner")
        batch = MOST_BATCH
        while self.fast_memory and batch > LEAST_BATCH:
            if batch * BATCHES_IN_MEMORY <= self.fast_memory:
                break
            batch //= 2
        return {
            **{name: getattr(self, name) for name in (*names, "iterations", "inner", "ranks")},
            "fast-memory": self.fast_memory,
            "build_threads": self.threads,
            "path": os.fspath(path),
            "engine": self.engine or _native.usual_engine(self.processor),
            "eta": 2.0,
            "recompress": True,
            "precision": "single" if self.eps >= LEAST_SINGLE else "double",
            "batch": batch,
            "rhs": 1,
            "verify": True,
        }


def own_rank(options: Options) -> int:
    """The number of this process. Raises UsageError where the ranks are not those of a launcher."""
    if options.ranks == 1:
        return 0
    return int(module(__package__).hmatrix_rank(options.native(Path())))


def end_ranks() -> None:
    """The normal end of a process that is one of several."""

    _native.end_ranks()


class Progress(Protocol):
    """Receives the progress of the work. `advance` returns False to stop it."""

    def note(self, text: str) -> None:
        """A line for people."""

    def advance(self, fraction: float, text: str) -> bool:
        """`fraction` of the stage that `text` describes is done."""


class Stopped(KeyboardInterrupt):
    """The caller stopped the work; the message names the file that is kept."""


class NotConvergedError(WatariError):
    """The solver ended before its tolerance."""


@dataclass(frozen=True)
class Charges:
    """Charges of a conductor, with lengths in metres."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    density: NDArray[np.float64]  # C/m^2, by triangle
    potential: NDArray[np.float64]  # V, by triangle
    length: float  # C / (4 pi eps0): in the mesh's unit of length
    solved: dict[str, Any] = field(default_factory=dict)

    @property
    def capacitance(self) -> float:
        """F, with lengths in metres."""
        return 4 * math.pi * EPSILON_0 * self.length


def charges(
    mesh: Mesh,
    potential: float,
    matrix: Path,
    options: Options,
    progress: Progress,
    *,
    repair: bool = False,
) -> Charges:
    """Builds the matrix in the file `matrix`, or uses the existing file, and solves.

    A build that was stopped is resumed. The file stays: the caller removes it once the charges are
    stored. Raises UsageError for a mesh that needs repair and a budget that is too small: before
    the build where no matrix by these options fits it, else after. Raises FileError, Stopped,
    NotConvergedError.
    """
    surface = module(__package__).HmatrixSurface(mesh.vertices, mesh.triangles, mesh.signs, repair)
    for note in surface.notes():
        progress.note(f"note: {note}")
    asked = options.native(matrix)
    surface.require_budget(asked)  # together with other ranks, also where the matrix is built
    build(surface, asked, matrix, progress)
    try:
        solved = solve(surface, asked, progress)
    except UsageError as error:  # a budget that is too small
        raise UsageError(f"{error}; {kept_for_later(matrix)}") from error
    if solved["ending"] == "stopped":
        raise Stopped(kept_for_later(matrix))
    if not solved["converged"]:
        raise NotConvergedError(
            f"the solver did not reach {options.tolerance:g}: {solved['ending']} after "
            f"{solved['iterations']} iterations, residual {solved['residual']:.2g}; "
            f"{matrix} is kept"
        )
    return in_units(surface, solved, potential)


def build(surface: Any, asked: dict[str, Any], matrix: Path, progress: Progress) -> None:
    """Builds the matrix, unless it is there. Raises FileError, Stopped."""
    if surface.is_built(asked):
        remove_old_journal(matrix)
        return
    partial = Path(f"{matrix}.partial")
    kept = f"{partial} is kept: the same command resumes"
    try:
        built = surface.build(asked, lambda part: progress.advance(part, "building the matrix"))
    except FileError as error:
        if partial.exists():
            raise FileError(f"{error}; {kept}") from error
        raise
    if built["stopped"]:
        raise Stopped(kept)


def kept_for_later(matrix: Path) -> str:
    """What to say of a complete matrix whose charges are not stored."""
    return f"{matrix} is kept: the same command solves with it"


def remove_old_journal(matrix: Path) -> None:
    """Removes the journal of a build that ended after the rename of its file but before the removal
    of its journal. A build in progress has a partial file."""
    partial = matrix.with_name(f"{matrix.name}.partial")
    if not partial.exists():
        partial.with_name(f"{partial.name}.journal").unlink(missing_ok=True)


def solve(surface: Any, asked: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """Solves, after a note that forecasts the bytes to read."""
    from watari.common.units import format_bytes

    solver = module(__package__).HmatrixSolver(surface, asked)
    facts = solver.facts()
    size, read = facts["matrix_bytes"], facts["read_bytes"]
    expected = facts["expected_products"]
    text = f"matrix of {format_bytes(size)}, {format_bytes(facts['resident_bytes'])} in memory; "
    text += f"each product reads {format_bytes(read)}; about {expected} products, "
    text += f"{format_bytes(size + (expected - 1) * read)} in all"
    if asked["solver"] != "bicgstab" and facts["restart"] < facts["usual_restart"]:
        text += f"; GMRES restarts after {facts['restart']} vectors, which the budget holds"
    progress.note(text)
    digits = -math.log10(asked["tolerance"])

    def advance(products: int, residual: float) -> bool:
        done = min(1.0, -math.log10(residual) / digits) if 0 < residual < 1 else 0.0
        return progress.advance(done, f"residual {residual:.1e}, {products} products")

    solved: dict[str, Any] = solver.solve(advance)
    return {**facts, **solved}


def in_units(surface: Any, solved: dict[str, Any], potential: float) -> Charges:
    """Converts the solution for potential 1 to charges at `potential` volts."""
    vertices, triangles, signs = surface.arrays()
    signs = signs.astype(float) if len(signs) else np.ones(len(triangles))
    unit = solved.pop("charges")
    length = math.fsum((unit * surface.areas())[signs > 0])
    density = 4 * math.pi * EPSILON_0 * potential * unit
    return Charges(vertices, triangles, density, potential * signs, length, solved)
