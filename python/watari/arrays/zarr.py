"""Uncompressed Zarr arrays, versions 2 and 3. Metadata of plain chunks are read here
(zarr_plain.py), all others by the package `zarr`, which also writes them.

Each chunk must be a file: for a chunk that is missing, Zarr means the fill value, and there is
nothing to read.
"""

from __future__ import annotations

import errno
import itertools
import math
import os
from collections.abc import Iterable
from typing import Any

import numpy

from watari import _native
from watari.arrays.layout import Layout, checked_shape
from watari.arrays.named import library
from watari.arrays.source import Place, whole
from watari.arrays.zarr_plain import plain
from watari.common.errors import FileError, UnsupportedError, UsageError

METADATA = ("zarr.json", ".zarray")  # of version 3, and 2
GROUP = "is a Zarr group: name one of its arrays, PATH::NAME"
MOST = 2**24  # bytes of metadata
MOST_CHUNKS = 2**24  # their names are listed: some 2 GB


def is_zarr(place: Place, path: str) -> bool:
    """Whether a path is that of a Zarr array or group."""
    if path.rstrip("/").endswith(".zarr"):
        return True
    return place.is_folder(path) and any(
        os.path.exists(os.path.join(path, name)) for name in (*METADATA, ".zgroup")
    )


def layout(path: str, place: Place, name: str | None) -> Layout:
    """Where the chunks lie. Raises FileError, UnsupportedError (no zarr)."""
    label = f"{path}::{name}" if name else path
    folder = path.rstrip("/") + (f"/{name.strip('/')}" if name else "")
    found = unchecked(label, folder, metadata_in(label, place, folder))
    if place.is_local:
        require_chunks(found)
    return found


def unchecked(label: str, folder: str, content: bytes) -> Layout:
    """The layout that metadata describe, wherever the chunks are. Raises FileError."""
    found: Any = plain(content)
    if found:
        dtype, by_columns, key = found.dtype, found.by_columns, found.key
    else:
        found = described(label, content)
        dtype, by_columns = encoding(label, found)
        key = found.metadata.encode_chunk_key
    shape = checked_shape(label, found.shape, dtype)
    chunks = checked_shape(label, found.chunks, dtype)
    if any(side == 0 for side in chunks):
        raise FileError(f"{label}: chunks {chunks} have no elements")
    require_listable(label, shape, chunks)
    return Layout(label, shape, dtype, chunks, by_columns, 0, lambda at: f"{folder}/{key(at)}")


