"""Ends a command at a random moment, by the signals that end commands."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from attacks import Broken
from commands import OURS, Ended, check_manners, end, start

SIGNALS: dict[str, list[int]] = {
    "SIGKILL": [signal.SIGKILL],
    "SIGTERM": [signal.SIGTERM],
    "SIGINT": [signal.SIGINT],
    "two SIGINTs": [signal.SIGINT, signal.SIGINT],
}
WEIGHTS = [5, 1, 1, 2]
INTERRUPTED = 130


def await_file(process: subprocess.Popen[str], path: Path) -> None:
    """Waits until a file is there, or the command ended."""
    while process.poll() is None and not path.exists():
        time.sleep(0.001)


def end_at_random(
    rng: random.Random,
    words: list[str],
    folder: Path,
    started_file: Path,
    seconds: float,
    phase: float,
    name: str | None = None,
) -> Ended:
    """Starts a command and ends it: in a quarter of cases anywhere in the `seconds` that it takes,
    else in the `phase` seconds after a file `started_file` is there. Raises Broken if it hangs or
    ends with an undocumented exit code."""
    name = name or rng.choices(list(SIGNALS), WEIGHTS)[0]
    process = start(words, folder)
    if rng.random() < 0.75:
        await_file(process, started_file)
        time.sleep(rng.uniform(0, phase))
    else:
        time.sleep(rng.uniform(0, seconds))
    for number in SIGNALS[name]:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
        time.sleep(rng.choice([0, 0.01, 0.1]))
    ended = end(process, words, killed=True)  # output is short: the pipes do not fill meanwhile
    check_end(ended, name)
    return ended


def check_end(ended: Ended, name: str) -> None:
    """Raises Broken if a command ended otherwise than documented for these signals."""
    number = SIGNALS[name][0]
    own_start = "init_import_site" in ended.err  # Python's, before a line of ours has run
    if (ended.code == -number or own_start) and OURS not in ended.err:
        return  # no handler is installed while the interpreter begins or ends
    check_manners(ended)
    if ended.code not in (0, INTERRUPTED):
        raise Broken(f"{name} is not an error: {ended}")
