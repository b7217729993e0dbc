"""Rates of arrays in each format beside .npy, in alternation, and the time to open a large Zarr.

    python benchmarks/formats.py --folder /dev/shm --folder /data --size 256MiB --places 40

Where a file lies in memory decides more than its format: a second copy of the same file may be read
1.3 times as fast. So all files are made anew for each of many places, in a random order, and read
in turns; a ratio compares the least times of one place, and its interval is that of the mean over
places. On a disk the files leave the page cache before each read. Reads go into memory that was
touched before, placed as that of `a[...]`, or with `--plain` as NumPy places it. The same ratio of
CPU seconds is what other programs on the machine disturb less.
Beside each read the engine alone moves the same bytes: the plan is made and the files are open. The
ratio is what a format adds, wherever its files lie.
`--open` makes a Zarr of 100 GB in sparse files, and opens it in processes of their own, each with
the first import of the package `zarr`. `-o` keeps every read.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

import watari
from watari.arrays.array import Array
from watari.arrays.plan import table
from watari.arrays.reading import placed
from watari.case.axis import parse_size
from watari.memory.elements import size_of

COLUMNS = 4096
DTYPE = numpy.dtype("float32")
MEMORY = ("tmpfs", "ramfs")
BASE = ".npy"
Moved = tuple[float, float]  # seconds, and CPU seconds
Seconds = dict[str, list[tuple[float, ...]]]  # by format: of each read, and of the engine alone


def npy(folder: Path, values: Any) -> str:
    numpy.save(folder / "a.npy", values)
    return str(folder / "a.npy")


def npy_again(folder: Path, values: Any) -> str:
    """A control: a ratio other than 1 is what the method or the machine adds."""
    numpy.save(folder / "b.npy", values)
    return str(folder / "b.npy")


def raw(folder: Path, values: Any) -> str:
    values.tofile(folder / "a.bin")
    return f"{folder / 'a.bin'}::{values.dtype.name}:{'x'.join(map(str, values.shape))}"


def hdf5(folder: Path, values: Any) -> str:
    import h5py

    with h5py.File(folder / "a.h5", "w") as file:
        file["a"] = values
    return f"{folder / 'a.h5'}::a"


def safetensors(folder: Path, values: Any) -> str:
    from safetensors.numpy import save_file

    save_file({"a": values}, folder / "a.safetensors")
    return f"{folder / 'a.safetensors'}::a"


def in_chunks(chunks: tuple[int, int]) -> Callable[[Path, Any], str]:
    def zarr(folder: Path, values: Any) -> str:
        path = folder / f"a-{chunks[0]}x{chunks[1]}.zarr"
        with watari.create(path, values.shape, values.dtype, chunks=chunks) as made:
            made[:] = values
        return str(path)

    return zarr


FORMATS: dict[str, Callable[[Path, Any], str]] = {
    BASE: npy,
    ".npy again (a control)": npy_again,
    "raw": raw,
    "hdf5": hdf5,
    "safetensors": safetensors,
    "zarr, 8 MiB of rows": in_chunks((512, COLUMNS)),
    "zarr, tiles of 4 MiB": in_chunks((1024, 1024)),
    "zarr, 1 MiB of rows": in_chunks((64, COLUMNS)),
}


def file_system(folder: Path) -> str:
    """The type of the file system of a folder."""
    best, kind = "", ""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mounted, name, *_ = line.split()
        if os.path.commonpath([mounted, folder.resolve()]) == mounted and len(mounted) >= len(best):
            best, kind = mounted, name
    return kind


def forget(path: str) -> None:
    """Takes the files of an array out of the page cache."""
    begin = Path(path.split("::")[0])
    for each in [begin] if begin.is_file() else begin.rglob("*"):
        if each.is_file():
            file = os.open(each, os.O_RDONLY)
            os.fdatasync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def seconds(move: Callable[[], Any]) -> Moved:
    """The time of a move, and the CPU time of all threads."""
    start, busy = time.perf_counter(), time.process_time()
    move()
    return time.perf_counter() - start, time.process_time() - busy


def ways(array: Array, into: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """To read all of an array into memory; and to move its bytes by the engine alone."""
    reader = array._open()
    ranges = array._selection(...).ranges
    steps: list[Any] = list(reader.steps(ranges))
    files, numbers = reader.files([step.chunk for step in steps], False)
    moves = table(zip(numbers, steps, strict=True), reader.layout.offset, into.ctypes.data)
    return (
        lambda: reader.read_to(ranges, into),
        lambda: files.move(moves, into.ctypes.data, into.nbytes),
    )


def timed(array: Array, path: str, cold: bool, into: Any, turn: int) -> tuple[float, ...]:
    """Seconds and CPU seconds of a read, and of the engine alone, in turns the first."""
    found: list[Moved] = [(0, 0), (0, 0)]
    order = list(enumerate(ways(array, into)))
    for at, move in order if turn % 2 == 0 else order[::-1]:
        if cold:
            forget(path)
        found[at] = seconds(move)
    return (*found[0], *found[1])


def measure(folder: Path, values: Any, rounds: int, order: random.Random, plain: bool) -> Seconds:
    """Makes every file anew, in a random order, so each gets other pages of memory, and reads each
    `rounds` times in turns. Returns seconds and CPU seconds of the reads, by format."""
    cold = file_system(folder) not in MEMORY
    within = Path(tempfile.mkdtemp(prefix="watari-formats-", dir=folder))
    try:
        makers = list(FORMATS.items())
        order.shuffle(makers)
        paths = {name: make(within, values) for name, make in makers}
        arrays = {name: watari.open(path) for name, path in paths.items()}
        memory = {
            name: numpy.empty_like(values) if plain else placed(array._open().layout, values.shape)
            for name, array in arrays.items()
        }
        took: Seconds = {name: [] for name in FORMATS}
        for turn in range(rounds):
            for name, array in arrays.items():
                into = memory[name]
                into[:] = 0
                took[name].append(timed(array, paths[name], cold, into, turn))
                if not numpy.array_equal(into[::97], values[::97]):
                    raise SystemExit(f"{name}: wrong elements")
        return took
    finally:
        shutil.rmtree(within)


def ratio(places: list[Seconds], over: tuple[str, int], of: tuple[str, int]) -> tuple[float, ...]:
    """Times of one row, a format and a column, over those of another: the geometric mean over
    places of the ratio of the least times there, and its 95% interval."""
    logs = [
        math.log(min(r[over[1]] for r in p[over[0]]) / min(r[of[1]] for r in p[of[0]]))
        for p in places
    ]
    middle, half = statistics.mean(logs), 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(middle), math.exp(middle - half), math.exp(middle + half)


def compare(folder: Path, size: int, rounds: int, places: int, plain: bool) -> dict[str, Any]:
    """Prints the rates in one folder, and returns every read."""
    kind = file_system(folder)
    rows = size // (COLUMNS * DTYPE.itemsize)
    values = numpy.random.default_rng(1).random((rows, COLUMNS), DTYPE.type)
    order = random.Random(1)
    found = [measure(folder, values, rounds, order, plain) for _ in range(places)]
    print(f"{folder} ({kind}), {values.nbytes / 2**20:.0f} MiB, files made {places} times")
    for name in FORMATS:
        best = statistics.median(min(r[0] for r in place[name]) for place in found)
        text = f"  {name:22} {values.nbytes / best / 1e9:6.2f} GB/s"
        for over, at, what in (
            ((BASE, 0), 0, "of .npy"),
            ((BASE, 1), 1, "of its CPU seconds' rate"),
            ((name, 2), 0, "of the engine alone"),
        ):
            middle, low, high = ratio(found, over, (name, at))
            text += f"   {middle:.3f} {what} ({low:.3f} to {high:.3f})"
        print(text)
    return {"file_system": kind, "bytes": values.nbytes, "places": found}


OPENED = """
import json, sys, time
import watari
start, busy = time.perf_counter(), time.process_time()
with watari.open(sys.argv[1]) as array:
    first = time.perf_counter() - start, time.process_time() - busy
