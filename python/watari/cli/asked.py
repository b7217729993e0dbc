"""The plan that the words of `watari run` ask for."""

from __future__ import annotations

from typing import Any

from watari import cases
from watari.case.axis import Machine, nearest
from watari.cli.app import commands_by_name
from watari.common.errors import UsageError
from watari.plan.request import resolve


def given(words: list[str]) -> tuple[str, dict[str, str]]:
    """The case and its axes, of `copy from=pinned size=1GiB,4GiB`. Raises UsageError."""
    name, *rest = words
    if name in commands_by_name() and name not in cases.CASES:
        raise UsageError(f"'{name}' is a command, not a case: watari {name} --help")
    if "=" in name:
        raise UsageError(f"'{name}': a case comes first: {', '.join(cases.CASES.names())}")
    axes: dict[str, str] = {}
    for word in rest:
        axis, equals, value = word.partition("=")
        if not axis:
            raise UsageError(f"'{word}' is not axis=value")
        if not equals:
            case = cases.find(name)
            hint = f"; write {word}=VALUE" if word in case.axes else nearest(word, case.axes)
            if case.also.get(word):
                hint = f"; write {case.also[word]}"
            raise UsageError(f"'{word}' is not axis=value{hint}")
        if axis in axes:
            raise UsageError(f"{axis} is given twice; write {axis}={axes[axis]},{value} for both")
        axes[axis] = value
    return name, axes


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
    if name:
        return read(find(name), machine)
    return Plan("standard", tuple(standard(machine)), "cases that every machine can measure")
