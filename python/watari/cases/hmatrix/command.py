"""`watari bem`: charges and capacitance of a conductor from its mesh."""

from __future__ import annotations

import math
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from watari.case.axis import count, expanded, nearest, numbered, one_of, parse_size
from watari.case.engines import FILE_ENGINES
from watari.cases.hmatrix import vtu
from watari.cases.hmatrix.bem import Charges, Options, Stopped, charges
from watari.cases.hmatrix.mesh import load
from watari.common.errors import UnsupportedError, UsageError
from watari.common.files import check_not_read
from watari.common.interrupts import INTERRUPTED
from watari.common.progress import Share, suited_share
from watari.common.units import format_bytes, format_duration

SOLVERS = ("gmres", "bicgstab", "fgmres")
PRECONDITIONERS = ("block-jacobi", "none")


class Report:
    """Prints notes and progress; asks to stop after Ctrl-C."""

    def __init__(self) -> None:
        self.share: Share | None = None
        self.stage = ""
        self.stopping = False

    def note(self, text: str) -> None:
        """A line of its own."""
        self.stop()
        print(text, flush=True)

    def advance(self, fraction: float, text: str) -> bool:
        """A new bar for each stage."""
        stage = text.partition(",")[0].partition(" ")[0]
        if stage != self.stage:
            self.stop()
            self.stage, self.share = stage, suited_share()
            self.share.start()
        if self.share:
            self.share.advance(fraction, text)
        return not self.stopping

    def stop(self) -> None:
        """Ends the bar."""
        if self.share:
            self.share.stop()
        self.share, self.stage = None, ""

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """The first Ctrl-C or SIGTERM stops between two steps; a second one at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.getsignal(number) for number in numbers}

        def restore() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        def ask(number: int, frame: FrameType | None) -> None:
            self.stopping = True
            restore()

        for number in numbers:
            signal.signal(number, ask)
        try:
            yield
        finally:
            restore()


def number(name: str, text: str, low: float, high: float) -> float:
    """A finite number in a range. Raises UsageError."""
    pattern = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    value = float(text) if re.fullmatch(pattern, text, re.ASCII) else math.nan
    if not low <= value <= high:
        raise UsageError(f"{name} {text}: give a number from {low:g} to {high:g}, such as 1e-6")
    return value


def seven_digits(value: float) -> str:
    """A decimal with 7 digits: `0.7321328`, `8.146042e-11`."""
    if value == 0 or 1e-4 <= abs(value) < 1e7:
        return f"{value:#.7g}".rstrip(".")
    return f"{value:.6e}"


def check_output(output: Path, mesh: str) -> None:
    """Raises UsageError for a file of another kind, or one that is read."""
    if output.suffix.lower() != ".vtu":
        guess = nearest(output.suffix.lower(), [".vtu"])
        raise UsageError(
            f"-o {output}: charges are written as VTK, to a file that ends in .vtu{guess}"
        )
    check_not_read(output, [Path(mesh)])


def print_result(found: Charges, mesh: str, output: Path) -> None:
    """What it took, and the capacitance."""
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
            metavar="MESH", help="OBJ, PLY, OFF, STL; cube:N, icosphere:N, spheres:N, bumpy:N"
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", readable=False, help="charges, a .vtu file of VTK")
    ],
    potential: Annotated[str, typer.Option(metavar="VOLTS")] = "1",
    table: Annotated[
        Path | None,
        typer.Option("--charges", readable=False, help="charge densities by triangle, a .npy file"),
    ] = None,
    eps: Annotated[
        str, typer.Option(metavar="NUMBER", help="relative error of the matrix")
    ] = "1e-6",
    tolerance: Annotated[
        str, typer.Option(metavar="NUMBER", help="residual of the solver")
    ] = "1e-6",
    processor: Annotated[str, typer.Option(help="cpu, gpu, gpu:1")] = "cpu",
    engine: Annotated[str | None, typer.Option(help=", ".join(FILE_ENGINES))] = None,
    fast_memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="GPU memory, on the cpu RAM; without: what all takes"),
    ] = None,
    folder: Annotated[
        str | None, typer.Option(metavar="DIR", help="of the matrix; beside the output by default")
    ] = None,
    solver: Annotated[str, typer.Option(help=", ".join(SOLVERS))] = "gmres",
    preconditioner: Annotated[str, typer.Option(help=", ".join(PRECONDITIONERS))] = "block-jacobi",
    threads: Annotated[str | None, typer.Option(help="CPU threads that build")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="remove duplicate triangles and those without area")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="keep the file of the matrix")] = False,
) -> None:
    """Charges and capacitance of a conductor, with a matrix that may be larger than memory."""
    options = Options(
        eps=number("--eps", eps, 1e-11, 0.1),
        tolerance=number("--tolerance", tolerance, 1e-14, 0.1),
        processor=numbered("cpu", "gpu")(processor),
        engine=one_of(*FILE_ENGINES)(engine) if engine is not None else "",
        fast_memory=parse_size(fast_memory) if fast_memory is not None else 0,
        solver=one_of(*SOLVERS)(solver),
        preconditioner=one_of(*PRECONDITIONERS)(preconditioner),
        threads=count(1, 4096)(threads) if threads is not None else 0,
    )
    volts = number("--potential", potential, -1e12, 1e12)
    check_output(output, mesh)
    where = Path(expanded(folder)) if folder is not None else output.parent
    if not where.is_dir():
        raise UsageError(f"{where}: no such folder")
    report = Report()
    try:
        with report.stoppable():
            found = charges(
                load(mesh),
                volts,
                where / f"{output.name}.hmatrix",
                options,
                report,
                repair=repair,
                keep=keep,
            )
    except Stopped as stopped:
        report.stop()
        print(f"watari: interrupted; {stopped}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except UnsupportedError as error:
        raise UsageError(str(error)) from None
    finally:
        report.stop()
    save(found, output, table)
    print_result(found, mesh, output)


def save(found: Charges, output: Path, table: Path | None) -> None:
    """Writes what was asked for. Raises FileError."""
    numbers = {"charge_density": found.density, "potential": found.potential}
    vtu.write(output, found.vertices, found.triangles, numbers)
    if table is not None:
        import io

        import numpy as np

        from watari.common.files import write_atomically

        content = io.BytesIO()
        np.save(content, found.density)
        write_atomically(table, content.getvalue())


def add_to(app: typer.Typer) -> None:
    """Makes it a command of `watari`."""
    app.command()(bem)
