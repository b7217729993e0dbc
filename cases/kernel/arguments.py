"""The arguments of a launch, packed as the compiler lays out the kernel's parameters.

The layout is that of a C struct: each parameter is aligned to its own size. `require_layout`
compares it with the layout that the driver reports for the compiled kernel.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from watari.cases.kernel.declaration import Array, Declaration
from watari.common.errors import UsageError

POINTER = "Q"


@dataclass(frozen=True)
class Packed:
    """Bytes of all parameters, and the offset of each."""

    bytes: bytes
    offsets: list[int]


def codes(declared: Declaration) -> str:
    """The struct codes of n and of each parameter: pointers and scalars."""
    return POINTER + "".join(
        POINTER if isinstance(p, Array) else p.type.code for p in declared.parameters
    )


def layout(declared: Declaration) -> list[tuple[int, int]]:
    """Offset and bytes of n and of each parameter."""
    all_codes = codes(declared)
    sizes = [struct.calcsize(code) for code in all_codes]
    ends = [struct.calcsize(f"@{all_codes[: i + 1]}") for i in range(len(all_codes))]
    return [(end - size, size) for end, size in zip(ends, sizes, strict=True)]


def packed(declared: Declaration, n: int, addresses: Mapping[str, int]) -> Packed:
    """The arguments for n elements, with the address of each array by name."""
    values = [addresses[p.name] if isinstance(p, Array) else p.number for p in declared.parameters]
    data = struct.pack(f"@{codes(declared)}", n, *values)
    return Packed(data, [offset for offset, _ in layout(declared)])


def require_layout(declared: Declaration, seen: Sequence[tuple[int, int]] | None) -> None:
    """Raises UsageError unless the compiled kernel has these parameters; `seen` is None where the
    driver cannot tell."""
    expected = layout(declared)
    if seen is None or list(seen) == expected:
        return
    raise UsageError(
        f"{declared.name}: the compiled kernel has parameters at (offset, bytes) {list(seen)}, and "
        f"its signature was read as {expected}: a macro or typedef may hide a type"
    )
