"""Changes of a product's files by other processes are detected before C gets its name."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import numpy
import pytest
from command_line import printed
from products import (
    JOURNAL,
    Listener,
    assert_product,
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

from watari.common.errors import FileError, UsageError

pytestmark = pytest.mark.usefixtures("here")

FIXTURES = Path(__file__).parents[3] / "tests/fixtures" / "gemm"
SIZE = 4096 + 4 * 300 * 270  # bytes of C.npy
TILE = 128


def offset_of(row, column):
    """The offset in C's file of the first element of a tile."""
    return 4096 + 4 * (row * TILE * 270 + column * TILE)


def overwrite(name, offset, data):
    with open(name, "r+b") as file:
        file.seek(offset)
        file.write(data)


def once(act, finished=3):
    """A listener that acts once, when `finished` tiles are completed."""
    done = []

    def when(count):
        if count >= finished and not done:
            done.append(act())

    return Listener(when)


def cut():
    os.truncate("C.npy.partial", 8192)


def hole():
    os.truncate("C.npy.partial", 8192)
    os.truncate("C.npy.partial", SIZE)


def new_header():
    overwrite("C.npy.partial", 0, b"x" * 16)


CHANGES = {
    "cut": (cut, "tile"),
    "a hole": (hole, "has a wrong checksum in tile (0, "),
    "another header": (new_header, "it has another header"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_partial_file_that_another_process_changed_does_not_become_the_product(name):
    a, b = factors()
    old = save("C.npy", 300, 270)
    change, says = CHANGES[name]
    with pytest.raises(FileError, match=r"C\.npy\.partial was changed while it was") as raised:
        gemm(tile=TILE, progress=once(change))
    assert says in str(raised.value)
    assert (numpy.load("C.npy") == old).all()
    done = gemm()
    assert_product(a, b, numpy.load("C.npy"))
    assert (done.finished_before == 9) == (name == "another header")
    assert left_over() == []


def test_a_partial_file_that_was_cut_after_its_last_tile_does_not_become_the_product():
    factors()
    old = save("C.npy", 300, 270)
    with pytest.raises(
        FileError, match=rf"it is 8192 bytes long, not {SIZE}, and has a wrong checksum"
    ):
        gemm(tile=TILE, progress=once(cut, 9))
    assert (numpy.load("C.npy") == old).all()


def test_c_is_read_back_and_the_tile_that_was_overwritten_is_named():
    a, b = factors()
    old = save("C.npy", 300, 270)
    spoil = once(lambda: overwrite("C.npy.partial", offset_of(0, 1) + 40, b"\0\0\0\1"), 9)
    says = (
        r"it has a wrong checksum in tile \(0, 1\); .*8 of 9 tiles are completed: the same product"
    )
    with pytest.raises(FileError, match=says):
        gemm(tile=TILE, progress=spoil)
    assert (numpy.load("C.npy") == old).all()
    assert gemm().finished_before == 8
    assert_product(a, b, numpy.load("C.npy"))


def test_the_command_says_how_long_it_read_c_back(capsys):
    a, b = factors()
    said = printed(capsys, *on_processor())
    assert "; read back in " in said
    assert_product(a, b, numpy.load("C.npy"))


def test_a_cut_whose_blocks_later_tiles_fill_again_is_detected():
    """In one tile row each block of 4 KiB has elements of every tile: none is missing at the
    end."""
    factors(TILE, 1000)
    with pytest.raises(FileError, match=r"has a wrong checksum in tile \(0, 0\)"):
        gemm(tile=TILE, fast_memory="768KiB", progress=once(cut, 1))
    assert not Path("C.npy").exists()


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
def test_tiles_that_do_not_hold_what_was_written_are_computed_again(dtype):
    factors(301, 271, 200, dtype)
    gemm(tile=TILE)
    whole = Path("C.npy").read_bytes()
    os.unlink("C.npy")
    unfinished(tile=TILE)
    before = finished_tiles()
    line = next(entry for entry in JOURNAL.read_text().splitlines() if entry.startswith("tiles "))
    row, column = map(int, line.split()[1:3])
    last = (min(301, TILE * (row + 1)) - 1) * 271 + min(271, TILE * (column + 1)) - 1
    overwrite("C.npy.partial", 4096 + numpy.dtype(dtype).itemsize * last, b"\x07")
    done = gemm()
    assert done.finished_before == before - 1
    says = f"with a wrong checksum, ({row}, {column}), were computed again"
    assert [note.endswith(says) for note in done.notes] == [True]
    assert Path("C.npy").read_bytes() == whole


def test_every_tile_has_its_checksum_whatever_its_shape():
    factors(301, 271, 200)
    unfinished(tile=TILE, count=3)
    finished = finished_tiles()
    done = gemm()
    assert (done.finished_before, done.notes) == (finished, [])


def from_version_1():
    """A partial file and a journal as the program of version 1 left them."""
    gemm(tile=TILE)
    os.rename("C.npy", "C.npy.partial")
    overwrite("C.npy.partial", offset_of(1, 0), bytes(4 * 270 * (300 - TILE)))
    changed = {name: os.stat(f"{name}.npy").st_mtime_ns for name in "AB"}
    inode = os.stat("C.npy.partial").st_ino
    text = (FIXTURES / "version-1.txt").read_text()
    JOURNAL.write_text(text.format(folder=os.path.realpath("."), inode=inode, **changed))


def test_a_journal_of_version_1_is_resumed_and_its_tiles_are_said_to_be_unverified():
    a, b = factors()
    from_version_1()
    done = gemm()
    assert done.finished_before == 3
    assert done.notes == [
        "3 completed tiles have no checksum, since an earlier version of this program wrote them: "
        "they are not verified"
    ]
    assert_product(a, b, numpy.load("C.npy"))


def test_tiles_without_checksums_are_still_known_after_a_second_interrupt():
    a, b = factors()
    from_version_1()
    unfinished(count=3)  # the journal is of this version by now
    assert JOURNAL.read_text().startswith("watari-gemm 2\n")
    done = gemm()
    assert done.finished_before >= 3
    assert done.notes[0].startswith("3 completed tiles have no checksum")
    assert_product(a, b, numpy.load("C.npy"))


def test_a_cut_file_without_checksums_is_refused():
    factors()
    from_version_1()
    os.truncate("C.npy.partial", 8192)
    before = state()
    with pytest.raises(UsageError, match=r"is not the file of .*--fresh"):
        gemm()
    assert state() == before


def replaced(name):
    """Replaces a file by another matrix of the same size and modification time, as `rsync -t`."""
    status = os.stat(name)
    data = bytearray(Path(name).read_bytes())
    data[-4:] = b"\0\0\0\1"
    write("other", bytes(data))
    os.utime("other", ns=(status.st_atime_ns, status.st_mtime_ns))
    os.rename("other", name)


def rewritten(name):
    """Overwrites a file, with the same size and modification time, as `rsync -t --inplace`."""
    status = os.stat(name)
    overwrite(name, 128, numpy.ones(5000, numpy.float32).tobytes())
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns))


