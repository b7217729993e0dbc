"""`watari profile`, `watari predict` and `watari advise` by their words, exit codes and outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import fake_cli
import pytest
import synthetic
from command_line import ended, printed, refused
from held_out import FITTED, TESTED

ROOT = Path(__file__).parents[3]
HIMENO = str(next(ROOT / "results" / name for name in TESTED if "himeno-sam" in name))
assert fake_cli  # puts the made-up machine in place


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(printed(capsys, *words, "--json"))


def test_a_profile_of_results_predicts_as_the_results_do(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "pass gpu" in printed(capsys, "profile", str(FITTED), "-o", "machine.json")
    words = ("predict", "himeno", "grid=XL")
    by_file = as_json(capsys, *words, "--machine", "machine.json")
    by_results = as_json(capsys, *words, "--machine", str(FITTED))
    assert by_file == by_results
    styles = {row["style"]: row for row in by_file[0]["styles"]}
    assert styles["explicit"]["low"] < styles["explicit"]["seconds"] < styles["explicit"]["high"]
    assert styles["system"]["reason"]


def test_a_style_that_is_given_is_predicted_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("predict", "himeno", "style=managed,pinned", "--machine", "gh200")
    found = as_json(capsys, *words)
    assert [[row["style"] for row in each["styles"]] for each in found] == [["managed"], ["pinned"]]


def test_measured_seconds_stand_beside_predicted_ones(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["himeno", "grid=XL", "iterations=3000", "form=fused", "--machine", str(FITTED)]
    out = printed(capsys, "predict", *words, "--beside", HIMENO, "-o", "both.svg", "--why")
    assert "measured" in out
    assert re.search(
        r"^managed: first iterations: 12.8 GB of 'fault gpu managed read' = ", out, re.M
    )
    assert "measured 10.9 s" in (here / "both.svg").read_text()


def test_more_processes_take_longer(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("predict", "himeno", "style=explicit", "--machine", "gh200", "--processes")
    one, many = (as_json(capsys, *words, n)[0]["styles"][0] for n in ("1", "28"))
    assert many["seconds"] > 20 * one["seconds"]
    assert any("contention was not measured" in text for text in many["assumed"])


def test_advice_names_styles_effort_and_what_decides(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "advise", "himeno", "grid=L", "--machine", str(FITTED))
    assert "managed-prefetch: " in out
    assert "because managed spends" in out
    assert "not said: system" in out
    (found,) = as_json(capsys, "advise", "himeno", "grid=L", "--machine", str(FITTED))
    assert found["best"] == ["managed-prefetch"]
    assert all(row["statements"] for row in found["ranked"])


def test_advice_without_a_program_is_that_of_the_newest_result(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = here / "results"
    folder.mkdir()
    made = synthetic.results(synthetic.cpu_machine())
    (folder / "made.json").write_text(made.model_dump_json(by_alias=True))
    out = printed(capsys, "advise")
    assert "from its newest result results/made.json" in out
    assert "Used again and again by the CPU" in out
    assert "Read again and again by the GPU: GPU memory" in printed(
        capsys, "advise", "--results", str(FITTED)
    )


@pytest.fixture
def files(here: Path) -> Path:
    """A result file, a trace, a machine profile and a probe, with names that do not tell."""
    (here / "measured").write_bytes(FITTED.read_bytes())
    phases = [{"name": "p", "accesses": [USED]}]
    (here / "h200.json").write_text(json.dumps(TRACE | {"phases": phases}))
    (here / "probe.json").write_text(json.dumps(synthetic.gpu_machine()))
    assert ended("profile", str(FITTED), "-o", "profile.json") == 0
    return here


def test_a_result_file_is_the_machine(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its content: a trace stays a trace, whatever the names."""
    capsys.readouterr()
    assert as_json(capsys, "advise", "measured") == as_json(
        capsys, "advise", "--results", "measured"
    )
    for command in ("advise", "predict"):
        by_option = as_json(capsys, command, "h200.json", "--results", "measured")
        assert as_json(capsys, command, "h200.json", "measured") == by_option
        assert as_json(capsys, command, "measured", "h200.json") == by_option
    words = ("himeno", "grid=L")
    given = as_json(capsys, "predict", *words, "measured")
    assert given == as_json(capsys, "predict", *words, "--results", "measured")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("predict", "measured"), "measured describes a machine. predict what? a case ("),
        (("advise", "profile.json"), "profile.json is a machine profile, which describes a"),
        (("predict", "probe.json"), "probe.json is a probe, which describes a machine"),
        (("advise", "measured", "--machine", "gh200"), "not both"),
        (("advise", "other.json", "--machine", "gh200"), "other.json: no trace: "),
    ],
)
def test_a_file_of_another_kind_is_named(
    files: Path, words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "other.json").write_text('{"schema": true}')
    assert says in refused(capsys, *words)


