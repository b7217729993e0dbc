"""Text of files, programs and names reaches a terminal in its printable form only."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import synthetic
from command_line import run_cli
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from watari.common.console import Console
from watari.common.printable import OBEYED, printable

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "results" / "nvidia-h200-x86_64" / "20261125-trace-patterns-later.json"
TITLE = "\x1b]0;owned\x07"
LINK = "\x1b]8;;http://x\x1b\\"
HOSTILE = (
    f"a{TITLE}\x1b[2J{LINK}[link=http://x]b[/link]\u202ec\u2066\x9b31m\nwatari: no error\r\x00"
)
STYLE = re.compile(r"\x1b\[[\d;]*m")  # rich's own colours


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """Exit code, and all output of a command."""
    code, out, err = run_cli(capsys, *words)
    return code, out + err


def check_plain(output: str) -> None:
    """Fails where a terminal would obey something, or a line begins as an error of Watari's."""
    left = [c for c in output if unicodedata.category(c) in OBEYED and c not in "\n\t"]
    assert not left, output
    assert "\nwatari: no error" not in output


@given(st.text())
def test_printable_text_has_nothing_that_a_terminal_obeys(text: str) -> None:
    shown = printable(text)
    assert not [c for c in shown if unicodedata.category(c) in OBEYED and c != "\t"]
    if text.isprintable():
        assert shown == text


def test_printable_text_shows_what_it_was() -> None:
    assert printable("a\x1b[1m\u202e\nµ é\ud800\t") == "a\\x1b[1m\\u202e\\nµ é\\ud800\t"


def hostile(part: Any, keys: set[str]) -> None:
    """Puts the hostile text into the texts of these keys, wherever they are."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(value, dict | list):
            if key in keys and value and isinstance(value, list) and isinstance(value[0], str):
                value[:] = [HOSTILE]
            else:
                hostile(value, keys)
        elif key in keys and isinstance(value, str | None):
            part[key] = HOSTILE


@pytest.fixture
def results() -> Path:
    """A result file with hostile text in every free text."""
    content = synthetic.plain(trials=3)
    for case in content["cases"][:4]:
        case["flags"] = [HOSTILE]
        for trial in case["trials"]:
            trial["notes"] = [HOSTILE]
    content["cases"].append({**content["cases"][0], "case": HOSTILE})
    failed = content["cases"][4]
    failed["status"], failed["reason"] = "failed", HOSTILE
    free = {"name", "hosts", "kernel", "driver", "description", "command", "compiler", "version"}
    hostile({"program": content["program"], "machine": content["machine"]}, free | {"reason"})
    content["machine"]["processors"][0]["name"] = HOSTILE
    path = Path("run.json")
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "run.json", "run.json"],
        ["compare", "run.json", "run.json", "run.json"],
        ["compare", "run.json", "run.json", "--json"],
        ["check", "run.json"],
        ["check", "run.json", "--json"],
        ["report", "run.json"],
        ["profile", "run.json", "-o", "machine.json"],
        ["predict", "copy", "size=1GiB", "--results", "run.json", "--why"],
        ["advise", "--results", "run.json"],
        ["run", "--resume", "run.json"],
        ["run", "--resume", "run.json", "--dry-run"],
    ],
    ids=" ".join,
)
def test_a_foreign_result_file_commands_no_terminal(
    capsys: pytest.CaptureFixture[str], results: Path, words: list[str]
) -> None:
    _, output = answer(capsys, *words)
    assert len(output) > 10
    check_plain(output)


def test_a_foreign_trace_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    trace = json.loads(TRACE.read_text())
    trace["name"] = HOSTILE
    Path("trace.json").write_text(json.dumps(trace))
    for words in (["predict", "--machine", "gh200"], ["advise", "--machine", "gh200"]):
        code, output = answer(capsys, *words, "trace.json")
        assert code == 0
        check_plain(output)


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "{}", "b"],
        ["report", "{}"],
        ["predict", "{}", "--machine", "gh200"],
        ["{}"],
        ["run", "{}"],
    ],
)
def test_names_and_words_command_no_terminal(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    name = HOSTILE.replace("\x00", "").replace("/", "")
    code, output = answer(capsys, *(word.replace("{}", name) for word in words))
    assert (code, output.count("\n")) == (2, 1)
    assert "owned" in output
    check_plain(output)


def test_a_table_on_a_terminal_has_colours_of_ours_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    table = Table("name", "text", title=HOSTILE)
    table.add_row(HOSTILE, Text(HOSTILE, "red"))
    Console(100).print(table, Text(HOSTILE), HOSTILE)
    output = capsys.readouterr().out
    assert STYLE.search(output)
    check_plain(STYLE.sub("", output))


def test_a_terminal_shows_a_name_and_obeys_none_of_it(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "watari", "compare", f"x{TITLE}", "y"],
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    os.close(theirs)
    output = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "\\x1b]0;owned\\x07" in output
    check_plain(STYLE.sub("", output).replace("\r\n", "\n"))


def test_help_and_texts_of_several_lines_stay_so(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["--help"], ["run", "--help"], ["run", "copy", "--help"], ["list", "copy"]):
        _, output = answer(capsys, *words)
        assert output.count("\n") > 8
        assert "\\n" not in output
    for words in (["man"], ["completion", "bash"]):
        code, output = answer(capsys, *words)
        assert code == 0
        assert output.count("\n") > 20
        assert not output.endswith("\n\n")
    code, output = answer(capsys, "probe", "--json")
    assert json.loads(output)["name"]


def test_a_page_shows_hostile_text_as_text(
    capsys: pytest.CaptureFixture[str], results: Path
) -> None:
    content = json.loads(results.read_text())
    content["machine"]["name"] = content["cases"][0]["flags"][0] = "<script>alert(1)</script>"
    results.write_text(json.dumps(content))
    assert answer(capsys, "report", "run.json")[0] == 0
    assert "<script>alert" not in Path("report.html").read_text()


def test_junit_of_a_foreign_result_is_xml(
    capsys: pytest.CaptureFixture[str], results: Path
) -> None:
    answer(capsys, "check", "run.json", "--junit", "checks.xml")
    assert len(ElementTree.parse("checks.xml").getroot()) > 3


def test_what_a_program_prints_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    program = ["sh", "-c", r"printf '\033[2J\033]0;owned\007 bad\n' >&2; exit 3"]
    code, output = answer(capsys, "try", "-o", "run.json", "--", *program)
    assert (code, output.count("\n")) == (1, 1)
    check_plain(output)
