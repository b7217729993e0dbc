"""A GPU for the trials of case kernel: memory is pageable, and a kernel is a function of NumPy.

The kernel's image, its parameters and the packing of arguments are real: the function gets what the
packed bytes contain. Every call is recorded, in order.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy
import pytest
from kernel_sources import parameters_of

from watari import _native as native

Call = tuple[Any, ...]
PAGEABLE = native.Buffer
KERNELS: dict[str, tuple[str, Callable[..., None]]] = {}  # struct codes of parameters, the function


def elements(address: int, count: int, code: str) -> Any:
    """The elements at an address, as NumPy sees them."""
    size = count * numpy.dtype(code).itemsize
    return numpy.frombuffer((ctypes.c_char * size).from_address(address), code)


def saxpy(n: int, alpha: float, x: int, y: int) -> None:
    elements(y, n, "f")[:] = alpha * elements(x, n, "f") + elements(y, n, "f")


def gather(n: int, index: int, a: int, b: int) -> None:
    elements(b, n, "f")[:] = elements(a, n, "f")[elements(index, n, "I")]


KERNELS |= {"saxpy": ("QfQQ", saxpy), "gather": ("QQQQ", gather)}


class Memory:
    """A buffer of any kind."""

    calls: ClassVar[list[Call]] = []

    def __init__(self, kind: str, size: int, device: int = 0, lift: bool = False) -> None:
        self.inner, self.kind, self.size = PAGEABLE("pageable", size), kind, size
        self.address = self.inner.address
        self.on_cpu = kind != "device"
        self.calls.append(("allocate", kind, size))

    def fill_values(self, by: str, *given: Any, **named: Any) -> None:
        self.inner.fill_values("cpu", *given, **named)
        self.calls.append(("fill", self.kind, self.size, by))

    def take(self, source: Memory) -> None:
        self.inner.bytes()[:] = source.inner.bytes()
        self.calls.append(("take", self.kind, source.kind, self.size))

    def bytes(self) -> Any:
        return self.inner.bytes()

    def advise(self, hint: str, gpu: str) -> None:
        self.calls.append(("advise", hint, gpu))

    def prefetch(self, to: str) -> None:
        self.calls.append(("prefetch", to))

    def residency(self, all_touched: bool) -> dict[str, Any]:
        self.calls.append(("residency", all_touched))
        return {"method": "emulated", "bytes": self.size, "cpu": 0, "gpu": self.size, "untold": 0}


class Kernel:
    """A kernel of KERNELS; `broken` leaves its last element out."""

    broken = False

    def __init__(self, on: str, image: bytes, name: str) -> None:
        self.parameters = parameters_of(image)
        self.codes, self.function = KERNELS[name]

    def launch(self, shape: tuple[int, int], packed: bytes, offsets: Sequence[int]) -> None:
        Memory.calls.append(("launch", shape))
        sizes = zip(self.codes, offsets, strict=True)
        n, *given = (struct.unpack_from(code, packed, offset)[0] for code, offset in sizes)
        self.function(min(n, shape[0] * shape[1]) - self.broken, *given)

    def sample(self, shape: Any, packed: bytes, offsets: Sequence[int], count: int) -> Any:
        for _ in range(count):
            self.launch(shape, packed, offsets)
        times = [1e-3] * count
        made: dict[str, Any] = {"host_s": times, "device_s": times, "quantities": {}, "notes": []}
        return made | {"series": {}, "phases": [], "histograms": {}, "wrong_elements": 0}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The calls of a trial on the emulated GPU, a Hopper."""
    monkeypatch.setattr(Memory, "calls", [])
    for name, instead in {
        "Buffer": Memory,
        "LoadedKernel": Kernel,
        "gpus": lambda: {"gpus": [{"compute_capability": "9.0"}]},
        "require_access": lambda kind, by: None,
        "require_room": lambda arrays, lift: Memory.calls.append(("room", sorted(arrays))),
        "use_threads": lambda threads: (threads, True),
    }.items():
        monkeypatch.setattr(native, name, instead)
    return Memory.calls
