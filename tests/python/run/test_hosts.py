"""Ranks on several hosts: their names, the defaults that follow, and variables that reach all."""

import dataclasses
import json
import os
import shutil
import sys
from pathlib import Path

import forking
import pytest
from launching import HANGS

from watari.case import ranks
from watari.cases.himeno import axes
from watari.machine import probe
from watari.machine.hosts import apart
from watari.plan.request import Request
from watari.run import hosts, launch, question, worker
from watari.run.launcher import PINNING, Launcher, for_all_ranks

FAKE = Path(__file__).parents[1].joinpath("fake_hosts.py")


def fake(per_host, variables="", program=FAKE):
    return Launcher.parse(f"{variables} {sys.executable} {program} {{ranks}} {per_host}")


def himeno(ranks):
    return Request("himeno", {"processor": "cpu", "ranks": ranks, "threads": 1}, 1)


def test_the_host_of_each_rank_is_asked():
    assert hosts.ask(himeno(4), fake(2)) == ["node0", "node0", "node1", "node1"]
    machine = hosts.described(probe.machine(), [himeno(1), himeno(3), himeno(2)], fake(2))
    assert machine["hosts"] == ["node0", "node0", "node1"]
    assert hosts.summary(machine["hosts"]) == "3 ranks on 2 hosts: node0, node1"


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_host_that_is_not_the_launchers_is_described_by_itself(ranks):
    here = {"name": "of the launcher", "hosts": ["login"]}
    machine = hosts.described(here, [himeno(ranks)], fake(2))
    assert machine["hosts"] == ["node0"] * ranks
    assert machine["name"] == probe.machine()["name"]
    assert hosts.summary(machine["hosts"]) == ("1 rank on node0", "2 ranks on node0")[ranks - 1]


def test_every_host_is_described(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, watari.machine.probe as p\n"
        "real, node = p.machine, os.environ.get('SLURMD_NODENAME')\n"
        "def machine():\n"
        "    if node == 'node2': raise OSError('no /sys')\n"
        "    found = real()\n"
        "    found['state']['governor'] = 'powersave' if node == 'node1' else None\n"
        "    return found\n"
        "p.machine = machine\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    here = {"name": "of another machine", "hosts": ["login"]}
    machine = hosts.described(here, [himeno(1), himeno(6)], fake(2))
    assert machine["hosts"] == ["node0", "node0", "node1", "node1", "node2", "node2"]
    assert machine["processors"] == probe.machine()["processors"]  # rank 0's, not `here`
    assert apart(machine) == [
        ("node1", "governor powersave, not none"),
        ("node2", "gave no record"),
    ]


def test_a_record_that_lost_a_line_is_none(monkeypatch):
    lines = [f"[1,0]<stdout>: watari-part node0 {n}/2 {text}" for n, text in enumerate(("a", "b"))]
    monkeypatch.setattr(hosts, "unpacked", lambda word: {"word": word})
    for output, found in ((lines[::-1], {"node0": {"word": "ab"}}), (lines[:1], {})):
        answer = question.Answer(0, "\n".join(output), "")
        monkeypatch.setattr(question, "ask", lambda *_, answer=answer: answer)
        assert hosts.records(himeno(2), ["node0"] * 2, fake(2)) == found


def test_this_host_and_a_bad_launcher_change_nothing(monkeypatch, tmp_path):
    here = {"hosts": ["login"]}
    monkeypatch.setenv("SLURMD_NODENAME", "node0")
    assert hosts.described(here, [himeno(2)], fake(2)) is here
    assert hosts.described(here, [], fake(1)) is here
    never = dataclasses.replace(fake(1), command=("/no/such/program",))
    assert hosts.described(here, [himeno(1)], Launcher()) is here  # no launcher is asked
    for launcher in (never, Launcher.parse("false"), Launcher.parse("true")):
        assert hosts.described(here, [himeno(2)], launcher) is here
    monkeypatch.setattr(hosts, "LIMIT_SECONDS", 0.3)
    assert hosts.ask(himeno(2), Launcher.parse("sleep 600"), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("names", "halo", "threads"),
    [
        (["a"], "peer", 2),
        (["a"] * 4, "peer", 2),
        (["a", "a", "b", "b"], "staged", 4),
        (["a", "b", "a", "b", "c", "c"], "staged", 4),
        (["a", "a", "a", "b"], "staged", 2),
        (["a", "b", "c", "d"], "staged", 8),
    ],
)
def test_defaults_follow_the_hosts(names, halo, threads):
    machine = {"hosts": names, "processors": [{"cores": 8}]}
    wanted = {"ranks": 4, "processor": "gpu", "style": "explicit"}
    assert axes.default_halo(machine, wanted) == halo
    assert ranks.default_threads(machine, wanted) == threads


@pytest.mark.parametrize(
    ("style", "processor", "halo"),
    [
        ("acc-managed", "gpu", "device"),
        ("acc-data", "gpu", "staged"),
        ("explicit", "cpu", "staged"),
    ],
)
def test_other_halos_cross_hosts_already(style, processor, halo):
    machine = {"hosts": ["a", "b"], "processors": [{"cores": 8}]}
    assert axes.default_halo(machine, {"ranks": 2, "processor": processor, "style": style}) == halo


def test_chosen_variables_reach_every_rank(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import watari.cases as c, os, dataclasses, json\n"
        "def run(parameters):\n"
        "    rank = os.environ['OMPI_COMM_WORLD_RANK']\n"
        f"    with open('{tmp_path}/rank' + rank, 'w') as file: json.dump(dict(os.environ), file)\n"
        "    return {'host_s': [1.0], 'verified': True}\n"
        "from watari.case.profile import Phase, Profile\n"
        "nothing = lambda parameters: Profile((Phase('copy', 0),), {})\n"
        "c.CASES['copy'] = dataclasses.replace(c.CASES['copy'], run=run, profile=nothing)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PRIVATE", "of this host")
    request = Request("copy", {"processor": "cpu", "size": 2**20, "threads": 3, "ranks": 4}, 1)
    result = launch.trial(request, fake(2, "NCCL_DEBUG=WARN OMP_PLACES=threads"), HANGS, tmp_path)
    assert result["status"] == "ok", result
    for rank in range(4):
        seen = json.loads((tmp_path / f"rank{rank}").read_text())
        assert seen["NCCL_DEBUG"] == "WARN"
        assert seen["OMP_PLACES"] == "threads"
        assert seen["OMP_PROC_BIND"] == PINNING["OMP_PROC_BIND"]
        assert "PRIVATE" not in seen


def test_the_cpus_of_a_run_are_those_of_one_host(monkeypatch):
    allowed = os.sched_getaffinity(0)
    given = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cpus: given.append(set(cpus)))
    monkeypatch.setenv("SLURMD_NODENAME", "node1")
    worker.allow("node1", [0])
    worker.allow("login", [0])
    assert given[0] == {0}
    assert given[1] >= allowed, "another host has CPUs that the launcher's has not"


