"""The driver without a GPU: rules of CUDA that tests of libraries rely on."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import emulator
import pytest

BEGIN = """
import ctypes
from ctypes import byref, c_char, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
cuda = ctypes.CDLL("libcuda.so.1")
context, module, add_one = c_void_p(), c_void_p(), c_void_p()
for done in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(byref(context), 0),
             cuda.cuCtxSetCurrent(context), cuda.cuModuleLoadData(byref(module), b"image"),
             cuda.cuModuleGetFunction(byref(add_one), module, b"add_one")):
    assert done == 0
SIZE = 4096
def allocated(size=SIZE):
    pointer = c_ulonglong()
    assert cuda.cuMemAlloc_v2(byref(pointer), c_size_t(size)) == 0
    return pointer
def pinned(size=SIZE):
    pointer = c_void_p()
    assert cuda.cuMemHostAlloc(byref(pointer), c_size_t(size), 0) == 0
    return (c_char * size).from_address(pointer.value)
def stream(flags=1):
    made = c_void_p()
    assert cuda.cuStreamCreate(byref(made), flags) == 0
    return made
def to_gpu(device, host, on=None, size=SIZE):
    return cuda.cuMemcpyHtoDAsync_v2(device, host, c_size_t(size), on)
def to_cpu(host, device, on=None, size=SIZE):
    return cuda.cuMemcpyDtoHAsync_v2(host, device, c_size_t(size), on)
