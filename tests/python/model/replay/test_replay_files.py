"""The file of a graph."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from synthetic.replays import FIRST, SECOND, copy, follows, launch, recorded, traced, wait

from watari.common.errors import FileError
from watari.model.replay import files
from watari.model.replay.fit import fitted
from watari.model.replay.link import link
from watari.model.replay.simulate import replay


@pytest.fixture
def graph():
    calls = [launch(2e6, FIRST), recorded(FIRST), follows(SECOND), launch(3e6, SECOND), wait()]
    return traced(*calls, copy(1e6), wait())


def test_a_graph_is_the_same_after_it_was_written(graph, tmp_path) -> None:
    path = tmp_path / "trace.graph"
    files.write(graph, path)
    read = files.read(path)
    again, links = fitted(read)
    before, links_before = fitted(graph)
    assert read.streams == graph.streams
    assert np.allclose(again.calls["gap"], before.calls["gap"], atol=2)
    assert replay(again, links).total == pytest.approx(replay(before, links_before).total, abs=20)
    assert np.array_equal(links.follows.every, link(graph).follows.every)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK"])
def test_another_file_is_refused_by_its_name(content: bytes, tmp_path) -> None:
    path = tmp_path / "other.graph"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"other\.graph: no graph"):
        files.read(path)


def rewritten(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """Changes the parts of a graph file."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def of_rest(**values: object) -> Callable[[dict[str, bytes]], None]:
    """Other values in graph.json."""

    def change(parts: dict[str, bytes]) -> None:
        rest = json.loads(parts["graph.json"])
        parts["graph.json"] = json.dumps({**rest, **values}).encode()

    return change


def of_part(part: str, **values: object) -> Callable[[dict[str, bytes]], None]:
    """Other values in an object of graph.json, or in the first of its list."""

    def change(parts: dict[str, bytes]) -> None:
        rest = json.loads(parts["graph.json"])
        one = rest[part][0] if isinstance(rest[part], list) else rest[part]
        one.update(values)
        parts["graph.json"] = json.dumps(rest).encode()

    return change


def of_kind(name: str, kind: str) -> Callable[[dict[str, bytes]], None]:
    """A column of another kind."""

    def change(parts: dict[str, bytes]) -> None:
        buffer = io.BytesIO()
        np.save(buffer, np.load(io.BytesIO(parts[f"{name}.npy"])).astype(kind))
        parts[f"{name}.npy"] = buffer.getvalue()

    return change


def of_column(name: str, value: float) -> Callable[[dict[str, bytes]], None]:
    """Another value in the last row of a column."""

    def change(parts: dict[str, bytes]) -> None:
        column = np.load(io.BytesIO(parts[f"{name}.npy"]))
        column[-1] = value
        buffer = io.BytesIO()
        np.save(buffer, column)
        parts[f"{name}.npy"] = buffer.getvalue()

    return change


def test_another_schema_is_refused(graph, tmp_path) -> None:
    path = tmp_path / "trace.graph"
    files.write(graph, path)
    rewritten(path, of_rest(schema="watari-graph-9"))
    with pytest.raises(FileError, match="this version of Watari reads 'watari-graph-2'"):
        files.read(path)


@pytest.mark.parametrize(
    "change",
    [
        of_column("calls/before", 10**12),
        of_column("calls/before", -7),
        of_column("calls/before", 6),  # itself
        of_column("calls/function", 9),
        of_column("calls/site", 9),
        of_column("calls/wait", 9),
        of_column("operations/call", 10**9),
        of_column("operations/call", 0),  # not in order
        of_column("operations/stream", 99),
        of_column("operations/engine", 2**31 - 1),
        of_column("operations/bytes", float("nan")),
        of_rest(last=10**9),
        of_rest(joins=[{"call": 0, "other": 10**9, "lag": 0.0}]),
        of_rest(tail="long"),
        of_rest(streams=[]),
        of_rest(functions=None),
        of_rest(functions=[{}] * 9),
        of_rest(sites="abc"),
        of_rest(names={"x": "kernel"}),
        of_rest(names={"1": 5}),
        of_rest(more=1),
        of_rest(tail=1e300),
        of_part("streams", device=[1]),
        of_part("streams", device=2**70),
        of_part("streams", more=1),
        of_part("tracing", launch=2**70),
        of_part("tracing", behind=-1e308),
        of_part("tracing", slower=float("nan")),
        of_kind("operations/pair", "<f8"),
        of_kind("calls/wait", "<i8"),
        of_kind("operations/name", "<c16"),
        lambda parts: parts.update({"calls/more.npy": parts["calls/wait.npy"]}),
        lambda parts: parts.pop("calls/own.npy", parts.pop("calls/wait.npy")),
        lambda parts: parts.update({"calls/wait.npy": b"no array"}),
        lambda parts: parts.pop("graph.json"),
    ],
)
def test_numbers_that_lead_nowhere_are_refused(graph, tmp_path, change) -> None:
    path = tmp_path / "trace.graph"
    files.write(graph, path)
    rewritten(path, change)
    with pytest.raises(FileError, match=r"trace\.graph: no graph of a trace: "):
        files.read(path)


def test_a_small_file_of_large_columns_is_refused_before_they_are_read(
    graph, tmp_path, monkeypatch
):
    path = tmp_path / "trace.graph"
    files.write(graph, path)
    monkeypatch.setattr(files, "MOST", 1000)
    with pytest.raises(FileError, match="no graph of a trace: it has more than"):
        files.read(path)


def test_a_file_that_was_cut_off_is_refused_wherever_it_ends(graph, tmp_path) -> None:
    path = tmp_path / "trace.graph"
    digest = files.write(graph, path)
    whole = path.read_bytes()
    assert len(files.read(path, digest).calls) == len(graph.calls)
    for end in range(0, len(whole), max(len(whole) // 60, 1)):
        path.write_bytes(whole[:end])
        with pytest.raises(FileError, match="no graph"):
            files.read(path)
        with pytest.raises(FileError, match="another trace, or was cut off"):
            files.read(path, digest)
