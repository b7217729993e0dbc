"""Rates of arrays in each format beside .npy, in alternation, and the time to open a large Zarr.

    python benchmarks/formats.py --folder /dev/shm --folder /data --size 1GiB --rounds 9

Each round reads every format once, .npy before and after it; a ratio is the rate of a format over
the mean of these two. On a disk the files leave the page cache before each read. Reads go into the
same memory, so that first touches are not measured. Printed: the median rate, the median ratio with
its quartiles, and the same ratio of CPU seconds, which other programs on the machine disturb less.
`--open` makes a Zarr of 100 GB in sparse files, and opens it in processes of their own, each with
the first import of the package `zarr`. `-o` keeps every round.
"""

from __future__ import annotations

import argparse
import json
import os
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
from watari.case.axis import parse_size
from watari.memory.elements import size_of

COLUMNS = 4096
DTYPE = numpy.dtype("float32")
MEMORY = ("tmpfs", "ramfs")


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


def seconds(array: Array, path: str, cold: bool, into: Any) -> tuple[float, float]:
    """The time to read all of an array into the same memory, and the CPU time of all threads."""
    if cold:
        forget(path)
    reader = array._open()
    ranges = array._selection(...).ranges
    start, busy = time.perf_counter(), time.process_time()
    reader.read_to(ranges, into)
    return time.perf_counter() - start, time.process_time() - busy


def compare(folder: Path, size: int, rounds: int) -> dict[str, Any]:
    """Prints the rates in one folder, and returns every round."""
    kind = file_system(folder)
    cold = kind not in MEMORY
    rows = size // (COLUMNS * DTYPE.itemsize)
    values = numpy.random.default_rng(1).random((rows, COLUMNS), DTYPE.type)
    into = numpy.empty_like(values)
    within = Path(tempfile.mkdtemp(prefix="watari-formats-", dir=folder))
    try:
        first = npy(within, values)
        paths = {name: make(within, values) for name, make in FORMATS.items()}
        base, arrays = watari.open(first), {n: watari.open(path) for n, path in paths.items()}
        print(f"{folder} ({kind}), {values.nbytes / 2**20:.0f} MiB, {rounds} rounds")
        rates: dict[str, list[float]] = {name: [] for name in [".npy", *arrays]}
        took_all: dict[str, list[list[float]]] = {name: [] for name in arrays}
        ratios: dict[str, list[float]] = {name: [] for name in arrays}
        busy: dict[str, list[float]] = {name: [] for name in arrays}
        for _ in range(rounds):
            before = seconds(base, first, cold, into)
            for name, array in arrays.items():
                took = seconds(array, paths[name], cold, into)
                if not numpy.array_equal(into[::97], values[::97]):
                    raise SystemExit(f"{name}: wrong elements")
                after = seconds(base, first, cold, into)
                ratios[name].append((before[0] + after[0]) / 2 / took[0])
                busy[name].append(2 * took[1] / (before[1] + after[1]))
                rates[name].append(values.nbytes / took[0])
                rates[".npy"].append(values.nbytes / after[0])
                took_all[name].append([*before, *took, *after])
                before = after
        for name, found in rates.items():
            text = f"  {name:22} {statistics.median(found) / 1e9:6.2f} GB/s"
            if name in ratios:
                low, middle, high = statistics.quantiles(ratios[name], n=4)
                text += f"   {middle:.3f} of .npy ({low:.3f} to {high:.3f})"
                text += f", at best {best_ratio(took_all[name]):.3f}"
                low, middle, high = statistics.quantiles(busy[name], n=4)
                text += f"   CPU seconds {middle:.3f} ({low:.3f} to {high:.3f})"
            print(text)
        return {"file_system": kind, "bytes": values.nbytes, "rounds": took_all}
    finally:
        shutil.rmtree(within)


def best_ratio(rounds: list[list[float]]) -> float:
    """The least time of .npy over the least time of a format."""
    least_before, least_after = (min(each[i] for each in rounds) for i in (0, 4))
    return min(least_before, least_after) / min(each[2] for each in rounds)


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
    parser.add_argument("--size", type=parse_size, default=size_of("1GiB"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--open", action="store_true", help="open a Zarr of 100 GB instead")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    found = [
        open_large(folder, asked.rounds)
        if asked.open
        else compare(folder, asked.size, asked.rounds)
        for folder in asked.folder
    ]
    if asked.output:
        asked.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
