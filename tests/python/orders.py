"""Which operation follows which, from sequences that tests/attach/programs/orders.cpp plays.

An operation that takes 2 ms shows what follows it: whatever begins before its end does not. An
order counts if each repetition shows it. `orders.py PROGRAM FILE SEQUENCES REPEATS` writes the
recording of a GPU: a header, then one line of JSON for each sequence:

    steps    the sequence
    results  of its calls, where they are not 0: by step
    after    for each long operation: [operations that begin after its end, steps that return then]

An operation is STEP.NODE; `node` counts those of a graph, and is 0 elsewhere.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from watari.attach.start import Start
from watari.attach.trace.records.records import Kind, Recorded, columns
from watari.attach.trace.runs import busiest, traced_run
from watari.machine import cupti

US = 1_000  # ns
LONG, SHORTEST = 2_000 * US, 700 * US  # wanted, and what counts as long
CLOCKS = 300 * US  # by which times of CPU and GPU may disagree
GPU_BYTES = 64 << 20  # of a long copy: over 1 ms
OPERATIONS = 7  # of a sequence, at most
SEED = 20261126

# Sequences that a random choice may miss.
RULES = (
    "k b0;r 0 L;k b1",  # does a record order blocking streams, as an operation would?
    "k b0;w L 0;k b1",
    "k n0;r 0 n0;w L 0;k b0;k n1",
    "k L;k n0;k b0;k P",
    "k b0;k n0;k P;k L;k b1",
    "k P;t:k P;k L;t:k P;k P",
    "k b0;f L;k b1;i L p;k P",
    "h L;k b0;k n0;h n0;h b1",
    "h n0;h n1;k n0;k n1",
    "k n0;i n0 g;k n1",
    "k n0;i n0 G;k n1",
    "k n0;o n0 g;k n1",
    "k n0;o n0 p;k n1;s n0",
    "k n0;I g;k n1;O g;k b0",
    "k b0;I p;k n1;O p;k b1",
    "k n0;a;k n1;x;k n0",
    "k n0;p;k n1;u;k n0",
    "k n0;A n0;X n1;k n1;A n1;X n1",
    "g n0 chain;k n0;k n1",
    "g n0 fork;k n0;g n0 pair;k n0",
    "g n0 host;k n0;h n1;k n1",
    "g b0 pair;k L;g b1 fork;k P",
    "g L fork;k b0;k n0",
    "k n0;r 0 n0;k n0;e 0;k n1;s n0;k n1",
    "k n0;w n1 3;k n1",
    "r 0 n0;k n0;w n1 0;k n1",
    "k n0;r 0 n0;w n1 0;r 0 n1;w b0 0;k b0;k n1",
    "k b0;s L;k n0;s L;k b1;s P",
    "k b0;k b1;c;k b0;t:k P;c",
)
STREAMS = ("L", "P", "b0", "b1", "n0", "n1")
GRAPHS = {"chain": 2, "fork": 4, "host": 3, "pair": 2}


def step(chance: random.Random) -> tuple[str, int]:
    """A random step, and its number of operations."""
    on = chance.choices(STREAMS, (2, 2, 3, 3, 4, 4))[0]
    event = chance.randrange(3)
    kind = chance.choices("khfiIrwsecg", (30, 6, 5, 8, 3, 14, 18, 4, 4, 2, 6))[0]
    if kind == "g":
        shape = chance.choice(tuple(GRAPHS))
        return f"g {on} {shape}", GRAPHS[shape]
    if kind in "iI":
        memory, back = chance.choice("ppgG"), chance.random() < 0.5
        word = {"i": "o", "I": "O"}[kind] if back else kind
        return (f"{word} {on} {memory}" if kind == "i" else f"{word} {memory}"), 1
    words = {"r": f"r {event} {on}", "w": f"w {on} {event}", "e": f"e {event}", "c": "c"}
    return words.get(kind, f"{kind} {on}"), int(kind in "khf")


def sequence(chance: random.Random) -> str:
    """A random sequence."""
    steps, operations = [], 0
    most = chance.randint(3, OPERATIONS)
    while operations < most:
        word, count = step(chance)
        steps.append(("t:" if chance.random() < 0.15 else "") + word)
        operations += count
    return ";".join(steps)


def sequences(count: int) -> list[str]:
    """The rules, and random sequences."""
    chance = random.Random(SEED)
    return [*RULES, *(sequence(chance) for _ in range(count - len(RULES)))]


Name = str  # of an operation


@dataclass
class Run:
    """One run of a sequence. Times in ns."""

    sequence: int
    long: Name
    steps: list[tuple[int, int, int]] = field(default_factory=list)
    operations: dict[Name, tuple[int, int]] = field(default_factory=dict)
    done: int = 0

    def after(self) -> tuple[set[Name], set[int]] | None:
        """Operations that begin after the end of the long one, and steps that return then; None
        where it was not long."""
        if self.long not in self.operations:
            return None
        begun, ended = self.operations[self.long]
        if ended - begun < SHORTEST:
            return None
        ended -= CLOCKS
        first = int(self.long.partition(".")[0])
        return (
            {n for n, (start, _) in self.operations.items() if n != self.long and start >= ended},
            {i for i, (_, end, _) in enumerate(self.steps) if i >= first and end >= ended},
        )


def read_runs(text: str) -> Iterator[Run]:
    """The runs of the program's output, with operations of the host alone."""
    run = Run(0, "")
    for line in text.splitlines():
        word, *rest = line.split()
        if word == "run":
            run = Run(int(rest[0]), rest[1])
        elif word == "step":
            run.steps.append((int(rest[1]), int(rest[2]), int(rest[3])))
        elif word == "host":
            run.operations[rest[0]] = (int(rest[1]), int(rest[2]))
        elif word == "done":
            run.done = int(rest[0])
            yield run


