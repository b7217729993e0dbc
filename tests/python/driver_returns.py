"""What calls of the driver return, right and wrong ones: prints JSON, a list for each case.

The same program runs on a GPU, where it makes the recording, and on the driver without one. It uses
no kernel, and needs neither Watari nor NumPy.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from collections.abc import Callable
from ctypes import byref, c_char, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import Any

SIZE = 1 << 16
NON_BLOCKING, UNTIMED = 1, 2
GLOBAL, THREAD, RELAXED = 0, 1, 2
THREADS_OWN, LEGACY = c_void_p(2), c_void_p(0)
MEMORY_TYPE, IS_MANAGED, ORDINAL, BEGIN, BYTES, MAPPED = 2, 8, 9, 11, 12, 13
cuda = ctypes.CDLL("libcuda.so.1")
N = c_size_t(SIZE)
Case = Callable[[], list[Any]]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """Adds a case with the function's name."""
    CASES[function.__name__] = function
    return function


def stream(flags: int = NON_BLOCKING) -> c_void_p:
    """A new stream."""
    made = c_void_p()
    cuda.cuStreamCreate(byref(made), c_uint(flags))
    return made


def event() -> c_void_p:
    """A new event."""
    made = c_void_p()
    cuda.cuEventCreate(byref(made), c_uint(UNTIMED))
    return made


def device_memory() -> c_ulonglong:
    """New memory of the GPU."""
    made = c_ulonglong()
    cuda.cuMemAlloc_v2(byref(made), N)
    return made


def pinned() -> c_void_p:
    """New page-locked memory."""
    made = c_void_p()
    cuda.cuMemHostAlloc(byref(made), N, 0)
    return made


def pageable() -> ctypes.Array[c_char]:
    """Memory that the driver does not know."""
    return ctypes.create_string_buffer(SIZE)


def fill(on: c_void_p, memory: c_ulonglong) -> int:
    """An operation."""
    return int(cuda.cuMemsetD8Async(memory, 1, N, on))


def status(of: c_void_p) -> list[int]:
    """Whether a stream is captured: 1; invalid: 2."""
    found = c_int(9)
    return [cuda.cuStreamIsCapturing(of, byref(found)), found.value]


def capturing(mode: int = GLOBAL, flags: int = NON_BLOCKING) -> tuple[c_void_p, c_ulonglong]:
    """A captured stream, and memory for it."""
    memory, on = device_memory(), stream(flags)
    cuda.cuStreamBeginCapture_v2(on, mode)
    return on, memory


def end(on: c_void_p) -> list[int]:
    """Ends a capture: the result, and whether there is a graph."""
    graph = c_void_p()
    return [cuda.cuStreamEndCapture(on, byref(graph)), int(bool(graph))]


def in_capture(call: Callable[[c_void_p, c_ulonglong], int], mode: int = GLOBAL) -> list[int]:
    """A call while a stream is captured, the state of that one, and its end."""
    on, memory = capturing(mode)
    return [fill(on, memory), call(on, memory), *status(on), *end(on)]


@case
def capture() -> list[Any]:
    """A capture with one operation."""
    on, memory = capturing()
    return [fill(on, memory), *status(on), *end(on), *status(on), *end(on)]


@case
def capture_twice() -> list[Any]:
    """A second beginning."""
    return in_capture(lambda on, _: cuda.cuStreamBeginCapture_v2(on, GLOBAL))


@case
def capture_of_default_streams() -> list[Any]:
    """The legacy default stream, and that of the thread."""
    first = cuda.cuStreamBeginCapture_v2(LEGACY, GLOBAL)
    second = cuda.cuStreamBeginCapture_v2(THREADS_OWN, RELAXED)
    return [first, second, *end(THREADS_OWN)]


@case
def waits_in_capture() -> list[Any]:
    """Waits for the captured stream, for all, and for another stream."""
    other = stream()
    waits: tuple[Callable[[c_void_p, c_ulonglong], int], ...] = (
        lambda on, _: cuda.cuStreamSynchronize(on),
        lambda on, _: cuda.cuStreamQuery(on),
        lambda on, _: cuda.cuCtxSynchronize(),
        lambda on, _: cuda.cuStreamSynchronize(other),
        lambda on, _: cuda.cuStreamSynchronize(LEGACY),
        lambda on, _: cuda.cuStreamQuery(other),
    )
    return [in_capture(one, mode) for one in waits for mode in (GLOBAL, RELAXED)]


