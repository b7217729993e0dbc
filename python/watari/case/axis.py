"""The words an axis understands: sizes, durations, processors, memories, choices.

An axis turns a user's text or TOML value into a plain JSON value. Sizes read as `4KiB`, `4GB` (10^9
bytes), `4G` (GiB) or bytes; a range of sizes or numbers as `1MiB..1GiB`.
"""

from __future__ import annotations

import difflib
import os
import pwd
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from watari.case.vocabulary import ADVICE, INSTEAD, counterpart
from watari.common.errors import UsageError

Value = Any  # a plain JSON value: int, bool or str
Parameters = dict[str, Value]
Machine = dict[str, Any]

AUTO = "auto:"  # begins a value that an axis works out by its rule
BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
DECIMAL = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
MOST_BYTES = 2**63 - 1
DIGITS = r"\d{1,40}"  # of a whole number: Python refuses to read thousands
WORD = re.IGNORECASE | re.ASCII  # else \d matches other digits, too, and K the Kelvin sign
MOST_WAIT = 8e9  # seconds: the kernel counts nanoseconds in 63 bits
SLIP = 0.75  # of two words, the share of letters that they have in common
SECONDS = {"s": 1.0, "sec": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Axis:
    """One axis of a case. `default` sees the machine and the axes resolved before this one.

    An axis that is added to a case states `before`: the value for results that were written without
    the axis, or a function of their parameters. It keeps their meaning, whatever the default is.
    `needs`: a trial cannot run where the memory or processor that a value names is missing.
    `rule` works out the value that a word such as `auto:100s` stands for, from the values given
    beside it.
    """

    name: str
    summary: str
    parse: Callable[[str], Value]
    default: Callable[[Machine, Parameters], Value]
    default_text: str
    choices: tuple[str, ...] = ()
    before: Value | None = None
    needs: bool = True
    rule: Callable[[str, Parameters], Value] | None = None


def nearest(word: str, words: Iterable[str]) -> str:
    """` (did you mean 'x'?)` when a known word is close; ` (here: 'x')` for the word of another
    tool; else nothing."""
    words = list(words)
    if {word.lower()} & {*INSTEAD, *ADVICE} and (other := counterpart(word, words)):
        return other
    begun = [other for other in words if len(word) > 3 and other.startswith(word.lower())]
    near = [*similar(word, words), *begun]
    close = next(filter(lambda other: likely(word, other), near), "")
    return f" (did you mean '{close}'?)" if close else counterpart(word, words)


def similar(word: str, words: Iterable[str]) -> list[str]:
    """The known words that look most like a word, the nearest first."""
    word = word.lower()
    # difflib reads all of a word, which may be long, before it compares: at 7/3 of a known word's
    # length none looks like it
    near = [other for other in words if len(word) < 3 * len(other)]
    return difflib.get_close_matches(word, near, n=3) if near else []


def likely(word: str, other: str) -> bool:
    """Whether a word may be meant for a similar one: `devices` looks like `advise`, and means
    another thing. A slip of one or two letters keeps most of a word, or how it begins."""
    word = word.lower()
    if difflib.SequenceMatcher(a=word, b=other).ratio() >= SLIP or sorted(word) == sorted(other):
        return True
    return word[:2] == other[:2] and (
        abs(len(word) - len(other)) <= 2 or (len(word) > 3 and other.startswith(word))
    )


def unknown(kind: str, word: str, words: Iterable[str]) -> UsageError:
    """The error for a word that is not in the list: the nearest right word, and the list."""
    words = list(words)
    return UsageError(f"unknown {kind} '{word}'{nearest(word, words)}; known: {', '.join(words)}")


def parse_size(text: str) -> int:
    """Bytes of `64KiB`, `4GB`, `4G` or `1048576`. Raises UsageError."""
    match = re.fullmatch(rf"\s*({DIGITS}(?:\.\d+)?)\s*([KMGT]?)(iB|B)?\s*", text, WORD)
    if not match:
        ends = re.fullmatch(r"\s*(\d\S*?)\s*(?:-|:|to)\s*(\d\S*)\s*", text, WORD)
        example = f"{ends[1]}..{ends[2]}" if ends else "64KiB, 4GB (10^9 bytes) or 4G"
        raise UsageError(f"'{text}' is not a size; write for example {example}")
    number, prefix, unit = match.group(1), match.group(2).upper(), (match.group(3) or "").lower()
    scale = (DECIMAL if unit == "b" and prefix else BINARY)[prefix]
    size = round(float(number) * scale) if "." in number else int(number) * scale
    if size <= 0:
        raise UsageError(f"'{text}' is not a size: it must be at least one byte")
    if size > MOST_BYTES:
        raise UsageError(f"'{text}' is larger than any machine can hold")
    return size


def parse_duration(text: str) -> float:
    """Seconds of `90s`, `8min`, `1.5h` or `90`. Raises UsageError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text, re.ASCII)
    if not match or (match.group(2) or "s") not in SECONDS:
        raise UsageError(f"'{text}' is not a time; write for example 90s, 8min or 1.5h")
    seconds = float(match.group(1)) * SECONDS[match.group(2) or "s"]
    if seconds > MOST_WAIT:
        raise UsageError(f"'{text}' is beyond any run: a time is at most {MOST_WAIT:g} s")
    return seconds


def parse_share(text: str) -> float:
    """The part of a whole that `5%` or `0.05` states: above 0, below 1. Raises UsageError."""
    match = re.fullmatch(r"\s*(\d*\.?\d+)\s*(%?)\s*", text, re.ASCII)
    share = float(match.group(1)) / (100 if match.group(2) else 1) if match else 0.0
    if not 0 < share < 1:
        example = f"{text.strip()}%" if match and 1 <= share < 100 else "5% or 0.05"
        raise UsageError(f"'{text}' is not a part between 0 and 1; write for example {example}")
    return share


def expanded(path: str) -> str:
    """The path with `~` replaced by the home folder: HOME, else that of the password file. An empty
    or relative HOME is ignored: it would mean the root or the current folder. Raises UsageError
    where there is no such user or home."""
    if path != "~" and not path.startswith("~/"):
        resolved = os.path.expanduser(path)
        if resolved.startswith("~"):
            raise UsageError(f"'{path}': no such user; a folder of that name is './{path}'")
        return resolved
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = ""
    if not os.path.isabs(home):
        raise UsageError(f"'{path}': HOME is not set, and this user has no home; give folder=DIR")
    return home.rstrip("/") + path[1:]


def parse_folder(text: str) -> str:
    """A path, perhaps below a home folder (~). Raises UsageError."""
    if not text.strip():
        raise UsageError("a folder needs a name")
    if not text.isprintable():  # nor bytes that are no UTF-8: no result could hold them
        raise UsageError(f"{text!r}: a folder's name must be printable, in UTF-8")
    if text.startswith("s3://"):
        raise UsageError(f"'{text}': files lie in a folder of this machine, not in objects")
    if ":" in text:
        raise UsageError(f"'{text}': one folder, without a colon, which separates several folders")
    expanded(text)
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
    """A parser for words; those in `numbers` may carry the number of a GPU: `gpu:1`, `device:1`.

    Number 0 is left out of the result, so that `gpu:0` and `gpu` are the same case.
    """

    def parse(text: str) -> str:
        word, colon, number = text.partition(":")
        numeral = re.fullmatch(r"[0-9]{1,9}", number)
        if word not in words or (colon and (word not in numbers or not numeral)):
            known = [*words, *(f"{w}:1" for w in words if w in numbers)]
            raise unknown("value", text, known)
        return word if not colon or int(number) == 0 else f"{word}:{int(number)}"

    return parse


def count(low: int, high: int) -> Callable[[str], int]:
    """A parser for whole numbers in a range."""

    def parse(text: str) -> int:
        if not re.fullmatch(DIGITS, text, re.ASCII) or not low <= int(text) <= high:
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


def parse_range(parse: Callable[[str], Value], text: str) -> list[Value]:
    """The values of `1MiB..1GiB`, each twice the one before, and the last one whatever it is; of
    any other text its one value. Raises UsageError."""
    ends = re.fullmatch(r"(\d[^/]*?)\.\.(\d[^/]*)", text, re.ASCII)
    first, last = map(parse, ends.groups()) if ends else (None, None)
    if type(first) is not int or type(last) is not int:
        return [parse(text)]
    if not 0 < first < last:
        raise UsageError(f"'{text}': a range begins above 0 and ends at a larger value")
    values = [first]
    while 2 * values[-1] < last:
        values.append(2 * values[-1])
    return [*values, last]


def as_text(value: Value) -> str:
    """A TOML or JSON scalar as the text that an axis parses."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    try:
        return str(value)
    except ValueError:  # a number of thousands of digits
        return hex(value)
