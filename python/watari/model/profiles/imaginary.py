"""An imaginary machine: a known one, and what differs, in a TOML file.

    like = "gh200"             a machine that `--machine` takes
    gpu.memory = "192GB"       a size, or a factor
    gpu.bandwidth = "2x"       GB/s, or a factor
    link.bandwidth = 900

Seconds of a step scale with its limit, as in scaled.py; other steps keep theirs. Every name of it
begins with MARK, so that each output shows it, and no part of it has the name of a real one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from watari.case.axis import parse_size, unknown
from watari.common import reading
from watari.common.errors import FileError, UsageError
from watari.machine.record import CpuProcessor, GpuProcessor, Machine
from watari.model.machine import Curve, MachineProfile
from watari.model.profiles.scaled import CACHE, LINK, MEMORY, PARTLY, Limits, limit_of, scaled_curve

SUFFIX = ".toml"
MARK = "imaginary"
GB = 1e9
# what may differ: the field of the record, and whether it is a rate in GB/s
DIFFERS = {
    "gpu.memory": ("memory_bytes", False),
    "gpu.bandwidth": ("memory_bandwidth", True),
    "gpu.l2": ("l2_bytes", False),
    "cpu.memory": ("memory_bytes", False),
    "cpu.cores": ("cores", False),
    "link.bandwidth": ("bandwidth", True),
}
# of a field from the known value, as a factor: the model scales what was measured
FARTHEST = 1000
FACTOR = re.compile(r"(\d+(?:\.\d+)?)x")


def read(path: Path, by_text: Callable[[str], MachineProfile]) -> MachineProfile:
    """The profile of the machine that a file describes. Raises UsageError, FileError."""
    row = reading.toml(path)
    like = row.pop("like", None)
    if not isinstance(like, str):
        raise FileError(f"{path}: 'like' is missing: the machine that it is like, as in \"gh200\"")
    given = {f"{part}.{name}": value for part, name, value in flat(path, row)}
    for name in given:
        if name not in DIFFERS:
            raise FileError(f"{path}: {unknown('field', name, DIFFERS)}")
    if not given:
        raise FileError(f"{path}: nothing differs from {like}: use --machine {like}")
    if Path(like).suffix == SUFFIX:
        raise UsageError(f"{path}: like = '{like}' is imaginary itself: name a real machine")
    try:
        return made(path.stem, by_text(like), given)
    except (UsageError, FileError) as error:
        raise type(error)(f"{path}: {error}") from None


def flat(path: Path, row: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """The rows of the tables: table, name, value. Raises FileError."""
    loose = [name for name, table in row.items() if not isinstance(table, dict)]
    if loose:
        raise FileError(f"{path}: {unknown('field', loose[0], ('like', *DIFFERS))}")
    return [(part, name, value) for part, table in row.items() for name, value in table.items()]


def changed(name: str, value: Any, old: float) -> float:
    """The new value of a field: a factor of the old one, a rate in GB/s, a size or a number. Raises
    UsageError."""
    rate = DIFFERS[name][1]
    if isinstance(value, str) and (factor := FACTOR.fullmatch(value)):
        new = float(factor[1]) * old
    elif isinstance(value, int | float) and not isinstance(value, bool):
        new = as_float(value) * (GB if rate else 1)
    elif isinstance(value, str) and not rate:
        new = as_float(parse_size(value))
    else:
        raise UsageError(f"{name}: write a number{' of GB/s' if rate else ''} or a factor, as 2x")
    if not new > 0:
        raise UsageError(f"{name}: must be above 0")
    if not rate and new < 1:
        raise UsageError(f"{name}: must be at least 1")
    if not old / FARTHEST <= new <= old * FARTHEST:
        shown = f"{old / GB:.4g} GB/s" if rate else f"{old:.4g}"
        raise UsageError(
            f"{name}: must be within a factor of {FARTHEST} of {shown}, the known value"
        )
    return new if rate else int(new)


def as_float(value: float) -> float:
    """A number of a file, infinite where it is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def parts_of(machine: Machine, name: str) -> list[Any]:
    """The parts of a machine that a field belongs to: all of its GPUs, say. Raises UsageError."""
    found: dict[str, list[Any]] = {
        "gpu": [p for p in machine.processors if isinstance(p, GpuProcessor)],
        "cpu": [machine] if name == "cpu.memory" else machine.processors[:1],
        "link": [link for link in machine.links if "cpu" in (link.from_, link.to)],
    }
    parts = found[name.partition(".")[0]]
    if not parts:
        raise UsageError(f"{name}: {machine.name} has none")
    return parts


def made(name: str, base: MachineProfile, given: dict[str, Any]) -> MachineProfile:
    """The machine of this name: like `base`, with the given fields. Raises UsageError."""
    machine = base.machine.model_copy(deep=True)
    says = []
    for field, value in given.items():
        parts, key = parts_of(machine, field), DIFFERS[field][0]
        old = getattr(parts[0], key)
        if not old:
            raise UsageError(f"{field}: {base.name} does not record it: nothing to change")
        new = changed(field, value, old)
        for part in parts:
            setattr(part, key, new)
        says.append(f"{new / old:.3g} x {field}")
    for processor in machine.processors:
        processor.name = f"{MARK} {processor.name}"
    machine.name = f"{MARK} {name}"
    there, here = limits(base.machine), limits(machine)
    another = cores(base.machine) != cores(machine)
    return base.model_copy(
        update={
            "name": machine.name,
            "title": f"{MARK}: as {base.name}, but {', '.join(says)}",
            "kind": MARK,
            "machine": machine,
            "curves": {
                key: curve_of(key, curve, there, here, another)
                for key, curve in base.curves.items()
            },
            "scaled": None,
            "stores": [],
            "latencies": [],
            "contention": [],
        }
    )


def cores(machine: Machine) -> list[int]:
    """The cores of its CPUs."""
    return [p.cores for p in machine.processors if isinstance(p, CpuProcessor)]


def limits(machine: Machine) -> Limits:
    """Its limits; 1 for one that it does not record, since it cannot differ then."""
    gpus = [p for p in machine.processors if isinstance(p, GpuProcessor)]
    link = machine.links[0] if machine.links else None
    return Limits(
        (gpus[0].memory_bandwidth if gpus else None) or 1.0,
        1.0,
        (link.bandwidth if link else None) or 1.0,
        (gpus[0].l2_bytes if gpus else None) or 1,
        link.kind if link else "",
    )


def curve_of(key: str, curve: Curve, there: Limits, here: Limits, another: bool) -> Curve:
    """The curve of a step: as it was, where no limit of it differs."""
    limit = limit_of(key, curve, there.link)
    differs = {
        MEMORY: there.memory != here.memory or there.capacity != here.capacity,
        CACHE: there.capacity != here.capacity,
        LINK: there.link != here.link,
        PARTLY: there.link != here.link or another,
    }
    if not differs.get(limit, another):
        return curve
    return scaled_curve(key, curve, there, replace(here, cache=there.cache), another)
