"""Case triad: from how much arithmetic on the kind of memory no longer matters."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from watari.case.sentence import Sentence
from watari.results import statistics
from watari.results.measured import Measured

ALIKE = 1.05  # times as long: no reason to choose
DOUBLES = 3 * 8  # bytes of an element


def elements_per_second(m: Measured) -> float:
    """The median over trials."""
    seconds = median(median(statistics.seconds(trial)) for trial in m.trials)
    return m.bytes_per_sample / DOUBLES / seconds


def answer(cases: Sequence[Measured]) -> list[Sentence]:
    """Compares the memories of the processor and size with most cases, at each amount of work."""
    found = [m for m in cases if m.case == "triad" and m.drawn]
    by_place: dict[tuple[str, int], list[Measured]] = {}
    for m in found:
        by_place.setdefault((m["processor"], m["size"]), []).append(m)
    same = max(by_place.values(), key=len, default=[])
    rates: dict[int, dict[str, float]] = {}
    for m in same:
        rates.setdefault(m["work"], {})[m["memory"]] = elements_per_second(m)
    compared = {work: each for work, each in sorted(rates.items()) if len(each) > 1}
    if not compared:
        return []
    alike = [w for w, each in compared.items() if max(each.values()) < ALIKE * min(each.values())]
    work, fastest = next(iter(compared.items()))
    best = max(fastest, key=lambda memory: fastest[memory])
    text = f"{best} memory: {fastest[best] / 1e9:.3g} G elements/s at {work} products an element."
    then = f"From {alike[0]} products on all kinds are alike." if alike else ""
    return [Sentence("Arithmetic and memory", text, f"{fastest[best] / 1e9:.3g} G/s", "", then)]
