"""The file of a graph."""

from __future__ import annotations

import json
import zipfile

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


def test_another_schema_is_refused(graph, tmp_path) -> None:
    path = tmp_path / "trace.graph"
    files.write(graph, path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    rest = json.loads(parts["graph.json"])
    parts["graph.json"] = json.dumps({**rest, "schema": "watari-graph-9"}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(FileError, match="watari-graph-9"):
        files.read(path)
