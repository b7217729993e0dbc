"""Commands as a new user guesses them (guesses.txt): few lead nowhere, others say what to type."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import fake_cli
import pytest

from watari.case.axis import likely, nearest
from watari.cli import commands, guesses
from watari.cli.app import commands_by_name
from watari.run import runner

HERE = Path(__file__)
FIXTURES = HERE.parents[2] / "fixtures" / "results"
MOST_DEAD = 5
ROWS = [
    tuple(line.rsplit(" | ", 1))
    for line in HERE.with_name("guesses.txt").read_text().splitlines()
    if not line.startswith("#")
]
DEAD = [guess for guess, must in ROWS if must == "-"]
IMAGINARY = 'like = "gh200"\ngpu.memory = "192GB"\nlink.bandwidth = "2x"\n'


class Measures(BaseException):
    """Raised where a command would begin to measure."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that guesses name; nothing in it is measured."""

    def measures(state: object, options: object) -> None:
        raise Measures

    monkeypatch.setattr(runner, "execute", measures)
    for module in fake_cli.ASKING:
        monkeypatch.setattr(module, "this_machine", fake_cli.machine)
    monkeypatch.chdir(tmp_path)
    for name in ("run.json", "other.json"):
        shutil.copy(FIXTURES / "memory.json", tmp_path / name)
    (tmp_path / "mine.toml").write_text(IMAGINARY)
    (tmp_path / "machine.json").write_text('{"schema": "watari-machine-1"}')
    (tmp_path / "app.py").write_text("print(1)\n")
    (tmp_path / "saxpy.cu").write_text("__global__ void saxpy() {}\n")
    (tmp_path / "a.out").write_text("#!/bin/sh\n")
    os.chmod(tmp_path / "a.out", 0o755)
    return tmp_path


def outcome(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Everything that a command prints."""
    with pytest.raises((SystemExit, Measures)) as ended:
        commands.main(shlex.split(line)[1:])
    said = capsys.readouterr()
    if isinstance(ended.value, SystemExit) and ended.value.code == 2 and said.err:
        assert said.err.count("\n") == 1, said.err
    return said.out + said.err


def test_few_guesses_of_many_are_dead_ends() -> None:
    assert len(ROWS) >= 109
    assert len({guess for guess, _ in ROWS}) == len(ROWS)
    assert len(DEAD) <= MOST_DEAD


@pytest.mark.parametrize(("guess", "must"), [row for row in ROWS if row[1] != "-"])
def test_a_guess_leads_to_the_command(
    guess: str, must: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert must in outcome(guess, capsys)


@pytest.mark.parametrize("word", [*guesses.LEADS, *guesses.SAME])
def test_a_guess_names_commands_that_are(word: str) -> None:
    assert word not in commands_by_name()
    text = guesses.LEADS.get(word) or f"watari {guesses.SAME[word][0]}"
    named = [part.split()[0] for part in text.split("watari ")[1:]]
    known = {*commands_by_name(), "COMMAND", "--help", "--version"}
    assert {name.strip(",;") for name in named} <= known, text


def test_a_word_of_a_program_is_no_word_of_a_case(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in ("watari try --style managed -- ./a.out", "watari report run.json --y bandwidth"):
        assert "watari run" not in outcome(line, capsys)


def test_only_options_that_may_be_meant_are_offered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--insecure" not in outcome("watari run copy --sed 1", capsys)
    assert "--budget" in outcome("watari run copy --budgt 1", capsys)


def test_help_names_values_and_has_each_example_on_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, command in commands_by_name().items():
        shown = outcome(f"watari {name} --help", capsys)
        assert not {"<str>", "<path>", "<int"} & set(shown.split()), name
        examples = (command.epilog or "").partition(": ")[2].split(" · ")
        assert {f"  {each}" for each in examples if each} <= set(shown.splitlines()), name


@pytest.mark.parametrize(
    ("word", "other"),
    [("devices", "advise"), ("plans", "uploads"), ("view", "advise"), ("plot", "report")],
)
def test_a_hint_is_given_only_where_the_meaning_fits(word: str, other: str) -> None:
    assert not likely(word, other)
    assert nearest(word, [other]) == ""


@pytest.mark.parametrize(
    ("word", "other"),
    [("prob", "probe"), ("rpobe", "probe"), ("expotr", "export"), ("Report", "report")],
)
def test_a_slip_is_understood(word: str, other: str) -> None:
    assert nearest(word, commands_by_name()) == f" (did you mean '{other}'?)"
