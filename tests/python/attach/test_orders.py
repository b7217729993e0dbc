"""The order of operations: the driver without a GPU, and the links of a replay, beside a GPU.

tests/attach/gpu/orders.sh made the recordings. Where a GPU begins an operation before the end of
another one, neither may have an order; an order of the GPU that one lacks breaks a program or a
replay.
"""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import emulator
import numpy as np
import orders
import pytest
import tracing
from builds import ROOT

from watari.attach.trace.graph import host
from watari.attach.trace.records.records import Recorded
from watari.model.replay.graph import NONE
from watari.model.replay.link import dependencies

RECORDED = ROOT / "tests" / "fixtures" / "orders"
SIZE = 2 << 20  # bytes of a long copy
TIMES = {"FAKE_CUDA_KERNEL_US": "20", "FAKE_CUDA_COPY_NS": "2000"}
AGAIN = 4  # times that sequences are played again: a busy machine delays calls
REPEATS = 2  # then: the first long copy of a program takes the longest
Row = dict[str, Any]


def play(steps: list[str], repeats: int = REPEATS) -> tuple[list[orders.Run], Recorded]:
    """Plays sequences on the driver without a GPU."""
    program, library = tracing.program("orders"), emulator.cupti()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
        for name, value in TIMES.items():
            patch.setenv(name, value)
        runs, _, process = orders.played(program, steps, repeats, SIZE, library)
    return runs, process


@pytest.fixture(scope="module")
def recorded() -> list[Row]:
    """The rows of the GPU."""
    return orders.read(RECORDED / "orders.txt")[1]


@pytest.fixture(scope="module")
def played(recorded: list[Row]) -> tuple[list[orders.Run], Recorded]:
    """The same sequences on the driver without a GPU."""
    return play([row["steps"] for row in recorded], 1)


def host_functions(row: Row) -> set[str]:
    """The operations that are host functions."""
    words = [step.removeprefix("t:").split() for step in row["steps"].split(";")]
    found = {f"{i}.0" for i, word in enumerate(words) if word[0] == "h"}
    return found | {f"{i}.1" for i, word in enumerate(words) if word[-1] == "host"}


def excused(one: Row, other: Row, long: str) -> set[str]:
    """Host functions run one at a time, in the order in which they may begin. Which of two waits
    for the other depends on the speed of the CPU, and so does what follows them."""
    functions = host_functions(one)
    if long not in functions:
        return set()
    others = functions - {long}
    every = [row["after"].get(name, [(), ()])[0] for row in (one, other) for name in others]
    return others.union(*every)


def differences(gpu: Row, other: Row) -> Iterator[str]:
    """Orders that one has and the other one has not, in words."""
    for long in gpu["after"].keys() | other["after"].keys():
        if long not in gpu["after"] or long not in other["after"]:
            yield f"{gpu['steps']}: {long} is not long"
            continue
        without = excused(gpu, other, long)
        for place, word in enumerate(("operation", "return of step")):
            has, is_kept = set(gpu["after"][long][place]), set(other["after"][long][place])
            for name in has - is_kept - without:
                yield f"{gpu['steps']}: {word} {name} follows {long} on a GPU alone"
            for name in is_kept - has - without:
                yield f"{gpu['steps']}: {word} {name} follows {long}, not on a GPU"


def test_operations_follow_one_another_as_on_a_gpu(recorded, played) -> None:
    rows = orders.orders(played[0], [row["steps"] for row in recorded])
    gpu = recorded
    for _ in range(AGAIN):
        pairs = [pair for pair in zip(gpu, rows, strict=True) if list(differences(*pair))]
        if not pairs:
            break
        gpu, before = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        runs, _ = play([row["steps"] for row in gpu])
        rows = [
            orders.both(*pair)
            for pair in zip(before, orders.orders(runs, [r["steps"] for r in gpu]), strict=True)
        ]
    found = [one for pair in zip(gpu, rows, strict=True) for one in differences(*pair)]
    assert found == []
    assert [row["results"] for row in rows] == [row["results"] for row in gpu]


def test_calls_return_what_they_return_on_a_gpu() -> None:
    """Wrong calls too: during captures, and of pointers of each kind."""
    program = Path(orders.__file__).with_name("driver_returns.py")
    command, environment = [sys.executable, program], emulator.environment()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    expected = json.loads((RECORDED / "returns.json").read_text())
    assert json.loads(ended.stdout) == expected


