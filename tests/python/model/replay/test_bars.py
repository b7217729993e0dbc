"""The figure of an answer: bars of shares, and what is left of them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from watari.case.sentence import Cost
from watari.model.replay.advice import Answer, Left
from watari.model.replay.answer import bars

SHARES = {
    "CPU alone": 0.1,
    "kernels": 0.5,
    "copies that nothing hides": 0.3,
    "waits and launches": 0.08,
    "allocation": 0.0,
    "start of CUDA": 0.02,
}
AFTER = {**SHARES, "copies that nothing hides": 0.1}
LEFT = Left(Cost(0.8, 0.7, 0.9), AFTER, ("stage", "keep"))
FOUND = Answer("a.out <1000>\x1b[2J", 1.0, 1.0, SHARES, left=LEFT)
NAMED = {colour: name for name, colour in bars.COLOURS.items()}


def widths(found: Answer) -> list[tuple[str, float]]:
    """Share and width of each rectangle of the bars."""
    root = ElementTree.fromstring(bars.inline(found))
    rows = root.iter("{http://www.w3.org/2000/svg}rect")
    return [(NAMED[one.attrib["fill"]], float(one.attrib["width"])) for one in rows]


def test_a_bar_has_the_shares_and_the_one_below_what_is_left() -> None:
    found = widths(FOUND)
    first, second = found[:5], found[5:]
    scale = sum(width for _, width in first)
    assert {name: width / scale for name, width in first} == pytest.approx(
        {name: value for name, value in SHARES.items() if value}, abs=1e-3
    )
    assert {name: width / scale for name, width in second} == pytest.approx(
        {name: value for name, value in AFTER.items() if value}, abs=1e-3
    )


def test_without_changes_there_is_one_bar() -> None:
    assert len(widths(replace(FOUND, left=None))) == 5


def test_nothing_lies_outside_of_the_figure() -> None:
    late = replace(FOUND, left=replace(LEFT, seconds=Cost(0.8, 0.7, 3.0)))
    root = ElementTree.fromstring(bars.alone(late))
    for one in root.iter("{http://www.w3.org/2000/svg}rect"):
        right = float(one.attrib.get("x", 0)) + float(one.attrib["width"])
        assert right <= bars.WIDTH
        assert float(one.attrib.get("y", 0)) < float(root.attrib["height"])


def test_a_title_is_text_and_nothing_else() -> None:
    figure = bars.alone(FOUND)
    assert "a.out &lt;1000&gt;\\x1b[2J" in figure
    assert "\x1b" not in figure
    ElementTree.fromstring(figure)


@pytest.mark.parametrize(
    ("suffix", "begins"), [("svg", b"<svg"), ("PDF", b"%PDF"), ("png", b"\x89PNG")]
)
def test_the_suffix_is_the_format(tmp_path: Path, suffix: str, begins: bytes) -> None:
    if suffix != "svg":
        pytest.importorskip("vl_convert")
    output = tmp_path / f"figure.{suffix}"
    bars.write(FOUND, output)
    assert output.read_bytes().startswith(begins)
