"""Products of .npy files resume after an end at any moment."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import numpy
import pytest
from command_line import run_cli
from products import (
    FAST,
    JOURNAL,
    Listener,
    assert_product,
    cut,
    factors,
    finished_tiles,
    gemm,
    left_over,
    on_processor,
    save,
    state,
    unfinished,
    write,
)

import watari
from watari import _native as native
from watari.cases.gemm import product
from watari.common.errors import FileError, UnsupportedError, UsageError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_done_and_says_how_to_resume(number):
    factors()
    gemm(tile=128)
    whole = Path("C.npy").read_bytes()
    os.unlink("C.npy")
    message = unfinished(number=number, tile=128)
    left = f"{finished_tiles()} of 9 tiles are completed"
    assert message == f"{left}: the same product resumes from there"
    assert not Path("C.npy").exists()
    gemm()
    assert Path("C.npy").read_bytes() == whole
    assert left_over() == []


def test_a_second_interrupt_ends_it_at_once_and_says_what_is_kept():
    factors()

    def stop(finished):
        if finished >= 3:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    says = r"^\d of 9 tiles are completed: the same product resumes from there$"
    with pytest.raises(product.Interrupted, match=says) as raised:
        gemm(tile=128, progress=Listener(stop))
    assert str(raised.value).startswith(f"{finished_tiles()} of")
    assert gemm().finished_before >= 3


def test_an_end_before_anything_is_finished_leaves_nothing():
    factors()
    with pytest.raises(product.Interrupted, match=r"^no tile was completed$"):
        gemm(progress=Listener(lambda finished: signal.raise_signal(signal.SIGINT)))
    assert left_over() == []


def test_what_progress_raises_ends_the_product_and_keeps_it():
    factors()

    def fail(finished):
        if finished >= 3:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        gemm(tile=128, progress=Listener(fail))
    assert gemm().finished_before >= 3


def test_finished_tiles_are_not_computed_again():
    a, b = factors()
    unfinished(tile=128)
    finished = finished_tiles()
    done = gemm()  # tiles of another size would fit, too: the journal's tiles are kept
    assert (done.finished_before, done.tiles) == (finished, 9)
    assert 0 < done.bytes_written < 4 * 300 * 270
    assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize("torn", ["tiles 1 0 1", "tiles 2 0 - 2 1 1f", "til", ""])
def test_a_torn_last_line_counts_for_nothing(torn):
    a, b = factors()
    unfinished(tile=128)
    finished = finished_tiles()
    with JOURNAL.open("a") as file:
        file.write(torn)
    assert gemm().finished_before == finished
    assert_product(a, b, numpy.load("C.npy"))


def add_line(line):
    """Appends a line to the journal."""
    with JOURNAL.open("a") as file:
        file.write(line + "\n")


def rewrite(old, new):
    """Replaces text in the journal."""
    text = JOURNAL.read_text()
    assert old in text
    JOURNAL.write_text(text.replace(old, new))


OTHER = {
    "A": (lambda: save("A.npy", 300, 200), {}, "is of another product: A was changed since"),
    "alpha": (lambda: None, {"alpha": 2}, "alpha was 1, is now 2"),
    "tile": (lambda: None, {"tile": 256}, "tile was 128, is now 256"),
    "no tile's edge": (lambda: rewrite("tile 128", "tile 0"), {}, "tile was 0, is now"),
    "another file": (lambda: rewrite("inode ", "inode 1"), {}, "is not the file of"),
    "no journal": (lambda: JOURNAL.unlink(), {}, "exists without a journal"),
    "no tile": (lambda: add_line("tiles 3 0 -"), {}, "names tiles that C does not have"),
    "half": (lambda: add_line("tiles 1"), {}, "not a journal: a line of tiles is incomplete"),
    "no number": (lambda: add_line("tiles x y"), {}, "not a journal: 'x' is not a number"),
    "no sum": (lambda: add_line("tiles 0 0 -12ab"), {}, "not a journal: '-12ab' is not a number"),
    "no line": (lambda: add_line("hello 1"), {}, "not a journal: unknown line 'hello'"),
    "no journal at all": (lambda: write(JOURNAL, b"hello\n"), {}, "not a journal: begins with 'he"),
    "newer": (lambda: write(JOURNAL, b"watari-gemm 9\n"), {}, "this version reads 'watari-gemm 2'"),
}


@pytest.mark.parametrize("what", OTHER)
def test_another_product_is_not_resumed_unless_asked(what):
    factors()
    unfinished(tile=128)
    change, more, says = OTHER[what]
    change()
    before = state()
    with pytest.raises((UsageError, FileError), match=f"{re.escape(says)}.*--fresh"):
        gemm(**more)
    assert state() == before
    done = gemm(**more, fresh=True)
    assert done.finished_before == 0
    a, b = numpy.load("A.npy"), numpy.load("B.npy")
    assert_product(a, b, numpy.load("C.npy"), more.get("alpha", 1))
    assert left_over() == []


def test_a_factor_that_was_given_before_is_named_before_the_matrix_that_it_needs():
    factors()
    save("C.npy", 300, 270)
    unfinished(tile=128, beta=0.5)
    with pytest.raises(UsageError, match=r"of another product: beta was 0\.5, is now 0;"):
        gemm()


@pytest.mark.parametrize(
    "impossible",
    [
        {"fast_memory": "1024TiB"},
        {"processor": f"gpu:{len(native.gpus()['gpus'])}"},
        {"engine": "gpu"},
        {"engine": "cufile"},
    ],
)
def test_what_this_machine_cannot_make_leaves_what_is_finished(impossible):
    factors()
    unfinished(tile=128)
    before = state()
    given = {"fast_memory": FAST, "processor": "cpu", **impossible, "tile": 128}
    listener = Listener(lambda finished: None)
    with pytest.raises(UnsupportedError):
        watari.gemm("A.npy", "B.npy", "C.npy", fresh=True, progress=listener, **given)
    assert listener.work is None
    assert state() == before


def test_an_empty_unfinished_file_or_journal_is_begun_anew():
    a, b = factors()
    Path("C.npy.partial").touch()
    gemm()
    assert_product(a, b, numpy.load("C.npy"))
    unfinished(tile=128)
    JOURNAL.write_text("watari-ge")
    with pytest.raises(UsageError, match="exists without a journal"):
        gemm()


def killed_in_place(**more):
    """A product that was killed after C got its name and before its journal was removed."""
    journals = []
    gemm(tile=128, progress=Listener(lambda finished: journals.append(JOURNAL.read_text())), **more)
    status = os.stat("C.npy")
    JOURNAL.write_text(f"{journals[-1]}whole {status.st_size} {status.st_mtime_ns}\n")


@pytest.mark.parametrize("how", [{"tile": 128}, {"tile": 256}, {"fast_memory": "64MiB"}])
def test_killed_after_it_was_in_place_it_is_not_computed_again(how):
    a, b = factors()
    old = save("C.npy", 300, 270)
    killed_in_place(beta=1)
    done = gemm(beta=1, **how)
    assert done.tiles == done.finished_before > 0
    assert_product(a, b, numpy.load("C.npy"), 1, 1, old)
    assert left_over() == []
    gemm()  # the same request is now a new product
    assert_product(a, b, numpy.load("C.npy"))


def test_another_product_is_not_added_to_what_a_killed_run_finished_unseen():
    a, b = factors()
    old = save("C.npy", 300, 270)
    killed_in_place(beta=1)
    before, first = state(), numpy.load("C.npy")
    with pytest.raises(
        UsageError, match=r"C\.npy was completed by .* alpha was 1, is now 2; fresh"
    ):
        gemm(alpha=2, beta=1)
    assert state() == before
    gemm(alpha=2, beta=1, fresh=True)
    assert_product(a, b, numpy.load("C.npy"), 2, 1, first)
    assert_product(a, b, first, 1, 1, old)
    assert left_over() == []


def test_another_product_takes_the_place_of_one_that_was_finished_unseen():
    a, b = factors()
    killed_in_place()
    gemm(alpha=2)
    assert_product(a, b, numpy.load("C.npy"), 2)
    assert left_over() == []


def test_an_interrupt_of_what_is_finished_says_so(capsys, monkeypatch):
    class Finishing:
        def __init__(self, library_product):
            self.product = library_product

        def __getattr__(self, name):
            return getattr(self.product, name)

        def run(self, progress):
            self.product.run(progress)
            raise KeyboardInterrupt

    prepared = product.prepared
    monkeypatch.setattr(product, "prepared", lambda *asked: Finishing(prepared(*asked)))
    factors()
    code, _, errors = run_cli(capsys, *on_processor())
    assert (code, errors) == (130, "watari: interrupted; C.npy is finished\n")


def overwritten():
    """Changes bytes of C.npy in place."""
    time.sleep(0.02)  # times of change differ by at least a tick of the kernel's clock
    with open("C.npy", "r+b") as file:
        file.seek(4096)
        file.write(bytes(4))


@pytest.mark.parametrize(
    "change", [overwritten, lambda: cut("C.npy", 5000), lambda: save("C.npy", 2, 3)]
)
def test_a_product_that_was_replaced_in_place_is_made_again(change):
    a, b = factors()
    killed_in_place()
    inode = os.stat("C.npy").st_ino
    change()
    assert os.stat("C.npy").st_ino == inode
    assert gemm().finished_before == 0
    assert_product(a, b, numpy.load("C.npy"))
    assert left_over() == []


def test_what_is_finished_already_is_reported(capsys):
    factors()
    unfinished(tile=128)
    finished = finished_tiles()
    code, out, _ = run_cli(capsys, *on_processor())
    _, forecast, before, *_ = out.splitlines()
    assert code == 0
    assert forecast.startswith("in all: reads ")
    assert before == f"{finished} of 9 tiles are completed already"
