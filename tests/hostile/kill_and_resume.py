"""Products that are ended at random moments; the same command then gives the same bits of C.

Promises: C is the old one or right after every kill; in the end it has the bits of the undisturbed
product (same fast memory and engine), and no other file is left; no command hangs.
"""

from __future__ import annotations

import random
from pathlib import Path

import attacks
import products
from attacks import Broken
from commands import watari
from kills import end_at_random

KILLS = [1, 1, 2, 3]  # before it may end


def attempt(rng: random.Random, folder: Path) -> str:
    product = products.prepare(rng, folder)
    partial = folder / "C.npy.partial"
    for _ in range(rng.choice(KILLS)):
        ended = end_at_random(rng, product.words, folder, partial, *product.time)
        in_place = products.check_old(product, ended)
        if ended.code == 0:
            products.check_done(product, ended, product.right)
            return "ended before the kill"
        if in_place and not product.left_over():
            return finished_unseen(product)
    resumes = partial.exists()
    ended = watari(product.words, folder)
    products.whole(ended)
    products.check_done(product, ended, product.right)
    return "resumed" if resumes else "begun anew"


def finished_unseen(product: products.Product) -> str:
    """A kill between the journal's end and the last line, as documented: the same command may add
    to the new C."""
    ended = watari(product.words, product.folder)
    products.whole(ended)
    if product.content() not in (product.right, product.right_anew):
        raise Broken(f"a wrong C after {ended}")
    return "killed when it was finished"


if __name__ == "__main__":
    attacks.main(attempt, 300)
