"""`pooled` and `watari exec` on a GPU: changes.py PROGRAM [ROUNDS]. The program is changes.cu's.

Three tables: a pair of cudaMalloc and cudaFree with `pooled` and without; what a program sees of
freed memory, which must be the same; and the seconds of a program in which nothing is changed, as
it is, with the library, and started by `watari exec`, in turn.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

from watari.attach.execute import Asked, prepared

CALLS = "20000"
LIMIT = 60  # seconds of a run


def environment(*names: str) -> dict[str, str]:
    """The variables of these changes."""
    return {**os.environ, **(prepared(Asked(names, ()), os.environ).variables if names else {})}


def said(command: list[str], variables: dict[str, str]) -> tuple[str, float]:
    """What a program prints, and its seconds."""
    begun = time.monotonic()
    ended = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    seconds = time.monotonic() - begun
    if ended.returncode or ended.stderr:
        print(f"{command}: exit code {ended.returncode}: {ended.stderr.strip()}")
    return ended.stdout, seconds


def pairs(program: str) -> None:
    """A pair by size: microseconds of both calls, without and with `pooled`."""
    columns = []
    for names in ((), ("pooled",)):
        text, _ = said([program, "pairs"], environment(*names))
        columns.append({w[1]: w[2:] for w in map(str.split, text.splitlines())})
    print("bytes          driver: malloc    free   pooled: malloc    free     (us)")
    for size in columns[0]:
        cells = [float(each) * 1e6 for column in columns for each in column[size]]
        name = size if size != "0" else "a wait"
        print(f"{name:>12} {cells[0]:>17.2f} {cells[1]:>7.2f} {cells[2]:>16.2f} {cells[3]:>7.2f}")


def facts(program: str) -> None:
    """What the program sees, and whether `pooled` changes it."""
    before, after = (said([program, "facts"], environment(*n))[0] for n in ((), ("pooled",)))
    print(f"\nfacts with pooled: {'the same' if before == after and before else 'DIFFERENT'}")
    for one, other in zip(before.splitlines(), after.splitlines(), strict=False):
        print(f"  {one}" + ("" if one == other else f"   WITH POOLED: {other}"))


def overhead(program: str, rounds: int) -> None:
    """A program in which nothing is changed, in three ways, in turn."""
    words = [program, "calls", CALLS]
    started = [sys.executable, "-m", "watari", "exec", "--staged", "--pooled", "--"]
    ways = {
        "as it is": (words, environment()),
        "library": (words, environment("staged", "pooled")),
        "watari exec": ([*started, *words], environment()),
    }
    whole: dict[str, list[float]] = {way: [] for way in ways}
    inside: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, (command, variables) in ways.items():
            text, seconds = said(command, variables)
            whole[way].append(seconds)
            inside[way].append(float(text.split()[1]))
    print(f"\n{CALLS} rounds of unchanged calls, {rounds} runs each, in turn: seconds")
    for way in ways:
        loop, low, high = median(inside[way]), min(inside[way]), max(inside[way])
        more = loop / median(inside["as it is"]) - 1
        print(
            f"{way:>12} whole {median(whole[way]):.4f}  loop {loop:.4f} "
            f"({low:.4f} to {high:.4f})  {more:+.2%}"
        )
    begun = time.monotonic()
    for _ in range(10):
        subprocess.run([*started, "true"], check=True)
    python = time.monotonic()
    for _ in range(10):
        subprocess.run(["true"], check=True)
    plain = time.monotonic() - python
    print(f"a start by watari exec: {(python - begun - plain) / 10 * 1e3:.1f} ms")


def main() -> None:
    """Prints the three tables."""
    program = sys.argv[1]
    pairs(program)
    facts(program)
    overhead(program, int(sys.argv[2]) if len(sys.argv) > 2 else 7)


if __name__ == "__main__":
    main()
