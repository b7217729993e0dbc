"""Products that are killed, and whose files are damaged before the same command runs again.

Promise: a right C, or a refusal in one line that leaves the old C, and then `--fresh` makes a right
one; never a wrong C. An attempt damages the unfinished file (cut, written over, replaced, holes
punched, lengthened, removed), its journal (cut anywhere, bits and digits changed, lines doubled,
removed, emptied) or a matrix that is read (replaced by another of the same size and time of
change).
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import attacks
import products
from attacks import Broken
from commands import watari
from damages import OF_JOURNAL, OF_PARTIAL, Damage, exchanged, removed
from kills import end_at_random
from products import Product

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
