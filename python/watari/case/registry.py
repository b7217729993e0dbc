"""The cases: those of the folders in cases/, and those of other packages that are installed.

A package declares its case by an entry point: `triad = "watari_triad.case"` in the group
`watari.cases` names a case and the module whose CASES has its row. The entry points are metadata: a
package is imported when one of its cases is asked for by name, not before. So a package that fails
takes nothing else down. A package in the current folder is not looked at.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint
from importlib.util import find_spec
from pathlib import Path

from watari.case.case import Case
from watari.common.errors import UsageError

GROUP = "watari.cases"


@dataclass(frozen=True)
class Origin:
    """Where a case of another package comes from."""

    package: str
    version: str
    summary: str
    entry: EntryPoint

    def __str__(self) -> str:
        return f"{self.package} {self.version}"

    def plans(self) -> Path | None:
        """The folder of the package's plans, if there can be one. Imports nothing."""
        spec = find_spec(self.entry.module.partition(".")[0])
        folders = spec.submodule_search_locations if spec else None
        return Path(folders[0]) / "plans" if folders else None


def searched() -> list[str]:
    """The folders in which packages are looked for: the path without the current folder, which
    `python -m` puts first."""
    try:
        here = os.getcwd()
    except OSError:  # the folder is gone
        here = ""
    return [folder for folder in sys.path if folder and os.path.realpath(folder) != here]


def origins() -> dict[str, list[Origin]]:
    """The packages that declare each case, by its name."""
    found: dict[str, list[Origin]] = {}
    packages = list(Distribution.discover(path=searched()))
    if not any(declared(package) for package in packages):
        return {}  # as on most machines: the names of all packages take longer
    seen = set()
    for package in packages:
        name = package.metadata["Name"]
        if name in seen:  # found first is what an import finds
            continue
        seen.add(name)
        for entry in declared(package):
            origin = Origin(name, package.version, package.metadata["Summary"] or "", entry)
            found.setdefault(entry.name, []).append(origin)
    return found


def declared(package: Distribution) -> list[EntryPoint]:
    """The cases that a package declares."""
    if GROUP not in (package.read_text("entry_points.txt") or ""):
        return []
    return [entry for entry in package.entry_points if entry.group == GROUP]


def cause(error: BaseException) -> str:
    """The class of an error and the first line of its text."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}".rstrip(": ")


class Registry(Mapping[str, Case]):
    """The cases by name. Iteration yields those of the folders and those that were asked for."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self.broken: dict[str, str] = {}  # folder or name of a case: why it cannot be imported
        self._cases: dict[str, Case] = {}
        for folder in folders:
            try:
                rows = import_module(f"watari.cases.{folder}.case").CASES
            except Exception as error:
                self.broken[folder] = f"cannot be imported: {cause(error)}"
            else:
                self._cases |= {case.name: case for case in rows}
        self._inside = frozenset(self._cases)

    @cached_property
    def outside(self) -> dict[str, list[Origin]]:
        """The packages that declare each case that is not of a folder, or is of both."""
        return origins()

    def of_folders(self) -> list[Case]:
        """The cases of the folders."""
        return [case for name, case in self._cases.items() if name in self._inside]

    def names(self) -> list[str]:
        """The names of all cases, also of those that are not imported."""
        return [*self._cases, *(name for name in self.outside if name not in self._cases)]

    def _load(self, name: str) -> None:
        if name in self._cases or name in self.broken or len(self.outside.get(name, ())) != 1:
            return
        (origin,) = self.outside[name]
        try:
            rows = {case.name: case for case in import_module(origin.entry.module).CASES}
            if not isinstance(rows.get(name), Case):
                raise KeyError(f"{origin.entry.module}.CASES has no case '{name}'")
        except Exception as error:
            self.broken[name] = f"cannot be imported: {cause(error)}"
        else:
            self._cases[name] = rows[name]

    def check(self, name: str) -> None:
        """Raises UsageError if several packages have a case of this name, or its import fails."""
        self._load(name)
        packages = ["watari"] * (name in self._inside) + [
            str(o) for o in self.outside.get(name, ())
        ]
        if len(packages) > 1:
            raise UsageError(
                f"case '{name}' is in {' and in '.join(packages)}: uninstall all packages but one"
            )
        if name in self.broken:
            of = f" of {packages[0]}" if packages else ""
            raise UsageError(f"case '{name}'{of} {self.broken[name]}")

    def __getitem__(self, name: str) -> Case:
        self._load(name)
        return self._cases[name]

    def __setitem__(self, name: str, case: Case) -> None:
        """Puts a case in place of the one of this name, or beside the others."""
        self._cases[name] = case

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str):
            self._load(name)
        return name in self._cases

    def __iter__(self) -> Iterator[str]:
        return iter(self._cases)

    def __len__(self) -> int:
        return len(self._cases)
