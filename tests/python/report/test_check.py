"""`watari check` on a recorded H200: sound, and with one fault at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from watari import cases
from watari.common.errors import UsageError
from watari.report.check import formats, items
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item
from watari.results.schema import Results

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "results" / "nvidia-h200-x86_64" / "20261121-standard.json"
Plain = dict[str, Any]
SOUND_GPU = {
    "link_generation": 5,
    "link_generation_most": 5,
    "gpu_generation_most": 5,
    "link_width": 16,
    "link_width_most": 16,
    "memory_clock": 3201,
    "memory_clock_most": 3201,
    "memory_width": 6016,
    "sm_clock": 1980,
    "sm_clock_most": 1980,
    "ecc": True,
    "power_limit": 700.0,
    "power_limit_default": 700.0,
    "slowed_by": [],
    "processes": 0,
}
SOUND_HOST = {
    "governor": "performance",
    "cpu_khz_limit": 3800000,
    "cpu_khz_most": 3800000,
    "turbo": True,
    "iommu": "identity",
    "cgroup_cpus": None,
    "cgroup_memory": None,
    "allowed_cpus": "0-15",
    "load": 0.1,
    "numa_distances": {"0": [10, 21], "1": [21, 10]},
}


def recorded() -> Plain:
    """The stored run, on a machine whose record shows nothing wrong."""
    run: Plain = json.loads(RECORDED.read_text())
    machine = run["machine"]
    machine |= {"state": dict(SOUND_HOST), "virtual_machine": False}
    machine["processors"][0]["numa_nodes"] = [
        {"node": 0, "cpus": "0-7", "bytes": 2**36},
        {"node": 1, "cpus": "8-15", "bytes": 2**36},
    ]
    machine["processors"][1]["state"] = dict(SOUND_GPU)
    return run


def gpu(**changed: Any) -> Callable[[Plain], None]:
    return lambda run: run["machine"]["processors"][1]["state"].update(changed)


def host(**changed: Any) -> Callable[[Plain], None]:
    return lambda run: run["machine"]["state"].update(changed)


def machine(**changed: Any) -> Callable[[Plain], None]:
    return lambda run: run["machine"].update(changed)


def slowed(run: Plain, wanted: Callable[[Plain], bool], by: float) -> None:
    for case in run["cases"]:
        for trial in case["trials"] if wanted(case["parameters"]) else []:
            for clock in ("host_s", "device_s"):
                trial[clock] = trial.get(clock) and [by * s for s in trial[clock]]


def over_link(p: Plain) -> bool:
    return {p.get("from"), p.get("to")} == {"pinned", "device"}


def in_gpu(p: Plain) -> bool:
    return (p.get("from"), p.get("to")) == ("device", "device")


def checked(run: Plain, base: Plain | None = None, **thresholds: float) -> list[Item]:
    good = Results.model_validate(base) if base else None
    return items.check(Results.model_validate(run), good, thresholds)


def failed(found: list[Item], check: str) -> list[Item]:
    return [item for item in found if item.check == check and item.verdict == FAIL]


def test_a_sound_machine_passes() -> None:
    found = checked(recorded())
    assert [item for item in found if item.verdict == FAIL] == []
    kinds = {"correct", "hardware", "physical limit", "same part", "lost"}
    assert {item.check for item in found} == kinds
    assert sum(item.verdict == PASS for item in found) > 15
    assert items.exit_code(found) == 0


FAULTS = {
    "PCIe width": (over_link, gpu(link_width=8), "gpu:0: x8 in use of x16"),
    "PCIe generation": (over_link, gpu(link_generation_most=4), "the slot allows Gen4 of Gen5"),
    "NUMA node": (over_link, host(allowed_cpus="8-15"), "the run's CPUs on 1 (distance 21)"),
    "IOMMU": (over_link, host(iommu="translated"), "translates"),
    "virtual machine": (over_link, machine(virtual_machine=True), "hypervisor"),
    "other processes": (in_gpu, gpu(processes=2), "gpu:0: 2 other processes on it"),
    "power cap": (in_gpu, gpu(power_limit=350.0), "limited to 350 W of 700 W"),
    "clocks": (in_gpu, gpu(slowed_by=["thermal"]), "limited by: thermal"),
    "ECC": (in_gpu, gpu(memory_width=384), "ECC is on"),
    "CPU frequency": (over_link, host(governor="powersave"), "governor powersave"),
    "other work": (over_link, host(load=15.0), "load 15 on 16 cores"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_one_fault_is_the_likely_cause(name: str) -> None:
    """Only paths that the fault affects fail, and only this fault is named."""
    path, fault, says = FAULTS[name]
    run = recorded()
    fault(run)
    slowed(run, path, 2.0)
    found = checked(run)
    limits = failed(found, "physical limit")
    assert len(limits) == 2
    for item in limits:
        assert [cause.partition(":")[0] for cause in item.causes] == [name]
        assert says in item.causes[0]
    assert items.exit_code(found) == 3
    others = [i for i in found if i.check == "physical limit" and i not in limits]
    assert {item.verdict for item in others} == {PASS}


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (host(cgroup_cpus=4.0), "cgroup: the cgroup allows 4 CPUs of 16"),
        (host(cgroup_memory=2**33), "cgroup: the cgroup allows 8.59 GB of memory"),
        (host(turbo=False), "CPU frequency: no turbo"),
        (host(cpu_khz_limit=2000000), "CPU frequency: limited to 2000000 kHz of 3800000 kHz"),
        (machine(thp={"enabled": "never", "defrag": None}), "page size: pages of 4 KiB"),
    ],
)
def test_a_fault_of_the_cpu_explains_its_memory(fault: Any, cause: str) -> None:
    """Compared with the site's own run: no data sheet states the rate of the CPU's memory."""
    run = recorded()
    fault(run)
    slowed(run, lambda p: p.get("processor") == "cpu", 2.0)
    slow = [i for i in failed(checked(run, recorded()), "baseline") if "pageable ->" in i.name]
    assert slow
    for item in slow:
        assert len(item.causes) == 1
        assert item.causes[0].startswith(cause)


def test_a_reduced_link_fails_by_itself() -> None:
    run = recorded()
    gpu(link_width=8)(run)
    (item,) = failed(checked(run), "hardware")
    assert (item.name, item.says) == ("gpu:0, PCIe lanes", "8 of 16")


def test_the_limit_is_that_of_the_hardware_and_not_of_the_reduced_link() -> None:
    run = recorded()
    gpu(link_width=8)(run)
    run["machine"]["links"][0] |= {"width": 8, "bandwidth": 31.5e9}
    slowed(run, over_link, 2.0)
    for case in run["cases"]:
        case["flags"] = []
    assert len(failed(checked(run), "physical limit")) == 2


def test_thresholds_are_by_case() -> None:
    run = recorded()
    slowed(run, lambda p: "from" in p, 1.5)
    assert failed(checked(run, recorded()), "baseline")
    assert not failed(checked(run, recorded(), copy=0.9), "baseline")
    parsed = items.parse_thresholds(["copy=50%", "3%"], lambda text: float(text[:-1]) / 100)
    assert parsed == {"copy": 0.5, "": 0.03}
    with pytest.raises(UsageError, match="did you mean 'copy'"):
        items.parse_thresholds(["copi=5%"], float)


def test_a_loss_is_a_verdict_and_an_older_record_is_unknown() -> None:
    run, base = recorded(), recorded()
    gone = next(c for c in run["cases"] if c["status"] == "ok")
    run["cases"].remove(gone)
    found = checked(run, base)
    (item,) = [i for i in found if i.verdict == LOST]
    assert item.check == "baseline"
    assert "not in new" in item.says
    assert items.exit_code(found) == 4
    older = json.loads(RECORDED.read_text())
    assert not [i for i in checked(older) if i.check == "hardware"]
    gpu(link_width=None)(base)
    (item,) = [i for i in checked(base) if i.name == "gpu:0, PCIe lanes"]
    assert (item.verdict, item.says) == (UNKNOWN, "not reported")


@pytest.mark.parametrize("status", ["wrong", "failed"])
def test_what_is_wrong_fails(status: str) -> None:
    run = recorded()
    run["cases"][0] |= {"status": status, "reason": "element 7 is 3"}
    run["cases"][0]["trials"][0] |= {"status": status, "error": "element 7 is 3"}
    (item,) = failed(checked(run), "correct")
    assert "element 7 is 3" in item.says


def test_formats() -> None:
    run = recorded()
    gpu(link_width=8)(run)
    slowed(run, over_link, 2.0)
    results, found = Results.model_validate(run), checked(run)
    suite = ElementTree.fromstring(formats.junit(results, found))
    assert int(suite.get("failures", "0")) == len(suite.findall(".//failure")) > 0
    assert "PCIe width" in (suite.findall(".//failure")[-1].text or "")
    assert int(suite.get("tests", "0")) == len(found) == len(suite.findall("testcase"))
    values = formats.as_values(results, found)
    assert json.loads(json.dumps(values))["exit_code"] == 3
    assert cases.CASES  # results are checked against the registry


def slower(run: Plain, times: float) -> None:
    """The same run at another time, with samples `times` as long."""
    for case in run["cases"]:
        for trial in case["trials"]:
            trial["started"] = trial["started"].replace("2026-", "2025-")
            for clock in ("host_s", "device_s"):
                trial[clock] = trial[clock] and [seconds * times for seconds in trial[clock]]


def same_part(run: Plain, folder: Path | None) -> dict[str, Item]:
    found = items.check(Results.model_validate(run), folder=folder)
    return {item.name: item for item in found if item.check == "same part"}


@pytest.mark.parametrize(("times", "verdict"), [(1.0, PASS), (0.99, PASS), (0.5, FAIL)])
def test_stored_runs_of_the_same_part_are_held_against(
    times: float, verdict: str, tmp_path: Path
) -> None:
    earlier = recorded()
    slower(earlier, times)
    (tmp_path / "earlier.json").write_text(json.dumps(earlier))
    (tmp_path / "other.json").write_text('{"machine": "no result"}')
    name = "Pinned to device memory, by cudaMemcpy, 1 GiB"
    item = same_part(recorded(), tmp_path)[name]
    assert item.verdict == verdict
    assert "in a stored run" in item.says


def test_a_run_is_not_held_against_itself_or_another_part(tmp_path: Path) -> None:
    (tmp_path / "same.json").write_text(json.dumps(recorded()))
    other = recorded()
    slower(other, 0.5)
    other["machine"]["processors"][1]["name"] = "NVIDIA A100"
    (tmp_path / "other.json").write_text(json.dumps(other))
    found = same_part(recorded(), tmp_path)
    by_gpu = {name: item for name, item in found.items() if not name.startswith("CPU")}
    assert by_gpu
    assert [i.name for i in by_gpu.values() if "stored run" in i.says] == []


def test_a_stored_run_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    broken = recorded()
    broken["cases"][0]["status"] = "splendid"
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    item = same_part(recorded(), tmp_path)["stored runs"]
    assert item.verdict == UNKNOWN
    assert "broken.json" in item.says


def test_no_two_items_have_one_name() -> None:
    file = RECORDED.with_name("20261121-miyabi-memory.json")  # has two kinds of CPU memory
    found = items.check(Results.model_validate_json(file.read_text()))
    names = [(item.check, item.name) for item in found]
    assert any("CPU copy" in name for _, name in names)
    assert len(set(names)) == len(names)
