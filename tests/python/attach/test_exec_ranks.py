"""`watari exec` in the ranks of a job."""

import os
import shutil
import subprocess
import sys

import pytest
from tried import driver, program

MB = 1_000_000


@pytest.mark.mpi
def test_each_rank_becomes_the_program():
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun here")
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    started = ("watari", "exec", "--pooled", "--verbose", "--", program(), "again", str(MB))
    ended = subprocess.run(
        ["mpirun", "-n", "2", sys.executable, "-m", *started],
        env={**driver(), **allowed, "OMPI_MCA_rmaps_base_oversubscribe": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("sum 500000\n") == 20
    assert ended.stderr.count("watari: pooled: 9 allocations") == 2


def test_threads_and_several_gpus_are_changed_together():
    words = ("--", program(), "crossed", str(MB), "threads", "1")
    ended = subprocess.run(
        [sys.executable, "-m", "watari", "exec", "--pooled", "--verbose", *words],
        env={**os.environ, **driver(devices=2)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith("watari: pooled: ")
