"""The jobs that a GPU machine runs in a few calls (scripts/gpu_jobs.sh), on any machine: their
table and their commands."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
from test_probe import described

from watari.cli.asked import planned

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "scripts" / "gpu_jobs.sh"
CALL = 570  # seconds that gpu.sh takes for all jobs of a call
TABLE = [
    line.split(maxsplit=3)
    for line in subprocess.run([SCRIPT], stdout=subprocess.PIPE, text=True, check=True)
    .stdout.strip()
    .splitlines()
]
BODIES = dict(
    re.findall(r"^    ([\w-]+)\)(.*?);;$", SCRIPT.read_text(), flags=re.MULTILINE | re.DOTALL)
)


def measured(body: str) -> list[list[str]]:
    """What each line of a job that measures says: name, seconds, then the words of `watari run`."""
    lines = map(shlex.split, re.findall(r"^ *(run(?:_first)? .*?) *$", body, re.MULTILINE))
    return [words if kind == "run" else [*words[:2], "--plan", words[2]] for kind, *words in lines]


RUNS = [(job, words) for job, body in BODIES.items() for words in measured(body)]


def test_every_job_of_the_table_is_written() -> None:
    assert sorted(name for name, *_ in TABLE) == sorted(BODIES)


def test_every_job_says_what_its_results_replace() -> None:
    for name, *_, sentence in TABLE:
        assert sentence, name
        for page in re.findall(r"[\w/-]+\.md", sentence):
            assert (ROOT / "docs" / page).exists(), f"{name}: {page}"


def test_the_jobs_of_a_call_fit_in_it() -> None:
    calls: dict[str, int] = defaultdict(int)
    for _, seconds, call, _ in TABLE:
        calls[call] += int(seconds)
    del calls["-"]  # asked for by name
    assert calls
    assert max(calls.values()) < CALL


@pytest.mark.parametrize(("job", "words"), RUNS, ids=[words[0] for _, words in RUNS])
def test_what_a_job_measures_is_understood(job: str, words: list[str], tmp_path: Path) -> None:
    name, seconds, *rest = words
    assert int(seconds) < int(next(row[1] for row in TABLE if row[0] == job))
    plan = rest[1] if rest[:1] == ["--plan"] else None
    file = ROOT / "tests" / "fixtures" / "machines" / "h200-without-hmm.json"
    machine = described(json.loads(file.read_text()), tmp_path)
    assert planned([] if plan else rest, plan, machine).requests, name
