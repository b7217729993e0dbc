"""Commands that write the same output at the same moment, some of them killed.

Promises: one writes and the others are refused in one line, or come after it; the output is right
as soon as one of them succeeds; files of a killed one do not lock out a later command.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import attacks
import products
from attacks import Broken
from commands import Ended, check_manners, end, start, watari

RUN = ["run", "copy", "processor=cpu", "size=16KiB", "trials=2", "samples=2", "-o", "run.json"]
BEM = ["bem", "bumpy:5", "-o", "c.vtu", "--threads", "1"]


def at_once(rng: random.Random, words: list[str], folder: Path, seconds: float) -> list[Ended]:
    """Some commands, begun within `seconds`; in three attempts of ten one of them is killed."""
    running = []
    for _ in range(rng.choice([2, 2, 3])):
        running.append(start(words, folder))
        time.sleep(rng.choice([0, 0.01, rng.uniform(0, seconds)]))
    if rng.random() < 0.3:
        with suppress(ProcessLookupError):
            os.kill(rng.choice(running).pid, signal.SIGKILL)
    all_ended = [end(process, words, killed=True) for process in running]
    for ended in all_ended:
        if ended.code != -signal.SIGKILL:
            check_manners(ended)
            if ended.code not in (0, 2):
                raise Broken(f"neither done nor refused: {ended}")
    return all_ended


def of_product(rng: random.Random, folder: Path) -> str:
    product = products.prepare(rng, folder, may_add=False)
    ended = at_once(rng, product.words, folder, product.time[0])
    if any(end.code == 0 for end in ended) and product.content() != product.right:
        raise Broken(f"a wrong C after {ended}")
    products.check_old(product, ended[0])
    again = watari(product.words, folder)
    products.whole(again)
    products.check_done(product, again, product.right)
    return summary(ended)


def of_run(rng: random.Random, folder: Path) -> str:
    result, journal = folder / "run.json", folder / "run.json.journal"
    ended = at_once(rng, RUN, folder, 1.5)
    if journal.exists():
        resumes = journal.stat().st_size > 0
        again = watari(["run", "--resume", "run.json"] if resumes else RUN, folder)
        products.whole(again)
    elif not result.exists():
        products.whole(watari(RUN, folder))
    content = json.loads(result.read_text())
    if [len(case["trials"]) for case in content["cases"]] != [2] or content["missing"]:
        raise Broken(f"trials are lost or doubled after {ended}")
    if journal.exists():
        raise Broken(f"a journal is left after {ended}")
    return summary(ended)


def of_charges(rng: random.Random, folder: Path) -> str:
    ended = at_once(rng, BEM, folder, 2.0)
    again = watari(BEM, folder)
    products.whole(again)
    if {path.name for path in folder.iterdir()} != {"c.vtu"}:
        raise Broken(f"files are left after {ended} and {again}")
    return summary(ended)


def summary(ended: list[Ended]) -> str:
    refused = sum(end.code == 2 for end in ended)
    return "some refused" if refused else "one after another"


def attempt(rng: random.Random, folder: Path) -> str:
    return rng.choice([of_product, of_run, of_charges])(rng, folder)


if __name__ == "__main__":
    attacks.main(attempt, 300)
