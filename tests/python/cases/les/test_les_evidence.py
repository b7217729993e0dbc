"""The tables of touches in docs/evidence/les.md are those of their result files."""

from __future__ import annotations

from pathlib import Path

from watari.cases.les import forecast, model, words
from watari.cases.les.words import milliseconds
from watari.results.measured import Measured, measurements
from watari.results.schema import read

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "evidence" / "les.md").read_text()
RESULTS = ROOT / "results" / "nvidia-h200-x86_64"
RUN, BUSY = (
    measurements([read(RESULTS / f"20261124-les-touches{which}.json")]) for which in ("", "-busy")
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


def touched(cases: list[Measured]) -> list[Measured]:
    return [m for m in cases if m.case == "les" and forecast.forecast(m)]


def test_touches_and_the_n_from_which_each_is_free() -> None:
    rows = []
    for m in touched(RUN):
        whole = forecast.measured(m).whole
        rate = f"{m.quantity('cells_per_s') / 1e6:.4g}"
        free = model.free_from(whole, model.step_seconds(m))
        name = f"{m['style']}, {words.touch_name(m)}"
        rows.append([name, rate, milliseconds(whole), str(free)])
    assert table("touch")[1:] == rows


def test_touches_beside_their_predictions() -> None:
    (made,) = words.forecasts(RUN)
    names = [name for name in made.columns if name != "Grid"]
    assert table("Touch") == [names, *([row[name] for name in names] for row in made.rows)]


def test_threads_that_wait_busily_and_those_that_sleep() -> None:
    rows = []
    for busy in touched(BUSY):
        (asleep,) = (m for m in touched(RUN) if m.parameters == busy.parameters)
        for threads, m in (("busily", busy), ("asleep", asleep)):
            of = forecast.measured(m)
            parts = (of.gather, of.cpu, of.after, of.whole)
            rows.append([f"{m['cpu-touch']}, {threads}", *map(milliseconds, parts)])
    assert len(rows) == 4
    assert table("managed, threads wait")[1:] == rows