def require_listable(label: str, shape: tuple[int, ...], chunks: tuple[int, ...]) -> None:
    """Raises FileError for more chunks than can be listed."""
    count = math.prod(-(-side // chunk) for side, chunk in zip(shape, chunks, strict=False))
    if count > MOST_CHUNKS:
        raise FileError(
            f"{label}: {count} chunks, more than {MOST_CHUNKS}: write it again in larger chunks"
        )


def metadata_in(label: str, place: Place, folder: str) -> bytes:
    """The metadata of an array. Raises FileError."""
    errors = []
    for name in METADATA:
        try:
            source = place.open(f"{folder}/{name}")
        except FileError as error:
            errors.append(error)
            continue
        content = whole(source, MOST, label)
        source.close()
        return content
    if place.is_local and os.path.exists(f"{folder}/.zgroup"):
        raise FileError(f"{label}: {GROUP}")
    raise FileError(f"{label}: no Zarr array is there ({errors[0]})")


def metadata(path: str, shape: tuple[int, ...], dtype: Any, chunks: Any) -> bytes:
    """The metadata of a new array of uncompressed chunks. Raises UsageError, UnsupportedError."""
    zarr = package(path)
    made: dict[str, Any] = {}
    try:
        zarr.create_array(
            zarr.storage.MemoryStore(made),
            shape=shape,
            dtype=dtype,
            chunks=chunks or "auto",
            compressors=None,
            filters=None,
            fill_value=numpy.zeros((), dtype)[()],
        )
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: {' '.join(str(error).split())}") from None
    content: bytes = made[METADATA[0]].to_bytes()
    return content


def package(label: str) -> Any:
    """The package `zarr`. Raises UnsupportedError."""
    zarr = library("zarr", label)
    if not hasattr(zarr.storage, "MemoryStore"):
        raise UnsupportedError(f"{label}: needs zarr 3 or later, and this is {zarr.__version__}")
    return zarr


def described(label: str, content: bytes) -> Any:
    """The array as `zarr` describes it. Raises FileError, UnsupportedError."""
    zarr = package(label)
    version = 3 if b'"node_type"' in content else 2
    buffer = library("zarr.core.buffer", label).default_buffer_prototype().buffer
    store = zarr.storage.MemoryStore({METADATA[3 - version]: buffer.from_bytes(content)})
    try:
        return zarr.open_array(store, mode="r", zarr_format=version)
    except Exception as error:  # of many classes, for any damage of the metadata
        raise FileError(f"{label}: {why(error, content)}") from None


def why(error: Exception, content: bytes) -> str:
    """Why metadata are not those of an array."""
    if b'"node_type"' in content and b'"group"' in content:
        return GROUP
    return f"its metadata cannot be read: {' '.join(str(error).split()) or type(error).__name__}"


def encoding(label: str, array: Any) -> tuple[Any, bool]:
    """Element type, and whether chunks lie by columns. Raises FileError for chunks that are not
    the elements in a row."""
    by_columns = array.metadata.zarr_format == 2 and array.order == "F"
    filters = list(array.filters)
    if len(filters) == 1 and getattr(filters[0], "order", None) == tuple(
        reversed(range(len(array.shape)))
    ):  # the codec `transpose` of version 3
        by_columns, filters = len(array.shape) > 1, []
    names = [type_name(each) for each in (*filters, *array.compressors)]
    if names:
        raise FileError(
            f"{label}: chunks are encoded by {', '.join(names)}: they must be plain, as "
            "zarr.create_array(..., compressors=None) writes them"
        )
    if array.shards is not None:
        raise FileError(f"{label}: chunks are encoded by sharding_indexed: they must be files")
    dtype = array.dtype
    if array.metadata.zarr_format == 3:
        if type_name(array.serializer) != "bytes":
            name = type_name(array.serializer)
            raise FileError(f"{label}: chunks are encoded by {name}: they must be plain")
        endian = getattr(array.serializer, "endian", None)
        dtype = dtype.newbyteorder(
            {"big": ">", "little": "<"}.get(getattr(endian, "value", ""), "|")
        )
    return dtype, by_columns


def type_name(codec: Any) -> str:
    """The name of a codec in metadata."""
    return str(
        getattr(codec, "codec_id", None)
        or getattr(codec, "codec_name", None)
        or type(codec).__name__.removesuffix("Codec").lower()
    )


def require_chunks(layout: Layout) -> None:
    """Raises FileError, with the first one, if a chunk has no file, or one of another size."""
    paths = [layout.file(at) for at in itertools.product(*map(range, layout.grid))]
    missing, whole_chunk = [], layout.chunk_bytes
    for path, size in zip(paths, _native.file_sizes(paths), strict=True):
        if size == -errno.ENOENT:
            missing.append(path)
        elif size < 0:
            raise FileError(f"{path}: cannot be read: {os.strerror(-size)}")
        elif size != whole_chunk:
            require_whole(layout, path, size)
    if missing:
        raise FileError(
            f"{layout.name}: {len(missing)} of {math.prod(layout.grid)} chunks have no file, the "
            f"first is {missing[0]}: write them too (zarr: config={{'write_empty_chunks': True}})"
        )


def require_all_whole(layout: Layout, paths: Iterable[str], sizes: Iterable[int]) -> None:
    """Raises FileError unless the file of each chunk has exactly its bytes."""
    expected = layout.chunk_bytes
    for path, size in zip(paths, sizes, strict=True):
        if size != expected:
            require_whole(layout, path, size)


def require_whole(layout: Layout, path: str, size: int) -> None:
    """Raises FileError unless the file of a chunk has exactly its bytes."""
    if size != layout.chunk_bytes:
        raise FileError(
            f"{path}: {size} bytes, while an uncompressed chunk has {layout.chunk_bytes}"
        )
