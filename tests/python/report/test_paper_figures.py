"""Figures for a paper: their formats, whole or not at all, hostile text, failures in one line."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic

from watari.charts import file as charts_file
from watari.charts.figure import draw
from watari.common.errors import FileError, WatariError
from watari.report import figures, page
from watari.results import schema
from watari.results.measured import measurements


def on_a_cpu(folder: Path) -> Path:
    """A result file of a machine without a GPU."""
    path = folder / "cpu.json"
    schema.write(path, synthetic.results(synthetic.cpu_machine()))
    return path


@pytest.mark.parametrize(
    ("format", "start"), [("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")]
)
def test_writes_figures_for_a_paper(format: str, start: bytes, tmp_path: Path) -> None:
    path = on_a_cpu(tmp_path)
    page.write_drawn([path], tmp_path / "figures", format)
    made = sorted(p.name for p in (tmp_path / "figures").iterdir())
    assert f"published.{format}" in made
    assert f"sizes.{format}" in made
    assert all((tmp_path / "figures" / name).read_bytes().startswith(start) for name in made)


def test_a_figure_that_a_full_disk_cuts_short_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = on_a_cpu(tmp_path)
    old = tmp_path / "figures" / "paths.svg"
    old.parent.mkdir()
    old.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left on device"):
        page.write_drawn([path], tmp_path / "figures", "svg")
    assert [(file.name, file.read_text()) for file in old.parent.iterdir()] == [(old.name, "old")]


def test_a_figure_for_a_paper_is_on_white() -> None:
    cpu = measurements([synthetic.results(synthetic.cpu_machine())])
    drawing = draw(figures.figures(), cpu)[0]
    assert b'fill="white"' in charts_file.converted([drawing.spec()], "svg")[0]


@pytest.mark.parametrize("format", ["svg", "pdf", "png"])
def test_a_figure_without_addresses_is_a_failure_in_one_line(tmp_path: Path, format: str) -> None:
    schema.write(tmp_path / "run.json", synthetic.results(synthetic.cpu_machine(), trials=1))
    command = f"ulimit -v 4000000; exec {sys.executable} -m watari report run.json"
    ended = subprocess.run(
        ["bash", "-c", f"{command} --format {format} -o figures"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "ulimit -v (RLIMIT_AS) allows 3906 MiB" in ended.stderr
    assert list((tmp_path / "figures").iterdir()) == []


@pytest.mark.parametrize("format", ["svg", pytest.param("png", marks=pytest.mark.slow)])
def test_a_figure_shows_hostile_text(tmp_path: Path, format: str) -> None:
    content = synthetic.plain(trials=2)
    content["machine"]["name"] = "a\x1b[2J\u202e<b>&\nx\x00"
    (tmp_path / "run.json").write_text(json.dumps(content))
    page.write_drawn([tmp_path / "run.json"], tmp_path / "figures", format)
    made = list((tmp_path / "figures").iterdir())
    assert made
    if format == "svg":
        for path in made:
            ElementTree.parse(path)
        assert any("\\x1b[2J" in path.read_text() for path in made)


def test_a_figure_that_cannot_be_converted_is_a_failure_in_one_line() -> None:
    with pytest.raises(WatariError, match="figures cannot be drawn: ") as failed:
        charts_file.converted([{"mark": "nonsense", "data": 1}], "svg")
    assert "\n" not in str(failed.value)
