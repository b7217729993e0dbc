"""Published values of other machines, from published/*.toml: a file for each study or program, and
others.toml.

quantities.toml names what each number is a number of, as a case and a subset of its parameters, so
that it can be shown beside what was measured here. Published values are never mixed with measured
ones: each carries its source and whether it was measured, is theoretical, or is second-hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from watari.common.errors import FileError
from watari.common.files import read_toml, stored

KINDS = ("measured", "theoretical", "second-hand")


@dataclass(frozen=True)
class Quantity:
    """What a number is a number of: `parameters` is a subset of those of `case`; without a case
    nothing of ours stands beside it. With `less` it is a difference, with `over` a ratio: that
    case, less or over the one that has these parameters instead. `least` is what `watari check`
    expects."""

    name: str
    title: str
    case: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    sample: str = "all"
    unit: str = "GB/s"
    less: dict[str, Any] = field(default_factory=dict)
    over: dict[str, Any] = field(default_factory=dict)
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
    rough: bool = False  # what the source's words point to: shown, no ground for a forecast
    own: bool = False  # measured for this project, with other programs: not published by others
    size: int = 0  # bytes of one array; 0 where the value holds for all, or none was published
    # those of the case that the quantity leaves open, of this value
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The value as it is written: one number or a range; `about` where words stand for it."""
        text = f"{self.low:g}" if self.low == self.high else f"{self.low:g}–{self.high:g}"
        return f"about {text}" if self.rough else text


def folder() -> Path:
    """Where the published values are. Raises FileError with the folders that were searched."""
    folders = stored("published")
    for path in folders:
        if (path / "quantities.toml").is_file():
            return path
    raise FileError(f"published values not found in {' or '.join(map(str, folders))}")


def quantities(where: Path | None = None) -> dict[str, Quantity]:
    """The table of quantities, by name."""
    path = (where or folder()) / "quantities.toml"
    return {name: Quantity(name=name, **row) for name, row in read_toml(path).items()}


def value(path: Path, head: dict[str, Any], row: dict[str, Any]) -> Published:
    """One [[value]] of a file, with what it takes over from the file's head."""
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
    """What others published; with `own`, what was measured for this project too. Raises FileError
    that names file and field."""
    where = where or folder()
    known = quantities(where)
    entries = []
    for path in sorted(where.glob("*.toml")):
        if path.name == "quantities.toml":
            continue
        content = read_toml(path)
        head = {k: v for k, v in content.items() if k != "value"}
        entries += [value(path, head, row) for row in content.get("value", [])]
    for entry in entries:
        if entry.quantity not in known:
            raise FileError(f"{where}: '{entry.quantity}' of {entry.source} is not a quantity")
        unit = known[entry.quantity].unit
        if entry.unit != unit:
            raise FileError(f"{where}: {entry.quantity} of {entry.source} is not in {unit}")
    return [entry for entry in entries if own or not entry.own]
