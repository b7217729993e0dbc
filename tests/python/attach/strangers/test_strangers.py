"""The test of strangers: rows of two toy programs on the driver without a GPU, and the report."""

import json
import subprocess
import sys
import time
from types import SimpleNamespace

import builds
import emulator
import pytest
import stranger_run
import tried
from launching import HANGS

WAYS = ("--again", "--report")  # of reading rows
COMMAND = builds.ROOT / "benchmarks" / "strangers.py"
TABLE = """
[[program]]
name = "copies"
source = "Toys"
revision = "1"
folder = "programs"
command = "./replayed"
arguments = ["copies", "20"]

[[program]]
name = "keeps"
source = "Toys"
revision = "1"
folder = "programs"
command = "./linked"
arguments = ["keep", "4000000"]
same = ["-"]
"""


@pytest.fixture
def run(tmp_path):
    """Starts the command in a folder with a table of two programs."""
    (tmp_path / "table.toml").write_text(TABLE)
    (tmp_path / "programs").symlink_to(tried.built() / "programs")
    environment = emulator.environment(WATARI_CUPTI=emulator.cupti())

    def start(*words: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, str(COMMAND), *words],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return start


def ended(process: subprocess.Popen, code: int = 0) -> str:
    """The output of a process that ends with this code."""
    output, _ = process.communicate(timeout=HANGS)
    assert process.returncode == code, output
    return output


def rows(path) -> list[dict]:
    content = path.read_bytes()
    return [json.loads(line) for line in content.split(b"\n") if line]


def test_a_row_a_program_and_a_killed_run_is_resumed(run, tmp_path) -> None:
    path = tmp_path / "rows.jsonl"
    process = run("table.toml", "-o", "rows.jsonl")
    deadline = time.monotonic() + HANGS
    while not (path.exists() and path.read_bytes().endswith(b"\n")):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    (first,) = rows(path)
    with path.open("ab") as file:
        file.write(b'{"schema": "watari-strang')
    output = ended(run("table.toml", "-o", "rows.jsonl"))
    both = rows(path)
    assert both[0] == first
    assert [row["name"] for row in both] == ["copies", "keeps"]
    for row in both:
        assert row["status"] == "ok"
        repeated = [len(one["seconds"]) for one in row["styles"].values()]
        assert 1 <= max(repeated) <= 7
        assert len(row["as_is"]) > max(repeated)  # before the trace, and in each round
        replay = row["trace"]["replay"]
        runs = zip(replay["untraced"], replay["untraced_starts"], strict=True)
        assert [0 < start < seconds for seconds, start in runs] == [True] * 5
        assert row["styles"]["read-mostly"]["status"] == "unsupported"
        assert row["trace"]["replay"]["seconds"] > 0
        assert 0 <= row["start"] < min(row["as_is"])
        assert row["copied"]["count"] == 0  # they are smaller than 4 MiB
        assert str(tmp_path) not in json.dumps(row)
        trace = tmp_path / "traces" / row["trace"]["replay"]["graph"]
        assert trace.is_file()
    assert both[0]["arguments"] == "copies 20"
    output = ended(run("--report", "rows.jsonl"))
    assert "2 programs" in output
    ended(run("--again", "rows.jsonl", "-o", "later.jsonl"))
    assert rows(tmp_path / "later.jsonl")[1]["as_is"] == both[1]["as_is"]


def ran(seconds: float, start: float) -> SimpleNamespace:
    process = SimpleNamespace(initialised=start / 4, context_seconds=start * 3 / 4)
    events = SimpleNamespace(processes=[process])
    return SimpleNamespace(status="ok", ending=SimpleNamespace(seconds=seconds), events=events)


