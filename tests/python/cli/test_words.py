"""Words that users guess: the answer names the case, axis or command to use instead."""

from __future__ import annotations

from pathlib import Path

import command_line
import fake_cli
import pytest
from command_line import ended

from watari import cases
from watari.case.axis import nearest
from watari.case.vocabulary import ADVICE, INSTEAD
from watari.cli import commands
from watari.cli.app import commands_by_name
from watari.plan.request import resolve

KERNELS = Path(__file__).parents[3] / "examples" / "kernel"  # files that an example names


def refused(capsys: pytest.CaptureFixture[str], line: str) -> str:
    """The one line with which a command is refused."""
    return command_line.refused(capsys, *line.split())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("run h2d", "watari run copy from=pinned to=device"),
        ("run d2h", "watari run copy from=device to=pinned"),
        ("run copy h2d", "write from=pinned to=device"),
        ("run copy from=host", "(here: 'pinned' or 'pageable')"),
        ("run copy memory=hbm", "(here: 'device')"),
        ("run storage bs=4k", "(here: 'block' or 'size')"),
        ("run storage iodepth=4", "(here: 'depth')"),
        ("run storage numjobs=4", "(here: 'threads')"),
        ("run bs", "watari run storage block=4KiB"),
        ("iodepth", "watari run storage depth=32"),
        ("list numjobs", "watari run storage threads=8"),
        ("run copy host=pinned", "write processor=cpu, source=cpu or from=pinned"),
        ("run himeno size=XL", "(here: 'grid')"),
        ("run storage engine=libaio", "(here: 'uring')"),
        ("run storage pattern=randread", "(here: 'random')"),
        ("run triad", "watari run copy"),
        ("run stream", "watari run copy"),
        ("triad", "watari run copy"),
        ("run fio", "watari run storage"),
        ("run export", "'export' is a command"),
        ("run csv", "watari export RESULTS -o x.csv"),
        ("run copy csv=yes", "watari export RESULTS -o x.csv"),
        ("csv", "watari export RESULTS -o x.csv"),
        ("run copy -o x.csv", "watari export x.json -o x.csv"),
        ("copy size=1GiB", "watari run copy size=1GiB"),
        ("prob", "did you mean 'probe'"),
        ("frobnicate", "this machine: probe, list"),
        ("run copy --size=1GiB", "an axis has no dashes: size=VALUE"),
        ("run storage --iodepth 4", "(here: 'depth'); an axis has no dashes"),
        ("run copy --csv", "watari export RESULTS -o x.csv"),
        ("run -o x.parquet copy", "watari export x.json -o x.parquet"),
        ("run stream --help", "watari run copy processor=cpu"),
        ("list h2d", "watari run copy from=pinned to=device"),
        ("list plan", "did you mean 'plans'"),
        ("report x.json --format csv", "watari export RESULTS -o x.csv"),
        ("export", "See watari export --help"),
        ("run access memory=pinned", "(here: 'explicit')"),
        ("run access memory=host", "source=cpu"),
        ("run copy direction=h2d", "(here: 'from' or 'to')"),
        ("run himeno style=openacc", "(here: 'acc-data')"),
        ("run himeno style=openmp", "(here: 'omp-target')"),
        ("run lat", "watari run latency"),
    ],
)
def test_a_guessed_word_is_answered_with_ours(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, line)


def test_an_error_names_the_axis_that_was_typed(capsys: pytest.CaptureFixture[str]) -> None:
    assert "watari: copy: memory: unknown value 'pined'" in refused(capsys, "run copy memory=pined")
    assert "copy: to: unknown value 'pined'" in refused(capsys, "run copy to=pined")
    both = refused(capsys, "run copy memory=pinned to=device")
    assert "memory=pinned sets from and to; leave out to" in both


def test_a_word_is_offered_only_where_it_is_known() -> None:
    assert nearest("bs", ["depth"]) == ""
    assert nearest("stream", ["streams", "size"]) == " (did you mean 'streams'?)"
    assert nearest("siez", ["size"]) == " (did you mean 'size'?)"


def test_every_word_here_is_one_of_a_case() -> None:
    known = {"trials"} | {name for case in cases.CASES.values() for name in case.axes}
    known |= {
        word for case in cases.CASES.values() for a in case.axes.values() for word in a.choices
    }
    assert {here for words in INSTEAD.values() for here in words} <= known
    assert not any(word in known and word not in INSTEAD for word in ADVICE)


@pytest.mark.parametrize("name", cases.CASES)
def test_every_example_and_every_other_word_is_a_request(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(KERNELS)
    case = cases.CASES[name]
    assert case.example
    machine = fake_cli.machine()
    for line in (case.example, *case.also.values()):
        given = dict(word.split("=") for word in line.split())
        assert resolve(name, given, machine)
    assert not set(case.also) & cases.CASES.keys()


@pytest.mark.parametrize("name", cases.CASES)
@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_of_a_case_has_its_axes_and_an_example(
    name: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["run", name, word])
    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert out.startswith(f"Usage: watari run {name} ")
    assert f"Example: watari run {name} " in out
    for axis in cases.CASES[name].axes.values():
        assert f"  {axis.name} " in out
        assert f" {axis.summary}" in out
        assert f"[{axis.default_text}]" in out


def test_help_of_an_unknown_case_is_that_of_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        commands.main(["run", "copi", "--help"])
    assert "--dry-run" in capsys.readouterr().out


def test_each_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for name in commands_by_name():
        with pytest.raises(SystemExit):
            commands.main([name, "--help"])
        assert f"watari {name}" in capsys.readouterr().out.split("Example")[1], name


@pytest.mark.parametrize("name", [name for name, c in cases.CASES.items() if "folder" in c.axes])
def test_a_folder_that_is_not_there_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = tmp_path / "absent"
    of_file = " hits=0.5" if name == "gather" else ""  # it has a file then alone
    asked = f"run {name} processor=cpu{of_file} folder={absent}"
    assert f"folder={absent} does not exist; make it (mkdir -p {absent})" in refused(capsys, asked)
    assert not absent.exists()
    absent.mkdir()
    for folder in (absent, "~/.cache/watari"):
        assert ended(*f"run {name} processor=cpu{of_file} folder={folder} --dry-run".split()) == 0