@case
def memory_in_capture() -> list[Any]:
    """Allocations, releases, registrations."""
    made, host, spare = c_ulonglong(), pageable(), [device_memory() for _ in range(3)]
    calls: tuple[Callable[[c_void_p, c_ulonglong], int], ...] = (
        lambda on, _: cuda.cuMemAlloc_v2(byref(made), N),
        lambda on, _: cuda.cuMemFree_v2(spare.pop()),
        lambda on, _: cuda.cuMemHostAlloc(byref(c_void_p()), N, 0),
        lambda on, _: cuda.cuMemHostRegister_v2(host, N, 0) or cuda.cuMemHostUnregister(host),
    )
    return [in_capture(one, mode) for one in calls for mode in (GLOBAL, THREAD, RELAXED)]


@case
def copies_in_capture() -> list[Any]:
    """Copies beside a capture of a non-blocking stream, and into it."""
    host, locked, other = pageable(), pinned(), stream()
    calls: tuple[Callable[[c_void_p, c_ulonglong], int], ...] = (
        lambda on, memory: cuda.cuMemcpyHtoD_v2(memory, host, N),
        lambda on, memory: cuda.cuMemcpyDtoH_v2(locked, memory, N),
        lambda on, memory: cuda.cuMemcpyHtoDAsync_v2(memory, host, N, other),
        lambda on, memory: cuda.cuMemcpyDtoHAsync_v2(host, memory, N, other),
        lambda on, memory: cuda.cuMemcpyHtoDAsync_v2(memory, host, N, on),
        lambda on, memory: cuda.cuMemcpyDtoHAsync_v2(host, memory, N, on),
        lambda on, memory: cuda.cuMemcpyHtoDAsync_v2(memory, locked, N, on),
        lambda on, memory: cuda.cuMemcpyHtoDAsync_v2(memory, locked, N, LEGACY),
        lambda on, memory: cuda.cuMemsetD8_v2(memory, 1, N),
    )
    return [in_capture(one, mode) for one in calls for mode in (GLOBAL, RELAXED)]


@case
def default_stream_in_capture_of_a_blocking_one() -> list[Any]:
    """The legacy default stream would wait for the captured one."""
    found = []
    for call in (
        lambda memory: fill(LEGACY, memory),
        lambda memory: cuda.cuStreamSynchronize(LEGACY),
        lambda memory: cuda.cuEventRecord(event(), LEGACY),
        lambda memory: cuda.cuMemcpyHtoD_v2(memory, pageable(), N),
    ):
        on, memory = capturing(RELAXED, 0)
        found.append([call(memory), *status(on), *end(on)])
    return found


@case
def exchange_of_modes() -> list[Any]:
    """A thread that allows itself unsafe calls."""
    on, memory = capturing()
    mode = c_int(RELAXED)
    found = [cuda.cuThreadExchangeStreamCaptureMode(byref(mode)), mode.value]
    made = c_ulonglong()
    found += [cuda.cuMemAlloc_v2(byref(made), N), cuda.cuMemFree_v2(made)]
    found += [cuda.cuMemcpyHtoD_v2(memory, pageable(), N)]
    found += [cuda.cuThreadExchangeStreamCaptureMode(byref(mode)), mode.value]
    return [*found, *status(on), *end(on)]


@case
def events_in_capture() -> list[Any]:
    """Two streams join a capture; one that does not come back; a captured event."""
    found = []
    for is_joined in (True, False):
        on, memory = capturing()
        other, fork, join = stream(), event(), event()
        row = [cuda.cuEventRecord(fork, on), cuda.cuStreamWaitEvent(other, fork, 0)]
        row += [*status(other), fill(other, memory), cuda.cuEventRecord(join, other)]
        if is_joined:
            row += [cuda.cuStreamWaitEvent(on, join, 0)]
        row += [*end(other), *end(on), *status(other), cuda.cuEventQuery(join)]
        row += [cuda.cuStreamWaitEvent(stream(), join, 0)]
        found.append(row)
    on, memory = capturing()
    seen, before = event(), event()
    cuda.cuEventRecord(seen, on)
    found.append([cuda.cuEventQuery(seen), cuda.cuEventSynchronize(seen), *status(on), *end(on)])
    on, memory = capturing()
    cuda.cuEventRecord(before, stream())
    found.append([cuda.cuStreamWaitEvent(on, before, 0), *status(on), *end(on)])
    on, memory = capturing()
    found.append([cuda.cuStreamWaitEvent(on, event(), 0), *status(on), *end(on)])
    return found


