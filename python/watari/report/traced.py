"""The page of a trace: allocations over time, the costliest transfers, kernels, findings.

It has the look of the report's page. Its heat map is a grid of plain elements, so that it prints
and fits any width without a script.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from watari.common.errors import FileError
from watari.common.files import write_atomically
from watari.common.kernels import short, without_namespaces
from watari.common.units import format_bytes, format_duration, format_latency, format_size
from watari.common.variables import readable
from watari.model import trace_file
from watari.report import answered
from watari.report.answered import Shown
from watari.report.page import templates

ROWS = 24  # of the heat map; the others are in the table
MOVED = {"to_gpu": "to the GPU", "to_cpu": "to the CPU"}
COUNTED = {"gpu_faults": "GPU faults", "cpu_faults": "CPU faults", "thrashing": "thrashing"}
FAINTEST = 0.12  # opacity of the cells with the fewest bytes
MANY = 40  # phases that are listed
FEW = 4  # allocations of a phase that are listed


def strength(size: int, most: int) -> float:
    """The opacity of a cell, by the logarithm, since bytes differ by powers of ten."""
    if size <= 0:
        return 0.0
    decades = 4.0
    part = 1.0 + (math.log10(size / most) / decades)
    return round(max(FAINTEST, min(1.0, part)), 3)


def heat(observed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the map: the allocations that crossed the link, most bytes first."""
    timeline = observed["timeline"]
    width = timeline["seconds"] / timeline["columns"]
    rows = []
    for allocation, cells in zip(observed["allocations"], timeline["rows"], strict=True):
        total = sum(cells["to_gpu"]) + sum(cells["to_cpu"])
        if total:
            rows.append((total, allocation, cells))
    most = max((max(*c["to_gpu"], *c["to_cpu"]) for _, _, c in rows), default=1)
    rows.sort(key=lambda row: -row[0])
    return [
        {
            "label": allocation["label"],
            "total": format_bytes(total),
            "sides": [
                {
                    "name": name,
                    "cells": [
                        {"strength": strength(size, most), "text": cell_text(size, i, width)}
                        for i, size in enumerate(cells[key])
                    ],
                }
                for name, key in (("in", "to_gpu"), ("out", "to_cpu"))
            ],
        }
        for total, allocation, cells in rows[:ROWS]
    ]


def cell_text(size: int, column: int, width: float) -> str:
    """The tooltip of a cell."""
    if not size:
        return ""
    return f"{format_bytes(size)}, {format_duration(column * width)} after the start"


def tiles(observed: Mapping[str, Any]) -> list[dict[str, str]]:
    """The numbers at the top."""
    moved = {"to GPU": 0, "to CPU": 0}
    for allocation in observed["allocations"]:
        for name, size in allocation["moved"].items():
            for direction in moved:
                moved[direction] += size if name.endswith(direction) else 0
    faults = [sum(a[key] for a in observed["allocations"]) for key in ("gpu_faults", "cpu_faults")]
    launches = sum(kernel["launches"] for kernel in observed["kernels"])
    kinds = len(observed["kernels"])
    return [
        {
            "title": "to the GPU",
            "number": format_bytes(moved["to GPU"]),
            "note": "copies, migration",
        },
        {
            "title": "to the CPU",
            "number": format_bytes(moved["to CPU"]),
            "note": "copies, migration",
        },
        {
            "title": "launches",
            "number": f"{launches}",
            "note": f"of {kinds} kernel{'s'[: kinds != 1]}",
        },
        {
            "title": "faults",
            "number": f"{sum(faults)}",
            "note": f"{faults[0]} GPU, {faults[1]} CPU",
        },
    ]


def touched_text(kernel: Mapping[str, Any]) -> str:
    """The allocations that a launch touches, in words."""
    if not kernel["sampled"]:
        return "not sampled"
    words = {(True, True): "reads and writes", (True, False): "reads", (False, True): "writes"}
    return (
        "; ".join(
            f"{words[t['reads'], t['writes']]} {format_bytes(t['bytes'])} of {t['allocation']}"
            + (
                f" in {t['launches']} of {kernel['sampled']}"
                if t["launches"] < kernel["sampled"]
                else ""
            )
            for t in kernel["touched"]
        )
        or "nothing that was allocated"
    )


def placement_cells(kernel: Mapping[str, Any]) -> list[list[str]]:
    """Cells of the table for each number of threads: threads, seconds local, mapped, its ratio to
    local, faulting, and its ratio."""
    by_threads: dict[int, dict[str, float]] = {}
    for row in kernel.get("placements", ()):
        by_threads.setdefault(row["threads"], {})[row["placement"]] = row["seconds"]
    cells = []
    for threads, seconds in by_threads.items():
        local = seconds.get("local")
        texts = [f"{threads}", format_duration(local) if local is not None else ""]
        for placement in ("mapped", "faulting"):
            here = seconds.get(placement)
            texts.append(format_duration(here) if here is not None else "")
            texts.append(f"{here / local:.2f}" if here is not None and local else "")
        cells.append(texts)
    return cells or [[""] * 6]


def used_text(phase: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """The bytes that each allocation moved in a phase, and its faults; most bytes first."""
    rows = sorted(
        phase.get("allocations", ()), key=lambda row: -row.get("to_gpu", 0) - row.get("to_cpu", 0)
    )
    words = [
        f"{labels.get(row['name'], row['name'])}: "
        + ", ".join(
            [f"{format_bytes(row[key])} {words}" for key, words in MOVED.items() if row.get(key)]
            + [f"{row[key]} {words}" for key, words in COUNTED.items() if row.get(key)]
        )
        for row in rows[:FEW]
    ]
    return "; ".join(words + [f"and {len(rows) - FEW} more"] * (len(rows) > FEW))


def sentence(words: str) -> str:
    """Words as a sentence."""
    return f"{words[:1].upper()}{words[1:]}."


def page(content: Mapping[str, Any], made_by: str, shown: Shown | None = None) -> str:
    """The whole page as text. `shown`: its first section, if the trace has a replay."""
    environment = templates()
    environment.filters |= {
        "size": format_size,
        "bytes": format_bytes,
        "duration": format_duration,
        "digits": format_latency,
        "sentence": sentence,
        "touched": touched_text,
        "placements": placement_cells,
        "short": short,
        "without_namespaces": without_namespaces,
    }
    observed = content["observed"]
    labels = {row["name"]: row["label"] for row in observed["allocations"]}
    environment.filters["used"] = lambda phase: used_text(phase, labels)
    return environment.get_template("trace.html.j2").render(
        name=readable(content["name"]),
        observed=observed,
        heat=heat(observed),
        tiles=tiles(observed),
        phases=shortened(observed["timeline"]["phases"]),
        phase_count=len(observed["timeline"]["phases"]),
        command=readable(made_by),
        **(answered.values(shown) if shown else {"answer": None}),
    )


def shortened(phases: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The first MANY phases."""
    return phases[:MANY]


def read(path: Path) -> tuple[dict[str, Any], Shown | None]:
    """The content of a trace file, and its answer. Raises FileError where it has nothing for a
    page."""
    trace = trace_file.read(path)
    if trace.observed is None:
        raise FileError(f"{path}: has no records of `watari trace` (observed): no page to make")
    return trace.model_dump(by_alias=True), answered.of_file(trace, path)


def write(
    content: Mapping[str, Any], output: Path, made_by: str, shown: Shown | None = None
) -> None:
    """Writes the page to `output`."""
    write_atomically(output, page(content, made_by, shown))