def test_a_long_start_of_cuda_is_not_of_a_style() -> None:
    runs = {
        "as-is": [ran(1.0, 0.2), ran(1.3, 0.5), ran(1.1, 0.3)],
        "managed": [ran(1.9, 0.9)],
        "huge": [ran(0.9, 0.1)],
    }
    measured = SimpleNamespace(of=runs.__getitem__)
    assert stranger_run.steady(measured, "as-is") == pytest.approx([1.1, 1.1, 1.1])
    assert stranger_run.steady(measured, "managed") == pytest.approx([1.3])
    assert stranger_run.steady(measured, "huge") == [0.9]


@pytest.mark.slow
def test_traces_and_styles_may_be_of_two_runs(run, tmp_path) -> None:
    (tmp_path / "table.toml").write_text(TABLE + 'edited = "its main"\n')
    ended(run("table.toml", "-o", "styles.jsonl", "--no-trace", "--runs", "1"))
    assert not list((tmp_path / "traces").iterdir())
    ended(run("table.toml", "-o", "traces.jsonl", "--runs", "0"))
    output = ended(run("--report", "traces.jsonl", "styles.jsonl"))
    assert "keeps*" in output
    assert "its main" in output


@pytest.mark.slow
def test_changes_are_measured_in_pairs(run, tmp_path) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace('"copies", "20"', '"large", "9"'))
    ended(run("table.toml", "-o", "styles.jsonl", "--no-trace", "--runs", "1"))
    output = ended(run("table.toml", "-o", "pairs.jsonl", "--pairs", "--limit", "9"))
    assert "staged saves" in output
    row = rows(tmp_path / "pairs.jsonl")[0]
    assert all(len(pair) == 6 for pair in row["pairs"]["staged"])
    ended(run("--report", "pairs.jsonl"))
    output = ended(run("--report", "styles.jsonl", "pairs.jsonl"))
    assert "staged" in output


def test_no_program_begins_without_time(run, tmp_path) -> None:
    ended(run("table.toml", "-o", "rows.jsonl", "--seconds", "1"))
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_program_that_is_not_there_is_a_row_too(run, tmp_path) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace("./replayed", "./nowhere"))
    ended(run("table.toml", "-o", "rows.jsonl", "--runs", "1"))
    missing, other = rows(tmp_path / "rows.jsonl")
    assert "no such program" in missing["reason"]
    assert len(other["styles"]["mapped"]["seconds"]) == 1
    assert len(other["as_is"]) == 2


def test_a_program_that_fails_has_a_row_with_the_reason(run, tmp_path) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace("keep", "crash"))
    ended(run("table.toml", "-o", "rows.jsonl"))
    row = rows(tmp_path / "rows.jsonl")[1]
    assert row["status"] == "failed"
    assert "SIGSEGV" in row["reason"] or "SIGABRT" in row["reason"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('name = "keeps"', 'name = "copies"', "twice: copies"),
        ('source = "Toys"', "", "missing: source"),
        ("same", "equal", "unknown: equal"),
        ('name = "keeps"', 'name = "../keeps"', "the name of a trace's file"),
        ('name = "keeps"', "name = 3", "of another type: name"),
        ('["keep", "4000000"]', '"keep"', "of another type: arguments"),
    ],
)
def test_a_wrong_table_is_refused(run, tmp_path, old: str, new: str, why: str) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace(old, new))
    output = ended(run("table.toml"), code=1)
    assert why in output


@pytest.mark.parametrize(
    "content", ["a text\nwithout an end", "{}\n[", '{"schema": "watari-stranger-1"}\n', "no line"]
)
def test_a_file_of_another_kind_is_neither_cut_nor_read_as_rows(run, tmp_path, content) -> None:
    other = tmp_path / "other"
    other.write_text(content)
    lines = "\n" in content
    for words in (
        ["table.toml", "-o", "other"],
        *([[way, "other"] for way in WAYS] if lines else ()),
    ):
        output = ended(run(*words), code=1)
        assert output.startswith("strangers: other: ")
        assert output.count("\n") == 1
        assert other.read_text() == content


def test_two_tables_are_refused(run) -> None:
    assert ended(run("table.toml", "table.toml"), code=1).count("\n") == 1