def launch(device, on=None, count=SIZE // 4, blocks=1):
    values = (c_void_p * 2)()
    first, second = c_ulonglong(device.value), c_size_t(count)
    values[0], values[1] = ctypes.addressof(first), ctypes.addressof(second)
    return cuda.cuLaunchKernel(add_one, blocks, 1, 1, 32, 1, 1, 0, on, values, None)
"""


def play(text: str, **variables: object) -> str:
    """What a program prints, in a process with the driver without a GPU."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(text)],
        env=emulator.environment(**variables), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


EARLY = """
    first, host, device, on = pinned(), pinned(), allocated(), stream()
    first.raw = b"a" * SIZE
    assert to_gpu(device, first, on) == 0
    first.raw = b"b" * SIZE  # too early
    assert cuda.cuStreamSynchronize(on) == 0
    assert to_cpu(host, device, on) == 0 and cuda.cuStreamSynchronize(on) == 0
    print(host.raw[:1].decode())
"""


def test_a_source_that_changes_too_early_is_seen() -> None:
    assert play(EARLY).strip() == "a"
    assert {play(EARLY, FAKE_CUDA_LATE=seed).strip() for seed in range(6)} == {"a", "b"}


def test_pageable_memory_may_change_when_the_call_returns() -> None:
    text = EARLY.replace("= pinned(),", "= ctypes.create_string_buffer(SIZE),", 1)
    for seed in range(6):
        assert play(text, FAKE_CUDA_LATE=seed).strip() == "a"


def test_results_are_there_when_a_wait_returns() -> None:
    text = """
        host, device, one, two = pinned(), allocated(), stream(), stream()
        event = c_void_p()
        assert cuda.cuEventCreate(byref(event), 2) == 0
        host.raw = bytes(SIZE)
        to_gpu(device, host, one)
        for _ in range(5):
            launch(device, one)
            cuda.cuEventRecord(event, one)
            cuda.cuStreamWaitEvent(two, event, 0)
            launch(device, two)
            cuda.cuEventRecord(event, two)
            cuda.cuStreamWaitEvent(one, event, 0)
        to_cpu(host, device, one)
        before = ctypes.c_float.from_buffer(host).value
        {wait}
        print(before, ctypes.c_float.from_buffer(host).value)
    """
    waits = (
        "cuda.cuStreamSynchronize(one)",
        "cuda.cuCtxSynchronize()",
        "cuda.cuEventRecord(event, one); cuda.cuEventSynchronize(event)",
        "\n        while cuda.cuStreamQuery(one): pass",
    )
    for seed, wait in enumerate(waits):
        assert play(text.replace("{wait}", wait), FAKE_CUDA_LATE=seed).split()[1] == "10.0"


def test_a_host_function_comes_after_earlier_work_and_before_later() -> None:
    text = """
        host, device, on = pinned(), allocated(), stream()
        seen = []
        @ctypes.CFUNCTYPE(None, c_void_p)
        def function(_):
            seen.append(ctypes.c_float.from_buffer(host).value)
            host.raw = bytes(SIZE)
        host.raw = bytes(SIZE)
        to_gpu(device, host, on)
        launch(device, on)
        to_cpu(host, device, on)
        assert cuda.cuLaunchHostFunc(on, function, None) == 0
        to_gpu(device, host, on)
        launch(device, on)
        launch(device, on)
        to_cpu(host, device, on)
        cuda.cuStreamSynchronize(on)
        print(*seen, ctypes.c_float.from_buffer(host).value)
    """
    for variables in ({}, {"FAKE_CUDA_LATE": 3}, {"FAKE_CUDA_KERNEL_US": 200}):
        assert play(text, **variables).split() == ["1.0", "2.0"]


def test_an_operation_that_fails_shows_in_later_calls() -> None:
    text = """
        host, device, on = pinned(), allocated(), stream()
        print(to_gpu(device, host, on), launch(device, on), launch(device, on))
        print(cuda.cuStreamSynchronize(on), launch(device, on), cuda.cuCtxSynchronize(),
              cuda.cuMemcpyDtoH_v2(host, device, c_size_t(SIZE)),
              cuda.cuMemAlloc_v2(byref(device), c_size_t(SIZE)))
    """
    lines = play(text, FAKE_CUDA_FAIL=2, FAKE_CUDA_KERNEL_US=3000).splitlines()
    assert lines == ["0 0 0", "700 700 700 700 700"]
    assert play(text, FAKE_CUDA_FAIL="3:719").splitlines()[1] == "719 719 719 719 719"
    assert play(text).splitlines() == ["0 0 0", "0 0 0 0 0"]


def test_pointers_have_their_kind() -> None:
    text = """
        def ask(pointer):
            kind, managed = c_uint(9), c_uint(9)
            data = (c_void_p * 2)(ctypes.addressof(kind), ctypes.addressof(managed))
            kinds, at = (c_int * 2)(2, 8), c_ulonglong(at_of(pointer))
            assert cuda.cuPointerGetAttributes(2, kinds, data, at) == 0
            return kind.value, managed.value
        def at_of(pointer):
            return pointer.value if isinstance(pointer, c_ulonglong) else ctypes.addressof(pointer)
        managed, host = c_ulonglong(), ctypes.create_string_buffer(SIZE)
        assert cuda.cuMemAllocManaged(byref(managed), c_size_t(SIZE), 1) == 0
        print(ask(allocated()), ask(pinned()), ask(managed), ask(host))
        n = c_size_t(SIZE)
        print(cuda.cuMemHostRegister_v2(host, n, 0), ask(host),
              cuda.cuMemHostRegister_v2(host, n, 0),
              cuda.cuMemHostUnregister(host), ask(host), cuda.cuMemHostUnregister(host))
    """
    first, second = play(text).splitlines()
    assert first == "(2, 0) (1, 0) (2, 1) (0, 0)"
    assert second == "0 (1, 0) 712 0 (0, 0) 713"


def test_a_graph_runs_its_branches() -> None:
    text = """
        host, one, two, first, second = pinned(), allocated(), allocated(), stream(), stream()
        fork, join, graph, runs = (c_void_p() for _ in range(4))
        cuda.cuEventCreate(byref(fork), 2); cuda.cuEventCreate(byref(join), 2)
        host.raw = bytes(SIZE)
        to_gpu(one, host, first); to_gpu(two, host, first)
        assert cuda.cuStreamBeginCapture_v2(first, 0) == 0
        launch(one, first)
        assert cuda.cuEventRecord(fork, first) == 0
        assert cuda.cuStreamWaitEvent(second, fork, 0) == 0
        launch(two, second)
        launch(one, first)
        assert cuda.cuEventRecord(join, second) == 0
        {joined}
        print(cuda.cuStreamEndCapture(first, byref(graph)))
        if graph:
            assert cuda.cuGraphInstantiateWithFlags(byref(runs), graph, c_ulonglong(0)) == 0
            for _ in range(3):
                assert cuda.cuGraphLaunch(runs, first) == 0
            to_cpu(host, one, first)
            cuda.cuStreamSynchronize(first)
            print(ctypes.c_float.from_buffer(host).value)
            to_cpu(host, two, first)
            cuda.cuStreamSynchronize(first)
            print(ctypes.c_float.from_buffer(host).value)
    """
    joined = text.replace("{joined}", "assert cuda.cuStreamWaitEvent(first, join, 0) == 0")
    assert play(joined, FAKE_CUDA_LATE=2).split() == ["0", "6.0", "3.0"]
    assert play(text.replace("{joined}", "")).split() == ["904"]


def test_a_capture_forbids_waits_and_allocations() -> None:
    text = """
        on, graph, pointer = stream(), c_void_p(), c_ulonglong()
        mode = c_int(2)
        cuda.cuStreamBeginCapture_v2(on, 0)
        print(cuda.cuMemAlloc_v2(byref(pointer), c_size_t(SIZE)))
        cuda.cuThreadExchangeStreamCaptureMode(byref(mode))
        print(mode.value, cuda.cuMemAlloc_v2(byref(pointer), c_size_t(SIZE)))
        print(cuda.cuStreamSynchronize(on), cuda.cuStreamEndCapture(on, byref(graph)))
    """
    assert play(text).split() == ["900", "0", "0", "900", "901"]


@pytest.mark.parametrize("name", ["cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync_v2"])
def test_stream_zero_is_that_of_the_thread_in_functions_for_it(name: str) -> None:
    """A stream of a thread waits for the legacy default stream, and it for them."""
    text = f"""
        host, device = pinned(), allocated()
        launch(device, c_void_p(2), blocks=20)
        print(cuda.cuStreamQuery(c_void_p(0)), cuda.cuStreamQuery(c_void_p(2)),
              cuda.cuStreamQuery_ptsz(c_void_p(0)))
        other = stream()
        print(cuda.cuStreamQuery(other))
        cuda.{name}(device, host, c_size_t(SIZE), c_void_p(0))
        print(cuda.cuStreamSynchronize(c_void_p(2)), cuda.cuStreamQuery_ptsz(c_void_p(0)))
    """
    found = play(text, FAKE_CUDA_KERNEL_US=1000, FAKE_CUDA_COPY_NS=4_000_000).splitlines()
    assert found[:2] == ["600 600 600", "0"]
    assert found[2] == "0 0"


def test_memory_has_a_limit() -> None:
    text = """
        first, second, free, total = c_ulonglong(), c_ulonglong(), c_size_t(), c_size_t()
        print(cuda.cuMemAlloc_v2(byref(first), c_size_t(6000)),
              cuda.cuMemAlloc_v2(byref(second), c_size_t(6000)))
        cuda.cuMemGetInfo_v2(byref(free), byref(total))
        print(free.value, total.value, cuda.cuMemFree_v2(first),
              cuda.cuMemAlloc_v2(byref(second), c_size_t(6000)))
    """
    assert play(text, FAKE_CUDA_MEMORY=10_000).split() == ["0", "2", "4000", "10000", "0", "0"]


def test_rows_are_copied() -> None:
    text = """
        class Rows(ctypes.Structure):
            _fields_ = [("x", c_size_t), ("y", c_size_t), ("kind", c_uint), ("host", c_void_p),
                        ("device", c_ulonglong), ("array", c_void_p), ("pitch", c_size_t),
                        ("to_x", c_size_t), ("to_y", c_size_t), ("to_kind", c_uint),
                        ("to_host", c_void_p), ("to_device", c_ulonglong), ("to_array", c_void_p),
                        ("to_pitch", c_size_t), ("width", c_size_t), ("height", c_size_t)]
        host, device, back = pinned(), allocated(), pinned()
        host.raw = bytes(range(256)) * (SIZE // 256)
        back.raw = bytes(SIZE)
        into = Rows(kind=1, host=ctypes.addressof(host), pitch=64, x=4, y=1, to_kind=2,
                    to_device=device.value, to_pitch=16, width=8, height=3)
        assert cuda.cuMemcpy2D_v2(byref(into)) == 0
        to_cpu(back, device)
        cuda.cuCtxSynchronize()
        print(back.raw[:8] == host.raw[68:76], back.raw[16:24] == host.raw[132:140],
              back.raw[32:40] == host.raw[196:204], back.raw[8])
    """
    assert play(text, FAKE_CUDA_LATE=1).split() == ["True", "True", "True", "0"]
