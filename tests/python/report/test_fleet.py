"""`watari fleet` and `watari check` of many nodes: copies of a recorded H200, one with a fault."""

from __future__ import annotations

import copy
import csv
import html
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from command_line import ended, printed, refused

from watari.report.fleet import formats, judge, node
from watari.report.fleet.judge import FAILED, LOST, UNKNOWN, Fleet, Judged
from watari.report.fleet.node import Level, Node
from watari.results.schema import Results
from watari.results.significance import FASTER, SAME, SLOWER

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "results" / "nvidia-h200-x86_64" / "20261121-standard.json"
Plain = dict[str, Any]
Change = Callable[[Plain], None]


def slow(times: float) -> Change:
    """Copies from pinned memory take this many times as long."""

    def change(run: Plain) -> None:
        for case in run["cases"]:
            if case["parameters"].get("from") == "pinned":
                for trial in case["trials"]:
                    scale(trial, times)

    return change


def scale(trial: Plain, times: float) -> None:
    for name in ("host_s", "device_s"):
        if trial.get(name):
            trial[name] = [seconds * times for seconds in trial[name]]


def without_gpu(run: Plain) -> None:
    run["machine"]["processors"] = run["machine"]["processors"][:1]
    for case in run["cases"]:
        if case["parameters"].get("processor") != "cpu":
            case |= {"status": "unsupported", "reason": "no GPU driver", "trials": []}


def failed(run: Plain) -> None:
    case = next(c for c in run["cases"] if c["status"] == "ok")
    case |= {"status": "failed", "reason": "CUDA error 700", "trials": []}


@pytest.fixture(scope="module")
def recorded() -> Plain:
    """A tenth of the recorded run, so that a fleet of it is read soon."""
    run: Plain = json.loads(RECORDED.read_text())
    run["cases"] = run["cases"][::4]
    return run


def plain(recorded: Plain, host: str, *changes: Change, seed: int = 1) -> Plain:
    """The run on a host, with 1% of scatter between nodes."""
    run, rng = copy.deepcopy(recorded), random.Random(f"{host} {seed}")
    run["machine"]["hosts"] = [host]
    for case in run["cases"]:
        level = rng.gauss(1, 0.01)
        for trial in case["trials"]:
            scale(trial, level)
    for change in changes:
        change(run)
    return run


def fleet(recorded: Plain, count: int = 8, **changed: Change) -> Fleet:
    """Nodes n0, n1, ..., some of them changed."""
    found = []
    for name in [f"n{i}" for i in range(count)]:
        run = plain(recorded, name, *([changed[name]] if name in changed else []))
        found.append(node.node(Results.model_validate(run), f"{name}.json"))
    return judge.judge(node.by_host(found))


def by_name(found: Fleet) -> dict[str, Judged]:
    return {one.node.host: one for one in found.nodes}


def test_the_slow_node_is_named_with_its_worst_case(recorded: Plain) -> None:
    nodes = by_name(found := fleet(recorded, n3=slow(1 / 0.71)))
    assert {name: one.verdict for name, one in nodes.items()} == {
        name: SLOWER if name == "n3" else SAME for name in nodes
    }
    worst = nodes["n3"].worst
    assert worst is not None
    assert worst.level.parameters["from"] == "pinned"
    assert worst.ratio == pytest.approx(0.71, rel=0.05)
    assert nodes["n3"].slow == {
        r.name for r in nodes["n3"].ratios if r.level.parameters.get("from") == "pinned"
    }
    assert judge.exit_code(found) == 3


def test_a_fast_node_is_no_alarm(recorded: Plain) -> None:
    found = fleet(recorded, n3=slow(0.7))
    assert by_name(found)["n3"].verdict == FASTER
    assert judge.exit_code(found) == 0


