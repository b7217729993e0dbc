"""The jobs that a GPU machine runs in a few calls (scripts/gpu_jobs.sh, cases/*/gpu_jobs.sh): their
table and their commands, on any machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from test_probe import described

from watari.cli.asked import planned
from watari.plan.plan import stored

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "gpu_jobs.sh"
CALL = 570  # seconds that gpu.sh takes for all jobs of a call
TABLE = [
    line.split(maxsplit=3)
    for line in subprocess.run([SCRIPT], stdout=subprocess.PIPE, text=True, check=True)
    .stdout.strip()
    .splitlines()
]
FILES = [SCRIPT, *sorted((ROOT / "cases").glob("*/gpu_jobs.sh"))]
BODIES = {
    job: body
    for file in FILES
    for job, body in re.findall(
        r"^job_([\w-]+)\(\) \{\n(.*?)^\}$",
        file.read_text().replace("\\\n", " "),
        flags=re.MULTILINE | re.DOTALL,
    )
}


MEASURED = [  # job, name of its result, seconds, and the words of `watari run` or of a plan
    (job, *shlex.split(line))
    for job, body in BODIES.items()
    for line in re.findall(r"^ *(?:run(?:_\w+)?|scaling) (.*?)(?: <.*)?$", body, re.MULTILINE)
]
RUNS = [
    (job, name, words)
    for job, body in BODIES.items()
    for name, _, *words in map(shlex.split, re.findall(r"^ *run (.*?) *$", body, re.MULTILINE))
]
WRITTEN = [job for job, body in BODIES.items() if re.search(r"\brun_\w+ ", body)]


def with_programs(folder: Path, programs: dict[str, str]) -> dict[str, str]:
    """The environment of a job in which these scripts stand for programs of their names."""
    (folder / "bin").mkdir()
    for name, text in programs.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / "bin" / name).chmod(0o755)
    return os.environ | {"VENV": str(folder)}


def test_every_job_of_the_table_is_written() -> None:
    assert sorted(name for name, *_ in TABLE) == sorted(BODIES)


def test_every_job_says_what_its_results_replace() -> None:
    for name, *_, sentence in TABLE:
        assert sentence, name
        for page in re.findall(r"[\w/-]+\.md", sentence):
            assert (ROOT / page).exists() or (ROOT / "docs" / page).exists(), f"{name}: {page}"


def test_the_jobs_of_a_call_fit_in_it() -> None:
    calls: dict[str, int] = defaultdict(int)
    for _, seconds, call, _ in TABLE:
        calls[call] += int(seconds)
    del calls["-"]  # asked for by name
    assert calls
    assert max(calls.values()) < CALL


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Any]:
    file = ROOT / "tests" / "fixtures" / "machines" / "h200-without-hmm.json"
    return described(json.loads(file.read_text()), tmp_path)


def test_what_a_job_measures_ends_before_it_is_ended() -> None:
    limits = {name: int(seconds) for name, seconds, *_ in TABLE}
    for job, name, seconds, *_ in MEASURED:
        assert int(seconds) < limits[job], name


def test_what_a_job_measures_fits_in_it() -> None:
    limits = {name: int(seconds) for name, seconds, *_ in TABLE}
    every: dict[str, int] = defaultdict(int)
    for job, _, seconds, *_ in MEASURED:
        every[job] += int(seconds)
    assert not {job: taken for job, taken in every.items() if taken > limits[job]}


@pytest.mark.parametrize("left", ["json", "json.journal"])
def test_a_job_resumes_a_run_that_was_stopped_or_killed(left: str, tmp_path: Path) -> None:
    environment = with_programs(tmp_path, {"watari": f'echo "$@" >>{tmp_path}/words'})
    out = tmp_path / "out"
    out.mkdir()
    for name in ("hmatrix.json", f"hmatrix.{left}"):
        (out / name).write_text("")
    subprocess.run([SCRIPT, "hmatrix", out], check=True, env=environment)
    words = (tmp_path / "words").read_text().split()
    assert words[words.index("--resume") + 1] == str(out / f"hmatrix.{left}")


@pytest.mark.parametrize(("name", "words"), [run[1:] for run in RUNS], ids=[n for _, n, _ in RUNS])
def test_what_a_job_measures_is_understood(
    name: str, words: list[str], machine: dict[str, Any]
) -> None:
    words = [word.replace("$threads", "16") for word in words]
    plan = words[1] if words[:1] == ["--plan"] else None
    if plan and plan.endswith(".toml"):
        pytest.skip("the job makes this plan from what it has measured")
    assert planned([] if plan else words, plan, machine).requests, name


@pytest.mark.parametrize("job", WRITTEN)
def test_a_plan_that_a_job_writes_is_understood(
    job: str, machine: dict[str, Any], tmp_path: Path
) -> None:
    """The job runs with a `watari` that measures nothing."""
    out = tmp_path / "out"
    environment = with_programs(tmp_path, {"watari": ""})
    subprocess.run([SCRIPT, job, out], check=True, env=environment)
    plans = sorted(out.glob("*.toml"))
    assert plans
    for plan in plans:
        assert planned([], str(plan), machine).requests, plan


@pytest.mark.parametrize("gpus", [4, 8])
def test_the_pieces_of_plan_scaling_are_all_of_it_once(
    gpus: int, machine: dict[str, Any], tmp_path: Path
) -> None:
    """Of the groups for the GPUs of the machine, with those of the plans scaling-CASE."""
    out = tmp_path / "out"
    programs = {"watari": "", "nvidia-smi": f"seq {gpus}", "python3": ""}
    environment = with_programs(tmp_path, programs)
    for job in (job for job in BODIES if job.startswith("scaling-")):
        subprocess.run([SCRIPT, job, out], check=True, env=environment)
    pieces = [
        r.key for plan in out.glob("*.toml") for r in planned([], str(plan), machine).requests
    ]
    whole = [
        r.key
        for plan in stored()
        if plan.partition("-")[0] == "scaling"
        for r in planned([], plan, machine).requests
        if max(r.parameters.get("ranks", 1), r.parameters.get("gpus", 1)) <= gpus
    ]
    assert sorted(pieces) == sorted(whole)
