"""The packed arguments have the layout that the compiler gave the kernel's parameters."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_sources import nvrtc, parameters_of

from watari.cases.kernel.arguments import layout, packed, require_layout
from watari.cases.kernel.declaration import Array, Declaration, Grid, Scalar
from watari.cases.kernel.parameter_types import TYPES
from watari.common.errors import UsageError

HERE = sorted(name for name in TYPES if not name.endswith("_t") or name == "size_t")  # of NVRTC


def declare(types: list[tuple[str, bool]]) -> Declaration:
    made: list[Array | Scalar] = [Array("first", TYPES["float"], 4, is_read=True)]
    for i, (name, is_array) in enumerate(types):
        kind = TYPES[name]
        if is_array or kind.components > 1:
            made.append(Array(f"p{i}", kind, kind.bytes, is_read=True))
        else:
            made.append(Scalar(f"p{i}", kind, "1" if kind.is_integer else "1.5"))
    return Declaration("f", tuple(made), 32, Grid(1))


def signature(made: Declaration) -> str:
    """A kernel that uses all of its parameters, since the compiler may drop others."""
    inner = ", ".join(
        f"{p.type.name}{'*' if isinstance(p, Array) else ''} {p.name}" for p in made.parameters
    )
    return f'extern "C" __global__ void f(size_t n, {inner}) {{}}'


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(HERE), st.booleans()), max_size=12))
def test_the_layout_is_that_of_the_compiler(types: list[tuple[str, bool]]) -> None:
    made = declare(types)
    image, _ = nvrtc().compile(signature(made), "f.cu", 90, True)
    assert parameters_of(image) == layout(made)


def test_values_and_addresses_are_at_their_offsets() -> None:
    made = declare([("char", False), ("double", False), ("short", False), ("float", False)])
    all_of = packed(made, 7, {"first": 0x123456789ABC})
    assert all_of.offsets == [0, 8, 16, 24, 32, 36]
    whole = struct.unpack("<QQb7xdh2xf", all_of.bytes)
    assert whole == (7, 0x123456789ABC, 1, 1.5, 1, 1.5)


def test_a_type_that_a_macro_hides_is_detected() -> None:
    made = declare([("int", False), ("float", True)])
    image, _ = nvrtc().compile(f"#define int long\n{signature(made)}", "f.cu", 90, True)
    with pytest.raises(UsageError, match="a macro or typedef may hide a type"):
        require_layout(made, parameters_of(image))
    require_layout(made, None)  # a driver that cannot tell


def test_numbers_at_the_ends_of_a_type_fit() -> None:
    ends: list[Any] = []
    for kind in TYPES.values():
        if kind.is_integer:
            least = -kind.most - 1 if kind.code.islower() else 0
            ends += [Scalar("x", kind, str(least)), Scalar("x", kind, str(kind.most))]
    for scalar in ends:
        made = Declaration("f", (scalar,), 32, Grid(1))
        data = packed(made, 1, {}).bytes[8:]
        assert struct.unpack(f"@{scalar.type.code}", data) == (scalar.number,)
