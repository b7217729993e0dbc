"""The tables of touches in docs/evidence/les.md are those of their result files."""

from __future__ import annotations

import runpy
from pathlib import Path

from watari.cases.les import forecast
from watari.cases.les.words import milliseconds
from watari.results.measured import measurements
from watari.results.schema import read

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "evidence" / "les.md").read_text()
TABLES = runpy.run_path(str(ROOT / "scripts" / "les_tables.py"))
RUN, SECOND, ASLEEP, BUSY = (
    measurements([read(ROOT / "results" / "nvidia-h200-x86_64" / f"{name}.json")])
    for name in (
        "20261125-les-touches-later-1",
        "20261125-les-touches-later-2",
        "20261124-les-touches",
        "20261124-les-touches-busy",
    )
)


def table(first: str) -> list[list[str]]:
    """The table of the page whose first column has this head."""
    (found,) = (
        block
        for block in PAGE.split("\n\n")
        if block.splitlines() and block.splitlines()[0].startswith(f"| {first} |")
    )
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in found.splitlines()]
    return [lines[0], *lines[2:]]


def test_touches_and_the_n_from_which_each_is_free() -> None:
    assert table("touch") == TABLES["touches"](RUN)


def test_touches_beside_their_predictions() -> None:
    assert table("Touch") == TABLES["predictions"](RUN)


def test_touches_of_the_second_run() -> None:
    """The rate and the milliseconds of each touch, and the ratio to its prediction."""
    both = zip(TABLES["touches"](SECOND)[1:], TABLES["predictions"](SECOND)[1:], strict=True)
    assert table("touch, second run")[1:] == [[*seen[:3], row[-1]] for seen, row in both]


def test_threads_that_wait_busily_and_those_that_sleep() -> None:
    rows = []
    for busy in TABLES["touched"](BUSY):
        (asleep,) = (m for m in TABLES["touched"](ASLEEP) if m.parameters == busy.parameters)
        for threads, m in (("busily", busy), ("asleep", asleep)):
            of = forecast.measured(m)
            parts = (of.gather, of.cpu, of.after, of.whole)
            rows.append([f"{m['cpu-touch']}, {threads}", *map(milliseconds, parts)])
    assert len(rows) == 4
    assert table("managed, threads wait")[1:] == rows
