"""Whether several ranks computed what one rank did: a line for each work that ran on several.

python3 scripts/same_on_ranks.py FILE...

Two trials are of the same work if their cases differ in nothing but ranks, split, halo, overlap and
threads. Each quantity of EXACT that they have must be equal in every digit. The exit code is 1 if
one is not.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from watari.plan.request import Request, describe_all
from watari.results import schema

# of the field's bits, of the charges on a surface, and applications of a matrix
EXACT = ("fingerprint", "capacitance", "iterations")
OF_RANKS = ("ranks", "split", "halo", "overlap", "threads")

Values = dict[str, set[float]]


def lines(files: list[str]) -> tuple[list[str], bool]:
    """The lines, and whether all values are the same."""
    found: dict[str, Values] = defaultdict(lambda: defaultdict(set))
    counts: dict[str, set[int]] = defaultdict(set)
    requests: dict[str, Request] = {}
    for case in (case for file in files for case in schema.read(Path(file)).cases):
        work = {n: v for n, v in case.parameters.items() if n not in OF_RANKS}
        request = Request(case.case, work, 1)
        for trial in case.trials:
            exact = {n: q.value for n, q in trial.quantities.items() if n in EXACT}
            if trial.status != "ok" or not exact:
                continue
            requests[request.key] = request
            counts[request.key].add(trial.ranks)
            for name, value in exact.items():
                found[request.key][name].add(value)
    several = [key for key in found if len(counts[key]) > 1]
    text, same = [], True
    for key, name in zip(several, describe_all([requests[k] for k in several]), strict=True):
        ranks = ", ".join(map(str, sorted(counts[key])))
        apart = {n: sorted(v) for n, v in found[key].items() if len(v) > 1}
        same = same and not apart
        shown = "; ".join(f"{n} {' and '.join(f'{v:.17g}' for v in vs)}" for n, vs in apart.items())
        text.append(f"{name} on {ranks} ranks: {shown or 'the same ' + ', '.join(found[key])}")
    return text, same


def main(files: list[str]) -> int:
    text, same = lines(files)
    for line in text:
        print(line)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
