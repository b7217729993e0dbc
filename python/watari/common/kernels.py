"""Short names of kernels: those of C++ templates can have a thousand letters."""

from __future__ import annotations

import re

NAMESPACES = re.compile(r"(?:\(anonymous namespace\)::|\b[A-Za-z_]\w*::)+")
OPENING, CLOSING = "(<{[", ")>}]"


def without_namespaces(text: str) -> str:
    """`fill<float>` of `at::native::fill<float>`, everywhere in a text."""
    return NAMESPACES.sub("", text)


def short(name: str) -> str:
    """`fill<float>` of `void at::native::fill<float>(float*, int)`: without namespaces, return type
    and arguments."""
    plain = without_namespaces(name)
    depth, begin, end = 0, 0, len(plain)
    for at, letter in enumerate(plain):
        if depth == 0 and letter == " ":
            begin = at + 1  # the return type is before it
        elif depth == 0 and letter == "(" and at > begin:
            end = at
            break
        depth += (letter in OPENING) - (letter in CLOSING)
    return plain[begin:end] or plain
