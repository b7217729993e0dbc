"""`watari ...` in this process."""

from __future__ import annotations

import pytest

from watari.cli import commands


def ended(*words: object) -> int:
    """The exit code."""
    with pytest.raises(SystemExit) as end:
        commands.main([str(word) for word in words])
    return int(end.value.code or 0)


def run_cli(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit code, output and errors."""
    code = ended(*words)
    out, err = capsys.readouterr()
    return code, out, err


def printed(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    """The output of a command that ends with this code, and warns of nothing."""
    found, out, err = run_cli(capsys, *words)
    assert (found, err) == (code, "")
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which a command is refused before it prints anything else."""
    code, out, err = run_cli(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("watari: ")
    return err
