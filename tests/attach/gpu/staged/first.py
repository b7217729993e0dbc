"""First copies of processes, and whole programs in pairs: first.py FOLDER COPIES END

COPIES, END: seconds after which the copies, and everything, end. A row of copies has the
milliseconds of all copies of a process: medians of the driver, of `staged`, and of `staged` that
begins at once with so many pinned MiB. A row of a program has medians of its seconds, of what
`staged` saved in each pair, with its standard error, and the same without the start of CUDA.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

CASES = (
    *("1 4 fresh", "1 8 fresh", "1 16 fresh", "1 64 fresh", "4 16 fresh"),
    *("1 8 in", "1 16 in", "1 32 in", "1 64 in", "4 8 in", "4 16 in", "8 16 in", "16 4 in"),
    *("1 8 out", "1 32 out", "1 64 out", "4 16 out", "16 4 out"),
)
LANES = (4, 8, 16)  # MiB
MIB = 2**20
LOG, CHANGES = "WATARI_ATTACH_LOG", "WATARI_CHANGES"


def ways(folder: Path, case: str) -> dict[str, dict[str, str]]:
    """The environment of each column."""
    at_once = {"PIECE": str(MIB // 2), **({} if case.endswith("in") else {"STORES": "plain"})}
    staged = {CHANGES: "staged", "LD_PRELOAD": str(folder / "libwatari_preload.so")}
    tuned = staged | at_once | {"LD_PRELOAD": str(folder / "libwatari_preload_tuned.so")}
    found = {"driver": {}, "staged": staged}
    return found | {f"first {lane}": tuned | {"FIRST": str(lane * MIB)} for lane in LANES}


def copies(folder: Path, end: float) -> None:
    """A round over all cases and columns after the other, as long as there is time."""
    seen: dict[str, dict[str, list[float]]] = {case: {} for case in CASES}
    while time.monotonic() < end:
        for case in CASES:
            for name, changed in ways(folder, case).items():
                done = subprocess.run(
                    [folder / "first", *case.split()],
                    env={**os.environ, **changed},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                words = done.stdout.split()
                took = float(words[1]) if done.returncode == 0 else math.nan
                seen[case].setdefault(name, []).append(took)
    seen = {case: rows for case, rows in seen.items() if rows}
    print(f"{'copies':12}", *(f"{name:>9}" for name in ways(folder, "in")))
    for case, rows in seen.items():
        print(f"{case:12}", *(f"{statistics.median(took):9.2f}" for took in rows.values()))
    for case, rows in seen.items():
        for name, every in rows.items():
            print(f"ms: {case}, {name}:", *(f"{one:.2f}" for one in every))
    sys.stdout.flush()


def events(folder: Path) -> Iterator[dict[str, object]]:
    """The lines of all event logs of a run."""
    for file in folder.glob("*.jsonl"):
        for line in file.read_bytes().split(b"\n"):
            if line.strip(b"\0 "):
                yield json.loads(line)


def run(words: list[str], where: Path, changed: dict[str, str]) -> dict[str, float]:
    """Seconds of a run and of its start of CUDA; copies that were staged, large ones, and their
    seconds."""
    with tempfile.TemporaryDirectory() as log:
        begun = time.monotonic()
        done = subprocess.run(  # `timeout` of Python looks every 50 ms whether the program runs
            ["timeout", "30", *words],
            cwd=where,
            env={**os.environ, **changed, LOG: log},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.monotonic() - begun
        found = {"all": seconds, "start": 0.0, "staged": 0.0, "code": float(done.returncode)}
        copied: dict[object, float] = {}
        for one in events(Path(log)):
            if one["op"] in ("init", "context"):
                found["start"] += float(str(one["s"]))
            if one["op"] == "changed":
                found["staged"] += float(str(one["times"]))
            if one["op"] == "copies":
                copied[one["site"], one["to"]] = float(str(one["large_s"]))
        return found | {"large_s": sum(copied.values())}


def saved(pairs: list[tuple[dict[str, float], dict[str, float]]], with_start: bool) -> str:
    """Milliseconds that the second of each pair saves: the median, the mean and its error."""
    part = 0.0 if with_start else 1.0
    every = [
        1e3 * (one["all"] - part * one["start"] - other["all"] + part * other["start"])
        for one, other in pairs
    ]
    error = statistics.stdev(every) / math.sqrt(len(every)) if len(every) > 1 else math.nan
    return f"{statistics.median(every):+7.1f} {statistics.mean(every):+7.1f} +- {error:.1f}"


def programs(folder: Path, end: float) -> None:
    """Pairs of runs of each program of the list, in turn."""
    given = folder / "programs.tsv"
    rows = [line.split("\t") for line in given.read_text().splitlines()] if given.exists() else []
    library = {"LD_PRELOAD": str(folder / "libwatari_preload.so")}
    seen: dict[str, list[tuple[dict[str, float], dict[str, float]]]] = {row[0]: [] for row in rows}
    for turn in range(1000 if rows else 0):
        for name, where, command in rows:
            words = shlex.split(command)
            if "/" in words[0]:
                words[0] = str((folder / where / words[0]).resolve())
            both = [run(words, folder / where, library | change)
                    for change in ({}, {CHANGES: "staged"})[:: 1 if turn % 2 else -1]]  # fmt: skip
            seen[name].append((both[0], both[1]) if turn % 2 else (both[1], both[0]))
            if time.monotonic() > end:
                break
        if time.monotonic() > end:
            break
    for name, pairs in seen.items():
        if not pairs:
            continue
        first, second = ({k: statistics.median(r[i][k] for r in pairs) for k in pairs[0][i]}
                         for i in (0, 1))  # fmt: skip
        print(
            f"{name}: {len(pairs)} pairs, {first['all']:.4f} s (start {first['start']:.4f}), large "
            f"copies {1e3 * first['large_s']:.1f} then {1e3 * second['large_s']:.1f} ms, staged "
            f"{second['staged']:.0f}, codes {first['code']:.0f} {second['code']:.0f}; saved ms "
            f"{saved(pairs, True)}; without start {saved(pairs, False)}"
        )


def main(folder: Path, of_copies: float, end: float) -> None:
    begun = time.monotonic()
    copies(folder, begun + of_copies)
    programs(folder, begun + end)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), float(sys.argv[2]), float(sys.argv[3]))
