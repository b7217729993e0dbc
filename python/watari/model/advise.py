"""Advice on the style: ranked predictions, the step that decides, the pass from which another style
pays, and doubts.

Two styles are compared by the work that they do not share: a pass that both make cancels, and its
uncertainty with it. If the interval of the difference contains 0, the answer is "either".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from watari.case.sentence import NOTHING, Cost, Option, from_pass, pays_from
from watari.common.units import format_duration, format_times
from watari.model.machine import MachineProfile
from watari.model.predict import Prediction
from watari.model.price import Prices
from watari.model.work import Pass, Step, components

GAP = 0.05  # a smaller step between two times keeps styles in one group
GROUPS = 3
SAYS = {
    "transfer": "copies by the program",
    "fault": "page faults",
    "prefetch": "prefetches",
    "populate": "the first touch of pages",
    "pass": "passes in local memory",
    "read": "passes over the link",
    "write": "passes over the link",
    "allocate": "allocation",
    "release": "release",
}


@dataclass(frozen=True)
class Rank:
    """One style among others. `effort`: statements that manage memory, None where not counted."""

    prediction: Prediction
    effort: int | None = None

    @property
    def total(self) -> Cost:
        """Seconds of all its parts."""
        return self.prediction.total


@dataclass(frozen=True)
class Advice:
    """The ranked styles, and the verdict in words. `best`: one name, or several that are too close
    to separate."""

    ranked: tuple[Rank, ...]
    best: tuple[str, ...]
    verdict: str
    because: str = ""
    break_even: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def counted(one: Prediction) -> Counter[Step | Pass]:
    """How often each item of work is done."""
    found: Counter[Step | Pass] = Counter()
    for part in one.work:
        for item in part.work:
            found[item] += part.times  # type: ignore[assignment]
    return found


def difference(one: Prediction, other: Prediction, profile: MachineProfile) -> tuple[Cost, Cost]:
    """Seconds of the work that only the first does, and of the work that only the second does."""
    mine, theirs = counted(one), counted(other)
    prices = Prices(profile)
    costs = []
    for work, against in ((mine, theirs), (theirs, mine)):
        total = NOTHING
        for item, times in work.items():
            more = times - against[item]
            if more > 0:
                total = total + prices.work([item]).times(more)
        costs.append(total)
    return costs[0], costs[1]


def surely_faster(one: Prediction, other: Prediction, profile: MachineProfile) -> bool:
    """Whether the first is faster for all seconds within the intervals."""
    mine, theirs = difference(one, other, profile)
    return mine.high < theirs.low


def advise(
    predictions: Sequence[Prediction],
    profile: MachineProfile,
    effort: Mapping[str, int] | None = None,
) -> Advice:
    """The advice on styles of one program."""
    known = [p for p in predictions if not p.reason]
    refused = {p.style: p.reason for p in predictions if p.reason}
    ranked = sorted(known, key=lambda p: p.total.middle)
    if not ranked:
        return Advice((), (), "no style can be predicted", refused=refused)
    first, *rest = ranked
    close = [p for p in rest if not surely_faster(first, p, profile)]
    best = (first.style, *(p.style for p in close))
    seconds = first.total.within
    if not rest:
        verdict = f"{first.style}: {seconds}; no other style can be predicted"
    elif close:
        verdict = f"{in_groups([first, *close])}, too close to separate"
        fewest = min(best, key=lambda name: (effort or {}).get(name, 10**6))
        if effort and fewest in effort:
            verdict += f"; {fewest} needs the least code"
    else:
        factor = rest[0].total.middle / first.total.middle if first.total.middle else 1
        verdict = (
            f"{first.style}: {seconds}, {format_times(factor, 3)} times as fast as {rest[0].style}"
        )
    assumed = dict.fromkeys(text for p in ranked for text in p.assumed)
    without = dict.fromkeys(key for p in ranked for key in p.left_out)
    unsaid = [*assumed, *([f"not measured and omitted: {', '.join(without)}"] if without else [])]
    return Advice(
        tuple(Rank(p, (effort or {}).get(p.style)) for p in ranked),
        best,
        verdict,
        decides(first, rest, profile),
        tuple(break_evens(ranked)),
        tuple(unsaid),
        refused,
    )


def in_groups(alike: Sequence[Prediction]) -> str:
    """`either of explicit, pinned: 1 s (0.9 s to 1.2 s); or managed: 1.3 s (...)`: styles of nearly
    equal times together, the fastest first, cut at the widest gaps into GROUPS at most."""
    middles = [one.total.middle for one in alike]
    gaps = {
        i: later / earlier
        for i, (earlier, later) in enumerate(pairwise(middles), 1)
        if later > (1 + GAP) * earlier > 0
    }
    cuts = sorted(sorted(gaps, key=lambda i: -gaps[i])[: GROUPS - 1])
    parts = [alike[a:b] for a, b in zip([0, *cuts], [*cuts, len(alike)], strict=True)]
    said = (f"{', '.join(p.style for p in part)}: {joint(part).within}" for part in parts)
    return f"either of {'; or '.join(said)}"


def joint(alike: Sequence[Prediction]) -> Cost:
    """The cost of styles that belong together: the first one's, and the ends of all."""
    totals = [one.total for one in alike]
    return Cost(totals[0].middle, min(t.low for t in totals), max(t.high for t in totals))


