"""The plan that the words of `watari run` ask for."""

from __future__ import annotations

import re
from typing import Any

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import Machine, nearest
from watari.case.case import Case
from watari.cli import guesses
from watari.cli.app import modules
from watari.common.errors import UsageError
from watari.plan.plan import stored
from watari.plan.request import resolve


def given(words: list[str]) -> tuple[str, dict[str, str]]:
    """The case and its axes, of `copy from=pinned size=1GiB,4GiB`. Raises UsageError."""
    name, *rest = words
    if name in modules() and name not in cases.CASES:
        raise UsageError(f"'{name}' is a command, not a case: watari {name} --help")
    if name not in cases.CASES and (here := guesses.of_run(words, stored())):
        raise UsageError(here)
    if "=" in name:
        raise UsageError(f"'{name}': a case comes first: {', '.join(cases.CASES.names())}")
    axes: dict[str, str] = {}
    for word in rest:
        axis, equals, value = word.partition("=")
        if not axis:
            raise UsageError(f"'{word}' is not axis=value")
        if not equals:
            raise UsageError(f"'{word}' is not axis=value{without_equals(cases.find(name), word)}")
        if axis in axes:
            raise UsageError(f"{axis} is given twice; write {axis}={axes[axis]},{value} for both")
        axes[axis] = value
    return name, axes


def without_equals(case: Case, word: str) -> str:
    """Advice on a word without `=` after a case: an axis, a value of one, another case."""
    if case.also.get(word):
        return f"; write {case.also[word]}"
    if word in (TRIALS.name, *case.axes):
        return f"; write {word}=VALUE"
    takes = [name for name, axis in case.axes.items() if word in axis.choices]
    if takes:
        return f"; write {' or '.join(f'{name}={word}' for name in takes)}"
    if word in cases.CASES:
        return f": a run has one case, or those of a plan; then watari run {word}"
    if "/" in word and "folder" in case.axes:
        return f"; write folder={word}"
    ends = dict(zip(("from", "to"), re.split("-?>|=>|:", word), strict=False))
    if len(ends) == 2 and all(n in case.axes and ends[n] in case.axes[n].choices for n in ends):
        return f"; write from={ends['from']} to={ends['to']}"
    return nearest(word, case.axes) or f"; its axes: watari run {case.name} --help"


def planned(words: list[str], name: str | None, machine: Machine, brief: bool = False) -> Any:
    """The plan for these words, for the name of a plan, or the standard one; `brief`: a first look.
    Raises UsageError."""
    from watari.plan.plan import quick

    if brief and (set_by_user := {"trials=", "samples="} & {w[: w.find("=") + 1] for w in words}):
        raise UsageError(f"--quick sets trials and samples: leave out {sorted(set_by_user)[0]}")
    plan = asked_for(words, name, machine)
    return quick(plan) if brief else plan


def asked_for(words: list[str], name: str | None, machine: Machine) -> Any:
    """The plan in full length. Raises UsageError."""
    from watari.plan.plan import Plan, find, read, standard

    if words and name:
        raise UsageError("give a case or --plan, not both")
    if words:
        case, axes = given(words)
        requests = resolve(case, axes, machine)
        return Plan(f"{case} from the command line", tuple(requests))
    if name in guesses.PLANS and name not in stored():
        raise UsageError(f"'{name}' is not a plan; here it is: {guesses.PLANS[name]}")
    if name:
        return read(find(name), machine)
    return Plan("standard", tuple(standard(machine)), "cases that every machine can measure")