start, busy = time.perf_counter(), time.process_time()
with watari.open(sys.argv[1]) as array:
    print(json.dumps([*first, time.perf_counter() - start, time.process_time() - busy]))
"""


def open_large(
    folder: Path, rounds: int, size: int = 100 * 10**9, chunk: int = 2**23
) -> dict[str, Any]:
    """Prints the time to open a Zarr of sparse files: the first array of a process, and a second
    one. Returns seconds and CPU seconds of both, by process."""
    import zarr

    within = Path(tempfile.mkdtemp(prefix="watari-formats-", dir=folder))
    try:
        columns = 2**20
        path, rows = within / "a.zarr", size // (columns * 8)
        zarr.create_array(
            path, shape=(rows, columns), dtype="f8", chunks=(1, chunk // 8), compressors=None
        )
        for row in range(rows):
            os.makedirs(path / "c" / str(row))
            for column in range(columns * 8 // chunk):
                with open(path / "c" / str(row) / str(column), "wb") as file:
                    file.truncate(chunk)
        words = [sys.executable, "-c", OPENED, str(path)]
        took = [json.loads(subprocess.check_output(words)) for _ in range(rounds)]
        print(
            f"{folder}: a Zarr of {size / 1e9:.0f} GB in chunks of {chunk / 2**20:.0f} MiB opens in"
        )
        for name, at in (("the first array of a process", 0), ("a later one", 2)):
            text = [f"{statistics.median(each[i] for each in took):.3f}" for i in (at, at + 1)]
            least = min(each[at] for each in took)
            print(f"  {name}: {text[0]} s, at best {least:.3f}; CPU {text[1]} s")
        return {"bytes": size, "chunk": chunk, "seconds": took}
    finally:
        shutil.rmtree(within)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", action="append", type=Path, required=True)
    parser.add_argument("--size", type=parse_size, default=size_of("256MiB"))
    parser.add_argument("--rounds", type=int, default=4, help="reads of a file, or processes")
    parser.add_argument("--places", type=int, default=40, help="times that the files are made")
    parser.add_argument("--plain", action="store_true", help="read into NumPy's own memory")
    parser.add_argument("--open", action="store_true", help="open a Zarr of 100 GB instead")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    found = [
        open_large(folder, asked.rounds)
        if asked.open
        else compare(folder, asked.size, asked.rounds, asked.places, asked.plain)
        for folder in asked.folder
    ]
    if asked.output:
        asked.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
