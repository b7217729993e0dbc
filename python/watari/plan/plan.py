"""Plans: which cases a run measures. The standard one is made for the machine; others are TOML.

A stored plan has a `name`, perhaps a `description` and a `source`; `[defaults]` with axis = value
for every case that has the axis; and one `[[case]]` table for each case, with `case = "copy"` and
its own axes. A list of values sweeps the axis.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from watari import cases
from watari.case.axis import Machine, nearest, unknown
from watari.cases import CASES
from watari.common import files, reading
from watari.common.errors import FileError, UsageError
from watari.common.files import PACKAGE
from watari.plan.request import Request, resolve

TEXTS = ("name", "description", "source")
QUICK_SAMPLES = 3  # the first includes one-time costs, the others do not
FIELDS = (*TEXTS, "defaults", "case")


@dataclass(frozen=True)
class Plan:
    """Requests in order, with a name."""

    name: str
    requests: tuple[Request, ...]
    description: str | None = None
    source: str | None = None


def once(requests: list[Request]) -> tuple[Request, ...]:
    """The requests without repetitions; of a repeated one the larger number of trials stays."""
    kept: dict[str, Request] = {}
    for request in requests:
        if request.key not in kept or kept[request.key].trials < request.trials:
            kept[request.key] = request
    return tuple(kept.values())


def quick(plan: Plan) -> Plan:
    """A first look: one trial of each case, with few samples."""
    requests = []
    for request in plan.requests:
        asked = request.parameters
        if "samples" in asked:
            asked = {**asked, "samples": min(asked["samples"], QUICK_SAMPLES)}
        requests.append(replace(request, parameters=asked, trials=1))
    return replace(plan, name=f"{plan.name}, quick", requests=once(requests))


def stored() -> dict[str, Path]:
    """The stored plans, by name."""
    folders = [
        *(PACKAGE / "cases" / case / "plans" for case in cases.FOLDERS),
        *(origin.plans() for each in CASES.outside.values() for origin in each),
        *files.stored("plans"),  # of several cases
    ]
    found = [path for folder in folders if folder for path in sorted(folder.glob("*.toml"))]
    return {path.stem: path for path in found}


def find(name: str) -> Path:
    """The file of this path, or the stored plan of this name. Raises UsageError."""
    plans = stored()
    if os.path.isfile(name):
        return Path(name)
    if name in plans:
        return plans[name]
    if name.endswith(".toml") or "/" in name:
        raise UsageError(f"no plan file '{name}'{nearest(Path(name).stem, plans)}")
    raise unknown("plan", name, plans)


def checked(path: Path) -> dict[str, Any]:
    """The file's tables, each of the right type. Raises FileError naming file and field."""
    document = reading.toml(path)
    if "like" in document:
        raise FileError(f"{path}: an imaginary machine, no plan: watari advise --machine {path}")
    for field in document:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise FileError(
                f"{path}: unknown field '{field}'{nearest(field, FIELDS)}; known: {known}"
            )
    for field in TEXTS:
        if not isinstance(document.get(field, ""), str):
            raise FileError(f"{path}: {field}: must be text")
    if not document.get("name"):
        raise FileError(f"{path}: name: is missing")
    if not isinstance(document.get("defaults", {}), dict):
        raise FileError(f"{path}: defaults: must be a table, [defaults]")
    listed = document.get("case")
    if not isinstance(listed, list) or not listed or not all(isinstance(c, dict) for c in listed):
        raise FileError(f"{path}: case: must be one or more tables, [[case]]")
    return document


def check_values(where: str, table: dict[str, Any]) -> None:
    """Checks that every value is a scalar or a list of scalars. Raises FileError naming the
    field."""
    for name, value in table.items():
        items = value if isinstance(value, list) else [value]
        if not items or not all(isinstance(item, (str, int, float)) for item in items):
            raise FileError(
                f"{where}: {name}: must be a text, a number, yes or no, or a list of them"
            )


def read(path: Path, machine: Machine) -> Plan:
    """Reads a stored plan. Raises FileError (not a plan), UsageError (unknown words)."""
    document = checked(path)
    defaults = document.get("defaults", {})
    check_values(f"{path}: defaults", defaults)
    named = {table["case"] for table in document["case"] if isinstance(table.get("case"), str)}
    known = {"trials"}.union(*(case.axes for case in CASES.values()))
    known.update(*(CASES[name].axes for name in named if name in CASES))
    for name in defaults:
        if name not in known:
            raise UsageError(f"{path}: defaults: {unknown('axis', name, sorted(known))}")
    requests: list[Request] = []
    for number, table in enumerate(document["case"], 1):
        where = f"{path}: case {number}"
        given = dict(table)
        name = given.pop("case", None)
        if not isinstance(name, str):
            raise FileError(f"{where}: case: must name a case: {', '.join(CASES.names())}")
        check_values(where, given)
        try:
            axes = {"trials", *cases.find(name).axes}
            shared = {axis: value for axis, value in defaults.items() if axis in axes}
            requests += resolve(name, {**shared, **given}, machine)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
    return Plan(
        document["name"], once(requests), document.get("description"), document.get("source")
    )


def standard(machine: Machine) -> list[Request]:
    """The standard requests of every case: minutes long, as large as memory allows."""
    rows = [(case.name, given) for case in CASES.values() for given in case.standard(machine)]
    requests = [r for name, given in rows for r in resolve(name, {"trials": 3, **given}, machine)]
    return list(once(requests))
