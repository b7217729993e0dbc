"""Values of the same part from result files in a folder, of earlier runs on any machine.

A value counts if case and parameters are the same (except the number of samples) and if the parts
that the bytes cross have the same name: the CPU and its cores, the GPU, the kind of its link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from watari.common import reading
from watari.common.errors import FileError
from watari.machine.record import Machine
from watari.report.check.causes import CPU, GPU, LINK
from watari.results import schema
from watari.results.measured import Measured, measurements
from watari.results.schema import Results

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class Earlier:
    """An earlier run."""

    file: str
    results: Results

    @cached_property
    def cases(self) -> list[Measured]:
        """Its cases."""
        return measurements([self.results])

    @cached_property
    def machine(self) -> dict[str, Any]:
        """The record of its machine."""
        return self.results.machine.model_dump(mode="json", by_alias=True)


@dataclass(frozen=True)
class Stored:
    """The earlier runs on a machine with a part of this one, and files left out."""

    runs: tuple[Earlier, ...] = ()
    unread: tuple[str, ...] = ()

    @cached_property
    def cases(self) -> list[Measured]:
        """The cases of all runs."""
        return [m for run in self.runs for m in run.cases]


def names(machine: Plain, kind: str) -> set[tuple[str, int]]:
    """The processors of a kind: name, and cores of a CPU."""
    rows = [p for p in machine.get("processors", []) if p["kind"] == kind]
    return {(p["name"], int(p.get("cores") or 0) if kind == "cpu" else 0) for p in rows}


def machine_of(file: Path) -> Plain:
    """The machine of a result file; empty for another file. Raises FileError for a machine that is
    no record."""
    try:
        whole = reading.json(file)
    except FileError:
        return {}
    if not isinstance(whole, dict) or whole.get("schema") != schema.SCHEMA:
        return {}
    try:
        return Machine.model_validate(whole.get("machine")).model_dump(mode="json", by_alias=True)
    except ValidationError as error:
        text = schema.first(error.errors(include_url=False))
        raise FileError(f"{file}: machine.{text}") from None


def read_all(files: Iterable[Path], machine: Plain) -> Stored:
    """The runs in these files, of machines that share a processor with this one. A file that is no
    result of this version is left out, with the reason."""
    runs, unread = [], []
    for file in sorted(set(files)):
        try:
            there = machine_of(file)
            if not any(names(there, kind) & names(machine, kind) for kind in (CPU, GPU)):
                continue
            runs.append(Earlier(str(file), schema.read(file)))
        except FileError as error:
            unread.append(str(error))
    return Stored(tuple(runs), tuple(unread))


def of_machine(results: Results, folders: Iterable[Path]) -> list[Earlier]:
    """The runs in these folders, without subfolders, that came before this one on its machine."""
    files = [file for folder in folders for file in folder.glob("*.json")]
    found = read_all(files, results.machine.model_dump(mode="json", by_alias=True)).runs
    return [
        run
        for run in found
        if same_machine(run.results, results)
        and run.results.program.started < results.program.started
    ]


def same_machine(one: Results, other: Results) -> bool:
    """Whether two runs have the first host and its CPU in common. The GPUs may be lost."""
    named = not (one.program.anonymous or other.program.anonymous)
    first = [
        (m.hosts[:1], m.architecture, m.processors[0].name) for m in (one.machine, other.machine)
    ]
    return named and bool(one.machine.hosts) and first[0] == first[1]


def same_part(one: Plain, other: Plain, path: frozenset[str]) -> bool:
    """Whether two machines have the same parts along a case's path."""
    if CPU in path and names(one, "cpu") != names(other, "cpu"):
        return False
    if path & {GPU, LINK} and not names(one, "gpu") & names(other, "gpu"):
        return False
    kinds = [{link["kind"] for link in machine["links"]} for machine in (one, other)]
    return LINK not in path or kinds[0] == kinds[1]


def same_case(stored: Stored, m: Measured, path: frozenset[str]) -> list[Measured]:
    """The same case of earlier runs of the same part; this run itself is not one of them."""

    def key(parameters: Plain) -> dict[str, Any]:
        return {name: value for name, value in parameters.items() if name != "samples"}

    path |= {GPU if str(m["processor"] or "gpu").startswith("gpu") else CPU}
    mine = {trial["started"] for trial in m.trials}
    return [
        other
        for other in stored.cases
        if other.case == m.case
        and other.status == "ok"
        and not other.flagged
        and key(other.parameters) == key(m.parameters)
        and not mine & {trial["started"] for trial in other.trials}
        and same_part(m.machine, other.machine, path)
    ]
