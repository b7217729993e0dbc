"""Reads meshes of PLY (Turk 1994): text, and binary in both byte orders.

A header lists elements, each with a number of records and the properties of a record: numbers, or
lists that begin with their length. Of `vertex` x, y and z are read, of `face` the list of corners;
other properties and elements are skipped, as the confidence of a range scanner. All lists of an
element mostly have one length: its records then have one size, and are read at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Surface = tuple[NDArray[np.float64], NDArray[np.int64]]

ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
NAMES = {  # of types, by those of NumPy
    "i1": "char int8",
    "u1": "uchar uint8",
    "i2": "short int16",
    "u2": "ushort uint16",
    "i4": "int int32",
    "u4": "uint uint32",
    "f4": "float float32",
    "f8": "double float64",
}
SIZES = {name: size for size, names in NAMES.items() for name in names.split()}
CORNERS = ("vertex_indices", "vertex_index")
END = re.compile(rb"^end_header[ \t]*\r?\n", re.MULTILINE)
CUT = "cut short"


@dataclass(frozen=True)
class Property:
    """A number of `type`, or a list of them after its length of type `length`."""

    name: str
    type: str
    length: str = ""


@dataclass
class Element:
    """Records of one kind."""

    name: str
    count: int
    properties: list[Property] = field(default_factory=list)


Columns = dict[str, Any]  # by property: an array of a record a row, or a list of arrays


def ply(content: bytes) -> Surface:
    """The vertices and triangles of a file; a polygon is cut into a fan of triangles. Raises
    ValueError."""
    order, elements, at = header(content)
    body: Any = Words(content[at:]) if not order else Records(content, at, order)
    read: dict[str, Columns] = {each.name: body.columns(each) for each in elements}
    try:
        vertex, face = read["vertex"], read["face"]
        points = np.stack([np.asarray(vertex[axis], float) for axis in "xyz"], axis=1)
        corners = next(face[name] for name in CORNERS if name in face)
    except (KeyError, StopIteration):
        raise ValueError(
            "it has no vertices with x, y, z or no faces with vertex_indices"
        ) from None
    return points, fans(corners)


def fans(faces: Any) -> NDArray[np.int64]:
    """Triangles of polygons."""
    blocks = [faces] if isinstance(faces, np.ndarray) else [each[None, :] for each in faces]
    triangles: list[Any] = [np.zeros((0, 3), np.int64)]
    for block in blocks:
        if len(block) and block.shape[1] < 3:
            raise ValueError("a face has three corners or more")
        first, rest = block[:, :1], range(1, block.shape[1] - 1)
        several = [np.hstack([first, block[:, i : i + 2]]) for i in rest]
        triangles.append(np.stack(several, axis=1).reshape(-1, 3) if several else triangles[0])
    return np.concatenate(triangles).astype(np.int64)


def header(content: bytes) -> tuple[str, list[Element], int]:
    """The byte order (empty: text), the elements, and where the first record begins."""
    end = END.search(content)
    if not content.startswith(b"ply") or not end:
        raise ValueError("not a PLY file: no 'ply' or no 'end_header'")
    order: str | None = None
    elements: list[Element] = []
    for number, line in enumerate(content[: end.start()].splitlines(), 1):
        words = line.decode("latin-1").split()
        try:
            match words:
                case ["format", name, _]:
                    order = ORDERS[name]
                case ["element", name, count] if count.isascii() and count.isdigit():
                    elements.append(Element(name, int(count)))
                case ["property", "list", length, kind, name]:
                    elements[-1].properties.append(Property(name, SIZES[kind], SIZES[length]))
                case ["property", kind, name]:
                    elements[-1].properties.append(Property(name, SIZES[kind]))
                case ["ply"] | ["comment" | "obj_info", *_] | []:
                    pass
                case _:
                    raise KeyError
        except (KeyError, IndexError):
            raise ValueError(f"line {number}: '{' '.join(words)}' is no line of a header") from None
    if order is None:
        raise ValueError("its header names no format")
    return order, elements, end.end()


class Body:
    """The records of a file, which are read one element after the other."""

    def columns(self, of: Element) -> Columns:
        """Reads all records of an element: at once if they have one size."""
        if not of.count:
            return {each.name: np.zeros((0, 3) if each.length else 0) for each in of.properties}
        begin = self.at
        lengths = [len(values) if values.ndim else None for values in self.record(of)]
        self.at = begin
        columns = None if 0 in lengths else self.together(of, lengths)
        if columns is not None:
            return columns
        columns = {each.name: [] for each in of.properties}
        for _ in range(of.count):
            for each, values in zip(of.properties, self.record(of), strict=True):
                columns[each.name].append(values)
        return columns

    def record(self, of: Element) -> Iterator[Any]:
        """Reads one record: a number or an array for each property."""
        for each in of.properties:
            count = int(self.take(each.length, 1)[0]) if each.length else 1
            values = self.take(each.type, count)
            yield values if each.length else values[0]

    at: int

    def take(self, kind: str, count: int) -> Any:
        """Reads an array of numbers."""
        raise NotImplementedError

    def together(self, of: Element, lengths: list[int | None]) -> Columns | None:
        """Reads all records, whose lists have these lengths; None if one has another."""
        raise NotImplementedError


class Records(Body):
    """The records of a binary file, from `at` on."""

    def __init__(self, content: bytes, at: int, order: str) -> None:
        self.content, self.at, self.order = content, at, order

    def together(self, of: Element, lengths: list[int | None]) -> Columns | None:
        fields: list[Any] = []
        for each, n in zip(of.properties, lengths, strict=True):
            if n is not None:
                fields.append((f"{each.name} length", self.order + each.length))
            fields.append((each.name, self.order + each.type, () if n is None else (n,)))
        row = np.dtype(fields)
        if len(self.content) - self.at < of.count * row.itemsize:
            return None
        rows = np.frombuffer(self.content, row, of.count, self.at)
        for each, n in zip(of.properties, lengths, strict=True):
            if n is not None and (rows[f"{each.name} length"] != n).any():
                return None
        self.at += of.count * row.itemsize
        return {each.name: rows[each.name] for each in of.properties}

    def take(self, kind: str, count: int) -> Any:
        of = np.dtype(self.order + kind)
        if count < 0 or len(self.content) - self.at < count * of.itemsize:
            raise ValueError(CUT)
        self.at += count * of.itemsize
        return np.frombuffer(self.content, of, count, self.at - count * of.itemsize)


class Words(Body):
    """The records of a text file."""

    def __init__(self, content: bytes) -> None:
        if b"_" in content:  # float() and int() would take it
            raise ValueError("not a number: '_'")
        self.words, self.at = content.split(), 0

    def together(self, of: Element, lengths: list[int | None]) -> Columns | None:
        width = sum(1 if n is None else n + 1 for n in lengths)
        block = self.words[self.at : self.at + of.count * width]
        if len(block) < of.count * width:
            return None
        columns: Columns = {}
        place = 0
        for each, n in zip(of.properties, lengths, strict=True):
            if n is not None:
                if set(block[place::width]) != {b"%d" % n}:
                    return None
                place += 1
            every = [numbers(each.type, block[place + j :: width]) for j in range(n or 1)]
            columns[each.name] = np.array(every[0] if n is None else every).T
            place += n or 1
        self.at += len(block)
        return columns

    def take(self, kind: str, count: int) -> Any:
        if count < 0 or len(self.words) - self.at < count:
            raise ValueError(CUT)
        self.at += count
        return np.array(numbers(kind, self.words[self.at - count : self.at]))


def numbers(kind: str, words: list[bytes]) -> list[float] | list[int]:
    """Words as numbers of a type. Raises ValueError."""
    return [float(word) for word in words] if kind.startswith("f") else [int(w) for w in words]
