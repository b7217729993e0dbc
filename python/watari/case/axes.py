"""Axes that several cases have, and how a case makes its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from watari.case.axis import (
    DIGITS,
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
)
from watari.common import library
from watari.common.errors import UsageError
from watari.common.units import exact_size, format_size
from watari.machine.usable import usable_cores

MOST_SAMPLES = 1_000_000  # of a trial: a result keeps every sample
TRIALS = Axis("trials", "trials, each a fresh process", count(1, 10_000), lambda m, p: 5, "5")
KINDS = tuple(library.KINDS)  # of memory
ANY_PAGE = "default"  # the system chooses pages


def gpus(machine: Machine) -> list[dict[str, Any]]:
    """The machine's GPUs, in the order of their numbers."""
    return [p for p in machine["processors"] if p["kind"] == "gpu"]


def array_size(text: str) -> int:
    """A size of at least one double, the element of arrays. Raises UsageError."""
    if parse_size(text) < 8:
        raise UsageError(f"'{text}' is too small: an array has at least 8 bytes, one double")
    return parse_size(text)


def default_size(machine: Machine, parameters: Parameters) -> int:
    """1 GiB, or less: the largest power of two within a sixteenth of the available memory, at least
    1 MiB."""
    fitting = max(machine["memory_available_bytes"] // 16, 2**20)
    return min(2**30, 1 << (int(fitting).bit_length() - 1))


def line_bytes(processor: str) -> int:
    """Bytes of a cache line: 64 of a CPU, 128 of a GPU, whose misses load a sector of 32."""
    return 64 if processor == "cpu" else 128


def power_of_two(low: int, high: int) -> Callable[[str], int]:
    """A parser for sizes that are powers of two in a range."""

    def parse(text: str) -> int:
        size = parse_size(text)
        if size & (size - 1) or not low <= size <= high:
            raise UsageError(f"'{text}' is not a power of two from {low} to {high}")
        return size

    return parse


def page_bytes(text: str) -> int | str:
    """`default`, or a power of two from 4 KiB to 16 GiB. Raises UsageError."""
    return text if text == ANY_PAGE else power_of_two(2**12, 2**34)(text)


def page_words(parameters: Parameters) -> str:
    """`huge pages never`, `pages of 2 MiB`; empty for default pages."""
    thp, page = (parameters.get(name, "default") for name in ("thp", "page"))
    parts = [
        "" if thp == "default" else f"huge pages {thp}",
        "" if page == ANY_PAGE else f"pages of {format_size(page)}",
    ]
    return ", ".join(part for part in parts if part)


def axis(
    name: str,
    summary: str,
    parse: Callable[[str], Value],
    default: Value,
    *,
    before: Value | None = None,
) -> Axis:
    """An axis whose default is one value on every machine. `before`: as in `Axis`."""
    text = exact_size(default) if parse is parse_size else as_text(default)
    return Axis(name, summary, parse, lambda m, p: default, text, before=before)


def words(
    name: str, summary: str, default: str, *choices: str, before: Value | None = None
) -> Axis:
    """An axis of a few words. `before`: as in `Axis`."""
    return Axis(
        name, summary, one_of(*choices), lambda m, p: default, default, choices, before=before
    )


def style(*styles: str) -> Axis:
    """The axis of an application's styles. Default: `explicit`, or `system` on a CPU, which needs
    no copies."""
    return Axis(
        "style",
        "how the program manages its memory",
        one_of(*styles),
        lambda m, p: "system" if p["processor"] == "cpu" else "explicit",
        "explicit, on the cpu system",
        styles,
    )


COMPILERS = ("gcc", "llvm", "nvhpc")
NO_COMPILER = "none"  # a style in CUDA is built with Watari


def compiler(styles: Mapping[str, library.Style]) -> Axis:
    """The axis of the compiler of a style in directives; `by_compiler` settles it for others."""

    def usual(parameters: Parameters) -> str:
        style = styles.get(parameters.get("style", ""))  # none in a file that lacks the axis
        return usual_compiler(style) if style else NO_COMPILER

    return Axis(
        "compiler",
        "compiler of a style in directives",
        one_of(NO_COMPILER, *COMPILERS),
        lambda m, p: usual(p),
        "gcc, none of a style in CUDA",
        COMPILERS,
        before=usual,
    )


def usual_compiler(style: library.Style) -> str:
    """`gcc`; `none` of a style in CUDA."""
    return "gcc" if style.in_directives else NO_COMPILER


def compiler_words(parameters: Parameters) -> str:
    """`by llvm`; empty for the usual compiler."""
    name = parameters.get("compiler", NO_COMPILER)
    return "" if name in ("gcc", NO_COMPILER) else f"by {name}"


def by_compiler(given: Parameters, styles: Mapping[str, library.Style]) -> Parameters:
    """The given parameters; a style in CUDA has no compiler of its own, whatever was given. Raises
    UsageError for one in directives without a compiler."""
    row = styles.get(given.get("style", ""))
    if row is None or "compiler" not in given:
        return given
    if row.in_directives and given["compiler"] == NO_COMPILER:
        raise UsageError(f"style={row.name} needs a compiler: {', '.join(COMPILERS)}")
    return given if row.in_directives else {**given, "compiler": NO_COMPILER}


PROCESSOR = Axis(
    "processor",
    "processor that executes: cpu, gpu, gpu:1",
    numbered("cpu", "gpu"),
    lambda m, p: "gpu" if gpus(m) else "cpu",
    "gpu if there is one",
    ("cpu", "gpu"),
)
SIZE = Axis("size", "bytes of one array", array_size, default_size, "1GiB, less if memory is small")
MEMORY = Axis(
    "memory",
    "kind of memory of the data",
    numbered(*KINDS),
    lambda m, p: library.own_memory(p["processor"]),
    "the processor's own",
    KINDS,
)
THP = words("thp", "transparent huge pages", "default", "default", "always", "never")
PAGE = Axis(
    "page",
    "page size of CPU memory; 2MiB and 1GiB from the kernel's pool (hugetlbfs)",
    page_bytes,
    lambda m, p: ANY_PAGE,
    ANY_PAGE,
    (ANY_PAGE, "4KiB", "2MiB", "1GiB"),
    before=ANY_PAGE,
)
HINT = words("hint", "advice to the driver", "none", *library.HINTS)
THREADS = Axis(
    "threads",
    "CPU threads, pinned",
    count(1, 4096),
    lambda m, p: usable_cores(m),
    "one a core",
)
PROCESSES = axis(
    "processes",
    "processes that do this at once, each with its own memory",
    count(1, 256),
    1,
    before=1,
)
SHARED_THREADS = replace(
    THREADS,
    summary="CPU threads of a process, pinned",
    default=lambda m, p: max(1, usable_cores(m) // int(p["processes"])),
    default_text="one a core, shared by the processes",
)
OVERSUBSCRIBE = axis(
    "oversubscribe", "allow more memory than is free (may hang a GPU)", parse_boolean, False
)


def samples(default: int, summary: str = "timed executions, one after the other") -> Axis:
    """The axis `samples` with the default that suits a case."""
    return axis("samples", summary, kept, default)


def kept(text: str) -> int:
    """Parses the number of samples of a trial. Raises UsageError for more than a result holds."""
    if re.fullmatch(DIGITS, text, re.ASCII) and int(text) > MOST_SAMPLES:
        raise UsageError(f"{text[:20]} is more than a result holds ({MOST_SAMPLES})")
    return count(1, MOST_SAMPLES)(text)


def table(*axes: Axis) -> dict[str, Axis]:
    """Axes by name."""
    return {a.name: a for a in axes}
