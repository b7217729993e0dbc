"""Results of an earlier package beside this one's, measured in turn: rates, and equal values.

python3 scripts/gpu/alternated.py FOLDER    # alternated-earlier-1.json, alternated-now-1.json ...
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import StatisticsError, median

from watari.cli.summary import numbers
from watari.plan.request import Request, describe_all
from watari.results import schema

# What a trial computed: equal bits, if both packages compute alike.
COMPUTED = ("gosa", "fingerprint", "norm2", "iterations", "checksum", "products", "capacitance")


def ratio(turns: dict[str, list[str]]) -> str:
    """The median of this package over the earlier one's, of texts such as "13.2 GB/s"."""
    try:
        earlier, now = (
            median(float(text.split()[0]) for text in turns[turn]) for turn in ("earlier", "now")
        )
    except (ValueError, IndexError, StatisticsError):
        return ""
    return f"now/earlier {now / earlier:.4f}" if earlier else ""


def main(folder: Path) -> int:
    cells: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("alternated-*-?.json")):
        turn = "earlier" if "earlier" in path.name else "now"
        measured = schema.read(path)
        requests = [Request(c.case, c.parameters, c.trials_planned) for c in measured.cases]
        for case, name, columns in zip(
            measured.cases, describe_all(requests), numbers(measured), strict=True
        ):
            if case.status != "ok":
                cells[f"{name}: status"][turn].append(case.status)
                continue
            for title, text in columns.items():
                cells[f"{name}: {title}"][turn].append(text)
            for quantity in COMPUTED:
                if quantity in case.trials[-1].quantities:
                    value = case.trials[-1].quantities[quantity].value
                    cells[f"{name}: {quantity}"][turn].append(f"{value:.17g}")
    for name, turns in cells.items():
        shown = "  ".join(f"{turn} {' | '.join(turns[turn])}" for turn in ("earlier", "now"))
        print(f"{name}: {shown}  {ratio(turns)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