@case
def host_functions_in_capture() -> list[Any]:
    """They are nodes; callbacks are not."""
    function = ctypes.CFUNCTYPE(None, c_void_p)(lambda _: None)
    old = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)(lambda *_: None)
    return [
        in_capture(lambda on, _: cuda.cuLaunchHostFunc(on, function, None)),
        in_capture(lambda on, _: cuda.cuStreamAddCallback(on, old, None, 0)),
    ]


@case
def memory_of_a_stream_in_capture() -> list[Any]:
    """cuMemAllocAsync and cuMemFreeAsync of the captured stream and of another one."""
    found: list[Any] = []
    for is_own in (True, False):
        on, _ = capturing()
        made, other = c_ulonglong(), on if is_own else stream()
        row = [cuda.cuMemAllocAsync(byref(made), N, other), cuda.cuMemFreeAsync(made, other)]
        found.append([*row, *status(on), *end(on)])
    return found


def attributes(pointer: int, *asked: int) -> list[int]:
    """Attributes one by one (result, value), and all at once."""
    found = []
    for one in asked:
        value = c_ulonglong(0)
        found += [cuda.cuPointerGetAttribute(byref(value), one, c_ulonglong(pointer)), value.value]
    values = [c_ulonglong(7) for _ in asked]
    places = (c_void_p * len(asked))(*(ctypes.addressof(one) for one in values))
    kinds = (c_int * len(asked))(*asked)
    found += [cuda.cuPointerGetAttributes(len(asked), kinds, places, c_ulonglong(pointer))]
    return [*found, *(one.value & 0xFFFFFFFF for one in values)]


@case
def pointers() -> list[Any]:
    """The kind of memory of each."""
    made, managed, host = device_memory(), c_ulonglong(), pageable()
    cuda.cuMemAllocManaged(byref(managed), N, 1)
    inside = made.value + 100
    asked = (MEMORY_TYPE, IS_MANAGED)
    known = ctypes.addressof(host) + SIZE // 2
    before = attributes(known, *asked)
    registered = cuda.cuMemHostRegister_v2(c_void_p(known), c_size_t(4096), 0)
    during = attributes(known, *asked)
    left = cuda.cuMemHostUnregister(c_void_p(known))
    base, size = c_ulonglong(), c_size_t()
    covers = cuda.cuMemGetAddressRange_v2(byref(base), byref(size), c_ulonglong(inside))
    return [
        attributes(inside, *asked, ORDINAL, BYTES),
        attributes(pinned().value or 0, *asked, ORDINAL, BYTES),
        attributes(managed.value, *asked, ORDINAL, BYTES),
        before,
        [registered, left],
        during,
        attributes(known, *asked),
        [covers, int(base.value == made.value), size.value],
        [cuda.cuMemGetAddressRange_v2(byref(base), byref(size), c_ulonglong(known))],
    ]


@case
def registrations() -> list[Any]:
    """Twice, overlapping, of memory that the driver has, and of none."""
    host = pageable()
    at = ctypes.addressof(host)
    flags = c_uint()
    return [
        cuda.cuMemHostGetFlags(byref(flags), host),
        cuda.cuMemHostRegister_v2(c_void_p(at), N, 0),
        cuda.cuMemHostGetFlags(byref(flags), host),
        cuda.cuMemHostRegister_v2(c_void_p(at), N, 0),
        cuda.cuMemHostRegister_v2(c_void_p(at + 8192), c_size_t(4096), 0),
        cuda.cuMemHostUnregister(c_void_p(at + 4096)),
        cuda.cuMemFreeHost(c_void_p(at)),
        cuda.cuMemHostUnregister(c_void_p(at)),
        cuda.cuMemHostUnregister(c_void_p(at)),
        cuda.cuMemHostRegister_v2(pinned(), N, 0),
        cuda.cuMemHostUnregister(pinned()),
        cuda.cuMemHostRegister_v2(c_void_p(at), c_size_t(0), 0),
    ]


@case
def releases() -> list[Any]:
    """Of nothing, of an inner pointer, twice, and by the wrong function."""
    made, other, host = device_memory(), device_memory(), pinned()
    ordered = c_ulonglong()
    return [
        cuda.cuMemFree_v2(c_ulonglong(0)),
        cuda.cuMemFree_v2(c_ulonglong(made.value + 256)),
        cuda.cuMemFree_v2(made),
        cuda.cuMemFree_v2(made),
        cuda.cuMemFreeHost(c_void_p(other.value)),
        cuda.cuMemFree_v2(c_ulonglong(host.value or 0)),
        cuda.cuMemFreeHost(host),
        cuda.cuMemFreeAsync(other, stream()),
        cuda.cuMemAllocAsync(byref(ordered), N, stream()),
        cuda.cuMemFree_v2(ordered),
        cuda.cuMemFreeHost(None),
        cuda.cuMemFreeAsync(c_ulonglong(0), None),
        cuda.cuMemAlloc_v2(byref(ordered), c_size_t(0)),
        cuda.cuMemAlloc_v2(byref(ordered), c_size_t(1 << 60)),
        cuda.cuMemAllocAsync(byref(ordered), c_size_t(0), None),
    ]


