"""Notes in a row of a table beside a case's words: axes that the words do not show, and doubts.

A row names an axis that is not at its default, and a swept axis if the words alone would give two
equal rows. An axis of HOW_OFTEN is named only if swept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from watari.case import limits, ranks
from watari.case.axis import Parameters, as_text
from watari.case.profile import STORE
from watari.cases import CASES, presentation, words
from watari.machine.usable import usable_cores
from watari.results.measured import Measured

Text = Callable[[str, Parameters], str]
HOW_OFTEN = ("samples", "requests", "iterations", "folder")
IN_CACHE = "within cache"


def limit(m: Measured) -> float | None:
    """The limit of the path, GB/s, in the case's own count of bytes; None if not known."""
    if m.case not in CASES or not m["size"]:
        return None
    bound = limits.limit(CASES[m.case].profile(m.parameters), m.machine)
    return bound / 1e9 if bound else None


def whole(name: str, parameters: Parameters) -> str:
    """A case with its size."""
    return f"{words(name, parameters)}, {presentation(name).extent(parameters)}"


def unusual(m: Measured, text: Text) -> dict[str, str]:
    """Axes that are not at their defaults and that the text does not show."""
    if m.case not in CASES:
        return {}
    case, hidden = CASES[m.case], {}
    silent = {name for name, label in case.labels(m.parameters).items() if not label}
    for name, axis in case.axes.items():
        value = m[name]
        if value is None or name in HOW_OFTEN or name in silent:
            continue
        usual = axis.default(m.machine, m.parameters)
        changed = {**m.parameters, name: usual}
        if value != usual and text(m.case, changed) == text(m.case, m.parameters):
            hidden[name] = as_text(value)
    return hidden


def swept(same: Sequence[Measured]) -> list[str]:
    """Axes in which cases with the same text differ."""
    names = dict.fromkeys(name for m in same for name in m.parameters)
    return [name for name in names if len({as_text(m[name]) for m in same}) > 1]


def extras(cases: Sequence[Measured], text: Text = whole) -> list[str]:
    """For each case the axes that its text must show but does not: `threads=1, thp=always`."""
    alike: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    for m in cases:
        alike[m.run, m.case, text(m.case, m.parameters)].append(m)
    differing = {key: swept(same) for key, same in alike.items()}
    rows = []
    for m in cases:
        shown = unusual(m, text)
        names = differing[m.run, m.case, text(m.case, m.parameters)]
        shown |= {name: as_text(m[name]) for name in names}
        rows.append(", ".join(f"{name}={value}" for name, value in shown.items()))
    return rows


def within_cache(m: Measured) -> bool:
    """Whether the arrays fit the last cache of the one processor that uses them."""
    if m.case not in CASES:
        return False
    profile = CASES[m.case].profile(m.parameters)
    own = limits.identifier(str(m["processor"] or "gpu"))
    transfers = [t for phase in profile.phases for t in phase.transfers]
    ends = {end for t in transfers for end in (t.source, t.target) if end}
    if STORE in ends or {limits.identifier(end) for end in ends} != {own}:
        return False
    arrays = max(len(phase.accesses) for phase in profile.phases) or 1
    held = arrays * int(m["size"]) if m["size"] else profile.memory
    return held <= limits.cache_bytes(m.machine, own)


def notes(m: Measured) -> list[str]:
    """Doubts that a row carries: sizes within a cache, more threads than cores."""
    cores = usable_cores(m.machine)
    together = ranks.ranks_beside(m.machine, {"ranks": m.ranks})
    threads = m["threads"] * together if isinstance(m["threads"], int) else 0
    crowded = threads > cores and bool(m.trials)
    return [
        *([IN_CACHE] if m.trials and within_cache(m) else []),
        *([f"{threads} threads on {cores} cores"] if crowded else []),
    ]
