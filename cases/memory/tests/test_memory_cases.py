"""The cases as they are run: small trials of each on this machine, and what it lacks."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest
from asked import request

from watari import _native as native
from watari import cases
from watari.common.errors import BeyondMemoryError, UnsupportedError, UsageError


def run(case: str, **given: Any) -> dict[str, Any]:
    wanted = {"size": "1MiB", "samples": 3, "threads": 2, **given}
    trial = cases.CASES[case].run(request(case, **wanted).parameters)
    assert trial["verified"] is True
    assert np.all(trial["host_s"] > 0)
    return trial


@pytest.mark.parametrize("size", ["64KiB", "1000", "4MiB", "8388616"])
@pytest.mark.parametrize("thp", ["default", "always", "never"])
def test_copy_on_the_cpu(size: str, thp: str) -> None:
    trial = run("copy", processor="cpu", size=size, thp=thp, samples=5)
    assert len(trial["host_s"]) == 5
    assert trial["device_s"] is None


def test_copy_by_ordinary_stores() -> None:
    run("copy", processor="cpu", size="8388616", stores="ordinary")


def test_copy_bound_to_a_node() -> None:
    try:
        trial = run("copy", processor="cpu", numa="0")
    except UnsupportedError as error:
        pytest.skip(str(error))
    nodes = trial["residency_before"]["source"]["nodes"]
    assert set(nodes) <= {"0"}
    with pytest.raises(UnsupportedError, match="NUMA node 4000"):
        run("copy", processor="cpu", numa="4000")


@pytest.mark.parametrize("thp", ["always", "never"])
def test_fresh_pages_of_each_size_are_touched(thp: str) -> None:
    trial = run("touch", processor="cpu", memory="pageable", size="4MiB", thp=thp)
    assert trial["residency_after"]["array"]["bytes"] == 2**22


def test_the_ordinary_page_is_a_size_too() -> None:
    trial = run("touch", processor="cpu", memory="pageable", size="4MiB", page=mmap.PAGESIZE)
    assert trial["residency_after"]["array"]["bytes"] == 2**22


@pytest.mark.parametrize("case", ["copy", "touch"])
def test_pages_of_a_pool_that_has_too_few_are_unsupported_with_the_cure(case: str) -> None:
    given = {"processor": "cpu", "page": "2MiB", "size": str(2**50)}
    kind = {"memory": "pageable"} if case == "touch" else {}
    with pytest.raises(UnsupportedError, match=r"no pool|as root, echo .* > /sys/kernel/mm"):
        run(case, **given, **kind)
    with pytest.raises(UnsupportedError, match="leave thp=default"):
        run(case, **given, **kind, thp="always")


@pytest.mark.parametrize("case", ["copy", "touch"])
def test_pages_of_the_pool_hold_the_arrays(case: str) -> None:
    kind = {"memory": "pageable"} if case == "touch" else {}
    try:
        trial = run(case, processor="cpu", page="2MiB", size="3MiB", **kind)
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert all(seen["bytes"] == 3 * 2**20 for seen in trial["residency_after"].values())


def test_first_touch_of_memory_that_is_bound_to_a_node() -> None:
    try:
        trial = run("touch", processor="cpu", memory="pageable", size="1MiB", numa="0")
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert set(trial["residency_after"]["array"]["nodes"]) <= {"0"}
    with pytest.raises(UnsupportedError, match="NUMA node 4000"):
        run("touch", processor="cpu", memory="pageable", numa="4000")


@pytest.mark.parametrize("case", ["copy", "touch"])
def test_a_node_that_is_a_gpus_memory_is_unsupported_where_there_is_none(case: str) -> None:
    if any(gpu.get("numa_node_is_memory") for gpu in native.gpus()["gpus"]):
        pytest.skip("a GPU's memory is a node here")
    with pytest.raises(UnsupportedError, match="no GPU's memory is a NUMA node"):
        run(case, processor="cpu", numa="gpu")


@pytest.mark.parametrize("case", ["access", "migration", "touch"])
def test_results_without_placement_were_not_placed(case: str) -> None:
    given = request(case).parameters
    old = {name: value for name, value in given.items() if name not in ("numa", "thp", "page")}
    assert cases.complete(case, old) == given
    assert (given["numa"], given["thp"], given["page"]) == ("local", "default", "default")


@pytest.mark.gpu
@pytest.mark.parametrize("thp", ["always", "never"])
def test_explicit_access_places_its_pinned_array_and_managed_has_no_place(thp: str) -> None:
    given = {"processor": "gpu", "size": "4MiB", "thp": thp}
    run("access", memory="explicit", source="cpu", destination="gpu", **given)
    with pytest.raises(UnsupportedError, match="managed memory has no numa, thp or page"):
        run("access", memory="managed", **given)


def test_a_size_beyond_memory_is_unsupported_with_both_numbers() -> None:
    with pytest.raises(BeyondMemoryError, match=r"asked for 2 PiB|asked for .*2251799813685248"):
        run("copy", processor="cpu", size=str(2**50))


@pytest.mark.parametrize(
    ("case", "given"),
    [
        ("copy", {"processor": "cpu", "from_": "device"}),
        ("copy", {"processor": "cpu", "means": "copy-engine"}),
        ("access", {"processor": "cpu", "memory": "explicit", "source": "gpu"}),
        ("access", {"processor": "cpu", "memory": "explicit", "hint": "mapped"}),
        ("touch", {"processor": "cpu", "memory": "pageable", "operation": "fault"}),
        ("touch", {"processor": "gpu", "memory": "pageable"}),
    ],
)
def test_what_cannot_be_is_unsupported_on_every_machine(case: str, given: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError):
        run(case, **given)


def test_a_map_without_its_samples_is_refused() -> None:
    with pytest.raises(UsageError, match="a map shows every sample; use look=samples"):
        run("migration", map=8, look="phases")


@pytest.mark.skipif(bool(native.gpus()["gpus"]), reason="there is a GPU")
@pytest.mark.parametrize("case", ["access", "migration", "touch"])
def test_without_a_gpu_the_reason_is_the_gpu(case: str) -> None:
    with pytest.raises(UnsupportedError, match=r"GPU|CUDA"):
        run(case)


@pytest.mark.gpu
class TestOnAGpu:
    @pytest.mark.parametrize("means", ["kernel", "copy-engine"])
    @pytest.mark.parametrize("streams", [1, 2, 7])
    @pytest.mark.parametrize("bidirectional", ["yes", "no"])
    @pytest.mark.parametrize(("from_", "to"), [("pinned", "device"), ("device", "device")])
    def test_copy(self, means: str, streams: int, bidirectional: str, from_: str, to: str) -> None:
        given = {"means": means, "streams": streams, "bidirectional": bidirectional}
        trial = run("copy", processor="gpu", from_=from_, to=to, size="8388616", **given)
        assert len(trial["device_s"]) == 3
        assert np.all(trial["device_s"] <= trial["host_s"] + 1e-3)

    @pytest.mark.parametrize("from_", ["pageable", "pinned", "managed"])
    @pytest.mark.parametrize("to", ["pageable", "pinned", "managed"])
    def test_copy_engine_takes_every_kind(self, from_: str, to: str) -> None:
        run("copy", processor="gpu", from_=from_, to=to, means="copy-engine")

    @pytest.mark.parametrize("source", ["cpu", "gpu"])
    @pytest.mark.parametrize("destination", ["cpu", "gpu"])
    @pytest.mark.parametrize("processor", ["cpu", "gpu"])
    def test_managed_pages_begin_where_they_were_touched_and_end_at_the_executor(
        self, source: str, destination: str, processor: str
    ) -> None:
        given = {"source": source, "destination": destination, "processor": processor}
        trial = run("access", memory="managed", size="32MiB", **given)
        before, after = trial["residency_before"], trial["residency_after"]
        for name, side in (("source", source), ("destination", destination)):
            assert before[name][side] == before[name]["bytes"]
            assert after[name][processor] == after[name]["bytes"]

    def test_mapped_memory_stays_on_the_cpu(self) -> None:
        trial = run("access", processor="gpu", memory="managed", hint="mapped", size="32MiB")
        for name in ("source", "destination"):
            assert trial["residency_after"][name]["cpu"] == trial["residency_after"][name]["bytes"]

    def test_migration_is_seen_in_the_pages_and_in_the_series(self) -> None:
        trial = run("migration", memory="managed", size="256MiB", samples=20)
        assert [p["name"] for p in trial["phases"]] == ["gpu-1", "cpu", "gpu-2"]
        fraction = trial["series"]["cpu_mapped_fraction.source"]
        assert (fraction[19], fraction[39], fraction[59]) == (0.0, 1.0, 0.0)
        first, *others = trial["host_s"][:20]
        assert first > 3 * np.median(others), "the first pass migrates, the others do not"

    def test_a_map_has_each_part_of_an_array_after_each_sample(self) -> None:
        trial = run("migration", memory="managed", size="32MiB", samples=3, map=8)
        for array in ("source", "destination"):
            parts = np.array([trial["series"][f"cpu_mapped.{array}.{i:03d}"] for i in range(8)])
            assert parts.shape == (8, 9)
            assert parts.mean(axis=0) == pytest.approx(
                trial["series"][f"cpu_mapped_fraction.{array}"]
            )
            assert parts[:, [2, 5, 8]].tolist() == [[0, 1, 0]] * 8

    def test_residency_is_read_between_phases_alone_if_asked(self) -> None:
        trial = run("migration", memory="managed", size="32MiB", samples=3, look="phases")
        assert not [name for name in trial["series"] if name.startswith("cpu_mapped")]
        for phase, fraction in (("gpu-1", 0), ("cpu", 1), ("gpu-2", 0)):
            seen = trial["quantities"][f"cpu_mapped_fraction.source.{phase}"]
            assert seen == {"value": fraction, "unit": "1"}

    @pytest.mark.parametrize("operation", ["first-touch", "prefetch", "fault"])
    @pytest.mark.parametrize("processor", ["cpu", "gpu"])
    def test_touch(self, operation: str, processor: str) -> None:
        trial = run("touch", memory="managed", operation=operation, processor=processor)
        assert len(trial["series"]["second_pass_s"]) == 3
        if operation == "prefetch":
            assert np.all(trial["series"]["return_s"] <= trial["host_s"])
        after = trial["residency_after"]["array"]
        assert after[processor] == after["bytes"]

    def test_managed_memory_beyond_the_gpu_is_refused(self) -> None:
        with pytest.raises(BeyondMemoryError):
            run("access", processor="gpu", memory="managed", size="1TiB")
