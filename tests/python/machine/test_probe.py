"""`probe` on files and attributes of other machines, and on this machine."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from watari import _native as native
from watari.machine import openblas, probe
from watari.machine.probe import attributes, host, links, memories, nvml, system
from watari.machine.probe.system import System

Fixture = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "fixtures" / "machines"
MACHINES = {file.stem: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))}


def materialise(files: dict[str, str], root: Path) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return root


def described(fixture: Fixture, root: Path) -> dict[str, Any]:
    return probe.machine(
        materialise(fixture["files"], root),
        fixture["gpus"],
        fixture["topology"],
        fixture["capabilities"],
        fixture["reported_links"],
    )


@pytest.fixture(params=MACHINES)
def fixture(request: pytest.FixtureRequest) -> Fixture:
    return copy.deepcopy(MACHINES[request.param])


def variant(
    name: str, root: Path, files: dict[str, str | None], **attributes: int
) -> dict[str, Any]:
    """A fixture's machine with some files replaced (None: gone) and attributes of GPU 0 changed."""
    changed = copy.deepcopy(MACHINES[name])
    merged = {**changed["files"], **files}
    changed["files"] = {path: text for path, text in merged.items() if text is not None}
    changed["gpus"]["gpus"][0]["attributes"].update(attributes)
    return described(changed, root)


