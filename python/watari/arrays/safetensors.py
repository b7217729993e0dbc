"""Tensors in safetensors files: a length of 8 bytes, a header in JSON, then the data.

The package `safetensors` has no function that returns where a tensor lies, so the header is read
here. As in that package, tensors must fill the data without gap or overlap.
"""

from __future__ import annotations

import json
import posixpath
from typing import Any

import numpy

from watari.arrays.layout import Layout, in_one_piece
from watari.arrays.named import chosen
from watari.arrays.source import Place, Source, whole
from watari.common.errors import FileError
from watari.memory.bfloat import bfloat16

MOST = 100_000_000  # bytes of a header, as in the package; and of an index
TYPES = {"BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2"}
TYPES |= {"I32": "<i4", "U32": "<u4", "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8"}
TYPES |= {"C64": "<c8"}


def layout(path: str, source: Source, name: str | None) -> Layout:
    """Where a tensor lies. Raises FileError."""
    data, tensors = header(path, source)
    name = chosen(path, name, sorted(tensors), "tensor")
    tensor = tensors[name]
    label = f"{path}::{name}"
    kind = tensor["dtype"]
    if kind != "BF16" and kind not in TYPES:
        raise FileError(f"{label}: elements are {kind}, which NumPy has not")
    dtype = bfloat16() if kind == "BF16" else numpy.dtype(TYPES[kind])
    first, last = tensor["data_offsets"]
    found = in_one_piece(label, tensor["shape"], dtype, data + first, path)
    if found.nbytes != last - first:
        raise FileError(
            f"{label}: {last - first} bytes, while shape {found.shape} of {kind} has {found.nbytes}"
        )
    return found


def of_index(path: str, place: Place, name: str | None) -> str:
    """The file, beside an index in JSON, that has a tensor. Raises FileError."""
    source = place.open(path)
    try:
        files = json.loads(whole(source, MOST, path))["weight_map"]
        names = sorted(files)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path}: not an index of safetensors files: no weight_map") from None
    finally:
        source.close()
    file = files[chosen(path, name, names, "tensor")]
    if not isinstance(file, str) or posixpath.basename(file) != file or file in ("", ".", ".."):
        raise FileError(f"{path}: tensor {name} is in {file!r}, which is no file beside the index")
    return posixpath.join(posixpath.dirname(path), file)


def header(path: str, source: Source) -> tuple[int, dict[str, Any]]:
    """Offset of the data, and the tensors by name. Raises FileError."""
    if source.size < 8:
        raise wrong(path, "it has less than 8 bytes")
    length = int.from_bytes(part(source, 0, 8), "little")
    if length > MOST or 8 + length > source.size:
        raise wrong(path, f"a header of {length} bytes in a file of {source.size}")
    try:
        tensors = json.loads(part(source, 8, length), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise wrong(path, f"its header is no JSON: {error}") from None
    if not isinstance(tensors, dict):
        raise wrong(path, "its header has no names")
    tensors.pop("__metadata__", None)
    for name, tensor in tensors.items():
        require_fields(path, name, tensor)
    require_filled(path, tensors, source.size - 8 - length)
    return 8 + length, tensors


def part(source: Source, offset: int, size: int) -> bytes:
    """Some bytes."""
    content = bytearray(size)
    if size:
        source.read_into([(offset, content)])
    return bytes(content)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary whose names differ. Raises ValueError."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def require_fields(path: str, name: str, tensor: Any) -> None:
    """Raises FileError unless a tensor is described completely."""

    def counts(value: Any) -> bool:
        return isinstance(value, list) and all(type(each) is int for each in value)

    if not (
        isinstance(tensor, dict)
        and isinstance(tensor.get("dtype"), str)
        and counts(tensor.get("shape"))
        and counts(tensor.get("data_offsets"))
        and len(tensor["data_offsets"]) == 2
        and 0 <= tensor["data_offsets"][0] <= tensor["data_offsets"][1]
    ):
        raise wrong(path, f"tensor {name} has no dtype, shape and data_offsets")


def require_filled(path: str, tensors: dict[str, Any], size: int) -> None:
    """Raises FileError for tensors that overlap, leave gaps, or end elsewhere than the file."""
    end, before = 0, ""
    for name, tensor in sorted(tensors.items(), key=lambda each: each[1]["data_offsets"]):
        first, last = tensor["data_offsets"]
        if first < end:
            raise wrong(path, f"tensors {before} and {name} overlap")
        if first > end:
            raise wrong(path, f"no tensor has the {first - end} bytes before {name}")
        end, before = last, name
    if end > size:
        raise FileError(f"{path}: cut short: {size} bytes of data, while tensors need {end}")
    if end < size:
        raise wrong(path, f"no tensor has its last {size - end} bytes")


def wrong(path: str, reason: str) -> FileError:
    """The error for a file of another content."""
    return FileError(f"{path}: not a safetensors file: {reason}")
