"""What tests of `watari bem` share: its output, and a listener."""

from __future__ import annotations

import re

LENGTH = re.compile(r"^C/\(4 pi eps0\)  (\S+), in the mesh's unit of length$", re.MULTILINE)
FARAD = re.compile(r"^capacitance    (\S+) F, with lengths in metres$", re.MULTILINE)


class Quiet:
    """A listener that stops after `most` reports."""

    def __init__(self, most: int = 10**9) -> None:
        self.left = most
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)

    def advance(self, fraction: float, text: str) -> bool:
        self.left -= 1
        return self.left >= 0
