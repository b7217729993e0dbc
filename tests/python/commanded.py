"""`watari` as a command: in this process if it starts no program, else in a fork (forking.py)."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import forking

from watari.cli import commands


def watari(
    cwd: Path,
    words: tuple[str, ...],
    environment: Mapping[str, str],
    stdin: Any = None,
    code: int | None = None,
    values: Mapping[str, float] | None = None,
) -> subprocess.CompletedProcess[str]:
    """How a command ends, in a folder with these variables. One with `--` starts a program. `code`:
    the exit code that is expected; None for any. `values`: see forking.py."""
    if "--" not in words and stdin in (None, subprocess.DEVNULL):
        ended = in_this_process(cwd, words, environment)
    else:
        ended = forking.python(("-m", "watari", *words), cwd, environment, stdin, values)
    assert code in (None, ended.returncode), ended.stderr
    return ended


def in_this_process(
    cwd: Path, words: tuple[str, ...], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    out, err, before, code = io.StringIO(), io.StringIO(), Path.cwd(), 0
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(sys, "argv", ["watari", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        os.chdir(cwd)
        try:
            commands.main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os.chdir(before)
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())
