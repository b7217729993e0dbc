"""No result file has a folder of the machine that made it."""

import json
import os
import re
from pathlib import Path

import forking
import pytest
import synthetic
import tracing
import tried

from watari.common.places import portable, short
from watari.results import schema

ROOT = Path(__file__).parents[3]
RESULTS = sorted(path for path in (ROOT / "results").rglob("*") if path.is_file())
# folders of people, of builds and of jobs; also as a part of a longer path, as in /mnt/scratch/x
PRIVATE = re.compile(
    r"""(?:^|[\s"'=:,;(\[]|-[A-Z])(?:/[\w.+-]+)*"""
    r"/(?:home|root|tmp|work|builds?|scratch|lustre|workspace|Users|\.venv|venv)/",
    re.MULTILINE,
)


@pytest.mark.parametrize(
    "text",
    [
        "watari run copy -o /home/jane/a.json",
        "/tmp/x/a.out 1",
        "see '/mnt/scratch/a'",
        "-O3 -I/root/x",
    ],
)
def test_a_folder_of_the_machine_is_recognised(text):
    assert PRIVATE.search(text)
    assert not PRIVATE.search(short(text))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_result_file_has_no_folder_of_the_machine(path):
    assert PRIVATE.findall(path.read_text()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("watari run copy -o /home/jane/runs/a.json", "watari run copy -o a.json"),
        (
            "watari try --output=/tmp/a/b.json -- /scratch/a.out",
            "watari try --output=b.json -- a.out",
        ),
        ("python3 /root/w/tests/training.py", "python3 training.py"),
        ("sh -c '/scratch/x/a.out >/scratch/x/log'", "sh -c 'a.out >log'"),
        ("[/opt/.venv/lib/python3.12/site-packages/a/b.so: no", "[site-packages/a/b.so: no"),
        ("-O3 -I/home/jane/a -ffile-prefix-map=/home/jane/w=.", "-O3 -Ia -ffile-prefix-map=w=."),
        ("in /home/jane/runs/.", "in runs."),
    ],
)
def test_a_path_is_its_name(text, expected):
    assert short(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "151 GB/s of 7 TB/s",
        "10.1/2, 2 / 3 and read/write",
        "https://doi.org/10.1/2",
        "folder=~/.cache/watari -o runs/a.json ../b/c ./d/e",
        "Open MPI v4.1.4, /usr/bin/mpirun, /sys/kernel/mm/x, /dev/shm/w",
        "no device /dev/nvme0n1",
    ],
)
def test_what_says_nothing_of_a_user_stays(text):
    assert short(text) == text


def test_a_known_folder_may_have_a_space():
    text = "open '/home/jane doe/x y.json', /home/jane doe/z"
    assert short(text, ["/home/jane doe"]) == "open 'x y.json', z"


def test_what_a_later_run_needs_and_pictures_stay():
    kept = {"folder": "/mnt/nvme/a", "launcher": "/home/jane/mpirun -n {ranks}"}
    kept |= {"pictures": [{"rows": ["+/ab/cd/"]}]}
    assert portable([kept]) == [kept]


def private(text):
    """Folders of this machine in a text: of the private ones, this checkout and its home."""
    own = [str(ROOT), str(Path.home())]
    return [*PRIVATE.findall(text), *(name for name in own if f"{name}/" in text)]


PLAN = """
name = "small"
description = "of /home/jane/plans"
[defaults]
trials = 1
samples = 2
[[case]]
case = "copy"
processor = "cpu"
size = "1MiB"
"""


def test_a_run_records_no_folder(tmp_path):
    plan, output = tmp_path / "plan.toml", tmp_path / "copy.json"
    plan.write_text(PLAN)
    words = ("-m", "watari", "run", "--plan", str(plan), "-o", str(output))
    # not in this process, where another test may have replaced the head of results
    ended = forking.python(words, tmp_path, os.environ)
    assert ended.returncode == 0, ended.stderr
    text = output.read_text()
    assert private(text) == []
    assert json.loads(text)["program"]["command"] == "watari run --plan plan.toml -o copy.json"


def test_try_records_no_folder(tmp_path):
    _, styles = tried.attempt(tmp_path, "device", "4096", options=("--styles", "managed"), code=0)
    assert private((tmp_path / "run.json").read_text()) == []
    assert styles["as-is"]["parameters"]["program"] == "linked device 4096"


def test_a_failure_is_recorded_without_folders(tmp_path):
    results = synthetic.results(trials=1)
    results.cases[0].trials[0].error = f"{tmp_path}/b: [Errno 2] '/home/jane/c'"
    schema.write(tmp_path / "a.json", results)
    assert schema.read(tmp_path / "a.json").cases[0].trials[0].error == "b: [Errno 2] 'c'"


def test_trace_records_no_folder(tmp_path):
    ended, content = tracing.trace(tmp_path, "linked", "device", "400000")
    assert content, ended.stderr
    assert private((tmp_path / "trace.json").read_text()) == []
    assert content["observed"]["command"] == "linked device 400000"


def test_a_machine_profile_names_its_sources_without_folders(tmp_path):
    source = ROOT / "results" / "nvidia-h200-x86_64" / "20261125-copy.json"
    tried.watari("profile", str(source), "-o", "machine.json", cwd=tmp_path, code=0)
    text = (tmp_path / "machine.json").read_text()
    assert private(text) == []
    assert json.loads(text)["sources"] == [source.name]
