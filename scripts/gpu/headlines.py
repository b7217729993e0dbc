"""Result files in short: a line a case, for the end of a log.

python3 scripts/gpu/headlines.py FILE...
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

from watari.cli.summary import numbers
from watari.plan.request import Request, describe_all
from watari.results import schema
from watari.results.trial import Trial

QUANTITIES = ("hop_bytes_per_s", "build_s", "products", "solve_s", "read_s", "outside_loop")
SERIES = ("cpu_s", "move_s", "gather_s")  # of the samples that have one


def details(trial: Trial) -> str:
    """The numbers of a trial beside its rate."""
    shown = {name: trial.quantities[name].value for name in QUANTITIES if name in trial.quantities}
    for name in SERIES:
        if touched := [value for value in trial.series.get(name, []) if value]:
            shown[name] = fmean(touched)
    return "".join(f", {name} {value:.4g}" for name, value in shown.items())


def lines(measured: schema.Results) -> list[str]:
    """The numbers of each case, or the reason why it has none; without unsupported cases."""
    requests = [Request(c.case, c.parameters, c.trials_planned) for c in measured.cases]
    text = []
    for case, name, columns in zip(
        measured.cases, describe_all(requests), numbers(measured), strict=True
    ):
        shown = ", ".join(f"{title} {value}" for title, value in columns.items() if value)
        if case.status == "ok":
            text.append(f"{name} x{len(case.trials)}: {shown}{details(case.trials[-1])}")
        elif case.status != "unsupported":
            text.append(f"{name}: {case.status}: {(case.reason or '')[:80]}")
    return text


def main(files: list[str]) -> None:
    for file in files:
        measured = schema.read(file)
        count = Counter(case.status for case in measured.cases)
        kinds = ", ".join(f"{n} {status}" for status, n in count.items())
        missing = sum(case.trials for case in measured.missing)
        revision = (measured.program.revision or "no revision")[:9]
        print(f"== {Path(file).name} at {revision}: {kinds}; {missing} trials missing")
        for text in lines(measured):
            print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
