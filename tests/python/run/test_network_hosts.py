"""A run on two hosts of a real network, which Open MPI joins by TCP."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from launching import HANGS
from network_hosts import two_hosts

from watari.machine import probe

SEE_VARIABLES = """
import json, os, pathlib
rank = os.environ.get('OMPI_COMM_WORLD_RANK')
if rank:
    seen = {name: os.environ.get(name) for name in ('OMP_PLACES', 'OMP_PROC_BIND', 'PRIVATE')}
    pathlib.Path(__file__).with_name('rank' + rank).write_text(json.dumps(seen))
"""


@pytest.mark.mpi
def test_ranks_on_two_hosts_of_a_network(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(SEE_VARIABLES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PRIVATE", "of the first host")
    output = tmp_path / "result.json"
    words = ["himeno", "processor=cpu", "grid=XS", "split=2x2x1", "iterations=3", "trials=1"]
    with two_hosts(tmp_path) as (on_first, launcher):
        chosen = ["--launcher", f"OMP_PLACES=threads {launcher}", "-o", output]
        done = subprocess.run(
            [*on_first, "-m", "watari", "run", *words, *chosen],
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 ranks on 2 hosts: host1, host2" in done.stdout
    result = json.loads(output.read_text())
    machine = result["machine"]
    assert machine["hosts"] == ["host1", "host1", "host2", "host2"]
    assert (machine["others"], machine["undescribed"]) == ([], [])
    (case,) = result["cases"]
    (trial,) = case["trials"]
    assert trial["verified"], "planes crossed the network unharmed"
    cores = probe.machine()["processors"][0]["cores"]
    assert case["parameters"]["threads"] == max(1, cores // 2)
    assert case["parameters"]["halo"] == "staged"
    for rank in range(4):
        seen = json.loads(Path(tmp_path / f"rank{rank}").read_text())
        assert seen["OMP_PLACES"] == "threads"
        assert seen["OMP_PROC_BIND"] == os.environ.get("OMP_PROC_BIND", "close")
        if rank > 1:
            assert seen["PRIVATE"] is None, "the launcher passed on what it was not given"
