"""Products that are refused leave everything unchanged."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy
import pytest
from command_line import refused
from products import (
    FAST,
    JOURNAL,
    cut,
    factors,
    gemm,
    left_over,
    on_processor,
    save,
    state,
    with_header,
    write,
)

import watari
from watari import _native as native
from watari.common.errors import BeyondMemoryError, FileError, UsageError

pytestmark = pytest.mark.usefixtures("here")


def save_as(matrix):
    return lambda: numpy.save("A.npy", matrix)


def vast(name, rows, columns):
    """A matrix of zeros in a file without blocks on the disk."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns})}}".ljust(118)
    write(name, b"\x93NUMPY\x01\x00" + bytes([118, 0]) + header.encode())
    os.truncate(name, 128 + 4 * rows * columns)


ONES = numpy.ones((300, 200), numpy.float32)
WORDS = "'descr': '<f4', 'fortran_order': "
REFUSED = {
    "missing": (lambda: os.unlink("A.npy"), "A.npy: no such file"),
    "a folder": (lambda: (os.unlink("A.npy"), os.mkdir("A.npy")), "A.npy: not a file"),
    "empty": (lambda: cut("A.npy", 0), "A.npy: not a .npy file"),
    "text": (lambda: write("A.npy", b"1 2 3\n" * 50), "A.npy: not a .npy file: does not begin"),
    "magic cut": (lambda: cut("A.npy", 7), "A.npy: not a .npy file: its header is cut short"),
    "header cut": (lambda: cut("A.npy", 60), "A.npy: not a .npy file: its header is cut short"),
    "no shape": (lambda: with_header("{'descr': '<f4'}"), "does not have descr, fortran_order"),
    "key": (lambda: with_header("{'colour': 3}"), "A.npy: not a .npy file: its header has the key"),
    "no dictionary": (lambda: with_header("[1, 2]"), "A.npy: not a .npy file: its header has no"),
    "open text": (lambda: with_header("{'descr"), "ends within a text"),
    "order": (lambda: with_header(f"{{{WORDS}0, 'shape': (1, 1)}}"), "neither True nor False"),
    "eight times a size beyond 64 bits": (
        lambda: with_header(f"{{'descr': '<f{2**61 + 4}', {WORDS[16:]}False, 'shape': (3, 2)}}"),
        f"elements are <f{2**61 + 4}: must be float32, float64",
    ),
    "leading zero": (
        lambda: with_header(f"{{'descr': '<f04', {WORDS[16:]}False, 'shape': (3, 2)}}"),
        "elements are <f04: must be float32, float64",
    ),
    "no quotes": (
        lambda: with_header(f"{{'descr': <f4, {WORDS[16:]}False, 'shape': (3, 2)}}"),
        "the descr in its header is not a text",
    ),
    "more behind it": (
        lambda: with_header(f"{{{WORDS}False, 'shape': (3, 2)}} or more"),
        "its header has text behind its dictionary",
    ),
    "minus": (
        lambda: with_header(f"{{{WORDS}False, 'shape': (-1, 1)}}"),
        "the shape in its header is malformed",
    ),
    "beyond": (
        lambda: with_header(f"{{{WORDS}False, 'shape': ({10**15}, {10**15})}}"),
        "A.npy: not a .npy file: a matrix of 1000000000000000 x 1000000000000000",
    ),
    "version 9": (lambda: write("A.npy", b"\x93NUMPY\x09\x00" + b" " * 99), "version 9.0"),
    "data cut": (lambda: cut("A.npy", 240000), "cut short: 240000 bytes, while its header says"),
    "integers": (save_as(ONES.astype(int)), "elements are int64: must be float32, float64"),
    "other order": (save_as(ONES.astype(">f4")), "bytes in the other order"),
    "two in one": (
        lambda: with_header("{'descr': '<f4,<f4', 'fortran_order': False, 'shape': (3, 2)}"),
        "elements are <f4,<f4",
    ),
    "fields": (save_as(numpy.ones((2, 2), [("x", "f4")])), "elements are "),
    "objects": (save_as(numpy.ones((2, 2), object)), "elements are object"),
    "vector": (save_as(numpy.ones(200, numpy.float32)), "shape is 200: must be a matrix"),
    "cube": (save_as(numpy.ones((2, 3, 4), numpy.float32)), "shape is 2x3x4"),
    "number": (save_as(numpy.float32(1)), "shape is one number"),
    "nothing": (save_as(ONES[:0]), "has no elements: 0 x 200"),
    "shapes": (save_as(ONES.T.copy()), "A.npy is 200 x 300 and B.npy is 200 x 270: columns of"),
    "types": (save_as(ONES.astype(float)), "A.npy is of float64 and B.npy of float32"),
    "same file": (lambda: os.link("A.npy", "C.npy"), "C.npy would write over"),
    "same by name": (lambda: os.symlink("B.npy", "C.npy"), "C.npy would write over"),
    "beyond files": (
        lambda: (vast("A.npy", 2**31, 1), vast("B.npy", 1, 2**31)),
        "C.npy: cannot be written: no file holds 2147483648 x 2147483648 elements",
    ),
    "C leads nowhere": (lambda: os.symlink("C.npy", "C.npy"), "C.npy: cannot be written: Too many"),
    "C a folder": (lambda: os.mkdir("C.npy"), "C.npy: is a folder"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_is_written(what, capsys):
    factors()
    spoil, says = REFUSED[what]
    spoil()
    before = state()
    assert says in refused(capsys, *on_processor())
    assert state() == before


OLD = {
    "missing": (lambda: None, "C.npy: no such file"),
    "shape": (lambda: save("C.npy", 270, 300), "C.npy: is 270 x 300, float32; to add to it"),
    "type": (lambda: save("C.npy", 300, 270, float), "must be 300 x 270, float32"),
    "half": (lambda: save("C.npy", 300, 270, "f2"), "C.npy: is 300 x 270, float16; to add to it"),
    "Fortran": (
        lambda: numpy.save("C.npy", numpy.zeros((300, 270), "f4", order="F")),
        "C.npy: lies column by column",
    ),
    "header": (lambda: write("C.npy", b"hello"), "C.npy: not a .npy file"),
    "cut": (lambda: (save("C.npy", 300, 270), cut("C.npy", 999)), "C.npy: cut short"),
}


@pytest.mark.parametrize("what", OLD)
def test_what_cannot_be_added_to_is_refused(what):
    factors()
    make, says = OLD[what]
    make()
    before = state()
    with pytest.raises(FileError, match=says):
        gemm(beta=1)
    assert state() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--fast-memory", "100KiB"], "fast memory of 100 KiB"),
        (["--fast-memory", "much"], "'much' is not a size"),
        (["--fast-memory", "16777216TiB"], "is larger than any machine can hold"),
        (["--tile", "100"], "'100' is not a tile: a multiple of 128"),
        (["--tile", "512"], "a product needs 5"),
        (["--alpha", "nan"], "'nan' is not a number"),
        (["--beta", "1e999"], "too large for a number"),
        (["--alpha", "1e300"], "alpha is 1e+300, which no float is"),
        (["--alpha", "1e-50"], "alpha is 1e-50, which no float is"),
        (["--engine", "urign"], "did you mean 'uring'?"),
        (["--engine", "pinned"], "engine pinned is for matrices in memory; these are in files"),
        (["--engine", "managed"], "known: posix, uring, mmap, cufile, queue, gpu"),
        (["--processor", "tpu"], "unknown value 'tpu'"),
        (["--threads", "0"], "'0' is not a whole number"),
        (["-o", "nowhere/C.npy"], "nowhere/C.npy: that folder does not exist"),
        (["-o", "C" * 250], "cannot be written: File name too long"),
    ],
)
def test_wrong_words_are_refused(words, says, capsys):
    factors()
    before = state()
    assert says in refused(capsys, *on_processor(*words))
    assert state() == before


