"""Models of SSDs in files, `store=modelled:ssd.toml`: what they hold, and what they may be asked.

A model has rows: the mean latency and the rate of requests of one size with a constant number in
flight, as fio measured them, and its error (src/watari/storage/backends/ssd.hpp is the model that
follows from the rows). `watari model-ssd` writes such a file. Every result that used a model
carries its error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from watari import _native
from watari.case.axis import expanded
from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.common.units import exact_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODELLED = "modelled:"
SUFFIX = ".toml"  # of a file that `store=modelled:FILE` names; other words are data sheets
DIRECTIONS = ("read", "write")
SIMULATED = 20_000  # requests beyond those in flight
MOST_BLOCK, MOST_DEPTH, MOST = 2**30, 2**16, 1e12  # bytes, requests, seconds and their like
SHAPE = tuple(_native.SSD_SHAPE)  # parts of the requests whose latency a row states


@dataclass(frozen=True)
class Row:
    """One measured row. `latency`: the mean, in seconds; `shape`: that of each part over it."""

    direction: str
    block: int
    depth: int
    latency: float
    iops: float
    shape: tuple[float, ...]


@dataclass(frozen=True)
class Error:
    """Errors relative to measured rows, of the median row and the worst one."""

    latency_median: float
    latency_worst: float
    iops_median: float
    iops_worst: float

    def text(self) -> str:
        """`latency 1.2% (worst 5.0%), IOPS 1.3% (worst 6.1%)`."""
        return (
            f"latency {self.latency_median:.1%} (worst {self.latency_worst:.1%}), "
            f"IOPS {self.iops_median:.1%} (worst {self.iops_worst:.1%})"
        )


@dataclass(frozen=True)
class SsdModel:
    """`residual`: error at its own rows. `left_out`: error at rows that the model was not made of,
    one depth or one block size at a time. `spread`: of repeated rows, the median over rows of the
    largest difference in IOPS; None if each row was measured once."""

    name: str
    source: str
    rows: tuple[Row, ...]
    residual: Error
    left_out: Error
    spread: float | None

    def numbers(self) -> NDArray[np.float64]:
        """The rows as the library takes them."""
        return numbers(self.rows)

    def reach(self, direction: str) -> tuple[range, range]:
        """Bytes of a request, and requests in flight, between the rows of a direction."""
        rows = [row for row in self.rows if row.direction == direction]
        blocks = sorted({row.block for row in rows})
        depths = [[row.depth for row in rows if row.block == block] for block in blocks]
        if not rows:
            return range(0), range(0)
        most = min(max(of) for of in depths)
        return range(blocks[0], blocks[-1] + 1), range(1, most + 1)


def numbers(rows: Iterable[Row]) -> NDArray[np.float64]:
    """Rows as the library takes them: one after the other, by direction, block and depth."""
    import numpy as np  # trials of other stores start without it

    ordered = sorted(rows, key=lambda row: (row.direction, row.block, row.depth))
    return np.array(
        [
            number
            for row in ordered
            for number in (
                DIRECTIONS.index(row.direction),
                row.block,
                row.depth,
                row.latency,
                row.iops,
                *row.shape,
            )
        ],
        dtype=np.float64,
    )


def file_of(store: str) -> str | None:
    """The file of a store's model; None for other stores and for data sheets."""
    name = store.removeprefix(MODELLED)
    return name if store.startswith(MODELLED) and name.endswith(SUFFIX) else None


def load(path: str) -> SsdModel:
    """The model in a file. Raises FileError."""
    found = reading.toml(expanded(path))
    try:
        spread = found.get("spread")
        model = SsdModel(
            str(found["name"]),
            str(found["source"]),
            tuple(row_of(row) for row in found["rows"]),
            Error(**{name: float(value) for name, value in found["residual"].items()}),
            Error(**{name: float(value) for name, value in found["left_out"].items()}),
            None if spread is None else float(spread),
        )
        _native.simulate_ssd(model.numbers(), model.name, False, 4096, 1, 2)
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, UsageError) as error:
        raise FileError(
            f"{path}: no model of an SSD, or damaged ({error!s:.200}); watari model-ssd writes one"
        ) from None
    return model