def decides(first: Prediction, rest: Sequence[Prediction], profile: MachineProfile) -> str:
    """The kind of step by which the best style gains most over the next one, in words."""
    if not rest:
        return ""
    prices = Prices(profile)
    spent = []
    for one in (first, rest[0]):
        by_kind: dict[str, float] = {}
        for item, times in counted(one).items():
            seconds = prices.work([item]).middle * times
            keys = components([item])
            over = next((key for key in keys if key.endswith("link")), next(iter(keys), ""))
            word = SAYS.get(over.split(" ")[0], over)
            by_kind[word] = by_kind.get(word, 0) + seconds
        spent.append(by_kind)
    kinds = {*spent[0], *spent[1]}
    gain = {kind: spent[1].get(kind, 0) - spent[0].get(kind, 0) for kind in kinds}
    most = max(gain, key=lambda kind: (gain[kind], kind), default="")
    if not most or gain[most] <= 0:
        return ""
    own, other = (format_duration(each.get(most, 0)) for each in spent)
    if not spent[0].get(most):
        return f"{rest[0].style} spends {other} on {most}, {first.style} nothing"
    return f"{rest[0].style} spends {other} on {most}, {first.style} {own}"


def option(one: Prediction) -> Option | None:
    """The style as seconds once and seconds a pass; None where its passes are not alike."""
    steady = [part for part in one.work if part.name == "steady"]
    if len(steady) != 1 or any(part.name == "moving" for part in one.work):
        return None
    times = steady[0].times
    each = one.parts["steady"].times(1 / times)
    setup = NOTHING
    for name, cost in one.parts.items():
        setup = setup if name == "steady" else setup + cost
    # part `first` has the first of n passes: setup + (n - 1) each; negative where a first touch is
    # cheaper than a pass
    once = [s - e for s, e in zip(ends(setup), ends(each), strict=True)]
    return Option(one.style, Cost(once[0], min(once), max(once)), each, 1)


def ends(cost: Cost) -> tuple[float, float, float]:
    """Middle, low, high."""
    return cost.middle, cost.low, cost.high


def break_evens(ranked: Sequence[Prediction]) -> list[str]:
    """Sentences on the pass from which a style with dearer setup and cheaper passes pays, against
    the style that is fastest for one pass."""
    known = [o for o in map(option, ranked) if o]
    if len(known) < 2:
        return []
    start = min(known, key=lambda o: o.total(1).middle)
    moments: dict[str, list[str]] = {}
    for other in known:
        if other is not start and pays_from(start, other):
            moments.setdefault(from_pass(start, other), []).append(other.name)
    return [f"{start.name} is slower than {', '.join(by)} {when}" for when, by in moments.items()]