def with_records(runs: list[Run], process: Recorded) -> None:
    """Adds the operations of the GPU: each belongs to the step in which its call began."""
    begun = dict(columns(process.calls, "correlation", "start"))
    starts = np.array([run.steps[0][0] for run in runs])
    for kind in (Kind.KERNEL, Kind.COPY, Kind.FILL):
        fields = columns(process.of(kind), "correlation", "start", "end", "address")
        for correlation, start, end, blocks in fields:
            at = begun.get(correlation, 0)
            place = int(np.searchsorted(starts, at, side="right")) - 1
            if place < 0 or at > runs[place].steps[-1][1]:
                continue  # of the runs that are not told
            own = [i for i, (first, last, _) in enumerate(runs[place].steps) if first <= at <= last]
            node = blocks - 1 if kind == Kind.KERNEL else 0
            runs[place].operations[f"{own[0]}.{node}"] = (start, end)


def played(
    program: str, steps: list[str], repeats: int, size: int, path: Path
) -> tuple[list[Run], str, Recorded]:
    """Plays sequences, traced; also returns the name of the GPU, and the records. `size`: bytes of
    a long copy."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sequences.txt"
        file.write_text("".join(f"{one}\n" for one in steps))
        words = (program, str(file), str(LONG // US), str(size), str(repeats))
        ending, _, processes = traced_run(Start(words), Path(folder), path)
        if ending.reason or ending.code:
            raise SystemExit(f"{program}: {ending.reason or ending.code}: {ending.errors}")
        text = ending.output.read_text()
    runs = list(read_runs(text))
    process = busiest(processes)
    with_records(runs, process)
    return runs, text.splitlines()[0].removeprefix("gpu "), process


def orders(runs: list[Run], steps: list[str]) -> list[dict[str, Any]]:
    """A row for each sequence."""
    rows: list[dict[str, Any]] = [{"steps": one, "results": {}, "after": {}} for one in steps]
    for run in runs:
        row = rows[run.sequence]
        row["results"] |= {str(i): code for i, (_, _, code) in enumerate(run.steps) if code}
        found = run.after()
        if found:
            before = row["after"].get(run.long, found)
            row["after"][run.long] = (before[0] & found[0], before[1] & found[1])
    for row in rows:
        row["after"] = {
            name: [sorted(operations), sorted(returned)]
            for name, (operations, returned) in row["after"].items()
        }
    return rows


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What two rows of a sequence show."""
    after = {
        name: [sorted(set(a) & set(b)) for a, b in zip(shown, other["after"][name], strict=True)]
        for name, shown in one["after"].items()
        if name in other["after"]
    }
    return {**one, "after": after, "results": one["results"] | other["results"]}


def write(path: Path, rows: list[dict[str, Any]], header: dict[str, Any]) -> None:
    """Writes a recording."""
    lines = [json.dumps(one, separators=(",", ":")) for one in (header, *rows)]
    path.write_text("".join(f"{line}\n" for line in lines))


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Reads a recording: its header and rows."""
    header, *rows = map(json.loads, path.read_text().splitlines())
    return header, rows


def record(program: str, path: Path, count: int, repeats: int) -> None:
    """Records the orders of this machine's GPU."""
    steps = sequences(count)
    runs, gpu, _ = played(program, steps, repeats, GPU_BYTES, cupti.find())
    rows = orders(runs, steps)
    write(path, rows, {"gpu": gpu, "repeats": repeats})
    longs = sum(len(row["after"]) for row in rows)
    failing = sum(bool(row["results"]) for row in rows)
    print(
        f"{len(rows)} sequences, {len(runs)} runs, {longs} long operations, {failing} with errors"
    )
    print(f"{gpu}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
