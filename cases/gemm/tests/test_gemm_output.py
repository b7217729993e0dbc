"""A product is whole or not at all, and touches no file but its own."""

from __future__ import annotations

import os
import resource
import shutil
from pathlib import Path

import numpy
import pytest
from products import (
    FAST,
    JOURNAL,
    Listener,
    assert_product,
    factors,
    finished_tiles,
    gemm,
    left_over,
    save,
    state,
    unfinished,
    write,
)

import watari
from watari.common.errors import FileError, UsageError

pytestmark = pytest.mark.usefixtures("here")
CPU = {"processor": "cpu", "fast_memory": FAST}


@pytest.fixture
def short_files():
    """Limits files to 100 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_up_leaves_nothing(request):
    factors()
    save("C.npy", 300, 270)
    before = state()
    request.getfixturevalue("short_files")
    with pytest.raises(FileError, match=r"C\.npy: cannot be written: File too large"):
        gemm()
    assert state() == before


def fill_journal(finished):
    """Puts the open journal on a full disk from the third tile on."""
    if finished < 3:
        return
    full = os.open("/dev/full", os.O_WRONLY)
    for descriptor in Path("/proc/self/fd").iterdir():
        if descriptor.exists() and descriptor.resolve() == JOURNAL.resolve():
            os.dup2(full, int(descriptor.name))
    os.close(full)


def test_a_journal_without_room_ends_the_product_and_keeps_it():
    a, b = factors()
    says = r"\.journal: cannot be written: No space left on device; . of 9 tiles are completed"
    with pytest.raises(FileError, match=says):
        gemm(tile=128, progress=Listener(fill_journal))
    finished = finished_tiles()
    assert finished >= 3
    assert gemm().finished_before == finished
    assert_product(a, b, numpy.load("C.npy"))


def test_names_of_files_may_have_any_bytes(here, monkeypatch):
    odd = here / "new\nline \\n"
    odd.mkdir()
    monkeypatch.chdir(odd)
    a, b = factors()
    unfinished(tile=128)
    assert gemm().finished_before >= 3
    assert_product(a, b, numpy.load("C.npy"))


def test_names_of_files_need_not_be_text(here):
    a, b = factors()
    odd = [os.fsdecode(b"\xff" + name + b".npy") for name in (b"A", b"B", b"C")]
    os.rename("A.npy", odd[0])
    with pytest.raises(FileError, match=f"{odd[1]}: no such file"):
        watari.gemm(odd[0], odd[1], odd[2], fast_memory=FAST, processor="cpu")
    watari.gemm(odd[0], "B.npy", odd[2], fast_memory=FAST, processor="cpu")
    assert_product(a, b, numpy.load(odd[2]))
    with pytest.raises(ValueError, match="null"):
        watari.gemm(odd[0], "B.npy", f"{odd[2]}\0", fast_memory=FAST, processor="cpu")
    assert_product(a, b, numpy.load(odd[2]))


def test_a_link_in_place_of_the_unfinished_file_is_not_followed():
    factors()
    write("own", b"precious")
    os.symlink("own", "C.npy.partial")
    for fresh in (False, True):
        with pytest.raises(FileError, match=r"C\.npy: cannot be written"):
            gemm(fresh=fresh)
    assert Path("own").read_bytes() == b"precious"
    assert left_over() == ["C.npy.partial", "own"]


def test_what_takes_the_name_of_the_unfinished_file_does_not_become_the_product():
    factors()
    old = save("C.npy", 300, 270)

    def replace(finished):
        if finished >= 3 and os.path.getsize("C.npy.partial") > 100:
            os.unlink("C.npy.partial")
            write("C.npy.partial", b"of another run")

    with pytest.raises(FileError, match=r"C\.npy\.partial was removed or replaced.*it is lost$"):
        gemm(tile=128, progress=Listener(replace))
    assert (numpy.load("C.npy") == old).all()
    assert Path("C.npy.partial").read_bytes() == b"of another run"
    assert left_over() == ["C.npy.partial"]


def test_two_runs_at_once_on_one_output_are_refused():
    factors()
    refused = []

    def again(finished):
        for fresh in (False, True):
            with pytest.raises(UsageError, match=r"\.partial is being written by another run"):
                gemm(fresh=fresh)
            refused.append(fresh)

    gemm(progress=Listener(again))
    assert refused
    assert left_over() == []


@pytest.mark.parametrize("name", ["C.npy.partial", str(JOURNAL), f"{JOURNAL}.new"])
def test_what_is_no_file_is_left_in_its_place(name):
    factors()
    os.mkfifo(name)
    with pytest.raises((UsageError, FileError), match=r"C\.npy\.partial"):
        gemm()
    assert left_over() == [name]


def test_a_journal_that_is_none_is_left_in_its_place():
    factors()
    write(JOURNAL, b"notes of mine\n")
    with pytest.raises(FileError, match=r"journal: not a journal: begins with 'notes of mine'"):
        gemm()
    assert left_over() == [str(JOURNAL)]
    gemm(fresh=True)
    assert left_over() == []


def test_matrices_that_change_meanwhile_give_no_product():
    factors()
    says = r"B\.npy changed while it was read: the product is discarded$"
    with pytest.raises(FileError, match=says):
        gemm(tile=128, progress=Listener(lambda finished: os.utime("B.npy")))
    assert [*left_over(), Path("C.npy").exists()] == [False]


def test_a_folder_that_vanishes_loses_the_product_and_says_so():
    factors()
    os.mkdir("v")

    def remove(finished):
        shutil.rmtree("v", ignore_errors=True)

    with pytest.raises(FileError, match=r"v/C\.npy\.partial was removed or replaced"):
        watari.gemm("A.npy", "B.npy", "v/C.npy", **CPU, progress=Listener(remove))
    assert not Path("v").exists()


def test_a_zarr_array_needs_room_beside_its_work_file(monkeypatch):
    factors()
    before = state()
    room = shutil.disk_usage(".")._replace(free=2 * 300 * 270 * 4 - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room)
    with pytest.raises(FileError, match=r"C\.zarr: not enough room: the array and its work file"):
        watari.gemm("A.npy", "B.npy", "C.zarr", **CPU)
    assert state() == before
    monkeypatch.setattr(shutil, "disk_usage", lambda path: room._replace(free=room.free + 1))
    watari.gemm("A.npy", "B.npy", "C.zarr", **CPU)


def test_a_dry_run_sees_that_c_does_not_fit():
    save("A.npy", 2_000_000, 1)
    save("B.npy", 1, 2_000_000)
    before = state()
    with pytest.raises(FileError, match=r"C\.npy: not enough room: takes 14\.55 TiB"):
        gemm(dry_run=True)
    assert state() == before