def test_a_variable_that_a_rank_has_of_its_own_stays(monkeypatch):
    monkeypatch.setenv("OMP_PLACES", "sockets")
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("nothing is missing"))
    worker.take_environment({"OMP_PLACES": "cores"})


def test_one_process_needs_no_variables_in_its_file():
    assert for_all_ranks(himeno(1), Launcher()) == {}


def run(*words):
    done = forking.python(("-m", "watari", "run", *words), Path.cwd(), os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.mpi
def test_a_run_on_several_hosts_names_them_and_takes_what_crosses_them(tmp_path):
    mpirun = shutil.which("mpirun")
    name = "SLURMD_NODENAME=node$((OMPI_COMM_WORLD_RANK / 2))"
    launcher = (
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe "
        f"{mpirun} -n {{ranks}} sh -c '{name} exec \"$@\"' sh"
    )
    output = tmp_path / "result.json"
    words = ["himeno", "processor=cpu", "grid=XS", "ranks=4", "iterations=2", "trials=1"]
    said = run(*words, "--launcher", launcher, "-o", output)
    assert "4 ranks on 2 hosts: node0, node1" in said
    result = json.loads(output.read_text())
    assert result["machine"]["hosts"] == ["node0", "node0", "node1", "node1"]
    assert (result["machine"]["others"], result["machine"]["undescribed"]) == ([], [])
    (case,) = result["cases"]
    cores = result["machine"]["processors"][0]["cores"]
    assert case["parameters"]["threads"] == max(1, cores // 2)
    assert case["parameters"]["halo"] == "staged"
    # when resumed, it stays a run on these hosts
    case["trials_planned"] = 2
    output.write_text(json.dumps(result))
    assert "4 ranks on 2 hosts: node0, node1" in run("--resume", output, "--launcher", launcher)
    again = json.loads(output.read_text())
    assert again["machine"]["hosts"] == result["machine"]["hosts"]
    assert len(again["cases"][0]["trials"]) == 2
