"""The lazy array that `watari.open` returns."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from watari.arrays.blocks import block_rows, read_ahead
from watari.arrays.selection import Selection, selection

if TYPE_CHECKING:
    from watari.arrays.reading import Reader
    from watari.memory.buffer import Buffer

AHEAD = 2  # threads that read blocks and prefetched slices


class Array:
    """An array in a file or in objects, read when it is indexed.

    Indices are NumPy's basic ones: integers, slices with any step, `...` and None. Threads may
    share an array. `close`, or the end of `with`, ends its use.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader: Reader | None = reader
        self._layout = reader.layout
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._pool_of = 0  # the process whose threads are in the pool

    # ---- properties

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._layout.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of an element."""
        return self._layout.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._layout.nbytes // self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._layout.nbytes

    @property
    def closed(self) -> bool:
        """Whether its use has ended."""
        return self._reader is None

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __repr__(self) -> str:
        state = "closed " if self.closed else ""
        return f"<{state}array {self._layout.name}: {self.shape}, {self.dtype}>"

    # ---- reads

    def __getitem__(self, key: Any) -> Any:
        """The selected elements, read now, as a NumPy array (or one element). Raises IndexError,
        FileError, ValueError (closed)."""
        reader, chosen = self._open(), self._selection(key)
        return reader.read(chosen.ranges)[chosen.shaped]

    def __iter__(self) -> Iterator[Any]:
        """Elements of the first axis, each a read of its own; `blocks` reads ahead."""
        return (self[number] for number in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All elements, for `numpy.asarray`. Raises ValueError where copy is False."""
        if copy is False:
            raise ValueError("elements of an array in a file are always read into a copy")
        found: NDArray[Any] = self[...]
        return found if dtype is None else found.astype(dtype, copy=False)

    def prefetch(self, key: Any = ...) -> Future[Any]:
        """Begins to read `array[key]`, and returns at once: `.result()` waits for it."""
        self._open()
        self._selection(key)  # a wrong key is an error here
        return self._readers().submit(self.__getitem__, key)

    def to(self, device: str = "gpu", key: Any = ...) -> Buffer:
        """The selected elements in memory of `cpu`, `gpu` or `gpu:1`: a `watari.Buffer`, for
        `torch.from_dlpack` and `cupy.from_dlpack`. Raises TypeError for elements that DLPack does
        not know, UnsupportedError without a GPU, BeyondMemoryError."""
        from watari.arrays.device import sent

        return sent(self._open(), self._selection(key), device)

    def blocks(self, bytes: int | str = "64MiB", device: str | None = None) -> Iterator[Any]:
        """All elements in blocks along the first axis, of at most `bytes` (but at least one index
        of that axis; whole chunks where they fit). The next two blocks are read meanwhile. Blocks
        are NumPy arrays, or with `device` buffers as from `to`."""
        rows = block_rows(self._open().layout, bytes)
        keys = [slice(first, first + rows) for first in range(0, len(self), rows)]
        read = self.__getitem__ if device is None else lambda key: self.to(device, key)
        return read_ahead(self._readers(), read, keys, AHEAD)

    # ---- lifetime

    def close(self) -> None:
        """Ends its use. Reads that other threads have begun are completed."""
        with self._lock:
            reader, self._reader = self._reader, None
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        if reader is not None:
            reader.close()

    def __enter__(self) -> Array:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __getstate__(self) -> Any:
        raise TypeError(f"{self!r} cannot be copied or pickled: pass its path, and open that")

    def _open(self) -> Reader:
        reader = self._reader
        if reader is None:
            raise ValueError(f"operation on {self!r}")
        return reader

    def _selection(self, key: Any) -> Selection:
        return selection(key, self.shape, self._layout.name)

    def _readers(self) -> ThreadPoolExecutor:
        with self._lock:
            self._open()
            if self._pool is None or self._pool_of != os.getpid():  # fork copies no thread
                self._pool_of = os.getpid()
                self._pool = ThreadPoolExecutor(AHEAD, "watari-read")
            return self._pool
