"""Products that are killed, and whose files are damaged before the same command runs again.

Promise: a right C, or a refusal in one line that leaves the old C, and then `--fresh` makes a right
one; never a wrong C. An attempt damages the unfinished file (cut, written over, replaced, holes
punched, lengthened, removed), its journal (cut anywhere, bits and digits changed, lines doubled,
removed, emptied) or a matrix that is read (replaced by another of the same size and time of
change).
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import attacks
import products
from attacks import Broken, Unsupported
from commands import watari
from kills import end_at_random
from products import Product

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
TARGETS: dict[str, list[Damage]] = {
    "C.npy.partial": OF_PARTIAL,
    "C.npy.partial.journal": OF_JOURNAL,
    "A.npy": [exchanged],
    "B.npy": [exchanged],
    "C.npy": [exchanged],
}


def killed(rng: random.Random, product: Product) -> bool:
    """Whether the product was killed and left an unfinished file and a journal."""
    for _ in range(5):
        partial = product.folder / "C.npy.partial"
        ended = end_at_random(
            rng, product.words, product.folder, partial, *product.time, name="SIGKILL"
        )
        if products.check_old(product, ended):
            return False
        if partial.exists() and Path(f"{partial}.journal").exists():
            return True
    return False


def right_now(product: Product) -> bytes:
    """C from the present matrices, made in a folder of its own."""
    with_old = {name for name in ("A.npy", "B.npy", "C.npy") if (product.folder / name).exists()}
    aside = product.folder.with_name(product.folder.name + "-aside")
    aside.mkdir()
    try:
        for name in with_old:
            shutil.copyfile(product.folder / name, aside / name)
        products.whole(watari(product.words, aside))
        return (aside / "C.npy").read_bytes()
    finally:
        shutil.rmtree(aside)


def attempt(rng: random.Random, folder: Path) -> str:
    product = products.prepare(rng, folder)
    if not killed(rng, product):
        return "ended before the kill"
    names = [name for name in TARGETS if (folder / name).exists()]
    name = rng.choices(names, [6 if "partial" in name else 2 for name in names])[0]
    damage = rng.choice(TARGETS[name])
    if not (folder / name).stat().st_size and damage is not removed:
        return "nothing to damage"
    damage(rng, folder / name)
    attack = f"{name} {damage.__name__}"
    old = product.content()
    right = right_now(product) if damage is exchanged else product.right
    ended = watari(product.words, folder)
    if ended.code == 0:
        if product.content() != right:
            raise Broken(f"{attack}: a wrong C after {ended}")
        products.check_done(product, ended, right)
        return "made right"
    if not ended.error.startswith("watari: ") or product.content() != old:
        raise Broken(f"{attack}: no refusal in one line, or not the old C: {ended}")
    again = watari([*product.words, "--fresh"], folder)
    if again.code or product.content() != right:
        raise Broken(f"{attack}: --fresh after a refusal makes no right C: {ended}, then {again}")
    products.check_done(product, again, right)
    return "refused, then made afresh"


if __name__ == "__main__":
    attacks.main(attempt, 300)