def test_a_node_without_its_gpu_is_lost(recorded: Plain) -> None:
    found = fleet(recorded, n3=without_gpu)
    one = by_name(found)["n3"]
    assert one.verdict == LOST
    assert "0 GPUs of 1" in one.says
    assert any("no GPU driver" in text for text in one.says)
    assert (len(found.groups), judge.exit_code(found)) == (1, 4)


def test_a_failed_case_is_a_verdict(recorded: Plain) -> None:
    one = by_name(fleet(recorded, n3=failed))["n3"]
    assert (one.verdict, one.says[0]) == (FAILED, "1 case failed: CUDA error 700")


def test_other_hardware_is_a_group_of_its_own(recorded: Plain) -> None:
    def other(run: Plain) -> None:
        run["machine"]["processors"][1]["name"] = "NVIDIA A100"
        slow(3.0)(run)

    found = fleet(recorded, n3=other)
    assert [len(group.nodes) for group in found.groups] == [7, 1]
    one = by_name(found)["n3"]
    assert (one.verdict, one.says) == (UNKNOWN, ["1 node with this hardware: 3 are needed"])


def test_a_host_is_one_node_and_its_newest_run_counts(recorded: Plain) -> None:
    old, new = plain(recorded, "n3", slow(2.0)), plain(recorded, "n3")
    new["program"]["started"] = "2027-01-01T00:00:00.000+00:00"
    gone = new["cases"].pop()
    new["missing"] = [{"case": gone["case"], "parameters": gone["parameters"], "trials": 1}]
    read = [
        node.node(Results.model_validate(run), name)
        for name, run in (("old.json", old), ("new.json", new))
    ]
    (one,) = node.by_host(read)
    assert one.files == ["new.json", "old.json"]
    assert one.missing == set()
    pinned = [n for n, level in one.levels.items() if level.parameters.get("from") == "pinned"]
    assert all(one.levels[name] == read[1].levels[name] for name in pinned)
    assert len(one.levels) == len(read[0].levels)


def test_hosts_of_one_name_and_other_hardware_are_two_nodes(recorded: Plain) -> None:
    """A host that lost its GPU stays the same node."""

    def other(run: Plain) -> None:
        run["machine"]["processors"][1]["name"] = "NVIDIA A100"

    runs = [plain(recorded, "vm"), plain(recorded, "vm", other), plain(recorded, "vm", without_gpu)]
    read = [node.node(Results.model_validate(run), f"{n}.json") for n, run in enumerate(runs)]
    found = node.by_host(read)
    assert [one.host for one in found] == ["vm (NVIDIA A100)", "vm (NVIDIA H200)"]
    assert sorted(file for one in found for file in one.files) == ["0.json", "1.json", "2.json"]


def test_suspects_that_are_slow_in_the_same_cases_are_a_pair(recorded: Plain) -> None:
    found = fleet(recorded, 9, n3=slow(1.4), n7=slow(1.6))
    (pair,) = judge.pairs(found.suspects)
    assert {pair.first.node.host, pair.second.node.host} == {"n3", "n7"}
    assert pair.both == len(by_name(found)["n3"].slow)
    assert max(pair.ratio, 1 / pair.ratio) == pytest.approx(1.6 / 1.4, rel=0.05)


def made_up(
    rng: np.random.Generator, nodes: int, cases: int, scatter: float, slow: float = 1.0
) -> Fleet:
    """Nodes with this scatter between them. Case 0 of n0 takes `slow` times as long."""
    machine = {"architecture": "x", "processors": [{"id": "cpu", "kind": "cpu", "name": "x"}]}
    found = []
    for i in range(nodes):
        one = Node(f"n{i}", True, ["f"], "", machine)
        for j in range(cases):
            times = np.exp(scatter * rng.normal() + 0.005 * rng.normal(size=3))
            times *= slow if i == j == 0 else 1
            one.levels[f"{j}\n"] = Level("copy", {}, "", 1, tuple(map(float, times)))
        found.append(one)
    return judge.judge(found)


