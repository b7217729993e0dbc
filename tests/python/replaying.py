"""The graph of a scene of tests/attach/programs/replayed.cpp, on the driver without a GPU."""

from __future__ import annotations

from dataclasses import dataclass

import emulator
import pytest
import tracing

from watari.attach.start import Start
from watari.attach.trace import runs
from watari.attach.trace.graph import host, met
from watari.model.replay.fit import fitted
from watari.model.replay.graph import Graph, Tracing
from watari.model.replay.link import Links

ROUNDS = 20
US = 1_000.0  # ns
TIMES = {"FAKE_CUDA_KERNEL_US": "100", "FAKE_CUDA_COPY_NS": "200"}


@dataclass
class Played:
    """The graph of a scene of replayed.cpp."""

    host: host.Host
    graph: Graph
    links: Links
    met: set[str]
    stops: bool


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Traces a scene."""
    library = emulator.cupti()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
    for name, value in TIMES.items():
        monkeypatch.setenv(name, value)

    def run(scene: str, change: str = "", paid: Tracing | None = None) -> Played:
        start = Start((tracing.program("replayed"), scene, str(ROUNDS), change))
        folder = runs.fresh(tmp_path, f"{scene}-{change}")
        ending, _, processes = runs.traced_run(start, folder, library)
        assert ending.code == 0
        process = runs.busiest(processes)
        begin = ending.begun * 1e9
        made = host.host(process, begin, begin + ending.seconds * 1e9, paid or Tracing())
        graph, links = fitted(made.graph)
        seen = met.all_of(made, process, len(processes))
        stops = any(one.stops for one in seen)
        return Played(made, graph, links, {one.word for one in seen}, stops)

    return run


def unexplained(played: Played) -> list[int]:
    """Operations that begin neither in their call nor at the end of what they follow."""
    rows, calls = played.graph.operations, played.graph.calls
    found = []
    engines: dict[int, float] = {}
    for one, row in enumerate(rows):
        before = played.links.follows[one]
        call = calls[row["call"]]
        in_call = call["start"] - US <= row["start"] <= call["end"] + US
        ends = [float(rows["end"][other]) for other in before]
        ends += [engines[int(row["engine"])]] if int(row["engine"]) in engines else []
        if not in_call and not any(abs(end - row["start"]) < US for end in ends):
            found.append(one)
        if any(end > row["start"] + US for end in ends[: len(before)]):
            found.append(one)  # it follows what ended later
        if int(row["engine"]) % 3:
            engines[int(row["engine"])] = float(row["end"])
    return found
