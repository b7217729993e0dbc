"""`watari check` accepts a node: against earlier runs of the same machine, against what a site
expects, and against its own copies. The machines are recorded ones with one fault."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fake_cli
import pytest
from test_probe import MACHINES, described

from watari.cli import commands
from watari.machine.record import Machine
from watari.report.check import expect, formats, items
from watari.report.check.item import FAIL, LOST, PASS, UNKNOWN, Item
from watari.report.check.stored import Earlier, of_machine
from watari.results.schema import Results

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "results" / "nvidia-h200-x86_64" / "20261121-standard.json"
DEVICE = "sys/bus/pci/devices/0000:00:06.0"
NO_DRIVER = "no GPU driver"
Plain = dict[str, Any]
assert fake_cli  # puts the made-up machine in place


def node(
    folder: Path, gpus: int = 1, lanes: int = 16, speed: str = "32.0", **attributes: int
) -> Any:
    """The recorded H200, with this many GPUs, and the link as the kernel reports it."""
    fixture = copy.deepcopy(MACHINES["h200-without-hmm"])
    one = fixture["gpus"]["gpus"][0]
    ids = [f"0000:00:{6 + n:02x}.0" for n in range(gpus)]
    fixture["gpus"]["gpus"] = [{**one, "pci_bus_id": name} for name in ids]
    fixture["gpus"]["peers"] = [[False] * gpus] * gpus
    fixture["gpus"]["reason"] = None if gpus else NO_DRIVER
    own = {name: text for name, text in fixture["files"].items() if DEVICE in name}
    for name in ids:
        fixture["files"] |= {file.replace("0000:00:06.0", name): own[file] for file in own}
        fixture["files"] |= {
            f"sys/bus/pci/devices/{name}/current_link_width": f"{lanes}\n",
            f"sys/bus/pci/devices/{name}/current_link_speed": f"{speed} GT/s PCIe\n",
        }
    return described(fixture, folder)


def run_on(machine: Plain, started: str = "2026-11-26") -> Plain:
    """The stored run of an H200, as one of this machine and day; without a GPU its cases fail."""
    run: Plain = json.loads(RECORDED.read_text())
    run["machine"] = Machine.model_validate(machine).model_dump(mode="json", by_alias=True)
    run["program"]["started"] = f"{started}T00:00:00.000+00:00"
    has_gpu = len(machine["processors"]) > 1
    for case in run["cases"]:
        if case["parameters"].get("processor") != "cpu" and not has_gpu:
            case |= {"status": "unsupported", "reason": NO_DRIVER, "trials": [], "flags": []}
            case |= {"bytes_per_sample": 0, "flops_per_sample": 0}
    return run


def checked(run: Plain, *earlier: Plain, expected: str = "") -> list[Item]:
    runs = [Earlier(f"{n}.json", Results.model_validate(other)) for n, other in enumerate(earlier)]
    wanted = expect.parse([expected]) if expected else None
    return items.check(Results.model_validate(run), earlier=runs, wanted=wanted)


def of(found: list[Item], *verdicts: str) -> dict[str, Item]:
    return {item.name: item for item in found if item.verdict in verdicts}


@pytest.fixture
def sound(tmp_path: Path) -> Plain:
    return run_on(node(tmp_path / "sound"), "2026-11-25")


def test_a_sound_node_passes_against_its_own_earlier_run(tmp_path: Path, sound: Plain) -> None:
    found = checked(run_on(node(tmp_path)), sound, expected="gpus=1,link=gen5x16")
    assert of(found, FAIL, LOST) == {}
    assert of(found, PASS).keys() >= {"GPUs", "cpu to gpu:0, pcie", "cases", "gpu:0, PCIe"}
    assert items.exit_code(found) == 0


def test_a_dead_node_is_lost(tmp_path: Path, sound: Plain) -> None:
    """Every case of the GPU is unsupported, and so none is wrong."""
    dead = run_on(node(tmp_path, gpus=0))
    found = checked(dead, sound)
    lost = of(found, LOST)
    assert lost["GPUs"].says == "0; 1 x NVIDIA H200 in 0.json"
    was_ok = {json.dumps(c["parameters"]) for c in sound["cases"] if c["status"] == "ok"}
    gone = [c for c in dead["cases"] if c["status"] == "unsupported"]
    assert len(lost) == 1 + sum(json.dumps(c["parameters"]) in was_ok for c in gone) > 20
    assert all(NO_DRIVER in item.says for name, item in lost.items() if name != "GPUs")
    assert items.exit_code(found) == 4


def without_driver(machine: Plain) -> Plain:
    """The machine as a host has it that shows no sign of a GPU."""
    return {**machine, "driver": None, "state": {**machine["state"], "pci_gpus": 0}}


def test_a_dead_node_without_an_earlier_run_shows_what_its_record_shows(tmp_path: Path) -> None:
    """A driver that is loaded, or a GPU on the bus, fails; without a sign of one it is unknown."""
    machine = node(tmp_path, gpus=0)
    assert machine["driver"]
    assert "no GPU" in of(checked(run_on(machine)), FAIL)
    bare = without_driver(machine)
    on_bus = {**bare, "state": {**bare["state"], "pci_gpus": 1}}
    says = of(checked(run_on(on_bus)), FAIL)["no GPU"].says
    assert "1 on the PCI bus" in says
    assert NO_DRIVER in says
    found = checked(run_on(bare))
    unknown = of(found, UNKNOWN)
    assert "earlier runs" in unknown
    assert NO_DRIVER in unknown["unsupported"].says
    assert (items.exit_code(found), items.exit_code(found, fail_on_unknown=True)) == (0, 3)
    assert items.exit_code(checked(run_on(node(tmp_path, gpus=0)), expected="gpus=1")) == 3


def test_a_later_run_on_the_dead_node_hides_nothing(tmp_path: Path, sound: Plain) -> None:
    dead = run_on(node(tmp_path / "dead", gpus=0), "2026-11-26")
    assert "GPUs" in of(checked(dead, sound, dead), LOST)


def test_a_case_that_was_never_supported_is_no_loss(tmp_path: Path) -> None:
    dead = run_on(node(tmp_path, gpus=0))
    found = checked(dead, copy.deepcopy(dead))
    assert of(found, LOST) == {}
    assert "unsupported" not in of(found, UNKNOWN)


def test_a_lost_gpu_of_two_is_named(tmp_path: Path) -> None:
    before = run_on(node(tmp_path / "two", gpus=2), "2026-11-25")
    found = checked(run_on(node(tmp_path / "one")), before, expected="gpus=2")
    assert of(found, LOST).keys() == {"GPUs"}
    assert [i.says for i in found if i.check == "expected"] == ["1 of 2"]
    assert items.exit_code(found) == 4


def test_another_model_in_place_of_a_gpu_fails(tmp_path: Path) -> None:
    before = run_on(node(tmp_path / "two", gpus=2), "2026-11-25")
    now = run_on(node(tmp_path / "now", gpus=2))
    now["machine"]["processors"][2]["name"] = "NVIDIA A100"
    says = of(checked(now, before), FAIL)["GPUs"].says
    assert says == "1 x NVIDIA A100, 1 x NVIDIA H200; 2 x NVIDIA H200 in 0.json"


@pytest.mark.parametrize(
    "emptied",
    [lambda run: [], lambda run: [c for c in run["cases"] if c["status"] == "unsupported"]],
)
def test_a_run_that_measured_nothing_fails(tmp_path: Path, emptied: Any) -> None:
    run = run_on(node(tmp_path))
    run["cases"] = emptied(run)
    assert of(checked(run), FAIL)["results"].says == "nothing was measured"


def test_half_width_fails_without_nvml_and_without_an_earlier_run(tmp_path: Path) -> None:
    """The kernel reports 8 lanes of 16: they do not fall when the GPU idles."""
    found = checked(run_on(node(tmp_path, lanes=8)), expected="link=gen5x16")
    failed = of(found, FAIL)
    assert failed["gpu:0, PCIe lanes"].says == "8 of 16"
    assert failed["gpu:0, PCIe"].says == "Gen5 x8; Gen5 x16 is expected"
    assert items.exit_code(found) == 3


def test_half_width_fails_against_an_earlier_run(tmp_path: Path, sound: Plain) -> None:
    now = run_on(node(tmp_path, lanes=8))
    now["machine"]["processors"][1]["state"] = None
    item = of(checked(now, sound), FAIL)["cpu to gpu:0, pcie"]
    assert item.says == "Gen5 x8; Gen5 x16 in 0.json"


def test_a_rate_above_the_link_as_read_is_a_wrong_reading(tmp_path: Path) -> None:
    """A record with half of the lanes, and copies that need all of them: 176% does not pass."""
    run = run_on(node(tmp_path, lanes=8))
    run["machine"]["processors"][1]["state"] |= {"link_width_most": 8}
    failed = of(checked(run), FAIL)
    assert "of the 31.5 GB/s of Gen5 x8" in failed["gpu:0, PCIe as read"].says
    above = failed["Pinned to device memory, by cudaMemcpy, 1 GiB"]
    assert above.check == "physical limit"
    assert "width or generation is wrong" in above.says


def test_an_idle_gpu_lowers_its_generation(tmp_path: Path, sound: Plain) -> None:
    found = checked(run_on(node(tmp_path, speed="2.5")), sound, expected="link=gen5x16")
    assert of(found, FAIL, LOST) == {}
    assert "the GPU was idle" in of(found, PASS)["gpu:0, PCIe generation in use"].says


def slowed(run: Plain, by: float) -> Plain:
    for case in run["cases"]:
        if {case["parameters"].get("from"), case["parameters"].get("to")} == {"pinned", "device"}:
            for trial in case["trials"]:
                for clock in ("host_s", "device_s"):
                    trial[clock] = trial[clock] and [by * s for s in trial[clock]]
    return run


def test_a_lower_generation_under_load_fails(tmp_path: Path) -> None:
    """Copies at half of the rate, by a link that both ends could run at the fifth generation."""
    found = checked(slowed(run_on(node(tmp_path, speed="16.0")), 2.0))
    item = of(found, FAIL)["gpu:0, PCIe generation in use"]
    assert item.says.startswith("4 of 5 when the run began; no copy is faster")


def test_a_lower_generation_without_copies_is_unknown(tmp_path: Path) -> None:
    run = run_on(node(tmp_path, speed="2.5"))
    run["cases"] = [c for c in run["cases"] if c["case"] != "copy"]
    assert "gpu:0, PCIe generation in use" in of(checked(run), UNKNOWN)


def test_a_slot_with_half_of_the_lanes_fails_where_nvml_has_only_the_common_ones(
    tmp_path: Path,
) -> None:
    from watari.machine.probe import state
    from watari.machine.probe.system import System

    node(tmp_path, lanes=8)
    bus_id = "0000:00:06.0"
    nvml = {"gpus": {bus_id: {"state": {"link_width": 8, "link_width_most": 8, "ecc": None}}}}
    found = state({"pci_bus_id": bus_id}, nvml, System(tmp_path)) or {}
    assert (found["link_width"], found["link_width_most"]) == (8, 16)
    assert found["ecc"] is None


def test_what_is_planned_and_not_measured_is_unknown(tmp_path: Path, sound: Plain) -> None:
    run = run_on(node(tmp_path))
    gone = run["cases"].pop()
    run["missing"] = [{"case": gone["case"], "parameters": gone["parameters"], "trials": 1}]
    assert of(checked(run, sound), UNKNOWN)["planned, not measured"].says.startswith("1 case:")


def test_earlier_runs_of_the_machine_are_found_by_host_and_cpu(
    tmp_path: Path, sound: Plain
) -> None:
    now = run_on(node(tmp_path / "now", gpus=0))
    later, other, anonymous = copy.deepcopy(now), copy.deepcopy(sound), copy.deepcopy(sound)
    later["program"]["started"] = "2026-11-27T00:00:00.000+00:00"
    other["machine"]["hosts"] = ["another"]
    anonymous["program"]["anonymous"] = True
    runs = {"now": now, "sound": sound, "later": later, "other": other, "anonymous": anonymous}
    for name, run in runs.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    found = of_machine(Results.model_validate(now), [tmp_path])
    assert [Path(run.file).name for run in found] == ["sound.json"]


def test_junit_and_json_have_what_is_lost(tmp_path: Path, sound: Plain) -> None:
    dead = run_on(node(tmp_path, gpus=0))
    results, found = Results.model_validate(dead), checked(dead, sound)
    suite = ElementTree.fromstring(formats.junit(results, found))
    assert int(suite.get("failures", "0")) == len(of(found, LOST, FAIL))
    assert formats.as_values(results, found)["exit_code"] == 4


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpu=4", "did you mean 'gpus'"),
        ("gpus=four", "write it as gpus=4"),
        ("gpus=" + 5000 * "9", "write it as gpus=4"),
        ("link=gen5", "write it as link=gen5x16"),
        ("gpus=1,gpus=2", "given twice"),
        ("", "unknown expectation ''"),
    ],
)
def test_a_wrong_expectation_is_refused(
    text: str, says: str, sound: Plain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sound.json").write_text(json.dumps(sound))
    assert check(tmp_path / "sound.json", "--expect", text) == 2
    assert says in capsys.readouterr().err


def check(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        commands.main(["check", *map(str, words)])
    return int(ended.value.code or 0)


def test_by_its_command(
    tmp_path: Path, sound: Plain, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    runs = {"dead": run_on(node(tmp_path / "dead", gpus=0)), "sound": sound}
    for name, run in runs.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "dead.json").write_text(json.dumps(runs["dead"]))
    alone = Path("apart", "dead.json")
    assert check(alone) == 3  # its driver is loaded, and it has no GPU
    assert "no earlier run of this machine" in capsys.readouterr().out.replace("\n", " ")
    assert check(alone, "--expect", "gpus=1") == 3
    assert check(alone, "sound.json") == 4
    assert check(alone, "--stored", ".") == 4
    assert check(alone, "--baseline", "sound.json") == 4
    assert check("dead.json") == 4  # sound.json is beside it
