"""A question to the launcher: processes that it starts before a trial, as trials are started."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watari.common import interrupts
from watari.common.files import closed_quietly
from watari.machine import cpus
from watari.plan.request import Request
from watari.run import launch, scratch
from watari.run.launcher import Launcher, environment, python
from watari.run.session import end_session


@dataclass(frozen=True)
class Answer:
    """The exit code of the processes (None: not within the limit), and their output."""

    code: int | None
    output: str
    error: str  # the end of their error stream, on one line


def ask(
    module: str,
    ranks: int,
    request: Request,
    launcher: Launcher,
    directory: Path | None,
    limit: float,
    arguments: Sequence[str] = (),
) -> Answer | None:
    """Runs a module of this package on some ranks, in the environment of this request, at most
    `limit` seconds long. None: no process could be started, which the trials report themselves."""
    with interrupts.held() as hold, scratch.folder(directory) as files:
        output, errors = files / "output", files / "errors"
        streams = output.open("wb"), errors.open("wb")
        cpus.unbind()
        with closed_quietly(streams[0]), closed_quietly(streams[1]):
            try:
                process = subprocess.Popen(
                    [*launcher.prefix(ranks), *python(module, *arguments)],
                    stdin=subprocess.DEVNULL,
                    stdout=streams[0],
                    stderr=streams[1],
                    env=environment(request, launcher),
                    start_new_session=True,
                )
            except OSError:
                return None
        code = None
        try:
            with hold.let_through():
                code = process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        finally:
            end_session(process)
        return Answer(code, output.read_text(errors="replace"), launch.tail(errors))
