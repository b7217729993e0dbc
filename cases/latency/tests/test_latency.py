"""Case latency as it is run: small trials on this machine, sweeps, and what the machine lacks."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import Any

import numpy as np
import pytest
from asked import CPU, GPU, request

from watari import _native as native
from watari import cases
from watari.case import limits
from watari.cases.latency import case as row
from watari.cases.latency.sizes import beyond_caches, caches, from_caches
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe, no_sense, resolve

one = partial(request, "latency", samples=3)


def run(**given: Any) -> dict[str, Any]:
    trial = cases.CASES["latency"].run(one(**given).parameters)
    assert trial["verified"] is True
    assert len(trial["host_s"]) == 3
    assert np.all(np.asarray(trial["host_s"]) > 0)
    return trial


@pytest.mark.parametrize("size", ["128", "4KiB", "100000", "4MiB"])
def test_a_chase_on_the_cpu_at_any_size(size: str) -> None:
    trial = run(processor="cpu", size=size)
    assert trial["device_s"] is None
    measured = trial["quantities"]["latency_s"]
    assert measured["unit"] == "s"
    assert measured["value"] == pytest.approx(median(trial["host_s"]) / row.STEPS)
    assert 1e-10 < measured["value"] < 1e-4


@pytest.mark.parametrize("thp", ["default", "always", "never"])
@pytest.mark.parametrize("stride", ["8", "64", "256", "8KiB"])
def test_strides_and_huge_pages(stride: str, thp: str) -> None:
    trial = run(processor="cpu", size="1MiB", stride=stride, thp=thp)
    assert trial["residency_before"]["array"]["bytes"] == 2**20


def test_a_large_array_is_slower_than_one_in_the_first_cache() -> None:
    small, large = (run(processor="cpu", size=size) for size in ("8KiB", "64MiB"))
    fastest = [min(trial["host_s"]) for trial in (small, large)]
    assert fastest[1] > 4 * fastest[0]


@pytest.mark.parametrize("memory", ["device", "device:1", "managed", "pinned", "system"])
@pytest.mark.skipif(bool(native.gpus()["gpus"]), reason="there is a GPU")
def test_without_a_gpu_its_memories_are_unsupported(memory: str) -> None:
    with pytest.raises(UnsupportedError, match=r"CPU cannot address|GPU|CUDA"):
        run(processor="cpu", memory=memory, size="4KiB")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"processor": "gpu", "memory": "pageable"}, "cannot address pageable|GPU|CUDA"),
        ({"processor": "cpu", "memory": "device"}, "the CPU cannot address device memory"),
        ({"processor": "cpu", "memory": "managed", "thp": "always"}, "has no thp"),
    ],
)
def test_what_cannot_be_is_unsupported_with_its_reason(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(size="4KiB", **given)


@pytest.mark.parametrize("stride", ["4", "65", "0"])
def test_a_stride_is_whole_pointers(stride: str) -> None:
    with pytest.raises(UsageError, match=r"multiple of 8|not a size"):
        one(stride=stride)


def test_sweeps_keep_what_is_no_cycle_as_unsupported() -> None:
    requests = resolve("latency", {"size": "4KiB,32KiB", "stride": "64,4KiB"}, CPU)
    senseless = [r.parameters for r in requests if no_sense(r)]
    assert len(requests) == 4
    assert [(p["size"], p["stride"]) for p in senseless] == [(4096, 4096)]
    with pytest.raises(UsageError, match="a cycle has 2 to"):
        one(size="64")


def test_defaults_suit_processor_and_machine() -> None:
    cpu, gpu = one(), one(GPU)
    assert (cpu.parameters["memory"], cpu.parameters["stride"]) == ("pageable", 64)
    assert (gpu.parameters["memory"], gpu.parameters["stride"]) == ("device", 128)
    assert one(GPU, processor="gpu:1").parameters["memory"] == "device:1"
    assert cpu.parameters["size"] == beyond_caches(CPU, cpu.parameters) == 128 * 2**20
    assert describe(one(size="32KiB")) == "latency cpu pageable 32KiB"
    assert describe(one(size="32KiB", stride="1KiB")).endswith("stride=1KiB")


def test_sizes_of_a_sweep_go_from_the_first_cache_to_beyond_the_last() -> None:
    for machine, processor in ((CPU, "cpu"), (GPU, "cpu"), (GPU, "gpu")):
        sizes = from_caches(machine, processor)
        assert sizes[0] == 4096
        assert sizes == sorted(set(sizes))
        last = max(caches(machine, processor).values())
        assert 4 * last <= sizes[-1] < 8 * last
    assert from_caches({**CPU, "memory_available_bytes": 2**24}, "cpu")[-1] == 2**20


def test_the_profile_is_sparse_and_never_near_a_limit() -> None:
    for memory in ("device", "pinned", "managed"):
        parameters = one(GPU, memory=memory, size="4GiB").parameters
        profile = row.profile(parameters)
        (phase,) = profile.phases
        assert [access.pattern for access in phase.accesses] == ["sparse"]
        at_one_ns = 8 / 1e-9  # bytes per second of a chase as fast as L1
        assert limits.flags(profile, parameters, at_one_ns, GPU) == []
        assert profile.footprint[memory] == 4 * 2**30 + (2**27 if memory == "device" else 0)


@pytest.mark.gpu
class TestOnAGpu:
    @pytest.mark.parametrize("memory", ["device", "pinned", "managed", "system"])
    def test_every_memory_that_it_can_address(self, memory: str) -> None:
        try:
            trial = run(processor="gpu", memory=memory, size="1MiB")
        except UnsupportedError as error:
            pytest.skip(str(error))
        assert len(trial["device_s"]) == 3
        assert np.all(trial["device_s"] <= trial["host_s"] + 1e-3)
        assert trial["quantities"]["latency_s"]["value"] < 1e-5

    def test_its_caches_are_faster_than_its_memory(self) -> None:
        small, large = (run(processor="gpu", size=size) for size in ("16KiB", "1GiB"))
        assert min(large["device_s"]) > 5 * min(small["device_s"])

    @pytest.mark.parametrize("memory", ["pinned", "managed"])
    def test_the_cpu_in_memory_that_both_see(self, memory: str) -> None:
        assert run(processor="cpu", memory=memory, size="1MiB")["device_s"] is None
