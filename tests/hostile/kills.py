"""Ends a command at a random moment, by one of the ways in which commands are ended."""

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

WAYS: dict[str, list[int]] = {
    "SIGKILL": [signal.SIGKILL],
    "SIGTERM": [signal.SIGTERM],
    "SIGINT": [signal.SIGINT],
    "two SIGINTs": [signal.SIGINT, signal.SIGINT],
}
WEIGHTS = [5, 1, 1, 2]
INTERRUPTED = 130


def await_file(process: subprocess.Popen[str], path: Path) -> None:
    """Until a file is there, or the command ended."""
    while process.poll() is None and not path.exists():
        time.sleep(0.001)


def end_at_random(
    rng: random.Random,
    words: list[str],
    folder: Path,
    begun: Path,
    seconds: float,
    phase: float,
    way: str | None = None,
) -> Ended:
    """Starts a command and ends it: in a quarter of cases anywhere in the `seconds` that it takes,
    else in the `phase` seconds after a file `begun` is there. Raises Broken where it hangs or ends
    in an undocumented way."""
    way = way or rng.choices(list(WAYS), WEIGHTS)[0]
    process = start(words, folder)
    if rng.random() < 0.75:
        await_file(process, begun)
        time.sleep(rng.uniform(0, phase))
    else:
        time.sleep(rng.uniform(0, seconds))
    for number in WAYS[way]:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
        time.sleep(rng.choice([0, 0.01, 0.1]))
    ended = end(process, words, killed=True)  # little is said: the pipes do not fill meanwhile
    check_end(ended, way)
    return ended


def check_end(ended: Ended, way: str) -> None:
    """Raises Broken where a command did not end as this way to end it should make it."""
    number = WAYS[way][0]
    if ended.code == -number and OURS not in ended.err:
        return  # where the interpreter begins or ends, nobody can hold it
    check_manners(ended)
    if ended.code not in (0, INTERRUPTED):
        raise Broken(f"{way} is not an error: {ended}")
