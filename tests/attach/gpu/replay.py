"""Replays against measured times: replay.py PROGRAM [RUNS]. The program is replay.cu's.

Each scene runs as it is and traced, in turn; the replay of the traced runs is compared with the
whole seconds of the others. Then each change: the difference of two replays, against the difference
of the rounds' measured seconds. Numbers are medians; `spread` is that of the measured runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from watari.attach.start import Ending, Start, run
from watari.attach.trace import cost, replayed, session
from watari.attach.trace.records import Copy
from watari.machine import cupti
from watari.model.replay import changes
from watari.model.replay.graph import Array, Graph, Role, Work
from watari.model.replay.link import link
from watari.model.replay.simulate import seconds

ROUNDS = {"copies": 40, "streams": 400, "graphs": 400, "small": 20000, "threads": 2000,
          "queries": 2000}  # fmt: skip
PINNED_RATE = 50e9  # bytes per second, where the scene `streams` has no copies


def kernels(graph: Graph, name: str) -> Array:
    """The launches of a kernel."""
    known = [number for number, text in graph.names.items() if name in text]
    rows = graph.operations
    return (rows["work"] == Work.KERNEL) & np.isin(rows["name"], known)


def copies(graph: Graph, direction: Copy) -> Array:
    """The copies in a direction."""
    rows = graph.operations
    return (rows["work"] == Work.COPY) & (rows["detail"] == direction)


def with_waits(graph: Graph, rate: float) -> Graph:
    """A wait for the device after each launch."""
    del rate
    launches = np.zeros(len(graph.calls), bool)
    launches[graph.operations["call"][graph.operations["work"] == Work.KERNEL]] = True
    return changes.waiting(graph, launches, 2_000, 5_000)


def rarely(graph: Graph, rate: float) -> Graph:
    """Only every tenth copy back."""
    del rate
    back = np.flatnonzero(copies(graph, Copy.TO_CPU))
    gone = np.zeros(len(graph.calls), bool)
    gone[graph.operations["call"][[one for i, one in enumerate(back) if i % 10]]] = True
    return changes.without_calls(graph, gone)


def pinned(graph: Graph, rate: float) -> Graph:
    """All copies from and to pinned memory."""
    return changes.pinned(graph, graph.operations["work"] == Work.COPY, rate)


def hoisted(graph: Graph, rate: float) -> Graph:
    """Without allocations, and the waits of releases."""
    del rate
    return changes.without_calls(graph, graph.calls["role"] == Role.ALLOCATION)


def doubled(graph: Graph, rate: float) -> Graph:
    """The second kernel takes twice its time."""
    del rate
    return changes.scaled(graph, kernels(graph, "second"), 2.0)


def doubled_first(graph: Graph, rate: float) -> Graph:
    """The second kernel takes twice its time, in the first of two streams."""
    del rate
    which = kernels(graph, "second")
    first = graph.operations["stream"][which].min()
    return changes.scaled(graph, which & (graph.operations["stream"] == first), 2.0)


def kept(graph: Graph, rate: float) -> Graph:
    """Without the copies back, and their calls."""
    del rate
    gone = np.zeros(len(graph.calls), bool)
    gone[graph.operations["call"][copies(graph, Copy.TO_CPU)]] = True
    return changes.without_calls(graph, gone)


def merged(graph: Graph, rate: float) -> Graph:
    """The two streams that have kernels as one."""
    del rate
    one, two, *_ = np.unique(graph.operations["stream"][kernels(graph, "second")]).tolist()
    return changes.merged(graph, one, two)


Change = Callable[[Graph, float], Graph]
CHANGES: dict[str, dict[str, Change]] = {
    "copies": {"doubled": doubled, "kept": kept, "pinned": pinned, "hoisted": hoisted,
               "waits": with_waits},
    "streams": {"merged": merged, "doubled": doubled_first},
    "graphs": {"doubled": doubled},
    "small": {"rare": rarely},
    "threads": {},
    "queries": {"doubled": doubled},
}  # fmt: skip


@dataclass(frozen=True)
class Session:
    """The program, a folder, and what tracing costs here."""

    program: str
    files: Path
    cupti: Path
    cost: cost.Cost

    def plain(self, *words: str) -> tuple[Ending, float]:
        """A run as it is, and the seconds of its rounds."""
        ending = run(Start((self.program, *words)), {}, self.folder())
        if ending.reason:
            sys.exit(f"{words}: {ending.reason}")
        return ending, float(ending.output.read_text())

    def traced(self, plain: Ending, *words: str) -> replayed.Replayed:
        """The replay of a traced run."""
        ending, log, processes = session.traced_run(
            Start((self.program, *words)), self.folder(), self.cupti
        )
        process = session.busiest(processes)
        return replayed.of_run(process, log, ending, plain, self.cost, len(processes))

    def folder(self) -> Path:
        """A folder for one run."""
        return Path(tempfile.mkdtemp(dir=self.files))


def middle(made: list[replayed.Replayed]) -> replayed.Replayed:
    """The replay with the median of the totals."""
    return sorted(made, key=lambda one: float(one.facts["seconds"]))[len(made) // 2]


def pinned_rate(graph: Graph) -> float:
    """The median rate of a scene's copies."""
    rows = graph.operations[graph.operations["work"] == Work.COPY]
    return float(np.median(rows["bytes"] / rows["takes"]) * 1e9) if len(rows) else PINNED_RATE


