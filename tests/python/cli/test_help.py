"""The help of commands, as a person reads it on a terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command_line import printed

from watari.cli.app import app, commands_by_name, modules, name_of


def helped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    return printed(capsys, *words, "--help")


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_each_module_adds_the_commands_that_the_table_says() -> None:
    commands_by_name()
    added = {name_of(each): each.callback.__module__ for each in app.registered_commands}
    assert added == modules()
    assert list(commands_by_name()) == list(modules())


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted(set(modules().values())))
def test_a_module_of_commands_needs_no_other(module: str) -> None:
    code = f"from watari.cli import app; app.add({module!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", commands_by_name())
def test_a_command_shows_usage_options_and_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = helped(capsys, name)
    assert text.startswith(f"Usage: watari {name} [OPTIONS]")
    assert "Options:" in text
    assert "Example" in text
    assert text.isascii() or set(text) - set(map(chr, range(128))) <= set("·µ")
    for cut in ("<bool>", "<list", "[[", "{", "…"):
        assert cut not in text.replace("{ranks}", "")


def test_arguments_are_named_as_in_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    usage = {
        "compare": "BASE NEW...",
        "run": "[CASE AXIS=VALUE...]",
        "check": "[RESULTS [EARLIER...]]",
    }
    for name, words in usage.items():
        text = " ".join(helped(capsys, name).split())
        assert f"Usage: watari {name} [OPTIONS] {words} " in text


def test_the_list_of_commands_cuts_no_summary(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(helped(capsys).split())
    for name, command in commands_by_name().items():
        summary = command.help.partition("\n\n")[0]
        assert f"{name} {' '.join(summary.split())}" in text
