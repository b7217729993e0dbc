"""`watari gemm`: the forecast, the progress and the summary of a product of files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from watari.case.engines import FILE_ENGINES
from watari.cases.gemm import forecast, operand, product
from watari.cases.gemm.output import output as output_of
from watari.cases.gemm.product import Interrupted, Product, Work
from watari.common import written
from watari.common.errors import UnsupportedError, UsageError
from watari.common.insecure import Insecure
from watari.common.interrupts import INTERRUPTED
from watari.common.progress import Share, suited_share
from watari.common.units import format_bytes, format_duration, format_flops


class ProgressReport:
    """Prints the forecast, then the progress of the product."""

    def __init__(self, only_plan: bool = False) -> None:
        self.only_plan = only_plan
        self.share: Share | None = None
        self.tiles = self.flops = self.stored = 0

    def start(self, work: Work, finished: int) -> None:
        p = work.parameters
        rate = forecast.file_rate(Path(work.largest)) if work.largest else None
        of = forecast.forecast(p, work.plan, rate)
        shapes = f"{p['m']} x {p['n']} = ({p['m']} x {p['k']}) ({p['k']} x {p['n']})"
        print(f"{work.output}: {shapes}, {work.dtype}", end="")
        print(f", by {p['engine']} on the {p['processor']}, ", end="")
        print(f"tiles of {p['tile']} in {format_bytes(p['fast-memory'])}")
        whole = "in all: " if finished else ""
        print(f"{whole}{of.bytes_text()}; {of.time_text()}", flush=True)
        if work.advice:
            print(work.advice, flush=True)
        if finished:
            print(f"{finished} of {work.tiles} tiles are completed already", flush=True)
        self.tiles, self.flops = work.tiles, of.flops
        if self.only_plan:
            return
        self.share = suited_share()
        self.share.start()

    def advance(self, fraction: float, finished: int) -> None:
        if self.share:
            self.share.advance(fraction, f"{finished} of {self.tiles} tiles")

    def storing(self, name: str, done: float) -> None:
        """Tells every tenth of the storing of a complete C."""
        if int(10 * done) > self.stored:
            self.stored = int(10 * done)
            self.stop()
            print(f"{name}: {100 * done:.0f}% stored", flush=True)

    def stop(self) -> None:
        """Ends the bar, whether the product was completed or not."""
        if self.share:
            self.share.stop()


def make(a: str, b: str, out: str, asked: dict[str, object]) -> None:
    """Makes the product and prints its summary. Raises the errors of `watari.gemm`, but UsageError
    in place of UnsupportedError, since the command then makes no product."""
    to = output_of(out, str(asked["work"]) if asked.get("work") else None)
    written.check([to.kind()], operand.files(a, b))
    report = ProgressReport(bool(asked.get("dry_run")))
    try:
        done = product.gemm(a, b, out, progress=report, **asked)  # type: ignore[arg-type]
    except UnsupportedError as error:
        raise UsageError(str(error)) from None
    finally:
        report.stop()
    text = [f"{out}: not written"] if report.only_plan else summary(done, out, report)
    print(*text, sep="\n")


def summary(done: Product, out: str, report: ProgressReport) -> list[str]:
    """Lines: time, bytes and rates of a completed product, and notes."""
    stored = f"stored in {format_duration(done.seconds_storing)}" if done.seconds_storing else ""
    if not report.share:
        return [f"{out}: " + (stored or "was completed by an earlier run")]
    size = done.bytes_read + done.bytes_written
    rate = f" ({size / done.seconds / 1e9:.3g} GB/s)" if done.seconds else ""
    text = f"{out}: {format_duration(done.seconds)}, read {format_bytes(done.bytes_read)}"
    if done.bytes_received > done.bytes_read:
        text += f" of {format_bytes(done.bytes_received)} received"
    text += f", wrote {format_bytes(done.bytes_written)}{rate}"
    if done.seconds and report.flops and not done.finished_before:
        text += f", {format_flops(report.flops / done.seconds)}"
    if done.seconds_verifying:
        text += f"; read back in {format_duration(done.seconds_verifying)}"
    text += f"; {stored}" if stored else ""
    return [text, *done.notes]


def gemm(
    a: Annotated[str, typer.Argument(metavar="A", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", show_default=False)],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="C.npy", help="C; with --beta it must exist"),
    ],
    fast_memory: Annotated[
        str,
        typer.Option(metavar="SIZE", help="GPU memory for tiles, e.g. 8GiB; without a GPU: RAM"),
    ] = "auto",
    alpha: Annotated[str, typer.Option(metavar="NUMBER")] = "1",
    beta: Annotated[str, typer.Option(metavar="NUMBER")] = "0",
    tile: Annotated[
        str | None, typer.Option(metavar="ELEMENTS", help="edge of a tile, a multiple of 128")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="NAME", help=", ".join(FILE_ENGINES))
    ] = None,
    processor: Annotated[str | None, typer.Option(metavar="NAME", help="cpu, gpu, gpu:1")] = None,
    threads: Annotated[
        str | None, typer.Option(metavar="N", help="CPU threads that move tiles")
    ] = None,
    transpose_a: Annotated[
        bool, typer.Option("--transpose-a", help="the file contains the transpose of A")
    ] = False,
    transpose_b: Annotated[
        bool, typer.Option("--transpose-b", help="the file contains the transpose of B")
    ] = False,
    work: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="of C in objects: where it lies until it is complete"),
    ] = None,
    insecure: Insecure = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="start over; ignore the files of a killed run")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="check everything, print the forecast, write nothing")
    ] = False,
) -> None:
    """Multiplies matrices in files that may be larger than memory: C = alpha A B + beta C.

    A and B are .npy, HDF5, Zarr or safetensors files (FILE::NAME), plain elements
    (FILE::float32:300x200), or any of them as s3://bucket/key. C is C.npy, C.bin without a header,
    C.zarr, or one of them as s3://bucket/key."""
    asked = {"fast_memory": fast_memory, "alpha": alpha, "beta": beta, "tile": tile}
    asked |= {"engine": engine, "processor": processor, "threads": threads}
    try:
        switches = {"transpose_a": transpose_a, "transpose_b": transpose_b, "dry_run": dry_run}
        make(a, b, output, {**asked, **switches, "work": work, "fresh": fresh})
    except Interrupted as interrupted:
        print(f"watari: interrupted; {interrupted}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None


def add_to(app: typer.Typer) -> None:
    """Adds the command `watari gemm`."""
    app.command(epilog="Example: watari gemm A.npy B.npy -o C.npy --fast-memory 8GiB")(gemm)