@pytest.mark.parametrize("name", ["C.npy.partial", str(JOURNAL), f"{JOURNAL}.new"])
def test_a_factor_in_a_file_that_the_product_needs_is_kept(name):
    factors()
    os.rename("A.npy", name)
    before = state()
    with pytest.raises(UsageError, match=f"{name} is also a factor"):
        watari.gemm(name, "B.npy", "C.npy", fast_memory=FAST, processor="cpu", fresh=True)
    assert state() == before


def test_what_may_not_be_written_is_not_replaced():
    factors()
    gemm()
    os.chmod("C.npy", 0o444)
    before = state()
    powerless = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []
    code = "import sys; from watari.cli import commands; commands.main(sys.argv[1:])"
    command = [*powerless, sys.executable, "-c", code, *on_processor()]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "C.npy: cannot be written: Permission denied" in ended.stderr
    assert state() == before


def test_a_disk_without_room_is_refused_before_anything_is_written():
    side = 2**22  # files with holes; the product would take 70 TB
    numpy.lib.format.open_memmap("A.npy", "w+", numpy.float32, (side, 1)).flush()
    numpy.lib.format.open_memmap("B.npy", "w+", numpy.float32, (1, side)).flush()
    before = state()
    with pytest.raises(FileError, match=r"not enough room: takes 64 TiB"):
        gemm(fast_memory="1GiB", tile=2048)
    assert state() == before


def test_what_the_machine_lacks_is_an_error_of_the_command(capsys):
    if native.gpus()["gpus"]:
        pytest.skip("there is a GPU")
    factors()
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB", "--processor", "gpu"]
    refused(capsys, *line)
    assert left_over() == []


def test_fast_memory_beyond_what_there_is_is_reported_what_to_give(capsys):
    factors()
    err = refused(capsys, *on_processor("--fast-memory", "900000TiB"))
    assert re.search(r"asked for 9e\+05 TiB .*, available .*; choose a smaller fast memory", err)
    with pytest.raises(BeyondMemoryError):
        gemm(fast_memory="900000TiB")
    assert left_over() == []