@case
def copies() -> list[Any]:
    """Of no bytes, and between pointers of any kind."""
    made, host = device_memory(), pageable()
    return [
        cuda.cuMemcpyHtoD_v2(made, host, c_size_t(0)),
        cuda.cuMemcpyHtoDAsync_v2(made, host, c_size_t(0), None),
        cuda.cuMemcpy(made, c_ulonglong(ctypes.addressof(host)), N),
        cuda.cuMemcpyDtoD_v2(made, made, c_size_t(128)),
        cuda.cuMemcpyHtoD_v2(c_ulonglong(ctypes.addressof(host)), pageable(), c_size_t(256)),
        cuda.cuMemcpyDtoH_v2(host, c_ulonglong(ctypes.addressof(host)), c_size_t(256)),
        cuda.cuCtxSynchronize(),
    ]


@case
def copy_beyond_the_end() -> list[Any]:
    """More than the allocation has."""
    large = ctypes.create_string_buffer(64 << 20)
    return [cuda.cuMemcpyHtoD_v2(device_memory(), large, c_size_t(64 << 20))]


@case
def copy_to_nothing() -> list[Any]:
    """A null pointer."""
    return [cuda.cuMemcpyHtoD_v2(c_ulonglong(0), pageable(), N)]


@case
def streams_and_events() -> list[Any]:
    """Flags, queries of what is idle, waits for events that were never recorded."""
    on, seen, flags = stream(), event(), c_uint(9)
    wrong = cuda.cuStreamCreate(byref(c_void_p()), c_uint(7))
    of_flags = []
    for one in (on, stream(0), LEGACY, THREADS_OWN):
        of_flags += [cuda.cuStreamGetFlags(one, byref(flags)), flags.value]
    milliseconds = ctypes.c_float()
    return [
        wrong,
        of_flags,
        [cuda.cuStreamQuery(on), cuda.cuStreamQuery(LEGACY), cuda.cuStreamQuery(THREADS_OWN)],
        [
            cuda.cuEventQuery(seen),
            cuda.cuEventSynchronize(seen),
            cuda.cuStreamWaitEvent(on, seen, 0),
        ],
        [cuda.cuEventElapsedTime(byref(milliseconds), seen, seen)],
        [cuda.cuStreamDestroy_v2(LEGACY), cuda.cuStreamDestroy_v2(on)],
    ]


@case
def graphs() -> list[Any]:
    """An empty graph, none, and a graph whose launches are captured."""
    graph, runs, on = c_void_p(), c_void_p(), stream()
    found = [cuda.cuGraphCreate(byref(graph), 0)]
    found += [cuda.cuGraphInstantiateWithFlags(byref(runs), graph, c_ulonglong(0))]
    found += [cuda.cuGraphLaunch(runs, on), cuda.cuStreamSynchronize(on)]
    found += [cuda.cuGraphInstantiateWithFlags(byref(c_void_p()), None, c_ulonglong(0))]
    captured = in_capture(lambda to, _: cuda.cuGraphLaunch(runs, to))
    return [found, captured]


def alone(name: str) -> None:
    """Prints what a case returns."""
    context = c_void_p()
    for done in (
        cuda.cuInit(0),
        cuda.cuDevicePrimaryCtxRetain(byref(context), 0),
        cuda.cuCtxSetCurrent(context),
    ):
        if done:
            sys.exit(f"the driver does not begin: {done}")
    print(json.dumps(CASES[name]()))


def main() -> None:
    """Prints what each case returns, in a process of its own: null where it ends otherwise."""
    found = {}
    for name in CASES:
        done = subprocess.run(
            [sys.executable, __file__, name], capture_output=True, text=True, timeout=60
        )
        found[name] = json.loads(done.stdout) if done.returncode == 0 else None
    lines = (f"{json.dumps(word)}: {json.dumps(row)}" for word, row in found.items())
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    alone(sys.argv[1]) if len(sys.argv) > 1 else main()
