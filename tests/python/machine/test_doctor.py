"""`watari doctor` on recorded machines, each sound or with one part missing."""

from __future__ import annotations

import copy
import json
import resource
from pathlib import Path
from typing import Any

import pytest
from command_line import ended
from test_probe import MACHINES, described, variant

from watari.cli import listing
from watari.machine import doctor, probe
from watari.machine.probe.system import System

THP = "sys/kernel/mm/transparent_hugepage/enabled"


def found(machine: dict[str, Any], root: Path) -> dict[str, doctor.Finding]:
    return {finding.what: finding for finding in doctor.findings(machine, System(root))}


def with_capability(name: str, root: Path, **row: Any) -> dict[str, Any]:
    """The recorded H200 with another row of the optional parts."""
    fixture = copy.deepcopy(MACHINES["h200-without-hmm"])
    rows = [r for r in fixture["capabilities"] if r["name"] != name]
    empty = {"name": name, "available": False, "reason": None, "detail": None}
    fixture["capabilities"] = [*rows, {**empty, **row}]
    return described(fixture, root)


@pytest.mark.parametrize("name", MACHINES)
def test_every_finding_says_what_why_and_how(name: str, tmp_path: Path) -> None:
    machine = described(copy.deepcopy(MACHINES[name]), tmp_path)
    for finding in doctor.findings(machine, System(tmp_path)):
        assert all((finding.what, finding.why, finding.mend))
        assert "None" not in finding.why


def test_hmm_names_each_missing_condition(tmp_path: Path) -> None:
    machine = described(copy.deepcopy(MACHINES["h200-without-hmm"]), tmp_path)
    reason = next(m["reason"] for m in machine["memories"] if m["kind"] == "system")
    causes = reason.partition(": ")[2].split("; ")
    rows = [f for f in doctor.findings(machine, System(tmp_path)) if f.what == "HMM"]
    assert [f.why.rpartition(": ")[0] for f in rows] == causes
    assert all(f.mend != "see dmesg | grep -i hmm" for f in rows)


def test_a_machine_with_hmm_or_ats_lacks_none(tmp_path: Path) -> None:
    for name in ("h100-with-hmm", "gh200"):
        machine = described(copy.deepcopy(MACHINES[name]), tmp_path / name)
        assert "HMM" not in found(machine, tmp_path / name)


def test_gds_in_compatibility_mode_and_missing(tmp_path: Path) -> None:
    row = {"available": True, "detail": "compatibility mode, through CPU memory"}
    slow = found(with_capability("cufile", tmp_path / "slow", **row), tmp_path / "slow")
    assert "modprobe nvidia-fs" in slow["GDS"].mend
    none = with_capability("cufile", tmp_path / "none", reason="libcufile.so.0 cannot be loaded")
    assert "libcufile.so.0" in found(none, tmp_path / "none")["GDS"].why
    direct = {"available": True, "detail": "direct (nvidia-fs module is loaded)"}
    machine = with_capability("cufile", tmp_path / "direct", **direct)
    assert "GDS" not in found(machine, tmp_path / "direct")


def test_mpi_without_cuda_matters_where_there_is_a_gpu(tmp_path: Path) -> None:
    reason = "Open MPI was built without CUDA"
    machine = with_capability("cuda-aware-mpi", tmp_path, reason=reason)
    machine["capabilities"] = [
        {**row, "available": True, "reason": None} if row["name"] == "mpi" else row
        for row in machine["capabilities"]
    ]
    assert reason in found(machine, tmp_path)["CUDA-aware MPI"].why
    bare = {**machine, "processors": machine["processors"][:1], "driver": None, "state": {}}
    assert "CUDA-aware MPI" not in found(bare, tmp_path)


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({THP: "always madvise [never]"}, "huge pages"),
        ({doctor.NUMA: "1"}, "NUMA balancing"),
        ({"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave"}, "CPU frequency"),
        ({"sys/kernel/iommu_groups/0/type": "DMA"}, "IOMMU"),
    ],
)
def test_settings(files: dict[str, str | None], what: str, tmp_path: Path) -> None:
    machine = variant("h200-without-hmm", tmp_path / "bad", files)
    assert what in found(machine, tmp_path / "bad")


def test_a_gpu_without_a_driver_is_found_on_the_bus(tmp_path: Path) -> None:
    device = "sys/bus/pci/devices/0000:00:06.0"
    fixture = copy.deepcopy(MACHINES["none"])
    fixture["files"] |= {f"{device}/vendor": "0x10de\n", f"{device}/class": "0x030200\n"}
    machine = described(fixture, tmp_path)
    assert machine["state"]["pci_gpus"] == 1
    assert "on the PCI bus" in found(machine, tmp_path)["GPU driver"].why
    none = described(copy.deepcopy(MACHINES["none"]), tmp_path / "none")
    assert not {"GPU driver", "GDS", "HMM"} & found(none, tmp_path / "none").keys()


def test_limits_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {resource.RLIMIT_NOFILE: 256, resource.RLIMIT_AS: 2**33}
    monkeypatch.setattr(resource, "getrlimit", lambda name: (limits.get(name, -1), -1))
    here = {f.what: f.mend for f in doctor.of_process({}, System(Path("/")))}
    assert here == {"open files": "ulimit -n 4096", "addresses": "ulimit -v unlimited"}


def test_a_machine_without_a_gpu_is_not_said_to_have_a_sound_one(tmp_path: Path) -> None:
    machine = described(copy.deepcopy(MACHINES["none"]), tmp_path / "none")
    seen, _, unseen = doctor.looked_at(machine).partition("no NVIDIA GPU is here, so not at: ")
    assert "GDS" not in seen
    assert "GDS" in unseen
    machine = described(copy.deepcopy(MACHINES["h100-with-hmm"]), tmp_path / "h100")
    assert doctor.looked_at(machine).startswith("looked at: GPU driver, GDS, HMM")


def test_by_its_command(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(listing, "this_machine", probe.machine)
    for words in (["doctor"], ["doctor", "--json"]):
        assert ended(*words) == 0
    text = capsys.readouterr().out
    assert "found; looked at: " in text
    assert isinstance(
        json.loads(text[text.index("[\n") if "[\n" in text else text.rindex("[") :]), list
    )
