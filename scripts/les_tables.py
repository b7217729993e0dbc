"""The tables of touches in docs/evidence/les.md, from a result file.

python3 scripts/les_tables.py FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from watari.cases.les import forecast, model, words
from watari.cases.les.words import milliseconds
from watari.results.measured import Measured, measurements
from watari.results.schema import read

Rows = list[list[str]]  # the first one is the head


def touched(cases: Sequence[Measured]) -> list[Measured]:
    """The cases with touches that a step follows."""
    return [m for m in cases if m.case == "les" and forecast.forecast(m)]


def touches(cases: Sequence[Measured]) -> Rows:
    """Time of each touch, and the N from which it takes less than a tenth of the steps."""
    rows = [["touch", "million cells/s", "ms a touch", "a tenth of N steps from"]]
    for m in touched(cases):
        whole = forecast.measured(m).whole
        rate = f"{m.quantity('cells_per_s') / 1e6:.4g}"
        free = model.free_from(whole, model.step_seconds(m))
        rows.append([f"{m['style']}, {words.touch_name(m)}", rate, milliseconds(whole), str(free)])
    return rows


def predictions(cases: Sequence[Measured]) -> Rows:
    """Each touch beside its prediction, by part."""
    rows: Rows = []
    for made in words.forecasts(cases):  # none without rates
        names = [name for name in made.columns if name != "Grid"]
        rows += [names, *([row[name] for name in names] for row in made.rows)]
    return rows


def main(file: str) -> None:
    """Prints both tables in the form of the page."""
    cases = measurements([read(Path(file))])
    for rows in filter(None, (touches(cases), predictions(cases))):
        for cells in (rows[0], ["---"] * len(rows[0]), *rows[1:]):
            line = " | ".join(cells)
            print(f"|{'|'.join(cells)}|" if cells[0] == "---" else f"| {line} |")
        print()


if __name__ == "__main__":
    main(sys.argv[1])
