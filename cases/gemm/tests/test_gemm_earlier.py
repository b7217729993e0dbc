"""This program resumes from the journal that version 2 left of a product.

`tests/fixtures/gemm/version-2.txt` was written by revision 7c6bb47, in the middle of this product.
Version 1 is in test_gemm_integrity.py.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy
import pytest
from products import JOURNAL, assert_product, gemm, left_over

pytestmark = pytest.mark.usefixtures("here")

JOURNALS = Path(__file__).parents[3] / "tests/fixtures" / "gemm"
TILE = 128


def whole_numbers(name, rows, columns):
    """A matrix that is the same on every machine, with products that are exact in every BLAS."""
    matrix = (numpy.arange(rows * columns).reshape(rows, columns) % 7 - 3).astype(numpy.float32)
    numpy.save(name, matrix)
    return matrix


def left_by_version_2():
    """A, B, and the partial file of their C with three tiles of the first row; the rest is 0."""
    a, b = whole_numbers("A.npy", 300, 200), whole_numbers("B.npy", 200, 270)
    gemm(tile=TILE)
    os.rename("C.npy", "C.npy.partial")
    with open("C.npy.partial", "r+b") as file:
        file.seek(4096 + 4 * TILE * 270)
        file.write(bytes(4 * 270 * (300 - TILE)))
    files = {"partial": "C.npy.partial", "A": "A.npy", "B": "B.npy"}
    stats = {name: os.stat(file) for name, file in files.items()}
    text = (JOURNALS / "version-2.txt").read_text()
    JOURNAL.write_text(text.format(folder=os.path.realpath("."), **stats))
    return a, b


def test_a_journal_of_version_2_is_resumed():
    a, b = left_by_version_2()
    done = gemm()
    assert (done.finished_before, done.notes) == (3, [])
    assert_product(a, b, numpy.load("C.npy"))
    assert left_over() == []


def test_tiles_that_changed_since_version_2_are_computed_again():
    a, b = left_by_version_2()
    with open("C.npy.partial", "r+b") as file:
        file.seek(4096)
        file.write(b"\x07")
    done = gemm()
    assert done.finished_before == 2
    assert [note.endswith("(0, 0), were computed again") for note in done.notes] == [True]
    assert_product(a, b, numpy.load("C.npy"))