@pytest.mark.parametrize(("nodes", "scatter"), [(3, 0.01), (5, 0.02), (30, 0.02), (30, 0.1)])
def test_scatter_is_seldom_an_alarm(nodes: int, scatter: float) -> None:
    rng = np.random.default_rng(7)
    alarms = sum(bool(made_up(rng, nodes, 20, scatter).suspects) for _ in range(40))
    assert alarms <= 6  # 2.5% of 40 is 1; a normal distribution's MAD of few nodes is uncertain


@pytest.mark.parametrize(("nodes", "cases"), [(3, 1), (5, 3), (5, 60), (100, 20)])
def test_a_loss_of_29_percent_is_seldom_missed(nodes: int, cases: int) -> None:
    rng = np.random.default_rng(11)
    found = [made_up(rng, nodes, cases, 0.01, slow=1 / 0.71) for _ in range(20)]
    assert sum([one.node.host for one in f.suspects] == ["n0"] for f in found) >= 18


def test_programs_get_the_same(recorded: Plain) -> None:
    found = fleet(recorded, n3=slow(1 / 0.71))
    table = list(csv.DictReader(formats.as_csv(found).splitlines()))
    assert {row["node"] for row in table if row["case_verdict"] == SLOWER} == {"n3"}
    assert len(table) == sum(len(one.ratios) for one in found.nodes)
    suite = ElementTree.fromstring(formats.junit(found))
    assert (suite.get("tests"), suite.get("failures")) == ("8", "1")
    values = json.loads(json.dumps(formats.as_values(found)))
    assert values["exit_code"] == 3
    assert [n["node"] for n in values["groups"][0]["nodes"] if n["verdict"] != SAME] == ["n3"]


def test_prometheus_reads_the_metrics(recorded: Plain) -> None:
    parser = pytest.importorskip("prometheus_client.parser", reason="no prometheus-client")
    found = fleet(recorded, n3=slow(1 / 0.71))
    found.nodes[0].node.host = 'with "quotes" \\ and é'
    families = {f.name: f for f in parser.text_string_to_metric_families(formats.prometheus(found))}
    ok = {s.labels["node"]: s.value for s in families["watari_node_ok"].samples}
    assert ok == {one.node.host: float(one.node.host != "n3") for one in found.nodes}
    assert len(families["watari_case_ratio"].samples) == sum(len(n.ratios) for n in found.nodes)


@pytest.fixture
def folder(tmp_path: Path, recorded: Plain) -> Path:
    """Six nodes, n3 of them slower, and a file that is no result."""
    for name in [f"n{i}" for i in range(6)]:
        changes = [slow(1 / 0.71)] if name == "n3" else []
        (tmp_path / f"{name}.json").write_text(json.dumps(plain(recorded, name, *changes)))
    (tmp_path / "machine.json").write_text('{"schema": "watari-machine-1"}')
    return tmp_path


