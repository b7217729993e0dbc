"""The error of a model of an SSD against the rows of fio that it was made of.

The model runs in simulated time, with as many requests in flight as the row had, so that neither
this machine nor its load is in the error:

    residual   at each of its own rows
    left out   at each row between two others of its block, predicted without it; and at each row of
               a block between two others, predicted without that block
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from watari import _native
from watari.case.ssd_model import DIRECTIONS, SIMULATED, Error, Row, numbers

Rows = Sequence[Row]


def simulated(rows: Rows, at: Row) -> tuple[float, float]:
    """Latency and rate that the model of some rows has at another."""
    seen = _native.simulate_ssd(
        numbers(rows),
        "rows",
        at.direction == DIRECTIONS[1],
        at.block,
        at.depth,
        SIMULATED + at.depth,
    )
    return seen["latency"], seen["iops"]


def errors(pairs: Iterator[tuple[Rows, Row]]) -> Error:
    """The errors at rows, each predicted from the rows beside it."""
    latencies, rates = [], []
    for rows, at in pairs:
        latency, rate = simulated(rows, at)
        latencies.append(abs(latency / at.latency - 1))
        rates.append(abs(rate / at.iops - 1))
    return Error(median(latencies), max(latencies), median(rates), max(rates))


def residual(rows: Rows) -> Error:
    """The error at the model's own rows."""
    return errors((rows, row) for row in rows)


def left_out(rows: Rows) -> Error:
    """The error at rows that the model did not have."""
    return errors(pair for pairs in (without_depth, without_block) for pair in pairs(rows))


def without_depth(rows: Rows) -> Iterator[tuple[Rows, Row]]:
    """Each row between others of its block, with all other rows."""
    for row in rows:
        if inside(rows, row, alike=lambda r: r.block, along=lambda r: r.depth):
            yield [other for other in rows if other is not row], row


def without_block(rows: Rows) -> Iterator[tuple[Rows, Row]]:
    """Each row whose block lies between others, with the rows of all other blocks."""
    for row in rows:
        if inside(rows, row, alike=lambda r: r.depth, along=lambda r: r.block):
            block = (row.direction, row.block)
            yield [other for other in rows if (other.direction, other.block) != block], row


def inside(rows: Rows, row: Row, alike: Callable[[Row], int], along: Callable[[Row], int]) -> bool:
    """Whether rows of its direction that are alike lie on both sides of a row."""
    line = [
        along(other)
        for other in rows
        if other.direction == row.direction and alike(other) == alike(row)
    ]
    return min(line) < along(row) < max(line)
