"""A request: a case with every axis filled in, from the values that a user gave.

Case and parameters are the key by which two runs are compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from watari.case.axes import TRIALS
from watari.case.axis import AUTO, Machine, Parameters, Value, as_text, parse_range, unknown
from watari.case.case import Case
from watari.cases import CASES, find
from watari.common.errors import UsageError
from watari.common.units import exact_size
from watari.results.key import key

EARLIER: ContextVar[tuple[Request, ...]] = ContextVar("EARLIER", default=())
LENGTHS = {"size", "block", "fast-memory", "stride", "page"}  # axes that are bytes


@dataclass(frozen=True)
class Request:
    """One case with every axis resolved, and how many trials of it are wanted."""

    case: str
    parameters: Parameters
    trials: int

    @property
    def key(self) -> str:
        """Canonical text of case and parameters: the key that resume and compare match."""
        return key(self.case, self.parameters)


def values(case: Case, name: str, given: Value, typed: str = "") -> list[Value]:
    """The parsed values of one axis: a sweep has several. Raises UsageError, about the axis that
    was typed."""
    known = {"trials": TRIALS, **case.axes}
    if name not in known:
        both = ("memory",) if sets_both(case) else ()
        raise unknown(f"axis of {case.name}", name, [*known, *both])
    listed = given if isinstance(given, list) else as_text(given).split(",")
    texts = [as_text(value).strip() for value in listed]
    try:
        if not texts or "" in texts:
            raise UsageError("no value given")
        each = [parse_range(known[name].parse, text) for text in texts]
    except UsageError as error:
        raise UsageError(f"{case.name}: {typed or name}: {error}") from None
    return list(dict.fromkeys(value for values in each for value in values))


def sets_both(case: Case) -> bool:
    """Whether `memory` stands for `from` and `to`."""
    return {"from", "to"} <= case.axes.keys()


def resolve(name: str, given: dict[str, Value], machine: Machine) -> list[Request]:
    """Every combination of the given values, with the other axes at this machine's defaults.

    `memory=X` of a case that has `from` and `to` sets both. Raises UsageError, also for values that
    the other values exclude, and where no combination makes sense. A senseless one among several
    stays: the run reports why.
    """
    case, given = find(name), dict(given)
    if sets_both(case) and "memory" in given:
        return unique(
            request
            for ends in each_memory(case, given)
            for request in resolve(name, {**given, **ends}, machine)
        )
    given_trials = values(case, "trials", given.pop("trials", TRIALS.default(machine, {})))
    if len(given_trials) > 1:
        raise UsageError(f"{name}: trials takes one number and cannot be swept")
    chosen = {axis_name: values(case, axis_name, value) for axis_name, value in given.items()}
    requests = []
    for combination in itertools.product(*chosen.values()):
        fixed = case.settle(worked_out(case, dict(zip(chosen, combination, strict=True)), chosen))
        parameters: Parameters = {}
        for axis_name, a in case.axes.items():
            parameters[axis_name] = (
                fixed[axis_name] if axis_name in fixed else a.default(machine, parameters)
            )
        requests.append(Request(name, parameters, given_trials[0]))
    if all(no_sense(request) for request in requests):
        case.require_sense(requests[0].parameters)
    require_taken(name, chosen, requests)
    return unique(requests)


def worked_out(
    case: Case, combination: dict[str, Value], chosen: dict[str, list[Value]]
) -> dict[str, Value]:
    """The values with those that stand for others worked out, also in `chosen`: as a run that is
    resumed had them, else by the rule of their axis. Raises UsageError."""
    result = dict(combination)
    for name, value in combination.items():
        rule = case.axes[name].rule
        if rule is None or not as_text(value).startswith(AUTO):
            continue
        others = {other: v for other, v in combination.items() if other != name}
        before = [
            request.parameters[name]
            for request in EARLIER.get()
            if request.case == case.name and others.items() <= request.parameters.items()
        ]
        result[name] = before[0] if before else rule(value, combination)
        chosen[name].append(result[name])
    return result


@contextmanager
def earlier_values(requests: Sequence[Request]) -> Iterator[None]:
    """Within it, values that stand for others are those of these requests."""
    token = EARLIER.set(tuple(requests))
    try:
        yield
    finally:
        EARLIER.reset(token)


def unique(requests: Iterable[Request]) -> list[Request]:
    """Each request once, in order."""
    return list({request.key: request for request in requests}.values())


def each_memory(case: Case, given: dict[str, Value]) -> list[dict[str, Value]]:
    """Removes `memory=X`, and returns the axes that it stands for. Raises UsageError beside `from`
    or `to`."""
    both = given.pop("memory")
    ends = sorted({"from", "to"} & given.keys())
    if ends:
        raise UsageError(
            f"{case.name}: memory={as_text(both)} sets from and to; leave out {ends[0]}"
        )
    kinds = values(case, "from", both, typed="memory")
    return [{"from": [kind], "to": [kind]} for kind in kinds]


def require_taken(name: str, chosen: dict[str, list[Value]], requests: list[Request]) -> None:
    """Raises UsageError for an axis if no request has any of its chosen values."""
    for axis_name, wanted in chosen.items():
        taken = list(dict.fromkeys(request.parameters[axis_name] for request in requests))
        if not set(taken) & set(wanted):
            values_text = ",".join(as_text(value) for value in wanted)
            raise UsageError(
                f"{name}: {axis_name}={values_text} is not possible: with the other values it is "
                f"{','.join(as_text(value) for value in taken)}"
            )


def no_sense(request: Request) -> str | None:
    """Why this combination of values makes no sense on any machine; None where it does."""
    try:
        find(request.case).require_sense(request.parameters)
    except UsageError as error:
        return str(error)
    return None


def expected_bytes(request: Request) -> int:
    """Bytes that one trial should move in all: the base of its time limit."""
    profile = find(request.case).profile(request.parameters)
    return profile.bytes + 4 * profile.memory


def describe(request: Request) -> str:
    """One line for people: the case's line, then every axis that is not at its default.

    `copy gpu pinned -> device 1GiB copy-engine streams=4`; for a case or axis of a newer version
    every parameter.
    """
    case, parameters = CASES.get(request.case), request.parameters
    if not case or parameters.keys() - case.axes.keys():
        return " ".join([request.case, *(f"{n}={as_text(v)}" for n, v in parameters.items())])
    texts = {name: as_text(value) for name, value in parameters.items()}
    labels = dict(texts)
    for length in LENGTHS & parameters.keys():
        if isinstance(parameters[length], int):
            labels[length] = exact_size(parameters[length])
    labels |= case.labels(parameters)
    quiet = {"threads", "samples", "requests", "iterations", "oversubscribe"}
    others = [
        f"{name}={labels[name]}"
        for name, text in texts.items()
        if f"{{{name}}}" not in case.line
        and name not in quiet
        and labels[name]
        and labels[name] != case.axes[name].default_text
    ]
    return " ".join([request.case, *case.line.format_map(labels).split(), *others])


def describe_all(requests: Sequence[Request]) -> list[str]:
    """A line for each, with the axes by which it differs from others that would read the same."""
    lines = [describe(request) for request in requests]
    values: dict[tuple[str, str], set[str]] = {}
    for line, request in zip(lines, requests, strict=True):
        for name, value in request.parameters.items():
            values.setdefault((line, name), set()).add(as_text(value))
    return [
        " ".join(
            [
                line,
                *(f"{n}={as_text(v)}" for n, v in r.parameters.items() if len(values[line, n]) > 1),
            ]
        )
        for line, r in zip(lines, requests, strict=True)
    ]
