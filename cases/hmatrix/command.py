"""`watari bem`: charges and capacitance of a conductor from its mesh."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from watari.arrays.writing import create, is_zarr, require_format
from watari.case.axis import count, expanded, numbered, one_of, parse_size
from watari.case.engines import FILE_ENGINES
from watari.case.ranks import MOST_RANKS
from watari.cases.hmatrix import axes, picture, vtu
from watari.cases.hmatrix.bem import (
    Charges,
    Options,
    Stopped,
    charges,
    end_ranks,
    kept_for_later,
    own_rank,
)
from watari.cases.hmatrix.mesh import load
from watari.cases.hmatrix.own_files import check_own
from watari.common import written
from watari.common.errors import FileError, UnsupportedError, UsageError
from watari.common.insecure import Insecure
from watari.common.interrupts import INTERRUPTED, stoppable
from watari.common.progress import Share, suited_share
from watari.common.units import format_bytes, format_duration
from watari.common.written import Written

SOLVERS = ("gmres", "bicgstab", "fgmres")
PRECONDITIONERS = ("block-jacobi", "none")
VTU = rb'<\?xml[^>]*>\s*<VTKFile type="UnstructuredGrid"'
CHARGES = written.kind("charges", ".vtu", VTU, strict=True)
DENSITIES = replace(
    written.ARRAY, name="charge densities", suffixes=(".npy", ".bin", ".zarr"), strict=True
)


class Report:
    """Prints notes and progress, on rank 0 alone; ends the work once `stopped` returns True."""

    def __init__(self, stopped: Callable[[], bool], rank: int = 0) -> None:
        self.quiet = rank > 0
        self.share: Share | None = None
        self.stage = ""
        self.stopped = stopped

    def note(self, text: str) -> None:
        """Prints a line of its own."""
        self.stop()
        if not self.quiet:
            print(text, flush=True)

    def advance(self, fraction: float, text: str) -> bool:
        """Shows the progress, with a new bar for each stage."""
        stage = text.partition(",")[0].partition(" ")[0]
        if stage != self.stage and not self.quiet:
            self.stop()
            self.stage, self.share = stage, suited_share()
            self.share.start()
        if self.share:
            self.share.advance(fraction, text)
        return not self.stopped()

    def stop(self) -> None:
        """Ends the bar."""
        if self.share:
            self.share.stop()
        self.share, self.stage = None, ""


def seven_digits(value: float) -> str:
    """A decimal with 7 digits: `0.7321328`, `8.146042e-11`."""
    if value == 0 or 1e-4 <= abs(value) < 1e7:
        return f"{value:#.7g}".rstrip(".")
    return f"{value:.6e}"


def outputs(output: Path, table: str | None, image: Path | None) -> list[Written]:
    """The files that people ask for, without objects."""
    files = [Written("-o", output, CHARGES)]
    if table is not None and "://" not in table:
        if is_zarr(table) and Path(table).is_dir():
            raise UsageError(f"--charges {table}: exists already: remove it, or name another")
        files += [Written("--charges", Path(table), DENSITIES)]
    return files + ([Written("--picture", image, written.PICTURE)] if image else [])


def print_result(found: Charges, mesh: str, output: Path) -> None:
    """Prints time, bytes and residual of the solve, and the capacitance."""
    s = found.solved
    print(
        f"{mesh}: {len(found.triangles)} triangles, {s['products']} products in "
        f"{format_duration(s['seconds'])}, read {format_bytes(s['bytes_read'])}, "
        f"residual {s['residual']:.1e}; {output}"
    )
    print(f"capacitance    {seven_digits(found.capacitance)} F, with lengths in metres")
    print(f"C/(4 pi eps0)  {seven_digits(found.length)}, in the mesh's unit of length")


def bem(
    mesh: Annotated[
        str,
        typer.Argument(
            metavar="MESH",
            help="OBJ, PLY, OFF, STL; cube:N, icosphere:N, spheres:N, bumpy:N, scan:N",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", readable=False, help="charges, a .vtu file of VTK"
        ),
    ],
    potential: Annotated[str, typer.Option(metavar="VOLTS")] = "1",
    table: Annotated[
        str | None,
        typer.Option(
            "--charges",
            metavar="FILE",
            help="charge densities by triangle: .npy, .bin (plain), .zarr, s3://bucket/key",
        ),
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            "--picture", readable=False, metavar="FILE", help="the charged surface, a .png file"
        ),
    ] = None,
    eps: Annotated[
        str, typer.Option(metavar="NUMBER", help="relative error of the matrix")
    ] = "1e-6",
    tolerance: Annotated[
        str, typer.Option(metavar="NUMBER", help="relative residual at which the solver stops")
    ] = "1e-6",
    processor: Annotated[str, typer.Option(metavar="NAME", help="cpu, gpu, gpu:1")] = "cpu",
    engine: Annotated[
        str | None, typer.Option(metavar="NAME", help=", ".join(FILE_ENGINES))
    ] = None,
    fast_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="GPU memory, without a GPU RAM; by default enough for all"
        ),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="folder of the matrix; by default that of the output"),
    ] = None,
    solver: Annotated[str, typer.Option(metavar="NAME", help=", ".join(SOLVERS))] = "gmres",
    preconditioner: Annotated[
        str, typer.Option(metavar="NAME", help=", ".join(PRECONDITIONERS))
    ] = "block-jacobi",
    inner: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="inner iterations of fgmres with the resident batches, for each read"
        ),
    ] = None,
    threads: Annotated[str | None, typer.Option(metavar="N", help="CPU threads that build")] = None,
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="number of ranks, under mpirun -n N; --fast-memory is for each"
        ),
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="remove duplicate triangles and triangles without area")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="keep the file of the matrix")] = False,
    insecure: Insecure = False,
) -> None:
    """Computes charges and capacitance of a conductor; the matrix may be larger than memory."""
    options = Options(
        eps=axes.in_range("--eps ", eps, 1e-11, 0.1),
        tolerance=axes.in_range("--tolerance ", tolerance, 1e-14, 0.1),
        processor=numbered("cpu", "gpu")(processor),
        engine=one_of(*FILE_ENGINES)(engine) if engine is not None else "",
        fast_memory=parse_size(fast_memory) if fast_memory is not None else 0,
        solver=one_of(*SOLVERS)(solver),
        preconditioner=one_of(*PRECONDITIONERS)(preconditioner),
        inner=count(1, 100)(inner) if inner is not None else 0,
        threads=count(1, 4096)(threads) if threads is not None else 0,
        ranks=count(1, MOST_RANKS)(ranks) if ranks is not None else 1,
    )
    if options.inner and options.solver != "fgmres":
        raise UsageError("--inner is a preconditioner that changes: it needs --solver fgmres")
    volts = axes.in_range("--potential ", potential, -1e12, 1e12)
    files = outputs(output, table, image)
    written.check(files, [mesh])
    if table is not None:
        try:
            require_format(table)
        except UnsupportedError as error:
            raise UsageError(str(error)) from None
    if image is not None:
        picture.check()
    where = Path(expanded(folder)) if folder is not None else output.parent
    if not where.is_dir():
        raise UsageError(f"{where}: no such folder")
    rank = own_rank(options)
    part = f".{rank}" if options.ranks > 1 else ""
    matrix = where / f"{output.name}.hmatrix{part}"
    with written.held(files, [mesh]) if rank == 0 else nullcontext():
        check_own(matrix)
        found = solved(
            rank, lambda report: charges(load(mesh), volts, matrix, options, report, repair=repair)
        )
        if rank == 0:
            try:
                save(found, output, table)
            except FileError as error:
                raise FileError(f"{error}; {kept_for_later(matrix)}") from error
            print_result(found, mesh, output)
        if options.ranks > 1:
            end_ranks()  # waits for rank 0, which has stored the charges then
        if not keep:
            matrix.unlink(missing_ok=True)
        if rank == 0 and image is not None:
            picture.draw(output, image)


def solved(rank: int, work: Callable[[Report], Charges]) -> Charges:
    """The result of `work`, which reports its progress. Ends the program if the work is stopped."""
    with stoppable() as stopped:
        report = Report(stopped, rank)
        try:
            return work(report)
        except Stopped as kept:
            report.stop()
            print(f"watari: interrupted; {kept}", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
        except UnsupportedError as error:
            raise UsageError(str(error)) from None
        finally:
            report.stop()


def save(found: Charges, output: Path, table: str | None) -> None:
    """Writes the .vtu file and, if asked for, the table of densities. Raises FileError."""
    numbers = {"charge_density": found.density, "potential": found.potential}
    vtu.write(output, found.vertices, found.triangles, numbers)
    if table is not None:
        density = found.density
        with create(table, density.shape, density.dtype) as new:
            new[:] = density


def add_to(app: typer.Typer) -> None:
    """Adds the command `watari bem`."""
    app.command(epilog="Example: watari bem bumpy:16 --potential 1 -o charges.vtu")(bem)
