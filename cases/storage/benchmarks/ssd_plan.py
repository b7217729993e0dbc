"""A plan that reads a disk and its model in turn, at sizes and depths of the model's range.

    python cases/storage/benchmarks/ssd_plan.py ROWS.json SSD.toml > plan.toml

ROWS.json is the result of fio_rows.sh, SSD.toml the model of it. More than half of the points are
rows of fio, the others lie between them. A sample takes 0.25 s or more of the disk, by fio's rate.
"""

from __future__ import annotations

import sys
from itertools import pairwise, product
from math import isqrt

from watari.cases.storage import fio_rows

SECONDS = 0.25

HEAD = """name = "ssd-model"
[defaults]
processor = "gpu"
engine = "uring"
threads = 1
size = "1GiB"
trials = 2
samples = 3
"""
POINT = """[[case]]
case = "storage"
store = ["file", "modelled:{model}"]
block = {block}
depth = {depth}
requests = {requests}
"""


def between(values: list[int]) -> list[int]:
    """A number between each two: for powers of four the power of two."""
    return [isqrt(low * high) for low, high in pairwise(values)]


def main(rows: str, model: str) -> None:
    iops = {(row.block, row.depth): row.iops for row in fio_rows.load(rows).rows}
    blocks, depths = (sorted({at[n] for at in iops}) for n in (0, 1))
    print(HEAD)
    for points in (lambda values: values, between):
        for block, depth in product(points(blocks), points(depths)):
            known = iops[max(b for b in blocks if b <= block), max(d for d in depths if d <= depth)]
            requests = max(round(SECONDS * known), 40 * depth)  # so most run at full depth
            print(POINT.format(model=model, block=block, depth=depth, requests=requests))


if __name__ == "__main__":
    main(*sys.argv[1:])
