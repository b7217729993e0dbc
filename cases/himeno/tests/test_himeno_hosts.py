"""The plans for several hosts, by their job scripts, on two hosts of a network of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from launching import HANGS
from network_hosts import two_hosts
from on_ranks import skip_unless_gpus

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[3]
PLANS = {
    "nvlink-openacc-nodes": ROOT / "cases/himeno/plans",
    "gh200-sam-nodes": ROOT / "cases/himeno/plans",
    "lattice-nodes": ROOT / "cases/lattice/plans",
}
# what the plan has, as far as four ranks of a CPU can show it
ON_CPUS = {
    "himeno": {"processor": "cpu", "style": ["system", "f-cpu"], "grid": "XS", "iterations": 3},
    "lattice": {"processor": "cpu", "style": "system", "lattice": "4x4x4x4"},
}
LEFT_OUT = ("halo", "overlap", "init", "kernel")


def fits(name: str, value: object) -> bool:
    """Whether a number of ranks, or a split, is one of up to four ranks."""
    if name == "ranks":
        return int(str(value)) <= 4
    count = 1
    for part in str(value).split("x"):
        count *= int(part)
    return count <= 4


def on_cpus(plan: dict[str, object], folder: Path) -> tuple[Path, int]:
    """The plan for CPUs, with its ranks and splits of up to four ranks; and its number of cases."""
    lines, count = [f'name = "{plan["name"]}"', "[defaults]", "trials = 1", "threads = 1"], 0
    seen = set()
    for case in plan["case"]:  # type: ignore[attr-defined]
        given = {**case, **ON_CPUS[case["case"]]}
        for axis in LEFT_OUT:
            given.pop(axis, None)
        for axis in ("ranks", "split"):
            if axis in given:
                given[axis] = [v for v in given[axis] if fits(axis, v)]
        if given.get("split") == [] or given.get("ranks") == []:
            given["split"] = ["2x2x1"] if case["case"] == "himeno" else ["1x2x2x1"]
            given.pop("ranks", None)
        text = "\n".join(f"{axis} = {json.dumps(value)}" for axis, value in given.items())
        if text in seen:
            continue
        seen.add(text)
        lines += ["[[case]]", text]
        count += 1
    path = folder / f"{plan['name']}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path, count


def programs(folder: Path, launcher: str) -> str:
    """A folder for PATH with the launchers of the job scripts: srun, and mpirun without its host
    file, which start ranks on both hosts."""
    places = folder / "bin"
    places.mkdir()
    variables, _, command = launcher.partition("mpirun ")
    real = subprocess.run(["which", "mpirun"], capture_output=True, text=True, check=True)
    hosts = command.partition(" -n ")[0]
    start = f'exec env {variables} {real.stdout.strip()} {hosts} -n "$ranks" "$@"\n'
    (places / "srun").write_text(f"#!/bin/sh\nranks=${{1#--ntasks=}}; shift 2\n{start}")
    (places / "mpirun").write_text(f"#!/bin/sh\nranks=$2; shift 4\n{start}")
    (places / "watari").write_text(f'#!/bin/sh\nexec {sys.executable} -m watari "$@"\n')
    for program in places.iterdir():
        program.chmod(0o755)
    return str(places)


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["slurm", "pbs"])
@pytest.mark.parametrize("name", list(PLANS))
def test_a_plan_runs_on_two_hosts_by_its_job_script(
    name: str, scheduler: str, tmp_path: Path
) -> None:
    with (PLANS[name] / f"{name}.toml").open("rb") as file:
        plan, count = on_cpus(tomllib.load(file), tmp_path)
    assert count
    nodes = tmp_path / "nodes"
    nodes.write_text("host1\nhost1\nhost2\nhost2\n")
    with two_hosts(tmp_path) as (on_first, launcher):
        variables = {
            "PATH": f"{programs(tmp_path, launcher)}:{os.environ['PATH']}",
            "SLURM_JOB_NUM_NODES": "2",
            "PBS_NODEFILE": str(nodes),
            "PBS_O_WORKDIR": str(tmp_path),
            "PLAN": str(plan),
        }
        *inside, _ = on_first  # the job script in place of Python
        done = subprocess.run(
            [*inside, "bash", str(ROOT / f"examples/jobs/{scheduler}.sh"), str(plan)],
            env={**os.environ, **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=4 * HANGS,
            check=False,
        )
    output = tmp_path / f"{name}-2.json"
    assert output.exists(), done.stdout + done.stderr
    result = json.loads(output.read_text())
    assert result["machine"]["hosts"] == ["host1", "host1", "host2", "host2"]
    for case in result["cases"]:
        for trial in case["trials"]:
            if case["parameters"].get("style") == "f-cpu" and trial["status"] == "unsupported":
                assert "gfortran" in trial["error"]
                continue
            assert trial["status"] == "ok", (case["parameters"], trial)
    assert {case["parameters"]["ranks"] for case in result["cases"]} >= {4}


@pytest.mark.gpu
@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "himeno grid=M iterations=103 ranks=2 halo=staged",
        "himeno grid=M iterations=103 ranks=2 halo=nccl",
        "lattice lattice=8x8x8x16 split=1x1x2x1 style=explicit,managed,acc-data halo=staged",
        "lattice lattice=8x8x8x16 split=1x1x2x1 style=explicit,managed,acc-host-data halo=nccl",
    ],
)
def test_two_gpus_are_two_hosts(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each host sees one GPU; NCCL crosses the network by sockets."""
    skip_unless_gpus(2)
    command = ["-m", "watari", "run", *words.split(), "processor=gpu", "trials=1"]
    output = tmp_path / "result.json"
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, socket\n"
        "host = socket.gethostname()\n"
        "if host.startswith('host'):\n"
        "    os.environ['CUDA_VISIBLE_DEVICES'] = str(int(host[4:]) - 1)\n"
        "    pathlib.Path(__file__).with_name(host).touch()\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    with two_hosts(tmp_path) as (on_first, launcher):
        chosen = launcher.replace(":2", ":1").replace(
            "mpirun", "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_SOCKET_IFNAME=cable mpirun"
        )
        done = subprocess.run(
            [*on_first, *command, "--launcher", chosen, "-o", str(output)],
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "host1").exists()
    assert (tmp_path / "host2").exists()
    result = json.loads(output.read_text())
    assert result["machine"]["hosts"] == ["host1", "host2"]
    trials = [trial for case in result["cases"] for trial in case["trials"]]
    assert len(trials) == len(result["cases"])
    missing = [trial["error"] for trial in trials if trial["status"] == "unsupported"]
    assert all(t["verified"] for t in trials if t["status"] != "unsupported"), trials
    if missing:
        pytest.skip("; ".join(missing))
