"""The declaration of a kernel: what a trial must know of it, and its text in a result file.

    saxpy(float alpha = 2.5; float* x: read 4; float* y: read 4 write 4) block 256 grid ceil(n/256)

The text has no comma, since commas separate the values of a sweep. `parse` reads it again, so that
a result file says what was measured without its source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from watari.cases.kernel.parameter_types import TYPES, Type
from watari.common.errors import UsageError

MOST_BLOCKS = 2**31 - 1
RANDOM, ASCENDING = "random", "ascending"


@dataclass(frozen=True)
class Array:
    """An array. `read` and `written`: bytes of a launch per element, 0 if it is not."""

    name: str
    type: Type
    read: int = 0
    written: int = 0
    fill: str = RANDOM  # or ASCENDING, or a number
    is_read: bool = False
    is_written: bool = False

    def text(self) -> str:
        """`float* x: read 4`."""
        uses = [f"read {self.read}"] if self.is_read else []
        uses += [f"write {self.written}"] if self.is_written else []
        uses += [f"fill {self.fill}"] if self.fill != RANDOM else []
        return f"{self.type.name}* {self.name}: {' '.join(uses)}"


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter, with the text of its value."""

    name: str
    type: Type
    value: str

    @property
    def number(self) -> int | float:
        """Its value."""
        whole = self.type.is_integer and self.value.lstrip("+-").isdigit()
        return int(self.value) if whole else float(self.value)

    def text(self) -> str:
        """`float alpha = 2.5`."""
        return f"{self.type.name} {self.name} = {self.value}"


@dataclass(frozen=True)
class Grid:
    """The number of blocks: `blocks`, or ceil(n / `elements`)."""

    blocks: int = 0
    elements: int = 0

    def of(self, n: int) -> int:
        """The blocks for n elements."""
        return self.blocks or -(-n // self.elements)

    def text(self) -> str:
        """`ceil(n/256)`, `1024`."""
        return str(self.blocks) if self.blocks else f"ceil(n/{self.elements})"


@dataclass(frozen=True)
class Declaration:
    """A kernel `name(size_t n, parameters...)`; flops per element; tolerance of its check."""

    name: str
    parameters: tuple[Array | Scalar, ...]
    block: int
    grid: Grid
    flops: int = 0
    tolerance: float = 0.0

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays, in order."""
        return tuple(p for p in self.parameters if isinstance(p, Array))

    @property
    def element(self) -> int:
        """Bytes of the largest element: an array of `size` bytes has size / element of them."""
        return max(array.type.bytes for array in self.arrays)

    @property
    def read(self) -> int:
        """Bytes that a launch reads per element."""
        return sum(array.read for array in self.arrays)

    @property
    def written(self) -> int:
        """Bytes that a launch writes per element."""
        return sum(array.written for array in self.arrays)

    @property
    def in_place(self) -> bool:
        """Whether a launch changes what the next one reads."""
        return any(array.is_read and array.is_written for array in self.arrays)

    def text(self) -> str:
        """The whole declaration."""
        inner = "; ".join(parameter.text() for parameter in self.parameters)
        more = f" flops {self.flops}" if self.flops else ""
        more += f" tolerance {self.tolerance!r}" if self.tolerance else ""
        return f"{self.name}({inner}) block {self.block} grid {self.grid.text()}{more}"


COUNT = r"[0-9]{1,40}"  # Python refuses to read thousands of digits
NUMBER = rf"[+-]?(?:{COUNT}\.?[0-9]{{0,40}}|\.{COUNT})(?:[eE][+-]?[0-9]{{1,4}})?"
WHOLE = re.compile(
    rf"(?P<name>[A-Za-z0-9_]+)\((?P<inner>[^()]+)\) block (?P<block>{COUNT}) "
    rf"grid (?:(?P<blocks>{COUNT})|ceil\(n/(?P<elements>{COUNT})\))"
    rf"(?: flops (?P<flops>{COUNT}))?(?: tolerance (?P<tolerance>{NUMBER}))?"
)
ARRAY = re.compile(
    rf"(?P<type>[A-Za-z0-9_ ]+)\* (?P<name>[A-Za-z0-9_]+): (?:read (?P<read>{COUNT}) ?)?"
    rf"(?:write (?P<written>{COUNT}) ?)?(?:fill (?P<fill>[a-z]+|{NUMBER}))?"
)
SCALAR = re.compile(rf"(?P<type>[A-Za-z0-9_ ]+) (?P<name>[A-Za-z0-9_]+) = (?P<value>{NUMBER})")


def parse(text: str) -> Declaration:
    """The declaration of this text. Raises UsageError."""
    match = WHOLE.fullmatch(text)
    if not match:
        raise UsageError(f"'{text[:80]}' does not declare a kernel")
    made = Declaration(
        match["name"],
        tuple(parameter(part) for part in match["inner"].split("; ")),
        int(match["block"]),
        Grid(int(match["blocks"] or 0), int(match["elements"] or 0)),
        int(match["flops"] or 0),
        float(match["tolerance"] or 0),
    )
    if not made.arrays or not made.block or not (made.grid.blocks or made.grid.elements):
        raise UsageError(f"'{text[:80]}' declares a kernel that does nothing")
    return made


def parameter(text: str) -> Array | Scalar:
    """One parameter of a declaration. Raises UsageError."""
    array, scalar = ARRAY.fullmatch(text), SCALAR.fullmatch(text)
    match = array or scalar
    kind = TYPES.get(match["type"]) if match else None
    if not kind or not match:
        raise UsageError(f"'{text[:80]}' does not declare a parameter of a kernel")
    if scalar:
        made_scalar = Scalar(scalar["name"], kind, scalar["value"])
        if str(made_scalar.number) != scalar["value"]:
            raise UsageError(f"'{text[:80]}': '{scalar['value']}' is not a value of {kind.name}")
        return made_scalar
    read, written = match["read"], match["written"]
    made = Array(match["name"], kind, int(read or 0), int(written or 0), match["fill"] or RANDOM)
    return replace(made, is_read=read is not None, is_written=written is not None)
