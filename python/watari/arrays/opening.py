"""`watari.open`: recognises the format of a path, and opens the array there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from watari.arrays import hdf5, npy, raw, safetensors, zarr
from watari.arrays.array import Array
from watari.arrays.layout import Layout
from watari.arrays.reading import Reader
from watari.arrays.source import Place, Source, place_of
from watari.case.engines import FILE_ENGINES, QUEUED
from watari.common.errors import FileError, UsageError

MAGIC = {b"\x93NUMPY": "npy", b"\x89HDF\r\n\x1a\n": "hdf5"}
SUFFIXES = {".npy": "npy", ".safetensors": "safetensors", ".h5": "hdf5", ".hdf5": "hdf5"}
ENGINES_OF_ARRAYS = tuple(each for each in FILE_ENGINES if each not in QUEUED)
ADVICE = {
    ".npz": "a .npz file is an archive: numpy.load reads it, unzip makes .npy files of it",
    ".zip": "an archive: unpack it first",
}
INDEX = ".safetensors.index.json"
NAMED = "::"  # between a path and the name of an array in it


def open_array(
    path: str | os.PathLike[str],
    dataset: str | None = None,
    *,
    shape: Any = None,
    dtype: Any = None,
    engine: str = "posix",
) -> Array:
    """A lazy array over a file or an object: nothing but metadata is read until you index it.

    `path` is a `.npy` file, an HDF5 file, a Zarr array, a `.safetensors` file, or with `shape` and
    `dtype` a file without a header; or `s3://bucket/key` for any of them. `dataset` (or
    `path::dataset`) names one array of an HDF5 file, a Zarr group or a safetensors file; without
    it, the file must have a single one. `path::float32:300x200` names shape and type of a file
    without a header. An index of several safetensors files, `model.safetensors.index.json::name`,
    opens the one that has the tensor. `engine` reads local files: posix, uring, mmap or cufile.

        with watari.open("A.npy") as a:
            a.shape, a.dtype
            rows = a[1000:2000]                    # a NumPy array
            on_gpu = torch.from_dlpack(a.to("gpu"))
            for block in a.blocks("256MiB"):       # the next one is read meanwhile
                ...

    Raises FileError for a file that is missing, damaged, or stored otherwise than as plain
    elements, with the reason; UsageError for arguments that do not fit; UnsupportedError for a
    Python package that is not installed.
    """
    text = os.fspath(path)
    if engine not in ENGINES_OF_ARRAYS:
        raise UsageError(f"engine={engine}: arrays are read by {', '.join(ENGINES_OF_ARRAYS)}")
    found = located(os.fsdecode(text), dataset, shape, dtype)
    return Array(Reader(found.layout, found.place, found.source, engine))


class UnknownFormatError(FileError):
    """A file with neither a known suffix nor known first bytes."""


@dataclass(frozen=True)
class Located:
    """An array whose metadata were read: its layout, and the place and the open source of its
    bytes; no source for one in chunks."""

    layout: Layout
    place: Place
    source: Source | None


def located(path: str, dataset: str | None = None, shape: Any = None, dtype: Any = None) -> Located:
    """Reads the metadata of an array. Raises the errors of `open_array`."""
    path, name = split(path, dataset)
    if name is not None and shape is None and dtype is None and (found := raw.words(name)):
        (shape, dtype), name = found, None
    if (shape is None) != (dtype is None):
        raise UsageError(f"{path}: a file without a header needs both shape and dtype")
    place = place_of(path)
    if shape is None and path.endswith(INDEX):
        path = safetensors.of_index(path, place, name)
    if shape is None and zarr.is_zarr(place, path):
        return Located(zarr.layout(path, place, name), place, None)
    source = place.open(path)
    try:
        return Located(of_source(path, source, name, shape, dtype), place, source)
    except BaseException:
        source.close()
        raise


def is_npy(path: str) -> bool:
    """Whether a path is that of a .npy file of this machine, or of none that is known."""
    suffix = os.path.splitext(path.rstrip("/"))[1].lower()
    other = (suffix in SUFFIXES and suffix != ".npy") or suffix == ".zarr"
    return not other and "://" not in path and (NAMED not in path or os.path.exists(path))


def split(path: str, name: str | None) -> tuple[str, str | None]:
    """Path of the file, and name of the array in it. Raises UsageError."""
    if NAMED not in path or os.path.exists(path):
        return path, name
    path, _, own = path.rpartition(NAMED)
    if not own:
        return path, name
    if name is not None and own != name:
        raise UsageError(f"{path}: two arrays are named, {own} and {name}")
    return path, own


def of_source(path: str, source: Source, name: str | None, shape: Any, dtype: Any) -> Layout:
    """The layout that a file's metadata describe. Raises FileError, UsageError."""
    if shape is not None:
        return raw.layout(path, source, shape, dtype)
    kind = format_of(path, source)
    if kind == "npy":
        if name is not None:
            raise UsageError(f"{path}: a .npy file has one array, without a name ({name})")
        return npy.layout(path, source)
    if kind == "hdf5":
        return hdf5.layout(path, source, name)
    return safetensors.layout(path, source, name)


def format_of(path: str, source: Source) -> str:
    """The format of a file, by its first bytes or by its suffix. Raises FileError."""
    begin = bytearray(min(8, source.size))
    if begin:
        source.read_into([(0, begin)])
    for magic, kind in MAGIC.items():
        if begin.startswith(magic):
            return kind
    suffix = os.path.splitext(path)[1].lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix in ADVICE:
        raise FileError(f"{path}: {ADVICE[suffix]}")
    raise UnknownFormatError(
        f"{path}: of no format that is known (.npy, HDF5, Zarr, safetensors); a file without a "
        f"header needs shape and dtype, in a command {path}::float32:300x200"
    )
