"""The Himeno benchmark: reference values, a NumPy reference, and the same bits everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from himeno_fields import (
    compare_with_reference,
    fields,
    fingerprints,
    parameters,
    reference,
    run,
)

from watari import _native as native
from watari import cases
from watari.cases.himeno import axes as himeno_axes
from watari.cases.himeno import speed
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import Request
from watari.run import launch

STRUCTS = ("explicit-struct", "managed-struct")  # of pointers, in GPU memory
IN_CUDA = ("explicit", "pinned", "managed", "managed-prefetch", *STRUCTS)
ODD = [
    "3x3x3",
    "5x19x16",
    "6x11x48",
    "5x6x7",
    "17x9x33",
    "20x12x130",
    "9x8x132",
    "4x19x257",
    "7x6x64",
]


@pytest.mark.parametrize("kernel", ["shared", "tuned"])
@pytest.mark.parametrize("form", ["fused", "two-kernel"])
@pytest.mark.parametrize(("grid", "iterations"), [("XS", 1000), ("S", 64), ("M", 3)])
def test_gosa_is_the_reference(kernel: str, form: str, grid: str, iterations: int) -> None:
    trial = run(kernel=kernel, form=form, grid=grid, iterations=iterations)
    assert trial["verified"] is True
    assert len(trial["host_s"]) == len(trial["series"]["gosa"]) == iterations


@pytest.mark.parametrize("grid", ODD)
@pytest.mark.parametrize("form", ["fused", "two-kernel"])
@pytest.mark.parametrize("kernel", ["shared", "tuned"])
def test_general_data_agree_with_numpy(grid: str, form: str, kernel: str) -> None:
    compare_with_reference(grid=grid, form=form, kernel=kernel)


@pytest.mark.parametrize("name", ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "c0", "c1", "c2"])
def test_general_data_see_every_coefficient(name: str) -> None:
    start = fields(grid="9x8x7", data="general", iterations=0)
    right, _ = reference(start, 3)
    wrong, _ = reference({**start, name: 0.9 * start[name]}, 3)
    assert np.abs(wrong - right).max() > 1e-4


@pytest.mark.parametrize("grid", ["XS", *ODD])
def test_forms_kernels_and_threads_give_the_same_bits(grid: str) -> None:
    trials = {
        kernel: [
            run(grid=grid, iterations=6, data="general", kernel=kernel, form=form, threads=threads)
            for form in ("fused", "two-kernel")
            for threads in (1, 2, 3)
        ]
        for kernel in ("shared", "tuned")
    }
    every = [*trials["shared"], *trials["tuned"]]
    assert len(fingerprints(*every)) == 1
    for of_kernel in trials.values():  # each kernel sums along its own tree
        assert len({tuple(t["series"]["gosa"]) for t in of_kernel}) == 1
    shared, tuned = (trials[kernel][0]["series"]["gosa"] for kernel in ("shared", "tuned"))
    assert list(tuned) == pytest.approx(list(shared), rel=1e-12)


def test_the_fingerprint_sees_one_bit_and_the_place() -> None:
    standard, general = (run(grid="5x6x7", data=d, iterations=1) for d in ("standard", "general"))
    longer = run(grid="5x6x7", data="general", iterations=2)
    values = fingerprints(standard, general, longer)
    assert len(values) == 3
    assert all(value == int(value) < 2**53 for value in values)


@pytest.mark.parametrize("grid", ["7x6x9", "7x6x16"])
@pytest.mark.parametrize("kernel", ["shared", "tuned"])
def test_the_boundary_stays(grid: str, kernel: str) -> None:
    start = fields(grid=grid, data="general", iterations=0)["p"]
    for form in ("fused", "two-kernel"):
        after = fields(grid=grid, data="general", iterations=4, form=form, kernel=kernel)["p"]
        edge = np.ones(start.shape, bool)
        edge[1:-1, 1:-1, 1:-1] = False
        assert np.array_equal(after[edge], start[edge])
        assert not np.any(after[~edge] == start[~edge])


def test_what_a_trial_counts() -> None:
    trial = cases.CASES["himeno"].trial(parameters(grid="S", iterations=4))
    points = 62 * 62 * 126
    assert himeno_axes.interior("S") == points
    assert trial["flops_per_sample"] == 34 * points
    assert trial["bytes_per_sample"] == 56 * points
    q = {name: one["value"] for name, one in trial["quantities"].items()}
    assert q["loop"] == pytest.approx(sum(trial["host_s"]))
    # a CPU alone copies nothing: jacobi() has no lap
    assert set(speed.laps(trial)) == {"allocate", "read", "release"}
    assert q["outside_loop"] == pytest.approx(q["allocate"] + q["read"] + q["release"])
    assert speed.benchmark_seconds(trial) == pytest.approx(q["loop"])
    assert speed.whole_seconds(trial) == pytest.approx(q["loop"] + q["outside_loop"])
    assert [(p["name"], p["first"], p["last"]) for p in trial["phases"]] == [
        ("first", 0, 1),
        ("steady", 1, 4),
    ]


def test_grids() -> None:
    assert himeno_axes.parse_grid("xl") == "XL"
    assert himeno_axes.parse_grid("512x512x1024") == "XL"
    assert himeno_axes.parse_grid("5x6x7") == "5x6x7"
    for wrong in ("XM", "5x6", "2x8x8", "0x4x4", "4x4x4x4", "-4x4x4"):
        with pytest.raises(UsageError, match="grid"):
            himeno_axes.parse_grid(wrong)


def rehearsed(**given: Any) -> dict[str, Any]:
    """A trial that rehearses three iterations: it has the bits of one that counts them."""
    given |= {"grid": "XS", "data": "general"}
    plain, made = run(**given, iterations=8), run(**given, iterations=5, rehearsal=3)
    assert list(made["series"]["gosa"]) == list(plain["series"]["gosa"])[3:]
    assert len(fingerprints(plain, made)) == 1
    return made


@pytest.mark.parametrize("form", ["fused", "two-kernel"])
def test_a_rehearsal_is_iterations_before_the_clock(form: str) -> None:
    made = rehearsed(form=form)
    assert len(made["host_s"]) == 5
    assert made["quantities"]["loop"]["value"] == pytest.approx(sum(made["host_s"]))


def test_a_long_rehearsal_has_time() -> None:
    plain, rehearsed = (parameters(grid="XL", iterations=1, rehearsal=n) for n in (0, 100))
    iteration = cases.CASES["himeno"].profile(plain).bytes_per_sample
    limits = [launch.time_limit(Request("himeno", p, 1)) for p in (plain, rehearsed)]
    assert limits[1] - limits[0] == pytest.approx(100 * iteration / launch.SLOWEST_RATE)


def test_a_style_of_the_gpu_is_unsupported_on_the_cpu() -> None:
    with pytest.raises(UnsupportedError, match="on the CPU use style=system"):
        run(grid="XS", style="explicit")


def test_the_cpu_writes_its_data_itself() -> None:
    with pytest.raises(UnsupportedError, match="init=gpu: the CPU iterates alone"):
        run(grid="XS", init="gpu")


@pytest.mark.parametrize(("axis", "value"), [("rehearsal", 0), ("init", "cpu")])
def test_older_results_have_what_older_code_did(axis: str, value: object) -> None:
    given = parameters(grid="XS")
    old = {name: of for name, of in given.items() if name != axis}
    assert cases.complete("himeno", old) == given
    assert given[axis] == value


@pytest.mark.gpu
class TestOnAGpu:
    @pytest.mark.parametrize("data", ["standard", "general"])
    @pytest.mark.parametrize("style", IN_CUDA)
    def test_who_writes_the_data_changes_no_bit(self, style: str, data: str) -> None:
        given = {"grid": "XS", "data": data, "style": style, "processor": "gpu", "iterations": 6}
        cpu, gpu = (run(**given, init=who) for who in ("cpu", "gpu"))
        assert list(cpu["series"]["gosa"]) == list(gpu["series"]["gosa"])
        assert len(fingerprints(cpu, gpu)) == 1

    @pytest.mark.parametrize("style", IN_CUDA)
    def test_memory_of_the_gpu_alone_has_laps_of_its_own(self, style: str) -> None:
        trial = run(grid="XS", style=style, processor="gpu", iterations=3)
        laps = set(speed.laps(trial))
        assert {"allocate", "allocate_device", "release_device", "read", "release"} <= laps
        copies = {"transfer_in", "transfer_out"} & laps
        assert copies == {
            "pinned": set(),
            "managed": set(),
            "managed-struct": {"transfer_in"},
        }.get(style, {"transfer_in", "transfer_out"})
        assert speed.laps_apart(trial)

    @pytest.mark.parametrize("style", IN_CUDA)
    def test_a_rehearsal_changes_no_bit(self, style: str) -> None:
        assert len(rehearsed(style=style, processor="gpu")["device_s"]) == 5

    @pytest.mark.parametrize("style", ["acc-data", "acc-host-data", "omp-target"])
    def test_a_data_region_needs_the_cpu_to_write_first(self, style: str) -> None:
        with pytest.raises(UnsupportedError, match=r"pageable memory until|needs|libgomp"):
            run(grid="XS", style=style, processor="gpu", init="gpu")

    @pytest.mark.parametrize("style", ["system", "system-prefetch", "acc-system", "omp-system"])
    def test_styles_of_system_memory_run_where_the_gpu_reads_malloc(self, style: str) -> None:
        given = {"processor": "gpu", "style": style, "grid": "XS", "iterations": 100}
        if native.unsupported("system"):
            with pytest.raises(UnsupportedError, match=r"system|offload"):
                run(**given)
        else:
            assert run(**given)["verified"] is True

    @pytest.mark.parametrize("kernel", ["shared", "tuned"])
    @pytest.mark.parametrize("grid", ODD)
    def test_general_data_agree_with_numpy(self, grid: str, kernel: str) -> None:
        compare_with_reference(grid=grid, processor="gpu", kernel=kernel)

    @pytest.mark.parametrize("style", IN_CUDA)
    @pytest.mark.parametrize("grid", ["XS", *ODD])
    def test_every_style_form_and_kernel_has_the_bits_of_the_cpu(
        self, style: str, grid: str
    ) -> None:
        given = {"grid": grid, "data": "general", "iterations": 6}
        cpu = run(**given, kernel="shared")
        for form in ("fused", "two-kernel"):
            for kernel in ("shared", "tuned"):
                gpu = run(**given, processor="gpu", style=style, form=form, kernel=kernel)
                assert len(fingerprints(cpu, gpu)) == 1, (form, kernel)
                if kernel == "shared":
                    assert list(gpu["series"]["gosa"]) == list(cpu["series"]["gosa"])

    @pytest.mark.parametrize("kernel", ["shared", "tuned"])
    @pytest.mark.parametrize(("grid", "iterations"), [("XS", 1000), ("S", 64), ("M", 103)])
    def test_gosa_is_the_reference(self, kernel: str, grid: str, iterations: int) -> None:
        trial = run(processor="gpu", kernel=kernel, grid=grid, iterations=iterations)
        assert trial["verified"] is True
        assert len(trial["device_s"]) == iterations
