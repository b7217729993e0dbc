"""The words an axis understands: sizes, durations, processors, memories, choices.

An axis turns what a user wrote (command line text or a TOML value) into a plain JSON value. Sizes
read as `4KiB`, `4GB` (10^9 bytes), `4G` (GiB) or bytes.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from watari.errors import UsageError

Value = Any  # a plain JSON value: int, bool or str
Parameters = dict[str, Value]
Machine = dict[str, Any]

BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
DECIMAL = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
MOST_BYTES = 2**63 - 1
SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Axis:
    """One axis of a case. `default` sees the machine and the axes resolved before this one."""

    name: str
    summary: str
    parse: Callable[[str], Value]
    default: Callable[[Machine, Parameters], Value]
    default_text: str
    choices: tuple[str, ...] = ()


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when a known word is close, else nothing."""
    found = difflib.get_close_matches(word, list(words), n=1)
    return f" (did you mean '{found[0]}'?)" if found else ""


def unknown(what: str, word: str, words: Iterable[str]) -> UsageError:
    """The error for a word that is not in the list: the nearest right word, and the list."""
    words = list(words)
    return UsageError(f"unknown {what} '{word}'{nearest(word, words)}; known: {', '.join(words)}")


def parse_size(text: str) -> int:
    """Bytes of `64KiB`, `4GB`, `4G` or `1048576`. Raises UsageError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(iB|B)?\s*", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"'{text}' is not a size; write for example 64KiB, 4GB (10^9 bytes) or 4G")
    number, prefix, unit = match.group(1), match.group(2).upper(), (match.group(3) or "").lower()
    scale = (DECIMAL if unit == "b" and prefix else BINARY)[prefix]
    size = round(float(number) * scale) if "." in number else int(number) * scale
    if size <= 0:
        raise UsageError(f"'{text}' is not a size: it must be at least one byte")
    if size > MOST_BYTES:
        raise UsageError(f"'{text}' is beyond what any machine has")
    return size


def format_size(size: int) -> str:
    """The shortest exact text that parse_size reads back."""
    units = [(f"{p}iB", scale) for p, scale in BINARY.items() if p]
    units += [(f"{p}B", scale) for p, scale in DECIMAL.items()]
    texts = [f"{size // scale}{suffix}" for suffix, scale in units if size % scale == 0]
    return min([*texts, str(size)], key=len)


def parse_duration(text: str) -> float:
    """Seconds of `90s`, `8min`, `1.5h` or `90`. Raises UsageError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text)
    if not match or (match.group(2) or "s") not in SECONDS:
        raise UsageError(f"'{text}' is not a time; write for example 90s, 8min or 1.5h")
    return float(match.group(1)) * SECONDS[match.group(2) or "s"]


def parse_folder(text: str) -> str:
    """A path, perhaps below somebody's home (~). Raises UsageError."""
    if not text.strip():
        raise UsageError("a folder needs a name")
    if os.path.expanduser(text).startswith("~"):
        raise UsageError(f"'{text}': no such user; a folder of that name is './{text}'")
    return text


def parse_boolean(text: str) -> bool:
    """True of `yes`, False of `no` (and the usual synonyms). Raises UsageError."""
    words = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
    if text.lower() not in words:
        raise UsageError(f"'{text}' is neither yes nor no")
    return words[text.lower()]


def one_of(*words: str) -> Callable[[str], str]:
    """A parser that takes these words alone."""

    def parse(text: str) -> str:
        if text not in words:
            raise unknown("value", text, words)
        return text

    return parse


def numbered(*words: str, numbers: tuple[str, ...] = ("gpu", "device")) -> Callable[[str], str]:
    """A parser for words of which some may carry the number of a GPU: `gpu:1`, `device:1`.

    Number 0 is left out of the result, so that `gpu:0` and `gpu` are the same case.
    """

    def parse(text: str) -> str:
        word, colon, number = text.partition(":")
        if word not in words or (colon and (word not in numbers or not number.isdigit())):
            known = [*words, *(f"{w}:1" for w in words if w in numbers)]
            raise unknown("value", text, known)
        return word if not colon or int(number) == 0 else f"{word}:{int(number)}"

    return parse


def count(low: int, high: int) -> Callable[[str], int]:
    """A parser for whole numbers in a range."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"\d+", text) or not low <= int(text) <= high:
            raise UsageError(f"'{text}' is not a whole number from {low} to {high}")
        return int(text)

    return parse


def sequence(*words: str) -> Callable[[str], str]:
    """A parser for words joined by `+`, such as `gpu+cpu+gpu`."""

    def parse(text: str) -> str:
        for word in text.split("+"):
            if word not in words:
                raise unknown("value", word, words)
        return text

    return parse


def as_text(value: Value) -> str:
    """A TOML or JSON scalar as the text that an axis parses."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
