"""Nonsense words, paths and streams: one line says what is wrong, and nothing is lost."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import fake_cli
import pytest
import synthetic
from command_line import refused
from hypothesis import example, given, seed, settings
from hypothesis import strategies as st

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import count, parse_duration, parse_size, similar
from watari.cases.gemm import axes as gemm_axes
from watari.common import library
from watari.common.errors import UsageError
from watari.results import schema

MANY = "9" * 5000
COPY = ["run", "copy", "processor=cpu", "size=1MiB", "trials=1", "samples=3"]
Answer = tuple[int, str, str]


@pytest.mark.parametrize(
    "word",
    [
        "processor=gpu:²",
        "processor=gpu:٣",
        f"processor=gpu:{MANY}",
        "size=٣MiB",
        "size=4\u212a",  # the sign of Kelvin, which lower() makes a k
        f"size={MANY}",
        f"size={'9' * 400}.5",
        f"samples={MANY}",
        "samples=²",
        f"numa={MANY}",
        "threads=¹",
    ],
)
def test_digits_that_are_none_and_numbers_beyond_all(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = word.partition("=")[0]
    assert f"watari: copy: {name}: " in refused(capsys, "run", "copy", word)


def test_numbers_may_have_zeros_in_front() -> None:
    assert parse_size("0" * 30 + "8") == 8
    assert count(1, 9)("0" * 30 + "8") == 8


@pytest.mark.parametrize("option", ["--budget", "--time-limit"])
@pytest.mark.parametrize(
    "time", ["9" * 400, f"{'9' * 400}.5h", "inf", "nan", "1e5", "٣s", "9" * 10]
)
def test_times_beyond_any_run(option: str, time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"'{time}' is" in refused(capsys, *COPY, option, time)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "٣", "9" * 400, "1e", "0x1"])
def test_factors_are_finite_numbers(text: str) -> None:
    with pytest.raises(UsageError):
        gemm_axes.parse_number(text)


@pytest.mark.parametrize("grid", [f"{MANY}x3x3", "٣x٣x٣", "999999999x999999999x3"])
def test_grids_beyond_any_machine(grid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "himeno: grid: " in refused(capsys, "run", "himeno", f"grid={grid}")


def test_a_split_has_as_many_ranks_as_the_axis_allows(capsys: pytest.CaptureFixture[str]) -> None:
    assert "4096 ranks" in refused(capsys, "run", "himeno", "split=5000x1x1")


AXES = [axis for case in cases.CASES.values() for axis in case.axes.values()]
PARSERS = {*(axis.parse for axis in AXES), parse_duration, TRIALS.parse}  # many axes share theirs
PIECES = st.sampled_from(
    ["9", "0", "²", "٣", ".", "x", ":", "K", "\u212a", "iB", "gpu", "e", "-", "+", "\udcff", "\0"]
)


@seed(1)
@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(PIECES, st.sampled_from([1, 2, 400, 5000]))), st.text(max_size=5))
def test_any_word_is_a_value_or_a_usage_error(pieces: list[tuple[str, int]], tail: str) -> None:
    text = "".join(piece * times for piece, times in pieces) + tail
    for parse in PARSERS:
        try:
            json.dumps(parse(text), allow_nan=False).encode()
        except UsageError:
            continue


@seed(1)
@settings(deadline=None)
@example("pinned" + "x" * 8)  # 14 letters and 6 have a ratio of 0.6, the least that counts
@given(st.builds(str.__add__, st.sampled_from([*library.KINDS]), st.text(max_size=20)))
def test_known_words_that_are_passed_over_are_unlike_a_word(word: str) -> None:
    """The judge is difflib, which compares all of them."""
    assert similar(word, library.KINDS) == difflib.get_close_matches(word.lower(), library.KINDS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"x = {'[' * 2000}{']' * 2000}", "nested too deeply"),
        (f"name = 'x'\n[[case]]\ncase = 'copy'\nsize = {MANY}", "plan.toml: "),
        (f"name = 'x'\n[[case]]\ncase = 'copy'\nsize = 0x{'f' * 5000}", "copy: size: "),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = inf", "copy: size: 'inf'"),
        ("name = 'x'\n[[case]]\ncase = 'storage'\nfolder = \"a\\u0000b\"", "storage: folder: "),
        ("name = 'x'\n[[case]]\ncase = 'copy'\nsize = 1979-05-27", "case 1: size: must be"),
    ],
)
def test_plans(text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plan.toml").write_text(text)
    assert says in refused(capsys, "run", "--plan", tmp_path / "plan.toml")


@pytest.mark.parametrize("name", ["x" * 256, f"{'x' * 256}/y", "a\0b"])
@pytest.mark.parametrize(
    "words", [["run", "--plan"], ["run", "--resume"], ["report"], ["compare", "{run}"]]
)
def test_names_that_no_file_can_have(
    words: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema.write(tmp_path / "run.json", synthetic.results(synthetic.cpu_machine()))
    refused(capsys, *(word.replace("{run}", str(tmp_path / "run.json")) for word in words), name)


@pytest.mark.parametrize("name", ["x" * 256, f"{'x' * 256}/y"])
@pytest.mark.parametrize("words", [["report", "{run}"], [*COPY]])
def test_output_that_no_file_can_have(
    words: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema.write(tmp_path / "run.json", synthetic.results(synthetic.cpu_machine()))
    words = [word.replace("{run}", str(tmp_path / "run.json")) for word in words]
    assert "File name too long" in refused(capsys, *words, "-o", name)


def test_bytes_that_are_not_utf_8_are_shown_as_question_marks(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.json"
    command = [sys.executable, fake_cli.__file__, *COPY, "-o", name, *fake_cli.launcher("good")]
    environment = {**os.environ, "NCCL_ALGO": b"\xff".decode(errors="surrogateescape")}
    done = subprocess.run(command, capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    absent = [sys.executable, "-m", "watari", "compare", b"\xfe", b"\xfe"]
    done = subprocess.run(absent, capture_output=True)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    report = [sys.executable, "-m", "watari", "report", name, "-o", name + b".html"]
    done = subprocess.run(report, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\ufffd.json".encode() in Path(os.fsdecode(name + b".html")).read_bytes()


def test_a_figure_is_not_written_over_a_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sizes.svg"
    schema.write(path, synthetic.results(synthetic.cpu_machine()))
    before = path.read_text()
    err = refused(capsys, "report", path, "--format", "svg", "-o", tmp_path)
    assert "would write over" in err
    assert path.read_text() == before


def test_a_run_on_a_full_output_keeps_its_results(tmp_path: Path) -> None:
    command = [sys.executable, fake_cli.__file__, *COPY, "-o", str(tmp_path / "run.json")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command, *fake_cli.launcher("good")], stdout=full, stderr=subprocess.PIPE
        )
    assert done.stderr == b"watari: output cannot be written: No space left on device\n"
    assert done.returncode == 1
    assert len(schema.read(tmp_path / "run.json").cases) == 1
    assert os.listdir(tmp_path) == ["run.json"]


def test_errors_that_cannot_be_written_keep_the_exit_code(tmp_path: Path) -> None:
    command: list[Any] = [sys.executable, "-m", "watari", "compare", "absent", "absent"]
    with open("/dev/full", "w") as full:
        assert subprocess.run(command, stderr=full).returncode == 2
        assert subprocess.run(command, stdout=full, stderr=full).returncode == 2
