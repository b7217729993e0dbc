"""Published values of other machines, from published/*.toml: a file for each study or program, and
others.toml.

quantities.toml defines the quantity of each number, as a case and a subset of its parameters, so
that the number can be shown beside values measured here. The two are never mixed: each published
value carries its source and its kind: measured, theoretical or second-hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from watari.common import reading
from watari.common.errors import FileError
from watari.common.files import stored

KINDS = ("measured", "theoretical", "second-hand")


@dataclass(frozen=True)
class Quantity:
    """The quantity of a number: `parameters` is a subset of those of `case`; without a case no
    value measured here stands beside it. With `less` it is a difference, with `over` a ratio: the
    case less or over the same case with these parameters instead. `watari check` expects
    `least`."""

    name: str
    title: str
    case: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    sample: str = "all"
    unit: str = "GB/s"
    less: dict[str, Any] = field(default_factory=dict)
    over: dict[str, Any] = field(default_factory=dict)
    rate: str = ""  # of several rates of the case, the one that is meant
    least: float = 0.0  # part of the physical limit that sound hardware reaches; 0: not known

    def matches(self, case: str, parameters: dict[str, Any]) -> bool:
        """Whether a measured case is this quantity."""
        return case == self.case and all(
            parameters.get(name) in (wanted if isinstance(wanted, list) else [wanted])
            for name, wanted in self.parameters.items()
        )


@dataclass(frozen=True)
class Published:
    """One published number, or a range of them, in the unit of its quantity."""

    quantity: str
    machine: str
    kind: str
    low: float
    high: float
    unit: str
    source: str
    title: str
    where: str
    hardware: str = ""
    note: str = ""
    rough: bool = False  # estimated from the source's words: shown, not used for a forecast
    own: bool = False  # measured for this project, with other programs: not published by others
    size: int = 0  # bytes of one array; 0 where the value holds for all, or none was published
    # of this value: parameters of the case that the quantity leaves open
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The value as text: one number or a range, with `about` if it is rough."""
        text = f"{self.low:g}" if self.low == self.high else f"{self.low:g}–{self.high:g}"
        return f"about {text}" if self.rough else text


def folder() -> Path:
    """The folder of the published values. Raises FileError with the folders that were searched."""
    folders = stored("published")
    for path in folders:
        if (path / "quantities.toml").is_file():
            return path
    raise FileError(f"published values not found in {' or '.join(map(str, folders))}")


def quantities(where: Path | None = None) -> dict[str, Quantity]:
    """The table of quantities, by name."""
    return dict(read_quantities((where or folder()) / "quantities.toml"))


@cache  # installed with the package: one process checks many nodes by them
def read_quantities(path: Path) -> dict[str, Quantity]:
    """The quantities of a file."""
    return {name: Quantity(name=name, **row) for name, row in reading.toml(path).items()}


def value(path: Path, head: dict[str, Any], row: dict[str, Any]) -> Published:
    """One [[value]] of a file, with the keys that it takes from the file's head."""
    whole = {**head, **({"hardware": ""} if "machine" in row else {}), **row}
    for name in ("quantity", "machine", "kind", "unit", "source", "title", "where"):
        if name not in whole:
            raise FileError(f"{path}: a value of {whole.get('quantity', '?')} has no '{name}'")
    if whole["kind"] not in KINDS:
        raise FileError(f"{path}: kind '{whole['kind']}' is none of {', '.join(KINDS)}")
    if "value" not in whole and not {"low", "high"} <= whole.keys():
        raise FileError(f"{path}: {whole['quantity']} has neither 'value' nor 'low' and 'high'")
    low, high = (float(whole.get(end, whole.get("value", 0))) for end in ("low", "high"))
    texts = ("quantity", "machine", "kind", "unit", "source", "title", "where", "hardware", "note")
    parameters = dict(whole.get("parameters", {}))
    size = int(parameters.get("size", 0))
    words = {name: str(whole.get(name, "")) for name in texts}
    own, rough = (bool(whole.get(name)) for name in ("own", "rough"))
    return Published(
        low=low, high=high, size=size, own=own, rough=rough, parameters=parameters, **words
    )


def values(where: Path | None = None, own: bool = False) -> list[Published]:
    """Values that others published; with `own`, also values measured for this project. Raises
    FileError that names file and field."""
    return [entry for entry in read_values(where or folder()) if own or not entry.own]


@cache
def read_values(where: Path) -> list[Published]:
    """Every value of a folder."""
    known = quantities(where)
    entries = []
    for path in sorted(where.glob("*.toml")):
        if path.name == "quantities.toml":
            continue
        content = reading.toml(path)
        head = {k: v for k, v in content.items() if k != "value"}
        entries += [value(path, head, row) for row in content.get("value", [])]
    for entry in entries:
        if entry.quantity not in known:
            raise FileError(f"{where}: '{entry.quantity}' of {entry.source} is not a quantity")
        unit = known[entry.quantity].unit
        if entry.unit != unit:
            raise FileError(f"{where}: {entry.quantity} of {entry.source} is not in {unit}")
    return entries
