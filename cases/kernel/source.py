"""Reads a kernel's source: its signature, and the statements in the comments above it.

    // watari: read x, y; write y
    // watari: scalar alpha = 2.5
    extern "C" __global__ void saxpy(size_t n, float alpha, const float* x, float* y) {

README.md has the grammar (statements.py reads one statement). Comments and strings are blanked
before the signature is looked up, so neither can look like a kernel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from watari.case.axis import nearest
from watari.cases.kernel import files
from watari.cases.kernel.declaration import Declaration
from watari.cases.kernel.parameter_types import TYPES, Type, type_of
from watari.cases.kernel.statements import Statements
from watari.common.errors import UsageError

EXPECTED = 'extern "C" __global__ void NAME(size_t n, ...)'
# numbers first: the quote of 1'000 begins no character
TOKEN = re.compile(
    r"""(?P<number>\b[0-9](?:'?[\w.])*)|(?P<comment>//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.DOTALL,
)
BOUNDS = r"(?:__launch_bounds__\s*\([^()]*\)\s*)?"
HEAD = rf"(?:__global__\s+{BOUNDS}void|void\s+__global__)\s+{BOUNDS}(?P<name>\w+)\s*\("
KERNEL = re.compile(rf'extern\s*"C"\s*{HEAD}(?P<inner>[^(){{}};]*)\)\s*{{')
MANGLED = re.compile(rf"{HEAD}[^;{{}}]*\)\s*{{")
STATEMENT = re.compile(r"^[\s/*]*watari:([^\n]*)", re.MULTILINE)
PARAMETER = re.compile(r"(?P<type>[\w\s]+?)\s*(?P<star>\*?)\s*\b(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class Found:
    """A kernel's signature: its line, the text between its parentheses, and the comments that
    belong to it, each with its line."""

    name: str
    line: int
    inner: str
    comments: tuple[tuple[int, str], ...]


def blanked(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The text of the same length without comments and strings, and the comments with their
    offsets. "C" stays."""
    comments: list[tuple[int, str]] = []

    def blank(match: re.Match[str]) -> str:
        if match["comment"]:
            comments.append((match.start(), match[0]))
        if match["number"] or match[0] == '"C"':
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return TOKEN.sub(blank, text), comments


def line_of(text: str, offset: int) -> int:
    """The number of the line at this offset, from 1."""
    return text.count("\n", 0, offset) + 1


def kernels(text: str, file: str) -> dict[str, Found]:
    """The kernels of a source, by name, with the comments above each. Raises UsageError."""
    code, comments = blanked(text)
    found: dict[str, Found] = {}
    end = 0
    for match in KERNEL.finditer(code):
        above = [
            (line_of(text, at + note.start(1)), note[1])
            for at, comment in comments
            if end <= at < match.end()
            for note in STATEMENT.finditer(comment.removesuffix("*/"))
        ]
        line = line_of(text, match.start())
        if match["name"] in found:
            raise UsageError(f"{file}:{line}: a second kernel is called {match['name']}")
        found[match["name"]] = Found(match["name"], line, match["inner"], tuple(above))
        end = match.end()
    if not found:
        other = MANGLED.search(code)
        where = f"{file}:{line_of(text, other.start())}" if other else file
        raise UsageError(f"{where}: expected a kernel, {EXPECTED}")
    return found


def typed(text: str, where: str) -> tuple[Type, bool, bool, str]:
    """The type of a parameter, whether it points to elements, whether these are constant, and its
    name. Raises UsageError."""
    plain = re.sub(r"\b__restrict__\b|\b__restrict\b", " ", text).strip()
    before, star, after = plain.partition("*")
    if star:
        after = re.sub(r"^\s*const\b", " ", after)
    match = PARAMETER.fullmatch(f"{before.strip()} {star} {after.strip()}".strip())
    if not match:
        raise UsageError(f"{where}: expected TYPE NAME or TYPE* NAME, not '{text.strip()}'")
    words = match["type"].split()
    kind = type_of([word for word in words if word != "const"])
    if not kind:
        name = " ".join(word for word in words if word != "const")
        raise UsageError(
            f"{where}: '{name}' is not a type of a parameter{nearest(name, TYPES)}; known: "
            f"{', '.join(TYPES)}"
        )
    return kind, bool(star), "const" in words, match["name"]


def declared(found: Found, file: str) -> Declaration:
    """The declaration of a kernel. Raises UsageError that names the line and what was expected."""
    where = f"{file}:{found.line}"
    said = Statements(file)
    for line, text in found.comments:
        said.read(line, text)
    first, *texts = found.inner.split(",")
    if first.split()[:-1] not in (["size_t"], ["const", "size_t"]):
        raise UsageError(
            f"{where}: expected 'size_t n' as the first parameter, not '{first.strip()}'"
        )
    signature = [typed(text, where) for text in texts]
    arrays = {name for _, is_array, _, name in signature if is_array}
    scalars = {name for *_, name in signature} - arrays
    said.require_known(arrays, scalars, found.name)
    parameters = [
        said.array(name, kind, is_constant, where) if is_array else said.scalar(name, kind, where)
        for kind, is_array, is_constant, name in signature
    ]
    made = Declaration(
        found.name, tuple(parameters), said.block, said.grid_of(), said.flops, said.tolerance
    )
    if not made.arrays:
        raise UsageError(f"{where}: expected an array, TYPE* NAME, among the parameters")
    if not made.read + made.written:
        raise UsageError(f"{where}: expected an array with bytes that are read or written")
    return made


def names(source: str) -> list[str]:
    """The kernels of a source, a value of `files`. Raises UsageError."""
    return list(kernels(files.content_of(source), files.name_of(source)))


def of(source: str, kernel: str) -> Declaration:
    """The declaration of a kernel of a source, a value of `files`. Raises UsageError."""
    name = files.name_of(source)
    found = kernels(files.content_of(source), name)
    if kernel not in found:
        raise UsageError(f"{name} has no kernel '{kernel}'; it has {', '.join(found)}")
    return declared(found[kernel], name)
