"""Finds the profile of a machine: by a name, by a file, or of this one by its newest result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from watari.case.axes import gpus
from watari.case.axis import Machine, unknown
from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.common.places import RESULTS
from watari.model import machine
from watari.model.machine import MachineProfile
from watari.model.profiles import fit, imaginary, known
from watari.results import schema
from watari.results.schema import Results

# word in a GPU's name: the machine by name that is nearest
NEAREST = {
    "gh200": "gh200",  # before `h200`, which is in it
    "h200": "h200",
    "h100": "h100",
    "mi300a": "mi300a",
    "p100": "p100-nvlink",
}
OVER_PCIE = "pegasus"


def by_text(text: str) -> MachineProfile:
    """The profile that a user's word names: a machine by name, an imaginary one (TOML), a machine
    profile, a result file. Raises UsageError, FileError."""
    path = Path(text)
    if text.lower() in known.files():
        return known.machine(text.lower())
    if not path.is_file():
        if path.is_dir():
            raise FileError(f"{text} is a folder, not a result file or a machine profile")
        if path.suffix:
            raise FileError(f"{text}: no such file")
        raise unknown("machine", text, known.files())
    if path.suffix == imaginary.SUFFIX:
        return imaginary.read(path, by_text)
    content = reading.json(path)
    if isinstance(content, dict) and "processors" in content:
        raise FileError(
            f"{text} is a probe, which has no times: `watari profile RESULTS --for {text} -o "
            "machine.json` predicts them from another machine"
        )
    if isinstance(content, dict) and content.get("schema") != machine.SCHEMA:
        return fit.fit([schema.read(path)], [path.name])
    return machine.read(path)


def measured(paths: Sequence[Path]) -> MachineProfile:
    """The profile of a measured machine: from its result files, or from one file that `by_text`
    takes. Raises UsageError, FileError."""
    if len(paths) == 1:
        return by_text(str(paths[0]))
    return fit.fit(read(paths), [path.name for path in paths])


def newest(name: str, folder: Path = RESULTS) -> Iterator[tuple[Path, Results]]:
    """The results of the machine of this name, the last run first."""
    found: list[tuple[str, Path]] = []
    for path in sorted(folder.rglob("*.json")):
        with suppress(FileError, KeyError, TypeError):
            content = reading.json(path)
            if content["machine"]["name"] == name:
                found.append((str(content["program"]["started"]), path))
    for _, path in sorted(found, reverse=True):
        with suppress(FileError):
            yield path, schema.read(path)


def nearest(here: Machine) -> str:
    """The published machine that is most like this one. Raises UsageError where none is."""
    if not gpus(here):
        raise UsageError(
            "this machine has no GPU and no result in results/: name a machine (--machine; "
            "`watari list machines` has them), or give --results FILE"
        )
    return nearest_by_name(" ".join(str(p["name"]) for p in gpus(here)))


def nearest_by_name(name: str) -> str:
    """The published machine that is most like one of this name."""
    words = name.lower()
    return next((known_as for word, known_as in NEAREST.items() if word in words), OVER_PCIE)


def read(paths: Sequence[Path]) -> list[Results]:
    """Result files. Raises FileError."""
    return [schema.read(path) for path in paths]