def test_a_result_file_of_a_newer_version_is_named_so(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = json.loads(FITTED.read_text()) | {"schema": 2}
    (files / "newer").write_text(json.dumps(newer))
    assert "written by a newer Watari" in refused(capsys, "advise", "newer")


def test_a_machine_without_gpu_and_results_asks_for_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "watari list machines" in refused(capsys, "advise")


@pytest.mark.parametrize("command", ["predict", "advise"])
@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("himno", "unknown case 'himno' (did you mean 'himeno'?)"),
        ("trace.json", "trace.json: no such file"),
    ],
)
def test_a_wrong_word_is_named_before_a_machine_is_asked_for(
    command: str, word: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, command, word)


def test_a_wrong_list_is_refused_with_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'machines'?" in refused(capsys, "list", "machine")


def test_machines_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "list", "machines").splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "gh200",
        "h100",
        "h200",
        "mi300a",
        "p100-nvlink",
        "pegasus",
    ]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["predict"], "a case ("),
        (["predict", "himeno", "--machine", "gh20"], "did you mean 'gh200'"),
        (["predict", "himeno", "--machine", "no.json"], "no such file"),
        (["predict", "himeno", "grid=Q", "--machine", "gh200"], "not a grid"),
        (
            ["predict", "himeno", "--machine", "gh200", "-o", "x.gif"],
            "names of figures end in .svg, .pdf, .png",
        ),
        (["predict", "himeno", "--machine", "gh200", "-o", "x.svg", "--json"], "output stream"),
        (["advise", "--machine", "gh200", "--processes", "4"], "for a case or trace"),
        (["advise", "himeno", "--machine", "gh200", "--results", "x"], "not both"),
        (["predict", "./a.out", "--machine", "gh200"], "no such file"),
        (["profile", "no.json", "-o", "x.json"], "cannot be read"),
    ],
)
def test_wrong_words_end_with_2_and_one_line(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(capsys, *words)
    assert says in error


@pytest.mark.parametrize("case", ["storage", "gemm", "latency"])
def test_what_the_model_does_not_know_is_refused_with_the_reason(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is not in the model" in printed(capsys, "predict", case, "--machine", "gh200")


TRACE = {"schema": "watari-trace-1", "name": "t", "allocations": [{"name": "a", "bytes": 8}]}
USED = {"allocation": "a", "processor": "gpu", "read": 8, "written": 0}


@pytest.mark.parametrize(
    ("read", "words", "says"),
    [
        (0, ("t.json",), "nothing is read or written"),
        (8, ("t.json", "size=3"), "is a trace, which has no axes: leave out 'size=3'"),
        (8, ("copy", "--machine", "."), "a folder"),
        (
            8,
            ("copy", "--machine", "empty.json"),
            "empty.json: no measurement that a machine profile needs",
        ),
        (8, ("list.json",), "no trace: the file:"),
    ],
)
def test_a_file_that_is_not_meant_is_named_with_what_it_is(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    read: int,
    words: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    phases = [{"name": "p", "accesses": [USED | {"read": read}]}]
    Path("t.json").write_text(json.dumps(TRACE | {"phases": phases}))
    Path("list.json").write_text("[]")
    Path("empty.json").write_text(json.dumps(synthetic.plain() | {"cases": []}))
    on = () if "--machine" in words else ("--machine", "gh200")
    assert says in refused(capsys, "predict", *words, *on)


def test_a_case_that_the_model_refuses_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "not said: this case: what storage accesses" in printed(
        capsys, "advise", "storage", "--machine", "gh200"
    )


@pytest.mark.parametrize("command", ["advise", "predict"])
@pytest.mark.parametrize("more", [(), ("1000",)])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("\x7fELF", "./a.out is no trace (watari trace), and no program with chmod +x"),
        ("PK", "./a.out is no trace (watari trace), and no program with chmod +x"),
        ('{"schema": "watari-tr', "no trace: the file: Invalid JSON"),
        (None, "./a.out: no such file or program"),
    ],
)
def test_a_file_that_is_no_trace_is_named_before_the_machine(
    tmp_path, monkeypatch, capsys, command, more, content, says
) -> None:
    monkeypatch.chdir(tmp_path)  # without a result of this machine
    if content:
        Path("a.out").write_text(content)
    error = refused(capsys, command, "./a.out", *more)
    assert says in error or (more and content and content[0] == "{" and "has no axes" in error)
