"""A product of matrices in files: what was asked for, looked at before anything is written."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from watari import blas, gemm_case, gemm_journal, npy
from watari.axes import Parameters
from watari.errors import FileError, UsageError
from watari.npy import Matrix

PARTIAL = ".partial"
PathLike = str | os.PathLike[str]
# axes of the case that a product of files has no choice in
FIXED: Parameters = {
    "layout": "row-major",
    "schedule": "reuse",
    "store": "file",
    "samples": 1,
    "oversubscribe": False,
}


@dataclass(frozen=True)
class Work:
    """A product whose parts were looked at and fit each other."""

    a: Matrix
    b: Matrix
    old: Matrix | None  # C before, where beta is not 0
    output: Path
    shown: str  # the output as it was named
    parameters: Parameters  # of the case `gemm`, but for where the matrices lie
    plan: dict[str, int] = field(default_factory=dict)  # bytes that will move

    @property
    def read(self) -> list[Matrix]:
        """A, B, and C before."""
        return [self.a, self.b, *([self.old] if self.old else [])]

    @property
    def partial(self) -> Path:
        """C while it is unfinished."""
        return self.output.with_name(self.output.name + PARTIAL)

    @property
    def tiles(self) -> int:
        """Tiles of C."""
        rows, columns = self.grid
        return rows * columns

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of tiles of C."""
        tile = self.parameters["tile"]
        return -(-self.a.rows // tile), -(-self.b.columns // tile)

    @property
    def bytes(self) -> int:
        """Bytes of the file C.npy."""
        element = gemm_case.BYTES[self.a.precision]
        return npy.HEADER_BYTES + self.a.rows * self.b.columns * element

    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to be continued bit by bit."""
        names = ("alpha", "beta", "tile", "precision", "processor")
        matrices = {"A": self.a.identity(), "B": self.b.identity()}
        old = {"old C": self.old.identity()} if self.old else {}
        return {**matrices, **old, **{name: self.parameters[name] for name in names}}


def prepared(a: PathLike, b: PathLike, out: PathLike, asked: Parameters, fresh: bool) -> Work:
    """Looks at everything that could be wrong, and writes nothing. `asked` has the axes that were
    given. Raises UsageError, FileError."""
    left, right = npy.read(a), npy.read(b)
    output = Path(os.path.realpath(out))
    check_factors(left, right, a, b)
    check_output(output, out, left, right)
    old = npy.read(out) if asked["beta"] else None
    if old and (old.rows, old.columns, old.dtype) != (left.rows, right.columns, left.dtype):
        raise FileError(
            f"{out}: is {old.shape}, {old.dtype}; to add to it, it must be "
            f"{left.rows} x {right.columns}, {left.dtype}"
        )
    sides = {"m": left.rows, "n": right.columns, "k": left.columns, "precision": left.precision}
    given: Parameters = {**sides, **on_this_machine(asked), "folder": str(output.parent)}
    given["depth"] = gemm_case.default_depth({}, given)
    work = Work(left, right, old, output, os.fspath(out), given)
    if "tile" not in given:
        stored = None if fresh else stored_tile(output)
        work = with_tile(work, stored or default_tile(work))
    gemm_case.require_slots(work.parameters)
    return replace(work, plan=foreseen(work))


def on_this_machine(asked: Parameters) -> Parameters:
    """The axes with who computes and who moves as suits this machine. Raises UsageError."""
    given = FIXED | gemm_case.settle(asked)
    given.setdefault("processor", "gpu" if native().gpus()["gpus"] else "cpu")
    given.setdefault("engine", gemm_case.default_engine({}, given))
    given.setdefault("threads", gemm_case.threads_on(len(os.sched_getaffinity(0)), given))
    return given


def native() -> Any:
    """The compiled part. Raises UsageError where it is missing."""
    try:
        from watari import _native
    except ImportError as error:
        raise UsageError(f"the compiled part of watari is not installed: {error}") from None
    return _native


def with_tile(work: Work, tile: int) -> Work:
    """The product in such tiles."""
    return replace(work, parameters={**work.parameters, "tile": tile})


def default_tile(work: Work) -> int:
    """As the case has it, of tiles with what a disk wants around their rows."""

    def slots(tile: int) -> int:
        taken = int(native().gemm_files_slot_bytes(native_parameters(with_tile(work, tile))))
        return int(work.parameters["fast-memory"]) // taken

    return gemm_case.suited_tile(slots)


def foreseen(work: Work) -> dict[str, int]:
    """What will move. Raises UsageError where fast memory is too small."""
    plan = native().gemm_files_plan(native_parameters(work))
    return {name: int(plan[name]) for name in ("bytes_read", "bytes_written", "lower_bound_bytes")}


def place(matrix: Matrix) -> dict[str, Any]:
    """A matrix as the library takes it."""
    names = {"rows": matrix.rows, "columns": matrix.columns}
    return {"path": str(matrix.path), "offset": matrix.offset, **names}


def native_parameters(work: Work) -> dict[str, Any]:
    """The product as the library takes it."""
    p = work.parameters
    names = ("precision", "tile", "engine", "threads", "depth", "schedule", "processor")
    empty = {"path": "", "offset": 0, "rows": 0, "columns": 0}
    c = {"path": str(work.partial), "offset": npy.HEADER_BYTES}
    return {
        "a": place(work.a),
        "b": place(work.b),
        "c": {**c, "rows": work.a.rows, "columns": work.b.columns},
        "c0": place(work.old) if work.old else empty,
        "fast_memory": p["fast-memory"],
        "alpha": p["alpha"],
        "beta": p["beta"],
        "direct": True,
        "blas_folder": blas.folder(),
        **{name: p[name] for name in names},
    }


def check_factors(left: Matrix, right: Matrix, a: PathLike, b: PathLike) -> None:
    """Raises FileError for matrices that have no product."""
    if left.columns != right.rows:
        raise FileError(
            f"{a} is {left.shape} and {b} is {right.shape}: "
            f"columns of the first must be rows of the second"
        )
    if left.dtype != right.dtype:
        raise FileError(f"{a} is of {left.dtype} and {b} of {right.dtype}: must be the same")


def check_output(output: Path, out: PathLike, left: Matrix, right: Matrix) -> None:
    """Raises FileError or UsageError where the product cannot be put."""
    if output.exists() and not output.is_file():
        raise FileError(f"{out}: cannot be written: not a regular file")
    for factor in (left, right):
        if output.exists() and output.samefile(factor.path):
            raise UsageError(f"{out} is also a factor: the product needs a file of its own")
    if not output.parent.is_dir():
        raise FileError(f"{out}: cannot be written: no folder {output.parent}")


def stored_tile(output: Path) -> int | None:
    """The tile of an unfinished product: what goes on keeps it."""
    partial = output.with_name(output.name + PARTIAL)
    found = gemm_journal.read(gemm_journal.path_for(partial)) if partial.exists() else None
    return int(found.product["tile"]) if found and found.tiles else None