def row(machine: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(r for r in machine["memories"] if r["kind"] == kind)


def test_every_attribute_that_probe_asks_for_is_read_on_a_machine_with_a_gpu() -> None:
    source = Path(__file__).parents[3] / "src" / "watari" / "machine" / "gpus.cpp"
    read = re.findall(r'attribute\{"(\w+)"', source.read_text())
    assert set(attributes.NAMES) <= set(read)


def test_machine_is_what_the_fixture_expects(fixture: Fixture, tmp_path: Path) -> None:
    machine = described(fixture, tmp_path)
    expected = fixture["expected"]
    kinds = {row.pop("kind"): row for row in copy.deepcopy(machine["memories"])}
    for needs in kinds.values():
        assert needs.pop("needs")
    assert kinds == expected.pop("memories")
    assert expected.pop("cpu_name", None) in (None, machine["processors"][0]["name"])
    assert expected.pop("uvm", {}).items() <= machine["uvm"].items()
    assert {key: machine[key] for key in expected} == expected


def test_machine_has_the_shape_of_a_result_file(fixture: Fixture, tmp_path: Path) -> None:
    from watari.machine.record import Machine

    Machine.model_validate(described(fixture, tmp_path))


def test_every_absence_has_a_reason(fixture: Fixture, tmp_path: Path) -> None:
    machine = described(fixture, tmp_path)
    for memory in machine["memories"]:
        assert memory["supported"] or memory["reason"]
    for capability in machine["capabilities"]:
        assert capability["available"] == (capability["reason"] is None), capability


def test_a_narrow_terminal_shows_every_word(fixture: Fixture, tmp_path: Path) -> None:
    from rich.console import Console

    machine = described(fixture, tmp_path)
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(probe.render(machine))
    text = " ".join(console.export_text().split())
    for word in (machine["name"], "Processors", "Memories", "Settings", machine["kernel"]):
        assert word in text


def test_available_memory_leaves_gpu_memory_out(tmp_path: Path) -> None:
    machine = described(MACHINES["gh200"], tmp_path)
    node = MACHINES["gh200"]["topology"]["numa_nodes"][0]
    assert machine["memory_available_bytes"] < machine["memory_bytes"] == node["bytes"]


def test_c2c_is_known_without_nvml(tmp_path: Path) -> None:
    fixture = copy.deepcopy(MACHINES["gh200"])
    fixture["reported_links"] = {"reason": "none", "driver": None, "gpus": {}}
    (link,) = described(fixture, tmp_path)["links"]
    assert (link["kind"], link["bandwidth"], link["links"]) == ("c2c", 450e9, None)


PROPRIETARY = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 2024\n"
NO_OPTION = {"boot/config-6.5.0-45-generic": "# CONFIG_DEVICE_PRIVATE is not set\n"}
OLD = {
    "proc/sys/kernel/osrelease": "5.15.0-105-generic\n",
    "proc/version_signature": "Ubuntu 5.15.0-105.115-generic 5.15.148\n",
}
DEBIAN = {
    "proc/sys/kernel/osrelease": "6.1.0-28-amd64\n",
    "proc/version": "Linux version 6.1.0-28-amd64 (...) #1 SMP Debian 6.1.119-1 (2024-11-22)\n",
    "proc/version_signature": None,
}
RED_HAT = {
    "proc/sys/kernel/osrelease": "5.14.0-570.23.1.el9_6.x86_64\n",
    "proc/version_signature": None,
}


@pytest.mark.parametrize(
    ("files", "causes"),
    [
        ({"proc/driver/nvidia/version": PROPRIETARY}, ["proprietary"]),
        (NO_OPTION, ["lacks CONFIG_DEVICE_PRIVATE"]),
        ({"sys/module/nvidia_uvm/parameters/uvm_disable_hmm": "Y\n"}, ["switched off"]),
        (OLD, ["kernel 5.15.148 is older than 6.1.24"]),
        ({**OLD, "proc/driver/nvidia/version": PROPRIETARY}, ["proprietary", "5.15.148"]),
        (DEBIAN, ["not known why", "CONFIG_DEVICE_PRIVATE"]),
        (RED_HAT, ["not known why", "CONFIG_DEVICE_PRIVATE"]),
        ({}, ["not known why"]),
    ],
)
def test_why_system_memory_is_missing(
    files: dict[str, str | None], causes: list[str], tmp_path: Path
) -> None:
    system_row = row(variant("h100-with-hmm", tmp_path, files, pageableMemoryAccess=0), "system")
    assert not system_row["supported"]
    assert system_row["reason"].startswith("pageableMemoryAccess = 0: ")
    for cause in causes:
        assert cause in system_row["reason"]
    assert ("older" in system_row["reason"]) == any("5.15" in cause for cause in causes)


def test_old_gpu_and_old_driver_are_named(tmp_path: Path) -> None:
    gpu = {"name": "Tesla V100", "compute_capability": "7.0"}
    banner = PROPRIETARY.replace("550.54.14", "470.57.02")
    files = materialise({"proc/driver/nvidia/version": banner}, tmp_path)
    causes = "; ".join(memories.why_not_pageable(gpu, System(files)))
    assert "Tesla V100 is older than Turing" in causes
    assert "driver 470.57.02 is older than 535" in causes
    turing = {"name": "Tesla T4", "compute_capability": "7.5"}
    assert "Turing" not in "; ".join(memories.why_not_pageable(turing, System(files)))


def test_managed_without_concurrent_access_has_a_caveat(tmp_path: Path) -> None:
    managed = row(variant("h100-with-hmm", tmp_path, {}, concurrentManagedAccess=0), "managed")
    assert managed["supported"]
    assert "concurrentManagedAccess = 0" in managed["reason"]


def test_driver_without_its_library_is_reported(tmp_path: Path) -> None:
    fixture = copy.deepcopy(MACHINES["none"])
    fixture["files"]["proc/driver/nvidia/version"] = PROPRIETARY
    machine = described(fixture, tmp_path)
    assert "libcuda.so.1" in row(machine, "device")["reason"]
    assert machine["driver"] == "550.54.14"


def test_build_without_cuda_says_so(tmp_path: Path) -> None:
    fixture = copy.deepcopy(MACHINES["none"])
    fixture["gpus"] |= {"reason": "built without CUDA", "runtime": None}
    machine = described(fixture, tmp_path)
    assert row(machine, "pinned")["reason"] == "built without CUDA"
    assert machine["cuda"] is None


def test_a_root_without_files_is_no_error(tmp_path: Path) -> None:
    fixture = {**MACHINES["none"], "files": {}}
    machine = described(fixture, tmp_path)
    assert machine["thp"] == {"enabled": None, "defrag": None}
    assert (machine["numa_balancing"], machine["uvm"], machine["kernel"]) == (None, {}, "unknown")


@pytest.mark.parametrize(
    ("names", "cores", "cpu", "expected"),
    [
        (["NVIDIA H200"], 16, "Xeon", "nvidia-h200-x86_64"),
        (["NVIDIA H200", "NVIDIA H200"], 16, "Xeon", "2x-nvidia-h200-x86_64"),
        ([], 8, "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "8-core-intel-core-i7-8700-x86_64"),
    ],
)
def test_slug(names: list[str], cores: int, cpu: str, expected: str) -> None:
    processors = [
        {"kind": "cpu", "name": cpu, "cores": cores},
        *({"kind": "gpu", "name": name} for name in names),
    ]
    assert probe.slug(processors, "x86_64") == expected


@pytest.mark.parametrize(
    ("generation", "width", "bandwidth"),
    [(3, 16, 15.754e9), (4, 16, 31.508e9), (5, 16, 63.015e9), (5, 8, 31.508e9)],
)
def test_pcie_bandwidth(generation: int, width: int, bandwidth: float) -> None:
    assert links.pcie_bandwidth(generation, width) == pytest.approx(bandwidth, rel=1e-4)


def test_pcie_of_a_slower_slot_and_of_unknown_links(tmp_path: Path) -> None:
    slot = "sys/devices/pci0000:00/0000:00:01.0"
    files = {
        f"{slot}/max_link_speed": "16.0 GT/s PCIe\n",
        f"{slot}/0000:01:00.0/max_link_speed": "32.0 GT/s PCIe\n",
        f"{slot}/0000:01:00.0/current_link_width": "63\n",
    }
    materialise(files, tmp_path)
    devices = tmp_path / "sys/bus/pci/devices"
    devices.mkdir(parents=True)
    (devices / "0000:01:00.0").symlink_to(tmp_path / slot / "0000:01:00.0")
    assert links.pcie_generation("0000:01:00.0", System(tmp_path)) == 4
    assert links.pcie_width("0000:01:00.0", System(tmp_path)) is None
    assert links.pcie_generation("0000:02:00.0", System(tmp_path)) is None


@pytest.mark.parametrize(("target", "count"), [("0000:02:00.0", 4), (nvml.SWITCH, 18)])
def test_nvlink_between_gpus(target: str, count: int, tmp_path: Path) -> None:
    fixture = copy.deepcopy(MACHINES["h100-with-hmm"])
    first = fixture["gpus"]["gpus"][0]
    fixture["gpus"]["gpus"].append({**first, "pci_bus_id": "0000:02:00.0"})
    fixture["gpus"]["peers"] = [[False, True], [True, False]]
    nvlink = {"generation": 4, "bandwidth": 26.5625e9, "to": {target: count}}
    reported = {"pcie_generation": 5, "pcie_width": 16, "c2c": None, "nvlink": nvlink}
    fixture["reported_links"]["gpus"] = {first["pci_bus_id"]: reported}
    links = described(fixture, tmp_path)["links"]
    assert [(k["from"], k["to"], k["kind"]) for k in links[:2]] == [
        ("cpu", "gpu:0", "pcie"),
        ("cpu", "gpu:1", "pcie"),
    ]
    assert links[2]["links"] == count
    assert links[2]["bandwidth"] == pytest.approx(26.5625e9 * count)


def test_the_state_of_a_host(tmp_path: Path) -> None:
    """The least quota of the cgroup and those above it, translated addresses, no turbo."""
    files = {
        "proc/self/cgroup": "0::/job/step",
        "sys/fs/cgroup/job/cpu.max": "400000 100000",
        "sys/fs/cgroup/job/step/cpu.max": "max 100000",
        "sys/fs/cgroup/job/step/memory.max": "8589934592",
        "sys/kernel/iommu_groups/0/type": "identity",
        "sys/kernel/iommu_groups/1/type": "DMA-FQ",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
        "sys/devices/system/cpu/intel_pstate/no_turbo": "1",
        "sys/devices/system/node/node0/distance": "10 21",
        "proc/loadavg": "3.50 2.00 1.00 4/300 99",
        "proc/self/status": "Cpus_allowed_list:\t0-3",
    }
    state = host.state(System(materialise(files, tmp_path)))
    assert (state["cgroup_cpus"], state["cgroup_memory"]) == (4.0, 2**33)
    assert (state["iommu"], state["turbo"], state["governor"]) == ("translated", False, "powersave")
    assert (state["load"], state["allowed_cpus"]) == (3.5, "0-3")
    assert state["numa_distances"] == {"0": [10, 21]}
    assert not any(host.state(System(tmp_path / "nothing")).values())


def test_this_machine() -> None:
    machine = probe.machine()
    assert machine["memory_bytes"] >= machine["memory_available_bytes"] > 0
    assert machine["processors"][0]["threads"] >= 1
    assert bool(native.gpus()["gpus"]) == row(machine, "device")["supported"]
    assert machine["page_size"] % 4096 == 0
    assert machine["kernel"] == system.kernel(System(Path("/"))) != "unknown"


def test_numpys_openblas_serves_where_the_system_has_none() -> None:
    folder = openblas.folder()
    rows = {row["name"]: row for row in native.capabilities(folder)}
    for name in ("openblas", "cublas"):
        assert rows[name]["available"] == bool(rows[name]["detail"]) != bool(rows[name]["reason"])
    assert rows["openblas"]["available"] or not any(Path(folder or "/nowhere").glob("*openblas*"))
