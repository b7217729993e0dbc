"""A plan that reads a disk and its model in turn, at the sizes and depths of the model's rows.

    python cases/storage/benchmarks/ssd_plan.py ROWS.json SSD.toml > plan.toml

ROWS.json is the result of fio_rows.sh, SSD.toml the model of it. A sample takes 0.25 s or more of
the disk, by fio's rate.
"""

from __future__ import annotations

import sys

from watari.cases.storage import fio_rows

SECONDS = 0.25

HEAD = """name = "ssd-model"
[defaults]
processor = "gpu"
engine = "gpu"
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


def main(rows: str, model: str) -> None:
    print(HEAD)
    for row in fio_rows.load(rows).rows:
        requests = max(round(SECONDS * row.iops), 40 * row.depth)  # so most run at full depth
        print(POINT.format(model=model, block=row.block, depth=row.depth, requests=requests))


if __name__ == "__main__":
    main(*sys.argv[1:])