def row_of(values: Mapping[str, Any]) -> Row:
    """A row of a file. Raises KeyError, TypeError, ValueError."""
    row = Row(**{**values, "shape": tuple(float(part) for part in values["shape"])})
    require_row(row)
    return row


def require_row(row: Row) -> None:
    """Raises TypeError or ValueError for a row that no disk has."""
    numbers = (row.latency, row.iops, *row.shape)
    good = row.direction in DIRECTIONS and len(row.shape) == len(SHAPE)
    good &= 1 <= row.block <= MOST_BLOCK and 1 <= row.depth <= MOST_DEPTH
    good &= all(0 <= number < MOST for number in numbers) and row.latency > 0 and row.iops > 0
    if not good or {type(row.block), type(row.depth)} != {int}:
        raise ValueError(f"{row.direction} of {row.block} bytes, {row.depth} in flight: no row")


def text(model: SsdModel) -> str:
    """The file of a model."""
    lines = [
        "# A model of an SSD, by watari model-ssd. Errors are relative; latencies are means, in",
        "# seconds; shape is the latency of these parts of the requests over the mean:",
        f"# {', '.join(f'{part:g}' for part in SHAPE)}",
        f"name = {quoted(model.name)}",
        f"source = {quoted(model.source)}",
        *([] if model.spread is None else [f"spread = {model.spread:.4g}"]),
        "rows = [",
        *(f"    {in_line(row)}," for row in model.rows),
        "]",
    ]
    for title in ("residual", "left_out"):
        lines += ["", f"[{title}]"]
        values = asdict(getattr(model, title))
        lines += [f"{name} = {value:.4g}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


def in_line(row: Row) -> str:
    """A row as an inline table."""
    parts = []
    for field in fields(Row):
        value = getattr(row, field.name)
        if isinstance(value, tuple):
            written = f"[{', '.join(f'{part:.4g}' for part in value)}]"
        elif isinstance(value, float):
            written = f"{value:.6g}"
        else:
            written = f'"{value}"' if isinstance(value, str) else str(value)
        parts.append(f"{field.name} = {written}")
    return f"{{ {', '.join(parts)} }}"


def quoted(words: str) -> str:
    """A basic string of TOML."""
    import json

    return json.dumps(words)


def require_reach(
    model: SsdModel, path: str, direction: str, block: int, depth: int, disks: int
) -> None:
    """Raises UsageError for requests outside the model's rows."""
    blocks, depths = model.reach(direction)
    if not blocks:
        raise UsageError(f"{path}: the model has no rows of direction={direction}")
    if block not in blocks:
        raise UsageError(
            f"{path}: the model has no range for block={exact_size(block)}: its rows are of "
            f"{exact_size(blocks.start)} to {exact_size(blocks.stop - 1)}"
        )
    if -(-depth // disks) not in depths:
        raise UsageError(
            f"{path}: the model has no range for {-(-depth // disks)} requests in flight of each "
            f"disk (depth x threads / files): its rows have up to {depths.stop - 1}"
        )


def rate(model: SsdModel, direction: str, block: int, depth: int) -> float:
    """Requests per second of one modelled SSD with `depth` in flight, in simulated time."""
    writes = direction == DIRECTIONS[1]
    requests = SIMULATED + depth
    return float(
        _native.simulate_ssd(model.numbers(), model.name, writes, block, depth, requests)["iops"]
    )


def is_row(model: SsdModel, direction: str, block: int, depth: int) -> bool:
    """Whether requests are those of a measured row, and not between rows."""
    return any(
        (row.direction, row.block, row.depth) == (direction, block, depth) for row in model.rows
    )


def quantities(model: SsdModel, at_row: bool) -> dict[str, dict[str, Any]]:
    """The model's error for requests at one of its rows, or between rows, for a trial."""
    values = asdict(model.residual if at_row else model.left_out)
    return {f"model_{name}": {"value": value, "unit": "1"} for name, value in values.items()}


def note(model: SsdModel, at_row: bool) -> str:
    """The same in a sentence."""
    error = model.residual if at_row else model.left_out
    where = "at its own rows" if at_row else "at rows left out, since these requests are none"
    own = "" if model.spread is None else f"; the disk's own spread in IOPS is {model.spread:.1%}"
    return f"model {model.name} of an SSD, {model.source}: error {where}: {error.text()}{own}"
