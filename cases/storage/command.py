"""`watari model-ssd`: a model of an SSD from a result of fio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from watari.case import ssd_model
from watari.case.ssd_model import SsdModel
from watari.cases.storage import fio_rows, ssd_error
from watari.common import written
from watari.common.files import write_atomically
from watari.common.units import exact_size
from watari.common.written import Written

MODEL = written.kind("models of SSDs", ssd_model.SUFFIX, rb"# A model of an SSD", strict=True)


def model_ssd(
    rows: Annotated[Path, typer.Argument(metavar="FIO.json", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="SSD.toml", help="the model")],
) -> None:
    """Makes a model of an SSD from fio's random reads (and writes) of several sizes and depths.

    watari run storage engine=gpu store=modelled:SSD.toml runs on it. The model states its error,
    and every result that uses it carries that error."""
    written.check([Written("-o", output, MODEL)], read=[rows])
    model, skipped = modelled(rows, output.stem)
    write_atomically(output, ssd_model.text(model))
    print(*summary(model, output, skipped), sep="\n")


def modelled(path: Path, name: str) -> tuple[SsdModel, int]:
    """The model of a fio result, and the jobs of other kinds in it. Raises FileError."""
    found = fio_rows.load(str(path))
    rows = found.rows
    source = f"{found.version}, {len(rows)} rows"
    if not found.direct:
        source += ", without direct=1: the page cache may have answered"
    model = SsdModel(
        name, source, rows, ssd_error.residual(rows), ssd_error.left_out(rows), found.spread
    )
    return model, found.skipped


def summary(model: SsdModel, output: Path, skipped: int) -> list[str]:
    """Lines: the range, the errors, what was not used."""
    lines = [f"{output}: model {model.name} of {model.source}"]
    for direction in ssd_model.DIRECTIONS:
        blocks, depths = model.reach(direction)
        if blocks:
            sizes = f"{exact_size(blocks.start)} to {exact_size(blocks.stop - 1)}"
            lines.append(f"  {direction}s of {sizes}, 1 to {depths.stop - 1} in flight")
    lines.append(f"  error at its own rows: {model.residual.text()}")
    lines.append(f"  error at rows left out: {model.left_out.text()}")
    if model.spread is not None:
        lines.append(f"  the disk's own spread, of repeated rows: IOPS {model.spread:.1%}")
    if skipped:
        lines.append(
            f"  {skipped} jobs were not used: only completed randread and randwrite of one size are"
        )
    return lines


def add_to(app: typer.Typer) -> None:
    """Adds the command `watari model-ssd`."""
    app.command("model-ssd", epilog="Example: watari model-ssd fio.json -o ssd.toml")(model_ssd)
