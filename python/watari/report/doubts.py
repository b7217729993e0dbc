"""Doubts about the numbers of a run, each with the cases that it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from watari import cases
from watari.cases.notes import notes
from watari.results.measured import Measured

WIDE = 0.10  # spread between trials
SIDES = ("HM Read", "DM Read", "HM Write", "DM Write")
SIDES_MEANT = "HM: host memory, DM: device memory"


@dataclass(frozen=True)
class Doubt:
    """One kind of doubt. `serious`: a number may be wrong, not only unsure."""

    title: str
    text: str
    cases: list[str]
    serious: bool = False


def named(m: Measured) -> str:
    """A case in words, with its size."""
    extent = cases.presentation(m.case).extent(m.parameters)
    return f"{m.case}: {cases.words(m.case, m.parameters)}" + (f", {extent}" if extent else "")


def explained(doubts: Sequence[Doubt]) -> list[Doubt]:
    """Explains HM and DM in the first case that has them in its words."""
    for doubt in doubts:
        for i, text in enumerate(doubt.cases):
            if any(side in text for side in SIDES):
                doubt.cases[i] = f"{text} ({SIDES_MEANT})"
                return list(doubts)
    return list(doubts)


def count(number: int, what: str = "case") -> str:
    """`1 case`, `3 cases`."""
    return f"{number} {what}{'s' if number != 1 else ''}"


def doubts(
    mine: Sequence[Measured], unreached: int = 0, hosts: Sequence[tuple[str, str]] = ()
) -> list[Doubt]:
    """Doubts about the cases of one run, the most serious first. `unreached` trials were planned
    and did not run; `hosts` differ from the first host (hosts.apart)."""
    ran = [m for m in mine if m.drawn]
    bad = [m for m in mine if m.status in ("wrong", "failed")]
    flagged = [m for m in ran if m.flagged]
    wide = sorted(
        (m for m in ran if m.summary.spread > WIDE), key=lambda m: m.summary.spread, reverse=True
    )
    single = [m for m in ran if len(m.trials) == 1]
    fewer = [m for m in ran if len(m.trials) < m.planned]
    crowded = [m for m in ran if any("threads on" in text for text in notes(m))]
    found = [
        Doubt(
            "Wrong or failed",
            f"{count(len(bad))} without a valid number.",
            [f"{named(m)}: {m.status}, {m.reason}" for m in bad],
            True,
        ),
        Doubt(
            "Above a limit",
            f"{count(len(flagged))} faster than link or memory allows: do not use these numbers.",
            [f"{named(m)}: {', '.join(m.flags)}" for m in flagged],
            True,
        ),
        Doubt(
            "Threads share cores",
            f"{count(len(crowded))} with more threads than cores.",
            [f"{named(m)}: {m['threads']} threads" for m in crowded],
            True,
        ),
        Doubt(
            "Hosts differ",
            f"{count(len(hosts))} unlike the first: the slowest host limits all ranks.",
            [f"{name}: {text}" for name, text in hosts],
            True,
        ),
        Doubt(
            "Wide spread",
            f"{count(len(wide))} whose trials differ by more than {WIDE:.0%} of their median.",
            [f"{named(m)}: {m.summary.spread:.0%}" for m in wide],
        ),
        Doubt(
            "Single trials",
            f"{count(len(single))} measured once: the spread from run to run is not known.",
            [named(m) for m in single],
        ),
        Doubt(
            "Fewer trials than planned",
            f"{count(len(fewer))}; {count(unreached, 'trial')} not reached.",
            [f"{named(m)}: {len(m.trials)} of {m.planned}" for m in fewer],
        ),
    ]
    kept = [d for d in found if d.cases or (unreached and d.title.startswith("Fewer"))]
    return explained(kept)
