"""The printable form of text: a terminal shows it, and obeys none of it.

Text of files, programs and file names may hold escape sequences, which move the cursor, set the
title or write into the clipboard of a terminal, and marks of direction, which show a line in
another order than it has. Each such character becomes its escape in Python: `\\x1b`, `\\u202e`.
"""

from __future__ import annotations

import unicodedata

# control, format (directions, zero width), half of a surrogate pair, not a character, line and
# paragraph separators
OBEYED = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


def printable(text: str) -> str:
    """The text on one line, without characters that a terminal obeys; a tab stays."""
    if text.isprintable():  # nearly always
        return text
    return "".join(map(shown, text))


def shown(character: str) -> str:
    """A character, or its escape."""
    if unicodedata.category(character) not in OBEYED or character == "\t":
        return character
    return character.encode("unicode_escape").decode()