def scene(
    here: Session, name: str, runs: int
) -> tuple[replayed.Replayed, list[float], list[Ending]]:
    """One scene, as it is and traced in turn; prints a row."""
    words = (name, str(ROUNDS[name]))
    made, rounds, endings = [], [], []
    for _ in range(runs):
        ending, took = here.plain(*words)
        endings.append(ending)
        rounds.append(took)
        made.append(here.traced(ending, *words))
    again = middle(made)
    whole = [e.seconds for e in endings]
    replay_s, measured = float(again.facts["seconds"]), median(whole)
    span = median(float(one.facts["traced_seconds"]) for one in made)
    met = ", ".join(one["word"] + ("!" if one["stops"] else "") for one in again.facts["met"])
    print(
        f"{name:8} {again.facts['calls']:8} {measured:9.3f} {max(whole) - min(whole):7.3f} "
        f"{span:8.3f} {replay_s:8.3f} {replay_s / measured - 1:+7.1%}  {met}"
    )
    shares = ", ".join(f"{word} {value:.3f}" for word, value in again.facts["shares"].items())
    print(f"         {shares}")
    return again, rounds, endings


def main() -> None:
    """Prints both tables."""
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as folder:
        files, library = Path(folder), cupti.find()
        (files / "cost").mkdir()
        paid = cost.measured(session.variables(files / "cost", library), files / "cost")
        here = Session(sys.argv[1], files, library, paid)
        print(
            f"tracing: {paid.call:.0f} ns a call, a launch {paid.launch:.0f} more, a copy "
            f"{paid.copy:.0f} more, once {paid.once:.3g}"
        )
        print("scene       calls  measured  spread   traced   replay     off  met")
        scenes = {name: scene(here, name, runs) for name in ROUNDS}
        rate = pinned_rate(scenes["streams"][0].graph)
        print(
            f"\nchange             rounds  measured  spread  predicted   off of it ({rate:.3g} B/s)"
        )
        for name, known in CHANGES.items():
            again, rounds, _ = scenes[name]
            base = seconds(again.graph, again.links)
            for change, apply in known.items():
                others = [here.plain(name, str(ROUNDS[name]), change)[1] for _ in range(runs)]
                measured = median(others) - median(rounds)
                spread = max(others) - min(others) + max(rounds) - min(rounds)
                graph = apply(again.graph, rate)
                predicted = seconds(graph, link(graph)) - base
                print(
                    f"{name:8} {change:8} {median(rounds):8.4f} {measured:+9.4f} {spread:7.4f} "
                    f"{predicted:+10.4f} {(predicted - measured) / (abs(measured) or 1):+8.1%}"
                )


if __name__ == "__main__":
    main()
