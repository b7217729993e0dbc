"""Checks that a node has the parts that a site expects: `--expect gpus=4,link=gen5x16`.

Each row of EXPECTED has a word, the form of its values, and a function that returns the items. A
value that the machine does not report fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from watari.case.axis import unknown
from watari.common.errors import UsageError
from watari.report.check.causes import GPU, LINK
from watari.report.check.earlier import described, gpu_names
from watari.report.check.item import FAIL, PASS, Item

Machine = dict[str, Any]
CHECK = "expected"


def gpus(machine: Machine, count: int) -> Iterator[Item]:
    """The number of GPUs."""
    have = len(gpu_names(machine))
    verdict = PASS if have == count else FAIL
    yield Item(CHECK, "GPUs", verdict, f"{have} of {count}", frozenset({GPU}))


def link(machine: Machine, generation: int, width: int) -> Iterator[Item]:
    """PCIe between the CPU and each GPU: at least this generation, and as many lanes in use."""
    wanted = f"Gen{generation} x{width} is expected"
    own = {row["to"]: row for row in machine["links"] if row["from"] == "cpu"}
    if not gpu_names(machine):
        yield Item(CHECK, "PCIe", FAIL, f"no GPU; {wanted}", frozenset({GPU}))
    for gpu in (p["id"] for p in machine["processors"] if p["kind"] == "gpu"):
        row = own.get(gpu) or {"kind": "pcie", "generation": None, "width": None, "links": None}
        enough = (row["generation"] or 0) >= generation and (row["width"] or 0) >= width
        have = described(row) or "not reported"
        have = have if row["kind"] == "pcie" else f"{row['kind']}, {have}"
        verdict = PASS if enough else FAIL
        yield Item(CHECK, f"{gpu}, PCIe", verdict, f"{have}; {wanted}", frozenset({LINK}))


@dataclass(frozen=True)
class Expected:
    """`form` matches a value; its groups are the numbers that `items` takes."""

    example: str
    form: str
    items: Callable[..., Iterator[Item]]


EXPECTED = {
    "gpus": Expected("gpus=4", r"(\d{1,3})", gpus),
    "link": Expected("link=gen5x16", r"(?i:gen)(\d{1,3})x(\d{1,3})", link),
}
Wanted = dict[str, tuple[int, ...]]


def parse(texts: Sequence[str]) -> Wanted:
    """The numbers by word, from texts such as `gpus=4,link=gen5x16`. Raises UsageError."""
    wanted: Wanted = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        word, _, value = part.partition("=")
        if word not in EXPECTED:
            raise unknown("expectation", word, EXPECTED)
        found = re.fullmatch(EXPECTED[word].form, value)
        if not found:
            raise UsageError(f"--expect {part}: write it as {EXPECTED[word].example}")
        if word in wanted:
            raise UsageError(f"--expect {part}: {word} is given twice")
        wanted[word] = tuple(map(int, found.groups()))
    return wanted


def expected(machine: Machine, wanted: Wanted) -> list[Item]:
    """The items of every expectation."""
    rows = [EXPECTED[word].items(machine, *numbers) for word, numbers in wanted.items()]
    return [item for row in rows for item in row]
