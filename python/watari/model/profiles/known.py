"""Machines by name: published/machines/*.toml, from published values alone, and *.json, profiles of
measured machines, made by scripts/profiles.sh.

A machine's file has its facts (memory, caches, link), each with its source, and the names under
which published/*.toml has its rates. These rates become points of curves as measurements do. Sound
hardware reaches the share REACHED of a theoretical rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from watari.case.axis import unknown
from watari.cases import CASES
from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.common.library import KINDS
from watari.machine.record import Machine
from watari.model.machine import MachineProfile, read
from watari.model.profiles.fit import solve
from watari.model.profiles.observe import Observation
from watari.model.program import of_profile
from watari.model.walk import Traits, parts
from watari.model.work import Work
from watari.plan.request import resolve
from watari.results import published
from watari.results.measured import FIRST

REACHED = (0.7, 1.0)  # of a theoretical rate; published/quantities.toml, `least`
SUFFIXES = (".toml", ".json")
USUAL = 4_000_000_000  # bytes of an array where a value holds for every size
GB = 1e9


def files() -> dict[str, Path]:
    """The file of each machine, by name."""
    folder = published.folder() / "machines"
    return {path.stem: path for path in sorted(folder.glob("*.*")) if path.suffix in SUFFIXES}


def part(path: Path, row: dict[str, Any], name: str) -> dict[str, Any]:
    """A table of a machine's file, which must have a source. Raises FileError."""
    table = row.get(name)
    if not isinstance(table, dict) or not table.get("source"):
        raise FileError(f"{path}: '{name}' is missing, or has no source")
    return table


def record(name: str, path: Path, row: dict[str, Any]) -> Machine:
    """The machine as a result file describes one. Raises FileError."""
    cpu, gpu, link = (part(path, row, each) for each in ("cpu", "gpu", "link"))
    caches = [{"level": 3, "kind": "unified", "bytes": cpu["cache"], "count": 1}]
    try:
        return Machine.model_validate(
            {
                "name": name,
                "hosts": [],
                "architecture": row["architecture"],
                "processors": [
                    {
                        "id": "cpu",
                        "kind": "cpu",
                        "name": cpu["name"],
                        "packages": 1,
                        "cores": cpu["cores"],
                        "threads": cpu["cores"],
                        "caches": caches,
                    },
                    {
                        "id": "gpu:0",
                        "kind": "gpu",
                        "name": gpu["name"],
                        "compute_capability": "",
                        "multiprocessors": 0,
                        "l2_bytes": gpu["l2"],
                        "memory_bytes": gpu["memory"],
                        "memory_bandwidth": gpu["bandwidth"] * GB,
                    },
                ],
                "memories": [
                    {
                        "kind": kind,
                        "supported": kind != "system" or bool(row["route"]),
                        "needs": "",
                    }
                    for kind in KINDS
                ],
                "links": [
                    {
                        "from": "cpu",
                        "to": "gpu:0",
                        "kind": link["kind"],
                        "bandwidth": link["bandwidth"] * GB,
                    }
                ],
                "memory_bytes": cpu["memory"],
                "memory_available_bytes": cpu["memory"],
                "kernel": "",
                "page_size": row["page_size"],
            }
        )
    except (KeyError, ValueError) as error:
        raise FileError(f"{path}: {error}") from None


def work_of(
    quantity: published.Quantity, given: dict[str, Any], machine: dict[str, Any], traits: Traits
) -> tuple[Work, int]:
    """The steps of the samples that a quantity means, and the bytes that it counts."""
    request = resolve(quantity.case, given, machine)[0]
    case = CASES[quantity.case]
    profile = case.profile(request.parameters)
    whole = parts(of_profile(quantity.case, profile, case.outside), traits)
    wanted = FIRST if quantity.sample == FIRST or profile.phases[0].fresh else "steady"
    work = next((p.work for p in whole if p.name == wanted), ())
    return work, profile.bytes_per_sample


def observations(
    names: list[str], machine: dict[str, Any], traits: Traits
) -> Iterator[Observation]:
    """Observations from the published values of a machine; theoretical values only where no
    measured one exists."""
    quantities = published.quantities()
    rows = [
        v for v in published.values() if v.machine in names and v.unit == "GB/s" and not v.rough
    ]
    measured = {v.quantity for v in rows if v.kind != "theoretical"}
    for value in rows:
        if value.kind == "theoretical" and value.quantity in measured:
            continue
        quantity = quantities[value.quantity]
        if quantity.case not in CASES or quantity.less or quantity.over:
            continue
        first = {k: v[0] if isinstance(v, list) else v for k, v in quantity.parameters.items()}
        given = {"size": USUAL, "samples": 1000, **first, **value.parameters}
        work, moved = work_of(quantity, given, machine, traits)
        if not work:
            continue
        low, high = value.low, value.high
        middle = (low + high) / 2
        if value.kind == "theoretical":
            low, middle = low * REACHED[0], low * math.prod(REACHED) ** 0.5
        source = f"{value.source}, {value.where} ({value.kind})"
        yield Observation(work, moved / middle / GB, moved / high / GB, moved / low / GB, source)


def machine(name: str) -> MachineProfile:
    """The profile of a machine of this name. Raises UsageError, FileError."""
    known = files()
    if name not in known:
        raise unknown("machine", name, known)
    path = known[name]
    return read(path) if path.suffix == ".json" else of_values(name, path)


def of_values(name: str, path: Path) -> MachineProfile:
    """The profile of a machine from published values. Raises UsageError, FileError."""
    row = reading.toml(path)
    for key in ("title", "values", "route", "architecture", "page_size"):
        if key not in row:
            raise FileError(f"{path}: '{key}' is missing")
    counters = part(path, row, "counters") if "counters" in row else {"samples": 0}
    made = record(name, path, row)
    traits = Traits(row["route"], counters["samples"])
    seen = list(observations(row["values"], made.model_dump(mode="json", by_alias=True), traits))
    profile = solve(
        seen,
        MachineProfile(
            name=name,
            title=row["title"],
            kind="published",
            sources=list(dict.fromkeys(each.source for each in seen)),
            machine=made,
            curves={},
            route=row["route"],
            counter_samples=counters["samples"],
        ),
    )
    if not profile.curves:
        raise UsageError(f"{name}: no rate of it is published")
    return profile
