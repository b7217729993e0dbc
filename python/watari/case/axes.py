"""Axes that several cases have, and how a case makes its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from watari.case.axis import (
    Axis,
    Machine,
    Parameters,
    Value,
    as_text,
    count,
    numbered,
    one_of,
    parse_boolean,
    parse_size,
    whole,
)
from watari.common.errors import UsageError

MOST_SAMPLES = 1_000_000  # of a trial: a result keeps every one
TRIALS = Axis("trials", "fresh processes", count(1, 10_000), lambda m, p: 5, "5")
KINDS = ("pageable", "pinned", "device", "managed", "system")  # of memory


def gpus(machine: Machine) -> list[dict[str, Any]]:
    """The machine's GPUs, in the order of their numbers."""
    return [p for p in machine["processors"] if p["kind"] == "gpu"]


def array_size(text: str) -> int:
    """A size that holds at least one double, what arrays are made of. Raises UsageError."""
    if parse_size(text) < 8:
        raise UsageError(f"'{text}' is too small: an array has at least 8 bytes, one double")
    return parse_size(text)


def default_size(machine: Machine, parameters: Parameters) -> int:
    """1 GiB, or the power of two that a sixteenth of the available memory holds."""
    fitting = max(machine["memory_available_bytes"] // 16, 2**20)
    return min(2**30, 1 << (int(fitting).bit_length() - 1))


def axis(name: str, summary: str, parse: Callable[[str], Value], default: Value) -> Axis:
    """An axis whose default is one value on every machine."""
    return Axis(name, summary, parse, lambda m, p: default, as_text(default))


def words(name: str, summary: str, default: str, *choices: str) -> Axis:
    """An axis of a few words."""
    return Axis(name, summary, one_of(*choices), lambda m, p: default, default, choices)


PROCESSOR = Axis(
    "processor",
    "processor that executes: cpu, gpu, gpu:1",
    numbered("cpu", "gpu"),
    lambda m, p: "gpu" if gpus(m) else "cpu",
    "gpu where there is one",
    ("cpu", "gpu"),
)
SIZE = Axis("size", "bytes of one array", array_size, default_size, "1GiB, less in small memory")
HINT = words("hint", "advice to the driver", "none", "none", "prefetch", "mapped", "read-mostly")
THREADS = Axis(
    "threads",
    "CPU threads, pinned",
    count(1, 4096),
    lambda m, p: m["processors"][0]["cores"],
    "one a core",
)
OVERSUBSCRIBE = axis(
    "oversubscribe", "allow more memory than is free (may hang a GPU)", parse_boolean, False
)


def samples(default: int, summary: str = "timed executions in a row") -> Axis:
    """The axis `samples` with the default that suits a case."""
    return axis("samples", summary, kept, default)


def kept(text: str) -> int:
    """How many samples a trial has. Raises UsageError for more than a result holds."""
    if re.fullmatch(r"[0-9]+", text) and whole(text) > MOST_SAMPLES:
        raise UsageError(f"{text[:20]} is more than a result holds ({MOST_SAMPLES})")
    return count(1, MOST_SAMPLES)(text)


def table(*axes: Axis) -> dict[str, Axis]:
    """Axes by name."""
    return {a.name: a for a in axes}
