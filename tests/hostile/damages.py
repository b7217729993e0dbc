"""Damages of a file by another process: it cuts, overwrites, replaces, lengthens or removes the
file, punches holes, changes bits, digits or lines. Each takes a random generator and a path.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

from attacks import Unsupported

HEADER = 4096  # bytes of an unfinished file before its data


def written_over(rng: random.Random, path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(rng.randrange(HEADER if size > HEADER else 0, max(size, 1)))
        file.write(rng.randbytes(rng.choice([1, 4, 512, 4096, 100_000]))[: size - file.tell()])


def cut(rng: random.Random, path: Path) -> None:
    os.truncate(path, rng.randrange(path.stat().st_size + 1))


def lengthened(rng: random.Random, path: Path) -> None:
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.randrange(1, 5000)))


def replaced(rng: random.Random, path: Path) -> None:
    """Replaced by a file of the same size and times, sometimes with other data."""
    other, status = path.with_name(".other"), path.stat()
    content = bytearray(path.read_bytes())
    if len(content) > HEADER and rng.random() < 0.5:
        content[HEADER:] = rng.randbytes(len(content) - HEADER)
    other.write_bytes(content)
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(other, path)


def holes_punched(rng: random.Random, path: Path) -> None:
    size = path.stat().st_size // 4096
    first = rng.randrange(min(1, size), size + 1)
    where = ["-o", str(4096 * first), "-l", str(4096 * rng.randrange(1, 100))]
    punch = subprocess.run(["fallocate", "-p", *where, str(path)], capture_output=True, text=True)
    if punch.returncode:
        raise Unsupported(f"fallocate -p: {punch.stderr}")


def removed(rng: random.Random, path: Path) -> None:
    path.unlink()


def emptied(rng: random.Random, path: Path) -> None:
    path.write_bytes(b"")


def bit_flipped(rng: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 3])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def digit_changed(rng: random.Random, path: Path) -> None:
    """One digit is changed; the lines stay well-formed."""
    content = bytearray(path.read_bytes())
    digits = [at for at, byte in enumerate(content) if chr(byte).isdigit()]
    content[rng.choice(digits)] = ord(rng.choice("0123456789"))
    path.write_bytes(content)


def lines_moved(rng: random.Random, path: Path) -> None:
    """One line is doubled, lost or swapped with another."""
    lines = path.read_bytes().splitlines(keepends=True)
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.randrange(3)
    if how == 0:
        lines.insert(second, lines[first])
    elif how == 1:
        del lines[first]
    else:
        lines[first], lines[second] = lines[second], lines[first]
    path.write_bytes(b"".join(lines))


def exchanged(rng: random.Random, path: Path) -> None:
    """Another matrix with the same header, size and times, under a new or the same inode. With the
    same inode it differs in the last block, which is sampled: no promise covers other blocks."""
    status, content = path.stat(), bytearray(path.read_bytes())
    in_place = rng.random() < 0.5
    at = len(content) - 64 * rng.randrange(1, 64 if in_place else 100)
    content[at : at + 64] = content[:64] if rng.random() < 0.1 else bytes(64)
    target = path if in_place else path.with_name(".other")
    target.write_bytes(content)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(target, path)


Damage = Callable[[random.Random, Path], None]
OF_PARTIAL: list[Damage] = [written_over, cut, lengthened, replaced, holes_punched, removed]
OF_JOURNAL: list[Damage] = [cut, bit_flipped, digit_changed, lines_moved, removed, emptied]
