"""Changes of valid samples: byte by byte, part by part of a JSON document, word by word."""

from __future__ import annotations

import json
import random
from typing import Any

VALUES = [
    "", " ", "0", "-1", "1", "2", "007", "1e3", "1e400", "nan", "inf", "-inf", "0x10", "1_000",
    "4KiB", "1GiB", "1.5GiB", "1024TiB", "9" * 30, "-4KiB", "4kib", "4 KiB", "KiB", "1EiB", "٣",
    "8min", "1h30m", "0s", "-1s", "1e9h", "9" * 400 + "s", "min", "yes", "no", "true", "auto",
    "cpu", "gpu", "gpu:1", "gpu:99999999999", "cpu:1", "pageable", "managed", "device:-1", "file",
    "2x1x1", "0x0x0", "99999999x99999999x99999999", "XS", "a=b", "=", ",", ",,", "..", "/dev/null",
    "~", "~nobody-is-called-so/x", "é", "\udcff", "%s", "{}", "{ranks}", "\x00", "\n", "-", "--",
    "--help", "'", '"', "*", "[bold]", "[/]",
]  # fmt: skip
LAUNCHERS = [
    "", " ", "'", '"', "mpirun", "mpirun -n {ranks}", "A=1", "A=1 B=2 env", "=x", "{ranks}",
    "{", "{}", "{0}", "{ranks", "\\", "nice", "\x00", "/dev/null", ".", "é={ranks} env",
]  # fmt: skip
TOML = [
    "1", "-1", "0", "true", '""', '"x"', "[]", "[[]]", "{}", "{a=1}", "1e400", "nan", "inf",
    "1979-05-27", "07:32:00", "[1, 'a']", "'4KiB,8KiB'", "9" * 25, '"\\u0000"', '"gpu"', "[true]",
    '"""\nx"""', "0x10", "[1, [2]]", "[{a=1}]",
]  # fmt: skip
PARTS: list[Any] = [
    None, True, False, 0, 1, -1, 2**63, 2**70, 10**400, 0.5, -0.0, 1e308, float("nan"),
    float("inf"), "", "x", "\x00", "\ud800", "9" * 5000, [], [[]], {}, {"": None}, [0] * 300,
    "2025-13-45T99:99:99", "ok", "wrong", "failed", "unsupported",
]  # fmt: skip


def changed_bytes(rng: random.Random, content: bytes) -> bytes:
    """Some bytes changed, cut, doubled or put in."""
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, length = rng.randrange(len(found) + 1), rng.choice([1, 1, 4, 64, 1000])
        how = rng.randrange(7)
        if how == 0 and found:
            found[at % len(found)] ^= 1 << rng.randrange(8)
        elif how == 1:
            found[at : at + length] = rng.randbytes(len(found[at : at + length]))
        elif how == 2:
            found[at:at] = rng.choice([b"\x00", b"\n", b"'", b"-1", b"\xff\xfe", b"9" * 40, b"("])
        elif how == 3:
            del found[at : at + length]
        elif how == 4:
            found[at:at] = found[at : at + length]
        elif how == 5:
            digits = [i for i, byte in enumerate(found) if 48 <= byte < 58]
            if digits:
                found[rng.choice(digits)] = rng.choice(b"0123456789-.")
        elif rng.random() < 0.3:
            del found[at:]
    return bytes(found)


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index in it."""
    found, left = [], [document]
    while left:
        here = left.pop()
        keys = (
            here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        )
        for key in list(keys):
            found.append((here, key))
            left.append(here[key])
    return found


def change_part(rng: random.Random, document: Any) -> None:
    """One value is replaced, removed, doubled, renamed, nested or taken from elsewhere."""
    all_places = places(document)
    if not all_places:
        return
    (here, key), (there, other) = rng.choice(all_places), rng.choice(all_places)
    how = rng.randrange(7)
    if how in (0, 1):
        here[key] = rng.choice(PARTS)
    elif how == 2:
        del here[key]
    elif how == 3 and isinstance(here, list):
        here.insert(key, json.loads(json.dumps(here[key])))
    elif how == 4 and isinstance(here, dict):
        here[rng.choice(["", "x", key + " ", key.upper()])] = here.pop(key)
    elif how == 5:
        here[key] = [here[key]]
    else:
        here[key] = json.loads(json.dumps(there[other]))


def deep(rng: random.Random) -> bytes:
    depth = rng.choice([900, 10_000, 200_000])
    return rng.choice([b"[", b'{"a":']) * depth


def changed_json(rng: random.Random, content: bytes) -> bytes:
    """A document of which some parts are others; now and then not even JSON."""
    kind = rng.random()
    if kind < 0.02:
        return deep(rng)
    if kind < 0.3:
        return changed_bytes(rng, content)
    document = json.loads(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        change_part(rng, document)
    return json.dumps(document).encode()


def changed_words(rng: random.Random, line: list[str]) -> list[str]:
    """Words of which one may be doubled, lost, put elsewhere, cut or replaced."""
    line = list(line)
    if rng.random() < 0.5:
        at = rng.randrange(len(line))
        how = rng.randrange(5)
        if how == 0:
            line.insert(rng.randrange(len(line) + 1), line[at])
        elif how == 1:
            del line[at]
        elif how == 2:
            line[at] = line[at][: rng.randrange(len(line[at]) + 1)]
        elif how == 3:
            line.insert(at, rng.choice(VALUES))
        else:
            line[at] += rng.choice(VALUES)
    return line
