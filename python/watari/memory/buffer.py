"""`watari.Buffer`: memory of one kind, for NumPy, CuPy, PyTorch and the kernels of the cases."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any

import numpy

from watari import _native
from watari.case.axes import KINDS
from watari.common.units import exact_size
from watari.memory.elements import Shape, dlpack_type, dtype_of, fitted

CPU = (1, 0)  # DLPack's device: type and number


class Buffer:
    """Memory of one kind. No page is touched before you, or a method, write it.

    `kind` is `pageable`, `pinned`, `device`, `managed` or `system`. `size` is in bytes, a number or
    a text such as `"1GiB"`; or give `shape`, in elements of `dtype` (by default `float64`).
    `device` is the number of the GPU. Managed memory beyond the free memory of the GPU is refused
    unless `oversubscribe` is true.

        with watari.Buffer("managed", shape=(1024, 1024), dtype="float32") as buffer:
            numpy.asarray(buffer)[:] = 1            # first touched by the CPU; no copy
            cupy.from_dlpack(buffer).sum()          # the GPU reads the same memory
            print(buffer.residency())

    Raises ValueError for an invalid kind, size or shape; TypeError for a dtype that other libraries
    do not know; MemoryError (`BeyondMemoryError`) for more memory than is free; and
    NotImplementedError (`UnsupportedError`, with the reason) if this machine lacks something.

    A view keeps the memory. Views are arrays made by `array`, `numpy.asarray` and `from_dlpack`:

    - The end of `with` closes the buffer. Without a view it frees the memory at once; else the
      memory is freed with the last view, and a ResourceWarning says so.
    - `close()` frees the memory at once. While a view lives it raises BufferError, and the buffer
      stays open.
    - A buffer that is deleted frees its memory, or leaves it to the last view.

    So an array is valid for as long as it lives, also after the block. If you copy what you keep
    (`numpy.array(buffer)`), the memory is free where the block ends.
    """

    def __init__(
        self,
        kind: str,
        size: int | str | None = None,
        device: int = 0,
        oversubscribe: bool = False,
        *,
        dtype: Any = "float64",
        shape: Shape | None = None,
    ) -> None:
        if kind not in KINDS:  # checked before the size: both are texts, and easily swapped
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
        self._kind = kind
        self._dtype = dtype_of(dtype)
        self._size, self._shape = fitted(size, self._dtype, shape)
        self._memory: _native.Buffer | None = _native.Buffer(
            kind, self._size, device, oversubscribe
        )

    # ---- properties

    @property
    def kind(self) -> str:
        """Name of its kind of memory."""
        return self._kind

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

    nbytes = size

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of an element."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self._shape

    @property
    def closed(self) -> bool:
        """Whether the memory was freed."""
        return self._memory is None

    def __len__(self) -> int:
        """Elements along the first axis."""
        return self._shape[0]

    def __repr__(self) -> str:
        text = f"{self._kind!r}, {exact_size(self._size)!r}"
        if self._dtype != numpy.float64:
            text += f", dtype={self._dtype.name!r}"
        if len(self._shape) != 1:
            text += f", shape={self._shape}"
        name = type(self).__name__
        return f"<closed {name}({text})>" if self.closed else f"{name}({text})"

    # ---- lifetime

    def __enter__(self) -> Buffer:
        self._open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        viewed = self._memory is not None and self._memory.shared
        if viewed and kind is None:  # of an error the traceback may hold a view
            warnings.warn(
                f"an array still views {self!r}: its memory is freed with the array, not here",
                ResourceWarning,
                stacklevel=2,
            )
        self._memory = None

    def close(self) -> None:
        """Frees the memory. Raises BufferError while an array views it, as `mmap.close` does."""
        if self._memory is not None and self._memory.shared:
            raise BufferError(f"cannot close {self!r}: an array still views its memory")
        self._memory = None

    def _open(self) -> _native.Buffer:
        if self._memory is None:
            raise ValueError(f"operation on {self!r}")
        return self._memory

    # ---- as an array

    def array(self) -> Any:
        """The memory as a NumPy array of its `dtype` and `shape`, no copy. For `device` memory,
        which the CPU cannot address, the buffer itself, for `cupy.from_dlpack`. Raises ValueError
        when closed."""
        memory = self._open()
        if not memory.on_cpu:
            return self
        return memory.bytes().view(self._dtype).reshape(self._shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        """For `numpy.asarray`. Raises TypeError for memory that the CPU cannot address, ValueError
        for another dtype where copy is False."""
        if not self._open().on_cpu:
            raise TypeError(
                f"the CPU cannot address {self._kind} memory: "
                "cupy.from_dlpack(buffer) or torch.from_dlpack(buffer) can view it"
            )
        array: numpy.ndarray[Any, Any] = self.array()
        wanted = self._dtype if dtype is None else numpy.dtype(dtype)
        if copy is False and wanted != self._dtype:
            raise ValueError(
                f"an array of {wanted} would be a copy: the buffer is of {self._dtype}"
            )
        return array.astype(wanted, copy=bool(copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's number of the kind of device, and the number of the device."""
        return self._open().dlpack_device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """For `from_dlpack` of NumPy, CuPy, PyTorch and JAX; no copy. Raises BufferError if the
        caller wants a copy, or a device that cannot reach the memory. No synchronisation is needed:
        the methods of a buffer return when the GPU is done."""
        memory, on = self._open(), None
        if copy:
            raise BufferError("a Buffer exports its own memory, never a copy")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if tuple(dl_device) != CPU or not memory.on_cpu:
                raise BufferError(f"{self._kind} memory is not on DLPack's device {dl_device}")
            on = CPU[0]
        exported = memory.exported(dlpack_type(self._dtype), self._shape, on)
        return exported.__dlpack__(stream=stream, max_version=max_version)

    # ---- residency of its pages

    def residency(self, all_touched: bool = True) -> dict[str, Any]:
        """Bytes by side: `cpu`, `gpu` and `untold` (not known), in all `bytes`; `nodes`: bytes by
        NUMA node; `method`: the source (docs/results.md). `all_touched`: every page has been
        written, so a page that the operating system does not map is on the GPU."""
        seen: dict[str, Any] = self._open().residency(all_touched)
        return seen

    def advise(self, hint: str, gpu: str = "gpu") -> None:
        """Gives the driver a hint for a GPU: `none`, `mapped` or `read-mostly`. Raises
        NotImplementedError for a kind that takes no hints, ValueError for an unknown hint."""
        self._open().advise(hint, gpu)

    def prefetch(self, to: str) -> None:
        """Moves the pages to `cpu`, `gpu` or `gpu:1`, and returns when they are there. Raises
        NotImplementedError for a kind that does not move."""
        self._open().prefetch(to)

    # ---- kernels of the cases, on its memory as float64, whatever its dtype

    def fill(self, by: str, seed: int = 1) -> None:
        """Writes the pattern of a seed to its memory, as float64, by `cpu` or `gpu`: the first
        touch. Raises NotImplementedError where that processor cannot address it."""
        self._open().fill(by, seed)

    def mismatches(self, by: str, seed: int = 1) -> int:
        """Counts the float64 that differ from the pattern of a seed."""
        count: int = self._open().mismatches(by, seed)
        return count

    def copy_from(self, source: Buffer, by: str, first: int = 0, count: int | None = None) -> None:
        """Copies float64 number `first` to `first + count` (to the end of the shorter buffer) of
        another buffer to the same place here, by the kernel that the cases time. Raises ValueError
        for a range beyond a buffer, TypeError for another source."""
        if not isinstance(source, Buffer):
            raise TypeError(f"source must be a Buffer, not {type(source).__name__}")
        if count is None:
            count = min(self._size, source._size) // 8 - first
        self._open().copy_from(source._open(), by, first, count)
