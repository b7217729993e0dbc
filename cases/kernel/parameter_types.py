"""The types that a parameter of a kernel may have, by the names of CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A type of CUDA C++ on a 64-bit machine. `code`: of its components for struct and NumPy."""

    name: str
    code: str
    bytes: int
    components: int = 1

    @property
    def is_integer(self) -> bool:
        """Whether it has whole numbers."""
        return self.code not in "fd"

    @property
    def filled_as(self) -> str:
        """Its components for `Buffer.fill_values`: `i4`, `f8`."""
        return f"{'i' if self.is_integer else 'f'}{self.bytes // self.components}"

    @property
    def most(self) -> int:
        """The largest whole number up to which its components hold every one."""
        bits = 8 * self.bytes // self.components
        exact = {"f": 24, "d": 53}.get(self.code)
        return 1 << exact if exact else (1 << (bits - self.code.islower())) - 1


# by name; the code of a signed integer is a lower-case letter
TYPES = {
    row.name: row
    for row in (
        Type("bool", "B", 1),
        Type("char", "b", 1),
        Type("signed char", "b", 1),
        Type("unsigned char", "B", 1),
        Type("short", "h", 2),
        Type("unsigned short", "H", 2),
        Type("int", "i", 4),
        Type("unsigned int", "I", 4),
        Type("long", "q", 8),
        Type("unsigned long", "Q", 8),
        Type("long long", "q", 8),
        Type("unsigned long long", "Q", 8),
        Type("size_t", "Q", 8),
        Type("int8_t", "b", 1),
        Type("uint8_t", "B", 1),
        Type("int16_t", "h", 2),
        Type("uint16_t", "H", 2),
        Type("int32_t", "i", 4),
        Type("uint32_t", "I", 4),
        Type("int64_t", "q", 8),
        Type("uint64_t", "Q", 8),
        Type("float", "f", 4),
        Type("double", "d", 8),
        Type("float2", "f", 8, 2),
        Type("float4", "f", 16, 4),
        Type("double2", "d", 16, 2),
    )
}
WORDS = {"signed", "unsigned", "short", "long", "int", "char"}


def plain_name(words: list[str]) -> str:
    """The name in TYPES of the words of a type in any order: `int long unsigned` is
    `unsigned long`. Other words stay as they are."""
    if not set(words) <= WORDS or len(words) - words.count("long") != len({*words} - {"long"}):
        return " ".join(words)
    sign = [word for word in ("unsigned", "signed") if word in words]
    kind = [word for word in words if word not in ("signed", "unsigned", "int")]
    if kind != ["char"]:  # only char differs from signed char
        sign = sign[:1] if sign == ["unsigned"] else []
    return " ".join(sign + (kind or ["int"]))


def type_of(words: list[str]) -> Type | None:
    """The type that these words name; None if it is none of these."""
    return TYPES.get(plain_name(words))
