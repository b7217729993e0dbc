"""`watari.create`: a new array in a file, a Zarr folder or objects, complete under its name or
absent.
"""

from __future__ import annotations

import contextlib
import os
from types import TracebackType
from typing import Any, Protocol, SupportsIndex

import numpy
from numpy.typing import NDArray

from watari.arrays import raw, zarr
from watari.arrays.layout import Layout, checked_shape
from watari.arrays.selection import Selection, selection
from watari.arrays.source import place_of
from watari.common.errors import UsageError

READ_ONLY = (".h5", ".hdf5", ".safetensors", ".npz")  # suffixes of formats that are not written


class Target(Protocol):
    """What a new array is written to."""

    layout: Layout

    def write(self, chosen: Selection, values: NDArray[Any]) -> None:
        """Writes C-ordered elements to their place. Raises FileError."""

    def complete(self) -> None:
        """Gives the array its name. Raises FileError."""

    def abort(self) -> None:
        """Removes what was written."""


class NewArray:
    """An array that is being written: assign slices, then `close`.

    Until `close` (or the end of `with`) nothing has its name; after an error in the `with` block
    nothing is left. Elements that were not assigned are 0. Threads may share it for slices that do
    not overlap; of a Zarr array, slices in different chunks.
    """

    def __init__(self, target: Target) -> None:
        self._target: Target | None = target
        self._layout = target.layout

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._layout.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of an element."""
        return self._layout.dtype

    @property
    def chunks(self) -> tuple[int, ...]:
        """Elements of a chunk along each axis; the shape where there are no chunks."""
        return self._layout.chunks

    @property
    def closed(self) -> bool:
        """Whether it is complete, or was removed."""
        return self._target is None

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        state = "closed" if self.closed else "unfinished"
        return f"<{state} array {self._layout.name}: {self.shape}, {self.dtype}>"

    def __setitem__(self, key: Any, values: Any) -> None:
        """Writes elements, converted to its type as NumPy does. Raises IndexError, ValueError (a
        shape that does not fit, or closed), FileError."""
        target = self._open()
        chosen = selection(key, self.shape, self._layout.name)
        if any(each is None for each in chosen.shaped):
            raise IndexError("None (a new axis) has no meaning in an assignment")
        if any(each.step != 1 for each in chosen.ranges) or any(
            isinstance(each, slice) and each.step for each in chosen.shaped
        ):
            raise IndexError(f"{self._layout.name} is written by slices of step 1")
        shape = numpy.broadcast_to(numpy.False_, chosen.shape)[chosen.shaped].shape
        fitted = numpy.asarray(values)
        if fitted.dtype != self.dtype or fitted.shape != shape:
            fitted = numpy.empty(shape, self.dtype)
            fitted[...] = values
        target.write(chosen, numpy.ascontiguousarray(fitted.reshape(chosen.shape)))

    def close(self) -> None:
        """Completes the array: all of it is durable, and has its name. Raises FileError."""
        target, self._target = self._target, None
        if target is None:
            return
        try:
            target.complete()
        except BaseException:
            target.abort()
            raise

    def abort(self) -> None:
        """Removes what was written; the name stays as it was."""
        target, self._target = self._target, None
        if target is not None:
            target.abort()

    def __enter__(self) -> NewArray:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.abort()

    def _open(self) -> Target:
        if self._target is None:
            raise ValueError(f"operation on {self!r}")
        return self._target


def require_format(path: str) -> None:
    """Before the work whose result `create` will store: raises UnsupportedError if a Python package
    is missing or the place has no client, FileError without the bucket of an object, UsageError
    for a format that is only read."""
    require_written(path)
    place = place_of(path)
    if is_zarr(path):
        zarr.package(path)
    place.require(path)


def require_written(path: str) -> None:
    """Raises UsageError for a name that promises a format which is only read."""
    file = path.partition("::")[0].rstrip("/")
    if os.path.splitext(file)[1].lower() in READ_ONLY:
        raise UsageError(f"{path}: this format is not written: name a .npy, .zarr or .bin file")


def is_zarr(path: str) -> bool:
    """Whether a new array becomes a folder of chunks."""
    return path.rstrip("/").endswith(".zarr")


def create(
    path: str | os.PathLike[str],
    shape: Any,
    dtype: Any = "float64",
    *,
    chunks: Any = None,
) -> NewArray:
    """A new array, which exists once it is closed.

    The suffix of `path` chooses the format: `.npy`; `.zarr`, a folder of uncompressed chunks of
    `chunks` elements along each axis (version 3); any other, plain elements in C order. A file is
    replaced; a folder that exists is an error. `s3://bucket/key` writes an object, whose slices
    must follow one another along the first axis, or with `.zarr` an object for each chunk, whose
    slices must be whole chunks.

        with watari.create("B.npy", shape=(1000, 1000), dtype="float32") as b:
            b[:500] = upper
            b[500:] = lower

    Raises UsageError for arguments that do not fit, FileError for a path that cannot be written,
    UnsupportedError for a Python package that is not installed.
    """
    text = os.fspath(path)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    kind = raw.dtype_of(dtype)
    require_written(text)
    sides = checked_shape(text, (shape,) if isinstance(shape, SupportsIndex) else shape, kind)
    if chunks is not None and not is_zarr(text):
        raise UsageError(f"{text}: only Zarr arrays (.zarr) have chunks")
    place = place_of(text)
    if not place.is_local:
        from watari.arrays.objects import target

        return NewArray(target(place, text, sides, kind, chunks))
    from watari.arrays import local

    if is_zarr(text):
        return NewArray(local.ZarrTarget(text.rstrip("/"), sides, kind, chunks))
    return NewArray(local.FileTarget(text, sides, kind))