def test_a_lost_order_is_seen(recorded) -> None:
    """The comparison can fail."""
    row = next(row for row in recorded if row["steps"] == "k n0;r 0 n0;w L 0;k b0;k n1")
    assert row["after"]["0.0"][0] == ["3.0"]
    assert list(differences(row, row)) == []
    for after in ([], ["3.0", "4.0"]):
        other = {**row, "after": {**row["after"], "0.0": [after, []]}}
        assert len(list(differences(row, other))) == 1


class Linked:
    """Orders by the links of a replay of the whole program."""

    def __init__(self, runs: list[orders.Run], process: Recorded) -> None:
        graph = host.host(process, 0.0, float(process.calls["end"].max())).graph
        self.follows, self.targets = dependencies(graph)
        self.starts = graph.calls["start"].tolist()
        self.times = graph.operations[["start", "end"]].tolist()
        self.engines = np.where(graph.operations["engine"] % 3, graph.operations["engine"], NONE)
        self.firsts = np.searchsorted(graph.operations["call"], np.arange(len(graph.calls) + 1))

    def after(
        self, run: orders.Run, functions: set[str], by_engine: bool
    ) -> tuple[set[str], set[int]]:
        """Operations that follow the long one, and steps that return after it. `by_engine`: copies
        of one engine too."""
        late: dict[int, str] = {}
        names, returned = set(run.operations) - functions, set[int]()
        for step, (begin, end, _) in enumerate(run.steps):
            own = [name for name in names if name.split(".")[0] == str(step)]
            own.sort(key=lambda name: run.operations[name])
            first, last = bisect_left(self.starts, begin), bisect_right(self.starts, end)
            rows = sorted(range(self.firsts[first], self.firsts[last]), key=self.times.__getitem__)
            for one, name in zip(rows, own, strict=True):
                busy = {int(self.engines[other]) for other in late} - {NONE} if by_engine else set()
                is_held = int(self.engines[one]) in busy or late.keys() & set(self.follows[one])
                if name == run.long or returned or is_held:
                    late[one] = name
            waits = (one for call in range(first, last) for one in self.targets.get(call, ()))
            if returned or late.keys() & set(waits):
                returned.add(step)
        return set(late.values()) - {run.long}, returned


def broken(gpu: Row, linked: Linked, run: orders.Run) -> str:
    """The order by which links and the GPU differ, in words, or none."""
    functions = host_functions(gpu)
    operations, returned = map(set, gpu["after"][run.long])
    least = linked.after(run, functions, False)
    most = linked.after(run, functions, True)
    wrong = {"operations, by links alone": least[0] - operations}
    wrong["returns, by links alone"] = least[1] - returned
    if "h L" not in gpu["steps"]:  # it orders blocking streams
        wrong["operations, on a GPU alone"] = operations - functions - most[0]
        wrong["returns, on a GPU alone"] = returned - most[1]
    found = [f"{what}: {sorted(which)}" for what, which in wrong.items() if which]
    return f"{gpu['steps']}: after {run.long}: {', '.join(found)}" if found else ""


def compared(gpu: list[Row], runs: list[orders.Run]) -> list[orders.Run]:
    """The runs whose long operation a GPU shows, and a trace, which has no host functions."""
    return [
        run
        for run in runs
        if run.long in gpu[run.sequence]["after"]
        and run.long not in host_functions(gpu[run.sequence])
    ]


def test_links_order_operations_as_a_gpu(recorded, played) -> None:
    """What a replay cannot know, it says. Whether a call waits for its own copy is seen by times:
    where the machine delayed a call, only another run shows it."""
    gpu, (runs, process) = recorded, played
    orders_of = [gpu[run.sequence]["after"][run.long] for run in compared(gpu, runs)]
    assert sum(len(after) for pair in orders_of for after in pair) > 1500
    for _ in range(AGAIN + 1):
        linked, words = Linked(runs, process), dict[tuple[int, str], list[str]]()
        for run in compared(gpu, runs):
            said = broken(gpu[run.sequence], linked, run)
            words.setdefault((run.sequence, run.long), []).append(said)
        found = {sequence: said for (sequence, _), said in words.items() if all(said)}
        if not found:
            break
        gpu = [gpu[sequence] for sequence in found]
        runs, process = play([row["steps"] for row in gpu])
    assert not found, found
