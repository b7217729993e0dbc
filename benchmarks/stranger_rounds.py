"""Which styles and changes of a program run once more, until noise does not decide.

    a style    within NEAR of the fastest one: until it is told apart from the fastest and from the
               program as it is (stranger_noise.py), or the difference is known within ALIKE
    a change   until its saving is known within half of what a prediction may be off
               (stranger_changes.py)

The program as it is runs in each round, so rows alternate. Nothing else runs more than MOST times.
The first pass over all styles is a round too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

import stranger_changes
import stranger_pairs
from stranger_noise import DISTINCT, error, told_apart

from watari.attach.styles import AS_IS

MOST = 7  # runs of each
NEAR = DISTINCT  # of the fastest: what is slower cannot be the best
ALIKE = 0.01  # of the run
Runs = Mapping[str, Sequence[float]]


def settled(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether these two need no more runs."""
    return told_apart(one, other) or error(one, other) <= ALIKE * median(other)


def styles(runs: Runs) -> Iterator[str]:
    """The styles that run once more. `runs`: seconds of the styles that worked, and as it is."""
    fastest = min(runs, key=lambda name: median(runs[name]))
    for name, own in runs.items():
        near = median(own) <= (1 + NEAR) * median(runs[fastest])
        against = {fastest, AS_IS} - {name}
        if near and not all(settled(own, runs[other]) for other in against):
            yield from {name, fastest}


def changes(steady: Sequence[float], whole: Sequence[float], runs: Runs) -> Iterator[str]:
    """The changes that run once more. `steady`, `whole`: runs as it is, with the typical start of
    CUDA and with their own."""
    for name, own in runs.items():
        as_is = whole if stranger_pairs.is_whole(name) else steady
        run = median(as_is)
        saved = run - median(own)
        if error(as_is, own) > stranger_changes.allowed(saved, run) / 2:
            yield name


def unsettled(
    of_styles: Runs, of_changes: Runs, most: int, whole: Sequence[float] = ()
) -> list[str]:
    """What runs in the next round, in turn; nothing where noise does not decide, or all have run
    so often. `of_styles` has the program as it is; `whole`: its runs with their own start."""
    as_is = of_styles[AS_IS]
    found = {*styles(of_styles), *changes(as_is, whole or as_is, of_changes)}
    known = {**of_styles, **of_changes}
    again = [name for name in known if name in found - {AS_IS} and len(known[name]) < most]
    return [AS_IS, *again] if again else []