def touched(name):
    """Changes ctime, but neither the content nor the modification time."""
    time.sleep(0.02)
    os.chmod(name, 0o640)
    os.link(name, "another-name")
    os.unlink("another-name")


@pytest.mark.parametrize("change", [replaced, rewritten])
@pytest.mark.parametrize("name", ["A.npy", "B.npy", "C.npy"])
def test_other_content_of_the_same_size_and_time_is_not_resumed(change, name):
    factors()
    save("C.npy", 300, 270)
    unfinished(tile=TILE, beta=0.5)
    change(name)
    before = state()
    why = "replaced" if change is replaced else "changed"
    with pytest.raises(UsageError, match=rf"of another product: {name[0]} was {why} since"):
        gemm(beta=0.5)
    assert state() == before


@pytest.mark.parametrize("change", [replaced, rewritten])
def test_other_content_of_the_same_size_and_time_meanwhile_gives_no_product(change):
    factors()
    with pytest.raises(FileError, match=r"B\.npy changed while it was read"):
        gemm(tile=TILE, progress=once(lambda: change("B.npy")))
    assert not Path("C.npy").exists()
    assert left_over() == []


def test_other_attributes_do_not_discard_what_is_finished():
    a, b = factors()
    unfinished(tile=TILE)
    finished = finished_tiles()
    touched("A.npy")
    done = gemm()
    assert done.finished_before == finished
    assert [note[:44] for note in done.notes] == ["A has other attributes than before (ctime); "]
    assert_product(a, b, numpy.load("C.npy"))


def test_other_attributes_meanwhile_do_not_matter():
    a, b = factors()
    gemm(tile=TILE, progress=once(lambda: touched("B.npy")))
    assert_product(a, b, numpy.load("C.npy"))


def test_a_copy_elsewhere_is_another_matrix(here):
    factors()
    unfinished(tile=TILE)
    shutil.copy2("A.npy", "copy.npy")
    os.rename("copy.npy", "A.npy")
    with pytest.raises(UsageError, match=r"A was replaced since.*--fresh"):
        gemm()


@pytest.mark.parametrize("kind", ["link", "notes"])
def test_what_is_no_journal_is_neither_followed_nor_removed(kind):
    factors()
    begun = f"{JOURNAL}.new"
    write("own", b"precious")
    os.symlink("own", begun) if kind == "link" else write(begun, b"notes of mine")
    with pytest.raises(FileError, match=r"\.new is there and is not the beginning of a journal"):
        gemm()
    assert Path("own").read_bytes() == b"precious"
    assert left_over() == [os.path.basename(begun), "own"]


@pytest.mark.parametrize("text", [b"", b"watari-g", b"watari-gemm 2\ninode 3\n"])
def test_the_beginning_of_a_journal_that_a_killed_run_left_is_removed(text):
    factors()
    write(f"{JOURNAL}.new", text)
    gemm()
    assert left_over() == []