def test_by_its_command(folder: Path, capsys: Any) -> None:
    names = [folder / f"fleet.{end}" for end in ("csv", "prom", "svg")]
    wanted = [word for name in names for word in ("-o", name)]
    shown = printed(capsys, "fleet", folder, *wanted, "--junit", folder / "fleet.xml", code=3)
    assert "6 nodes: 1 slower, 5 same" in shown
    assert "machine.json" not in shown
    assert all(name.stat().st_size for name in names)
    figure = (folder / "fleet.svg").read_text()
    assert all(f">n{i}<" in figure for i in range(6))
    longest = max(re.findall(r">((?:copy|access)[^<]*)<", figure), key=len)
    left = float(re.search(r"translate\(([\d.]+),", figure)[1])  # type: ignore[index]
    assert left > 6.5 * len(html.unescape(longest))  # also for the letters of a wider font
    assert ended("fleet", folder, *wanted) == 3  # its own files are replaced
    (folder / "n5.json").write_text('{"schema": 1, "program": {}')
    assert "n5.json: not JSON, or cut short" in printed(capsys, "fleet", folder, code=3).replace(
        "\n", ""
    )
    assert ended("fleet", folder, "--threshold", "60%") == 3  # of the damaged file
    (folder / "n5.json").unlink()
    assert ended("fleet", folder, "--threshold", "60%") == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "x.txt"], "end in .csv, .prom, .svg"),
        (["empty"], "no result files"),
        (["machine.json"], "machine.json"),
    ],
)
def test_what_is_refused(
    words: list[str], says: str, folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir()
    files = ["n1.json"] if words[0] == "-o" else []
    assert says in refused(capsys, "fleet", *files, *words)


def test_check_of_several_hosts_checks_each(folder: Path, capsys: Any) -> None:
    files = sorted(folder.glob("n*.json"))
    shown = printed(capsys, "check", *files, "--junit", folder / "check.xml", code=3)
    assert "6 nodes:" in shown
    suites = ElementTree.parse(folder / "check.xml").getroot()
    items = {
        suite.get("hostname"): [c.get("classname") for c in suite if c.find("failure") is not None]
        for suite in suites
    }
    assert set(items) == {f"n{i}" for i in range(6)}
    assert "fleet" in items["n3"]
    assert [host for host, bad in items.items() if "fleet" in bad] == ["n3"]
    values = json.loads(printed(capsys, "check", *files, "--json", code=3))
    assert {each["hosts"][0]: each["exit_code"] for each in values}["n3"] == 3


def test_check_names_no_cause_that_sound_nodes_have_too(
    folder: Path, recorded: Plain, capsys: Any
) -> None:
    files = sorted(folder.glob("n*.json"))
    assert json.loads(files[0].read_text())["machine"]["virtual_machine"]
    shown = printed(capsys, "check", *files, code=3)
    assert "hypervisor" not in shown
    assert "likely causes: none" in shown
    for path in files:  # all but the slow node are no virtual machines
        values = json.loads(path.read_text())
        values["machine"]["virtual_machine"] = path.stem == "n3"
        path.write_text(json.dumps(values))
    assert "n3: virtual machine: runs under a hypervisor" in printed(
        capsys, "check", *files, code=3
    )


def test_many_files_are_read_by_several_processes(
    folder: Path, monkeypatch: Any, recorded: Plain
) -> None:
    files = [str(path) for path in sorted(folder.glob("n*.json"))]
    alone, _ = node.read_all(files)
    monkeypatch.setattr(node, "ALONE", 1)
    monkeypatch.setattr(node.os, "sched_getaffinity", lambda process: {0, 1})
    together, _ = node.read_all(files)
    assert together == alone


def test_a_case_that_passed_does_not_excuse_another(folder: Path) -> None:
    """Many files of one plan are checked once a case: a wrong value is refused in any of them."""
    path = folder / "n4.json"
    run = json.loads(path.read_text())
    run["cases"][0]["parameters"]["size"] = True
    path.write_text(json.dumps(run))
    nodes, unread = node.read_all([str(path) for path in sorted(folder.glob("n*.json"))])
    assert [one.host for one in nodes] == ["n0", "n1", "n2", "n3", "n5"]
    assert [one.file for one in unread] == [str(path)]
    assert "cases[0].parameters.size" in unread[0].why


def test_the_processes_end_without_a_word(folder: Path) -> None:
    """A command has handlers of signals, which its forks must not have."""
    code = "from watari.report.fleet import node; node.ALONE = 1; import sys; "
    code += "node.os.sched_getaffinity = lambda process: {0, 1}; "
    code += f"sys.argv = ['watari', 'fleet', {str(folder)!r}]; "
    code += "from watari.__main__ import main; main()"
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (3, "")


def test_names_of_nodes_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["n10", "n2", "m3"], key=node.natural) == ["m3", "n2", "n10"]
