"""Runs that are ended at random moments and resumed: every trial once, and no file left over.

Promises: a trial that was reported as completed is never run again; in the end every planned
trial is there once; the result file is valid JSON whenever it is there; no `.trial-*`, journal or
unfinished file stays; no command hangs.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import attacks
from attacks import Broken
from commands import Ended, watari
from kills import end_at_random

TRIALS = 4
SIZES = ("16KiB", "64KiB")
SECONDS, PHASE = 1.8, 1.2  # of a run on an idle machine; on a busy one, kills come sooner
RESULT, JOURNAL = "run.json", "run.json.journal"
CONTINUATIONS = 3  # undisturbed ones; the first one should be enough


def command(rng: random.Random, folder: Path) -> list[str]:
    """The command of the run, or the one that resumes it if a file of it is left."""
    result, journal = folder / RESULT, folder / JOURNAL
    if journal.exists() and journal.stat().st_size:
        return ["run", "--resume", rng.choice([RESULT, JOURNAL])]
    if result.exists():
        return ["run", "--resume", RESULT]
    axes = ["processor=cpu", f"size={','.join(SIZES)}", f"trials={TRIALS}", "samples=2"]
    return ["run", "copy", *axes, "-o", RESULT]


def trials_reported(ended: Ended) -> int:
    """Trials that a command reported as completed: lines such as `[3/8] copy ...`."""
    return sum(bool(re.match(r"\[\d+/\d+\] ", line)) for line in ended.out.split("\n"))


def read(path: Path, ended: Ended) -> dict[str, Any] | None:
    """The result file, if it is there. Raises Broken if it is no JSON."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        return content
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise Broken(f"torn JSON: {error} after {ended}") from None


def check_trials(result: dict[str, Any], ended: Ended) -> None:
    """Raises Broken if a case is lost or not ok, or a trial is lost or there twice."""
    if len(result["cases"]) != len(SIZES) or result["missing"]:
        raise Broken(f"cases are lost: {len(result['cases'])} after {ended}")
    for case in result["cases"]:
        kept = [(trial["started"], tuple(trial["host_s"])) for trial in case["trials"]]
        if len(kept) != TRIALS or len(set(kept)) != TRIALS:
            raise Broken(f"{len(kept)} trials, {len(set(kept))} different ones, after {ended}")
        if case["status"] != "ok":
            raise Broken(f"{case['status']}: {case['reason']} after {ended}")


def whole(folder: Path, ended: Ended) -> dict[str, Any] | None:
    """The result file once no trial is missing. Raises Broken if it is no JSON."""
    content = read(folder / RESULT, ended)
    return None if (folder / JOURNAL).exists() or not content or content["missing"] else content


def attempt(rng: random.Random, folder: Path) -> str:
    finished, kills, result = 0, rng.choice([1, 1, 2, 3]), None
    for turn in range(kills + CONTINUATIONS):
        words = command(rng, folder)
        if turn < kills:
            ended = end_at_random(rng, words, folder, folder / JOURNAL, SECONDS, PHASE)
        else:
            ended = watari(words, folder)
            if ended.code != 0:
                raise Broken(f"not continued: {ended}")
        finished += trials_reported(ended)
        if result := whole(folder, ended):
            break
    if not result:
        raise Broken(f"never whole: {ended}")
    check_trials(result, ended)
    if finished > TRIALS * len(SIZES):
        raise Broken(f"{finished} trials were finished, of {TRIALS * len(SIZES)}: some were lost")
    if ended.code == 0 and (left := sorted({path.name for path in folder.iterdir()} - {RESULT})):
        raise Broken(f"left lying: {left} after {ended}")
    return f"killed {turn} times" if turn != 1 else "killed once"


if __name__ == "__main__":
    attacks.main(attempt, 300)
