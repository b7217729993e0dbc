"""Stands where the compiled part stands, with NumPy: `fake_gemm.py gemm A.npy B.npy ...`.

Blocks of C are one row of tiles; after each row the tiles are durable and progress is told. It
refuses what the library refuses, and says I/O errors as it does. FAKE_PAUSE (seconds) makes each
product of tiles take so long.
"""

import os
import sys
import time
import types

import numpy

from watari.errors import SystemCallError

DTYPES = {"single": numpy.float32, "double": numpy.float64}


def gemm_files_slot_bytes(p):
    """Bytes of a tile on a disk that wants nothing."""
    return p["tile"] ** 2 * {"single": 4, "double": 8}[p["precision"]]


def gemm_files_plan(p):
    """Bytes with a row of tiles of C in fast memory."""
    element = {"single": 4, "double": 8}[p["precision"]]
    m, n, k = p["a"]["rows"], p["b"]["columns"], p["a"]["columns"]
    rows = -(-m // p["tile"])
    read = (m * k + rows * k * n if p["alpha"] else 0) + (m * n if p["beta"] else 0)
    flops = 2 * m * n * k if p["alpha"] else 0
    bound = flops / (p["fast_memory"] / element) ** 0.5
    return {
        "bytes_read": read * element,
        "bytes_written": m * n * element,
        "lower_bound_bytes": int(bound * element),
        "block_rows": 1,
        "block_columns": -(-n // p["tile"]),
        "slots": 5,
        "steps": rows,
    }


def read_tile(file, matrix, dtype, row, column, tile):
    """A tile, row by row. Raises SystemCallError with the address of what does not come."""
    rows = min(tile, matrix["rows"] - row)
    columns = min(tile, matrix["columns"] - column)
    found = numpy.empty((rows, columns), dtype)
    for i in range(rows):
        at = matrix["offset"] + ((row + i) * matrix["columns"] + column) * found.itemsize
        data = os.pread(file, columns * found.itemsize, at)
        if len(data) < columns * found.itemsize:
            raise SystemCallError(f"{matrix['path']}: read at byte {at}: end of file")
        found[i] = numpy.frombuffer(data, dtype)
    return found


def row_of_tiles(files, p, dtype, i, finished):
    """The unfinished tiles of one row of C, written and durable; their places."""
    tile, done = p["tile"], []
    for j in range(-(-p["c"]["columns"] // tile)):
        if (i, j) in finished:
            continue
        total = 0
        for inner in range(-(-p["a"]["columns"] // tile)):
            a = read_tile(files["a"], p["a"], dtype, i * tile, inner * tile, tile)
            b = read_tile(files["b"], p["b"], dtype, inner * tile, j * tile, tile)
            total = total + a @ b
            time.sleep(float(os.environ.get("FAKE_PAUSE", "0")))
        total = dtype(p["alpha"]) * total
        if p["beta"]:
            old = read_tile(files["c0"], p["c0"], dtype, i * tile, j * tile, tile)
            total = total + dtype(p["beta"]) * old
        for y, line in enumerate(total.astype(dtype)):
            at = (i * tile + y) * p["c"]["columns"] + j * tile
            os.pwrite(files["c"], line.tobytes(), p["c"]["offset"] + at * line.itemsize)
        done.append((i, j))
    os.fdatasync(files["c"])
    return done


def gemm_files(p, finished, progress):
    """The product, into the file that is there."""
    dtype, started = DTYPES[p["precision"]], time.monotonic()
    assert os.path.getsize(p["c"]["path"]) >= p["c"]["offset"]
    files = {
        name: os.open(p[name]["path"], os.O_RDWR if name == "c" else os.O_RDONLY)
        for name in ("a", "b", "c", "c0")
        if p[name]["path"]
    }
    try:
        rows = -(-p["c"]["rows"] // p["tile"])
        for i in range(rows):
            done = row_of_tiles(files, p, dtype, i, set(finished))
            if not progress(done, (i + 1) / rows):
                raise KeyboardInterrupt
    finally:
        for file in files.values():
            os.close(file)
    read = p["a"]["rows"] * p["a"]["columns"] * numpy.dtype(dtype).itemsize
    seconds = time.monotonic() - started
    return {"seconds": seconds, "bytes_read": read, "bytes_written": read, "notes": ["by NumPy"]}


def install():
    """Becomes `watari._native`."""
    module = types.ModuleType("watari._native")
    for function in (gemm_files_slot_bytes, gemm_files_plan, gemm_files):
        setattr(module, function.__name__, function)
    module.gpus = lambda: {"gpus": [], "reason": "no GPU driver"}
    sys.modules["watari._native"] = module
    import watari

    watari._native = module


if __name__ == "__main__":
    install()
    from watari import cli

    cli.main()
