"""Reads meshes of OBJ and STL: each as (vertices, triangles), or a ValueError that names the line.

OBJ counts vertices from 1, or back from the last one read so far: -1 is the last. 0 is none.
STL has no vertices but corners, three for each triangle; the library merges equal ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Surface = tuple[NDArray[np.float64], NDArray[np.int64]]

WHOLE = re.compile(rb"[+-]?\d{1,12}")
HEAD, RECORD = 84, 50  # bytes of a binary STL: before its triangles, and of each
FACET = (b"facet", b"outer", b"vertex", b"vertex", b"vertex", b"endloop", b"endfacet")


def lines(content: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the words of each line that has some; `\\` joins a line and the next one."""
    begun: list[bytes] = []
    for number, line in enumerate(content.splitlines(), 1):
        words = line.partition(b"#")[0].split()
        if words and words[-1].endswith(b"\\"):
            begun += [*words[:-1], *filter(None, [words[-1][:-1]])]
        elif begun or words:
            yield number, begun + words
            begun = []


def point(words: Sequence[bytes], number: int) -> list[float]:
    """Three coordinates."""
    try:
        if len(words) == 3 and b"_" not in b"".join(words):
            return [float(word) for word in words]
    except ValueError:
        pass
    raise ValueError(f"line {number}: not three coordinates")


def corner(word: bytes, vertices: int, number: int) -> int:
    """The vertex of a corner such as `7`, `7/1/2` or `-1//2`, counted from 0."""
    whole = word.partition(b"/")[0]
    index = int(whole) if WHOLE.fullmatch(whole) else 0
    if index == 0 or index < -vertices:
        named = word.decode(errors="replace")
        raise ValueError(
            f"line {number}: '{named}' names none of the {vertices} vertices before it"
        )
    return index - 1 if index > 0 else vertices + index


def obj(content: bytes) -> Surface:
    """An OBJ file; a polygon is cut into a fan of triangles."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, (word, *words) in lines(content):
        if word == b"v":
            vertices.append(point(words[:3], number))
        elif word == b"f":
            if len(words) < 3:
                raise ValueError(f"line {number}: a face has three corners or more")
            first, *rest = (corner(each, len(vertices), number) for each in words)
            triangles += [(first, a, b) for a, b in pairwise(rest)]
    return np.array(vertices, float).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)


def stl(content: bytes) -> Surface:
    """An STL file, binary or text."""
    count = int.from_bytes(content[HEAD - 4 : HEAD], "little")
    if len(content) == HEAD + RECORD * count:
        row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        read = np.frombuffer(content, row, offset=HEAD)["corners"]
        with np.errstate(invalid="ignore"):  # a NaN that signals; mesh.py refuses it
            corners = read.astype(float).reshape(-1, 3)
    elif content.lstrip()[:5].lower() == b"solid":
        corners = np.array(list(facets(content)), float).reshape(-1, 3)
    else:
        raise ValueError(f"neither text nor binary STL: {count} triangles in {len(content)} bytes")
    return corners, np.arange(len(corners)).reshape(-1, 3)


def facets(content: bytes) -> Iterator[list[float]]:
    """The corners of a text STL."""
    place, ended = 0, False
    for number, (word, *words) in lines(content):
        word = word.lower()
        if place == 0 and word in (b"solid", b"endsolid"):
            ended = word == b"endsolid"
            continue
        if ended or word != FACET[place]:
            raise ValueError(f"line {number}: not '{FACET[place].decode()}'")
        if word == b"vertex":
            yield point(words, number)
        place = (place + 1) % len(FACET)
    if not ended:
        raise ValueError("cut short")
