"""The statements of a source's comments: `watari: read x, y; write y; block 256`.

| statement | says |
|---|---|
| `read NAMES` | arrays that the kernel reads; a `const` array is read without one |
| `write NAMES` | arrays that it writes; an array can be both |
| `bytes NAME = PRODUCT, ...` | bytes per element that it reads, or writes if it only writes |
| `scalar NAME = NUMBER, ...` | values of scalar parameters |
| `fill NAME = RULE, ...` | values of an array: `random`, `ascending` or a number |
| `block NUMBER` | threads of a block |
| `grid ceil(n/PRODUCT)`, `grid NUMBER` | blocks |
| `flops NUMBER` | floating-point operations per element |
| `tolerance NUMBER` | of the check, relative to the largest expected value |

A PRODUCT has numbers and, in a grid, `block`, joined by `*`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from watari.case.axis import nearest
from watari.cases.kernel.declaration import (
    ASCENDING,
    COUNT,
    MOST_BLOCKS,
    NUMBER,
    RANDOM,
    Array,
    Grid,
    Scalar,
)
from watari.cases.kernel.parameter_types import Type
from watari.common.errors import UsageError

BLOCK, MOST_THREADS = 256, 1024
MOST_PER_ELEMENT = 2**20  # bytes, or flops
MOST_FLOAT = (2 - 2**-23) * 2.0**127
NAME = r"[A-Za-z_]\w*"

PRODUCT = re.compile(rf"(?:{COUNT}|block)(?:\s*\*\s*(?:{COUNT}|block))*")
CEIL = re.compile(r"ceil\s*\(\s*n\s*/\s*\(?\s*([^()]+?)\s*\)?\s*\)")
PARTS = {"read", "write", "bytes", "scalar", "fill"}


def whole(digits: str) -> int:
    """The number of ASCII digits; above every limit for those that Python refuses to read."""
    return int(digits) if len(digits) <= 40 else 10**40


class Statements:
    """The statements above one kernel. Each method that reads raises UsageError with the line."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.where = file
        self.block = BLOCK
        self.grid: str = ""
        self.flops = 0
        self.tolerance = 0.0
        self.given: dict[str, dict[str, tuple[str, str]]] = {part: {} for part in PARTS}
        self.seen: set[str] = set()
        self.readers: dict[str, Callable[[str], None]] = {
            "read": lambda rest: self.names("read", rest),
            "write": lambda rest: self.names("write", rest),
            "bytes": lambda rest: self.values("bytes", rest, "PRODUCT"),
            "scalar": lambda rest: self.values("scalar", rest, "NUMBER"),
            "fill": lambda rest: self.values("fill", rest, "RULE"),
            "block": self.read_block,
            "grid": self.read_grid,
            "flops": self.read_flops,
            "tolerance": self.read_tolerance,
        }

    def error(self, expected: str, text: str) -> UsageError:
        """The error at the current line."""
        return UsageError(f"{self.where}: expected {expected}, not '{text.strip()[:60]}'")

    def read(self, line: int, text: str) -> None:
        """Reads the statements of one comment."""
        self.where = f"{self.file}:{line}"
        for statement in filter(str.strip, text.split(";")):
            word, _, rest = statement.strip().partition(" ")
            if word not in self.readers:
                known = f"{', '.join(self.readers)}{nearest(word, self.readers)}"
                raise self.error(f"one of {known}", word)
            if word not in PARTS and word in self.seen:
                raise self.error(f"'{word}' once", statement)
            self.seen.add(word)
            self.readers[word](rest.strip())

    def keep(self, part: str, name: str, value: str) -> None:
        """Keeps what one statement says about a parameter."""
        if name in self.given[part]:
            raise self.error(f"'{part}' of '{name}' once", name)
        self.given[part][name] = (value, self.where)

    def names(self, part: str, rest: str) -> None:
        """Reads `x, y`."""
        for name in rest.split(","):
            if not re.fullmatch(NAME, name.strip()):
                raise self.error(f"names of arrays after '{part}'", name or rest)
            self.keep(part, name.strip(), "")

    def values(self, part: str, rest: str, value: str) -> None:
        """Reads `x = 4, y = 8`."""
        for pair in rest.split(","):
            match = re.fullmatch(rf"({NAME})\s*=\s*(.+)", pair.strip())
            if not match:
                raise self.error(f"NAME = {value} after '{part}'", pair or rest)
            self.keep(part, match[1], match[2].strip())

    def product(self, text: str, most: int, block: bool) -> int:
        """The product of numbers, of which `block` can be one."""
        factors = re.findall(r"\w+", text) if PRODUCT.fullmatch(text) else []
        if not factors or ("block" in factors and not block):
            kinds = "numbers and block" if block else "numbers"
            raise self.error(f"a product of {kinds}, such as 4*16", text)
        size = math.prod(self.block if word == "block" else int(word) for word in factors)
        if size > most:
            raise self.error(f"at most {most}", text)
        return size

    def read_block(self, rest: str) -> None:
        """Reads the threads of a block."""
        if not re.fullmatch(COUNT, rest) or not 1 <= int(rest) <= MOST_THREADS:
            raise self.error(f"a number from 1 to {MOST_THREADS} after 'block'", rest)
        self.block = int(rest)

    def read_grid(self, rest: str) -> None:
        """Reads a rule of the grid, which is evaluated when the block is known."""
        if not CEIL.fullmatch(rest) and not re.fullmatch(COUNT, rest):
            raise self.error("ceil(n/PRODUCT) or a number of blocks after 'grid'", rest)
        self.grid, self.grid_where = rest, self.where

    def read_flops(self, rest: str) -> None:
        """Reads the floating-point operations per element."""
        if not re.fullmatch(COUNT, rest) or int(rest) > MOST_PER_ELEMENT:
            raise self.error(f"a number up to {MOST_PER_ELEMENT} after 'flops'", rest)
        self.flops = int(rest)

    def read_tolerance(self, rest: str) -> None:
        """Reads the tolerance of the check."""
        if not re.fullmatch(NUMBER, rest) or not 0 <= float(rest) < 1:
            raise self.error("a number from 0 to below 1 after 'tolerance'", rest)
        self.tolerance = float(rest)

    def grid_of(self) -> Grid:
        """The grid, with the block that was declared."""
        if not self.grid:
            return Grid(elements=self.block)
        self.where = self.grid_where
        match = CEIL.fullmatch(self.grid)
        if match and (elements := self.product(match[1], 2**62, block=True)):
            return Grid(elements=elements)
        if not match and 1 <= int(self.grid) <= MOST_BLOCKS:
            return Grid(blocks=int(self.grid))
        raise self.error(f"1 to {MOST_BLOCKS} blocks", self.grid)

    def take(self, part: str, name: str) -> str | None:
        """What a statement says about a parameter, and its line for errors."""
        found = self.given[part].get(name)
        if found:
            self.where = found[1]
        return found[0] if found else None

    def array(self, name: str, kind: Type, is_constant: bool, where: str) -> Array:
        """An array, with what the statements say about it."""
        is_read = self.take("read", name) is not None
        is_written = self.take("write", name) is not None
        if is_written and is_constant:
            raise self.error("an array that is not const after 'write'", name)
        if not is_read and not is_written:
            if not is_constant:
                raise UsageError(
                    f"{where}: expected 'read {name}' or 'write {name}' in a comment '// watari:' "
                    f"above the kernel: array '{name}' is not const"
                )
            is_read = True
        given = self.take("bytes", name)
        size = kind.bytes if given is None else self.product(given, MOST_PER_ELEMENT, block=False)
        return Array(
            name,
            kind,
            size if is_read else 0,
            (kind.bytes if is_read else size) if is_written else 0,
            self.fill(name, kind),
            is_read,
            is_written,
        )

    def fill(self, name: str, kind: Type) -> str:
        """The rule by which an array is filled."""
        given = self.take("fill", name)
        if given is None or given in (RANDOM, ASCENDING):
            return given or RANDOM
        return self.number(given, kind, f"{RANDOM}, {ASCENDING} or")

    def number(self, text: str, kind: Type, also: str = "") -> str:
        """A number that a type holds, as the declaration keeps it."""
        if re.fullmatch(NUMBER, text) and math.isfinite(float(text)):
            if not kind.is_integer and abs(float(text)) <= (
                MOST_FLOAT if kind.code == "f" else math.inf
            ):
                return repr(float(text))
            least = -kind.most - 1 if kind.code.islower() else 0
            if (
                kind.is_integer
                and re.fullmatch(r"[+-]?[0-9]{1,20}", text)
                and least <= int(text) <= kind.most
            ):
                return str(int(text))
        wanted = f"{also} a number that {kind.name} holds".strip()
        raise self.error(wanted, text)

    def scalar(self, name: str, kind: Type, where: str) -> Scalar:
        """A scalar parameter with its value."""
        value = self.take("scalar", name)
        if kind.components > 1:
            raise UsageError(f"{where}: expected a scalar of one number, not {kind.name} '{name}'")
        if value is None:
            raise UsageError(
                f"{where}: expected 'scalar {name} = NUMBER' in a comment '// watari:' above the "
                f"kernel: parameter '{name}' has no value"
            )
        return Scalar(name, kind, self.number(value, kind))

    def require_known(self, arrays: set[str], scalars: set[str], kernel: str) -> None:
        """Raises UsageError for a statement about a parameter that the kernel does not have."""
        for part, given in self.given.items():
            names, what = (scalars, "a scalar") if part == "scalar" else (arrays, "an array")
            for name in given:
                self.take(part, name)
                if name not in names:
                    raise self.error(f"{what} of {kernel} after '{part}'", name)
