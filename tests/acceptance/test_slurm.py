"""scripts/fleet.sbatch and scripts/fleet_reframe.py on a real Slurm cluster of this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import slurm

from watari.common.files import PACKAGE

ROOT = Path(__file__).parents[2]
NODES = ("n1", "n2", "n3", "n4")
WORDS = ["copy", "processor=cpu", "memory=pageable", "size=1MiB,2MiB", "trials=2", "samples=5"]
# `watari`. The nodes are one busy machine: times are made up, those of one node if told so a
# hundred times as long. Another one, if told so, writes nothing
WRAPPER = """\
#!{python}
import json, os, pathlib, subprocess, sys
node, words = os.environ.get("SLURMD_NODENAME"), sys.argv[1:]
if words[0] == "run" and node == os.environ.get("DEAD_NODE"):
    sys.exit("no memory")
code = subprocess.run([sys.executable, "-m", "watari", *words]).returncode
if words[0] == "run":
    path = pathlib.Path(words[words.index("-o") + 1])
    run = json.loads(path.read_text())
    level = (1 + 1e-3 * int(node[1:])) * (100 if node == os.environ.get("SLOW_NODE") else 1)
    for trial in (trial for case in run["cases"] for trial in case["trials"]):
        trial["host_s"] = [1e-3 * level for _ in trial["host_s"]]
    path.write_text(json.dumps(run))
sys.exit(code)
"""

pytestmark = pytest.mark.skipif(bool(slurm.missing()), reason=slurm.missing())


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Four nodes; `WATARI` is the wrapper."""
    folder = tmp_path_factory.mktemp("slurm")
    wrapper = folder / "watari"
    wrapper.write_text(WRAPPER.format(python=sys.executable))
    wrapper.chmod(0o755)
    with ExitStack() as stack:
        try:
            variables = stack.enter_context(slurm.cluster(folder, NODES))
        except RuntimeError as error:  # a container without what its daemons need
            pytest.skip(f"Slurm does not start here: {str(error)[-500:]}")
        yield {**variables, "WATARI": str(wrapper), "PYTHONPATH": str(PACKAGE.parent)}


def submitted(folder: Path, variables: dict[str, str]) -> tuple[int, str]:
    """The job's exit code and output."""
    words = ["sbatch", "--wait", f"--nodes={len(NODES)}", "--output=job.out"]
    words += [str(ROOT / "scripts" / "fleet.sbatch"), *WORDS]
    job = subprocess.run(words, cwd=folder, env=variables, timeout=600)
    return job.returncode, (folder / "job.out").read_text()


def test_one_job_measures_every_node(tmp_path: Path, cluster: dict[str, str]) -> None:
    code, shown = submitted(tmp_path, {**cluster, "SLOW_NODE": "n3", "BUDGET": "5min"})
    assert code == 3, shown
    (folder,) = tmp_path.glob("fleet-*")
    assert {path.stem for path in folder.glob("n*.json")} == set(NODES)
    hosts = {json.loads(path.read_text())["machine"]["hosts"][0] for path in folder.glob("n*.json")}
    assert hosts == set(NODES)
    assert "4 nodes: " in shown
    table = [row.split(",") for row in (folder / "fleet.csv").read_text().splitlines()[1:]]
    assert {row[0] for row in table if row[1] == "slower"} == {"n3"}
    assert (folder / "fleet.prom").read_text().startswith("# HELP watari_")
    assert (folder / "fleet.xml").is_file()


def test_a_node_without_a_result_is_named(tmp_path: Path, cluster: dict[str, str]) -> None:
    code, shown = submitted(tmp_path, {**cluster, "DEAD_NODE": "n2"})
    assert code == 4, shown
    assert "no result of 1 of 4 nodes: n2" in shown
    (log,) = tmp_path.glob("fleet-*/n2.log")
    assert "no memory" in log.read_text()


CONFIGURATION = """\
site_configuration = {
    "systems": [{
        "name": "here", "hostnames": [".*"], "modules_system": "nomod",
        "partitions": [{
            "name": "all", "scheduler": "squeue", "launcher": "srun",
            "environs": ["builtin"], "env_vars": %s,
        }],
    }],
    "environments": [{"name": "builtin", "cc": "cc", "cxx": "", "ftn": ""}],
    "general": [{"resolve_module_conflicts": False}],
}
"""


def reframe(folder: Path, variables: dict[str, str], threshold: float) -> tuple[int, str]:
    """The exit code and output of ReFrame."""
    kept = [[n, variables[n]] for n in ("PYTHONPATH", "SLOW_NODE", "DEAD_NODE") if n in variables]
    (folder / "site.py").write_text(CONFIGURATION % kept)
    words = [
        "reframe",
        "-C",
        "site.py",
        "-c",
        str(ROOT / "scripts" / "fleet_reframe.py"),
        "--prefix=.",
    ]
    for name, value in (
        ("num_nodes", len(NODES)),
        ("watari", variables["WATARI"]),
        ("budget", "5min"),
        ("words", " ".join(WORDS)),
        ("threshold", threshold),
    ):
        words += ["-S", f"{name}={value}"]
    words += ["-r", "--performance-report"]
    done = subprocess.run(
        words, cwd=folder, env=variables, capture_output=True, text=True, timeout=600
    )
    return done.returncode, done.stdout + done.stderr


needs_reframe = pytest.mark.skipif(
    not shutil.which("reframe"), reason="no ReFrame (PyPI: reframe-hpc)"
)


@needs_reframe
def test_reframe_measures_all_nodes_in_one_job(tmp_path: Path, cluster: dict[str, str]) -> None:
    """A slow node is a performance variable below its bound, beside those of the others."""
    code, shown = reframe(tmp_path, {**cluster, "SLOW_NODE": "n3"}, threshold=0.05)
    assert code != 0, shown
    assert "n3" in shown.partition("performance error: ")[2].partition("\n")[0], shown
    (fleet,) = tmp_path.rglob("fleet.json")
    values = json.loads(fleet.read_text())
    assert {n["node"] for group in values["groups"] for n in group["nodes"]} == set(NODES)
    report = shown.partition("PERFORMANCE REPORT")[2]
    assert all(name in report for name in NODES)
    assert len(list(tmp_path.rglob("rfm_job.sh"))) == 1


@needs_reframe
def test_reframe_passes_where_no_node_is_slower(tmp_path: Path, cluster: dict[str, str]) -> None:
    code, shown = reframe(tmp_path, cluster, threshold=0.05)
    assert code == 0, shown


@needs_reframe
def test_reframe_names_a_node_without_a_result(tmp_path: Path, cluster: dict[str, str]) -> None:
    code, shown = reframe(tmp_path, {**cluster, "DEAD_NODE": "n2"}, threshold=0.05)
    assert code != 0, shown
    assert "1 nodes wrote no result" in shown
