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
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, length = rng.randrange(len(changed) + 1), rng.choice([1, 1, 4, 64, 1000])
        how = rng.randrange(7)
        if how == 0 and changed:
            changed[at % len(changed)] ^= 1 << rng.randrange(8)
        elif how == 1:
            changed[at : at + length] = rng.randbytes(len(changed[at : at + length]))
        elif how == 2:
            changed[at:at] = rng.choice([b"\x00", b"\n", b"'", b"-1", b"\xff\xfe", b"9" * 40, b"("])
        elif how == 3:
            del changed[at : at + length]
        elif how == 4:
            changed[at:at] = changed[at : at + length]
        elif how == 5:
            digits = [i for i, byte in enumerate(changed) if 48 <= byte < 58]
            if digits:
                changed[rng.choice(digits)] = rng.choice(b"0123456789-.")
        elif rng.random() < 0.3:
            del changed[at:]
    return bytes(changed)


def locations(document: Any) -> list[tuple[Any, Any]]:
    """Every container with every key or index in it."""
    locations_in, left = [], [document]
    while left:
        part = left.pop()
        keys = (
            part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        )
        for key in list(keys):
            locations_in.append((part, key))
            left.append(part[key])
    return locations_in


def change_part(rng: random.Random, document: Any) -> None:
    """One value is replaced, removed, doubled, renamed, nested or taken from elsewhere."""
    all_locations = locations(document)
    if not all_locations:
        return
    (part, key), (other_part, other) = rng.choice(all_locations), rng.choice(all_locations)
    how = rng.randrange(7)
    if how in (0, 1):
        part[key] = rng.choice(PARTS)
    elif how == 2:
        del part[key]
    elif how == 3 and isinstance(part, list):
        part.insert(key, json.loads(json.dumps(part[key])))
    elif how == 4 and isinstance(part, dict):
        part[rng.choice(["", "x", key + " ", key.upper()])] = part.pop(key)
    elif how == 5:
        part[key] = [part[key]]
    else:
        part[key] = json.loads(json.dumps(other_part[other]))


def deep(rng: random.Random) -> bytes:
    depth = rng.choice([900, 10_000, 200_000])
    return rng.choice([b"[", b'{"a":']) * depth


def changed_json(rng: random.Random, content: bytes) -> bytes:
    """A document with some parts replaced; now and then not even JSON."""
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
    """Words; one may be doubled, lost, put elsewhere, cut or replaced."""
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
