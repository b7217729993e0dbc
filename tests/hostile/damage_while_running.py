"""Commands whose files another process damages at random instants while they run.

Promise: the output is right, or the command fails in one line. Then no output is there, or the
older one stays. The same command then makes the right output. The attack damages

    `watari gemm`   the partial file and its journal, also of a killed product that is resumed
    `watari bem`    the partial file, its journal, and the file of the matrix
    `watari run`    the journal, also of a killed run
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import attacks
import charges
import kill_runs
import products
from attacks import Broken
from commands import Ended, end, start, watari
from damages import OF_JOURNAL, OF_PARTIAL, Damage, removed
from kills import await_file, end_at_random

Targets = dict[str, list[Damage]]
OF_PRODUCT: Targets = {"C.npy.partial": OF_PARTIAL, "C.npy.partial.journal": OF_JOURNAL}
OF_CHARGES: Targets = {
    f"{charges.MATRIX}.partial": OF_PARTIAL,
    f"{charges.MATRIX}.partial.journal": OF_JOURNAL,
    charges.MATRIX: [damage for damage in OF_PARTIAL if damage is not removed],
}
OF_RUN: Targets = {kill_runs.JOURNAL: OF_JOURNAL}
WEIGHTS = (4, 1, 1)  # of the targets


def damaged(
    rng: random.Random, words: list[str], folder: Path, targets: Targets, seconds: float
) -> tuple[Ended, str]:
    """Runs a command and damages some of its files, in the `seconds` after the first one is there.
    Returns its end, and the damage; none if the files were gone."""
    process = start(words, folder)
    await_file(process, folder / next(iter(targets)))
    moments = sorted(rng.uniform(0, seconds) for _ in range(rng.choice([1, 1, 2, 3])))
    began, done = time.monotonic(), []
    for moment in moments:
        time.sleep(max(0.0, began + moment - time.monotonic()))
        name = rng.choices(list(targets), WEIGHTS[: len(targets)])[0]
        damage = rng.choice(targets[name])
        # the command may be faster, and an empty file has no bytes to damage
        with suppress(FileNotFoundError, IndexError, ValueError, subprocess.SubprocessError):
            damage(rng, folder / name)
            done.append(f"{damage.__name__} {name}")
        (folder / ".other").unlink(missing_ok=True)
    return end(process, words), ", ".join(done)


def check_refused(ended: Ended, what: str) -> None:
    """Raises Broken for a failure that is not reported in one line."""
    if ended.code not in (1, 2) or not ended.error.startswith("watari: "):
        raise Broken(f"{what}: no refusal in one line: {ended}")


def product(rng: random.Random, folder: Path) -> str:
    of = products.prepare(rng, folder)
    if rng.random() < 0.3:
        partial = folder / "C.npy.partial"
        ended = end_at_random(rng, of.words, folder, partial, *of.time, name="SIGKILL")
        if products.check_old(of, ended):
            return "ended before the kill"
    ended, what = damaged(rng, of.words, folder, OF_PRODUCT, of.time[1])
    if ended.code == 0:
        if of.content() != of.right:
            raise Broken(f"{what}: a wrong C after {ended}")
        return "right" if what else "not reached"
    check_refused(ended, what)
    if of.content() != of.old:
        raise Broken(f"{what}: not the old C: {ended}")
    again = watari(of.words, folder)
    if again.code:
        again = watari([*of.words, "--fresh"], folder)
    products.whole(again)
    products.check_done(of, again, of.right)
    return "refused, then right"


def solve(rng: random.Random, folder: Path) -> str:
    words = charges.command(rng)
    charges.right(words)
    ended, what = damaged(rng, [*words, *rng.choice(charges.BUDGETS)], folder, OF_CHARGES, 1.0)
    charges.check_charges(folder, words, ended)
    if ended.code == 0:
        return "right" if what else "not reached"
    check_refused(ended, what)
    if {path.name for path in folder.iterdir()} & charges.OUTPUTS:
        raise Broken(f"{what}: an output after {ended}")
    again = watari(words, folder)
    if again.code and charges.MATRIX in again.error:
        (folder / charges.MATRIX).unlink()  # as the line says
    charges.finish(rng, folder, words)
    return "refused, then right"


def trials_of(lines: list[str]) -> dict[str, list[float]]:
    """Trials in a journal: when each one started, and its samples."""
    trials = [json.loads(line)["trial"] for line in lines[1:]]
    return {trial["started"]: trial["host_s"] for trial in trials}


def resumed_run(rng: random.Random, folder: Path) -> str:
    """A run is killed and its journal damaged: it is resumed with the trials of before, or
    refused."""
    words, path = kill_runs.command(rng, folder), folder / kill_runs.JOURNAL
    end_at_random(rng, words, folder, path, kill_runs.SECONDS, kill_runs.PHASE, name="SIGKILL")
    if not path.exists() or not path.stat().st_size:
        return "nothing to damage"
    before = trials_of(path.read_text().rpartition("\n")[0].split("\n"))
    damage = rng.choice(OF_JOURNAL)
    damage(rng, path)
    ended = watari(kill_runs.command(rng, folder), folder)
    result = kill_runs.read(folder / kill_runs.RESULT, ended)
    if ended.code or result is None:
        check_refused(ended, damage.__name__)
        return "refused"
    kill_runs.check_trials(result, ended)
    for trial in (trial for case in result["cases"] for trial in case["trials"]):
        if trial["host_s"] != before.get(trial["started"], trial["host_s"]):
            raise Broken(f"{damage.__name__}: another trial than before: {trial} after {ended}")
    return "resumed"


def run(rng: random.Random, folder: Path) -> str:
    words = kill_runs.command(rng, folder)
    ended, what = damaged(rng, words, folder, OF_RUN, kill_runs.PHASE)
    result = kill_runs.read(folder / kill_runs.RESULT, ended)
    if ended.code == 0:
        if result is None:
            raise Broken(f"{what}: no result after {ended}")
        kill_runs.check_trials(result, ended)
        return "right" if what else "not reached"
    check_refused(ended, what)
    if result is not None:
        raise Broken(f"{what}: a result after {ended}")
    return "refused"


ATTACKS = {"product": product, "solve": solve, "run": run, "resumed run": resumed_run}


def attempt(rng: random.Random, folder: Path) -> str:
    name = rng.choices(list(ATTACKS), [6, 3, 1, 2])[0]
    return f"{name}: {ATTACKS[name](rng, folder)}"


if __name__ == "__main__":
    attacks.main(attempt, 200)
