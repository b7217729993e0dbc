"""Products of .npy files: right, refused before anything is written, whole or not at all, and gone
on with after a kill."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import fake_gemm
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy_format

import watari
from watari import cli, gemm_case, gemm_files, gemm_journal, npy
from watari.errors import (
    BeyondMemoryError,
    FileError,
    SystemCallError,
    UnsupportedError,
    UsageError,
)

FAKE = Path(fake_gemm.__file__)
RNG = numpy.random.default_rng(20)
FAST = 2**21
IN_FOLDER = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder, and the library's part played by NumPy."""
    monkeypatch.chdir(tmp_path)
    fake = SimpleNamespace(
        gemm_files_slot_bytes=fake_gemm.gemm_files_slot_bytes,
        gemm_files_plan=fake_gemm.gemm_files_plan,
        gemm_files=fake_gemm.gemm_files,
        gpus=lambda: {"gpus": []},
    )
    monkeypatch.setitem(sys.modules, "watari._native", fake)
    monkeypatch.setattr(watari, "_native", fake, raising=False)
    return tmp_path


def save(name, rows, columns, dtype=numpy.float32, rng=RNG):
    """A random matrix in a file."""
    matrix = rng.standard_normal((rows, columns)).astype(dtype)
    numpy.save(name, matrix)
    return matrix


def factors(m=300, n=270, k=200, dtype=numpy.float32):
    """A.npy and B.npy."""
    return save("A.npy", m, k, dtype), save("B.npy", k, n, dtype)


def gemm(**more):
    """C.npy of A.npy and B.npy."""
    return watari.gemm("A.npy", "B.npy", "C.npy", **{"fast_memory": FAST, **more})


def assert_product(a, b, c, alpha=1.0, beta=0.0, old=None):
    """Every element within what rounding allows, against NumPy in double."""
    wide = [x.astype(numpy.float64) for x in (a, b)]
    exact = alpha * (wide[0] @ wide[1])
    size = abs(alpha) * (abs(wide[0]) @ abs(wide[1]))
    if beta:
        exact = exact + beta * old.astype(numpy.float64)
        size = size + abs(beta * old.astype(numpy.float64))
    allowed = (a.shape[1] + 4) * numpy.finfo(a.dtype).eps * size
    assert c.dtype == a.dtype
    assert c.shape == exact.shape
    assert (abs(c - exact) <= allowed).all()


def left_over():
    """What lies beside the matrices."""
    return sorted({path.name for path in Path().iterdir()} - {"A.npy", "B.npy", "C.npy"})


def command(*words, pause=0.0):
    """`watari gemm A.npy B.npy -o C.npy ...` as a process of its own."""
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", str(FAST), *words]
    path = os.pathsep.join([str(Path(watari.__file__).parents[1]), str(FAKE.parent)])
    return subprocess.Popen(
        [sys.executable, str(FAKE), *line],
        env={**os.environ, "FAKE_PAUSE": str(pause), "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished_tiles():
    """How many tiles the journal has."""
    try:
        found = gemm_journal.read(Path("C.npy.partial.json-lines"))
    except FileNotFoundError:
        return 0
    return len(found.tiles) if found else 0


def wait_for_tiles(process, count):
    """Until so many tiles are durable."""
    while finished_tiles() < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)


sides = st.integers(1, 300)
numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0])


@IN_FOLDER
@given(sides, sides, sides, st.sampled_from(["f4", "f8"]), numbers, numbers)
def test_any_shape_and_factors(m, n, k, dtype, alpha, beta):
    a, b = factors(m, n, k, dtype)
    old = save("C.npy", m, n, dtype)
    gemm(alpha=alpha, beta=beta, tile=128)
    assert_product(a, b, numpy.load("C.npy"), alpha, beta, old)
    assert left_over() == []


@pytest.mark.parametrize("alpha", [0, 1, 2.5])
def test_what_was_in_c_does_not_matter_without_beta(alpha):
    a, b = factors()
    numpy.save("C.npy", numpy.full((300, 270), numpy.nan, numpy.float32))
    gemm(alpha=alpha)
    assert_product(a, b, numpy.load("C.npy"), alpha)
    Path("C.npy").write_text("not a matrix")
    gemm(alpha=alpha)
    assert_product(a, b, numpy.load("C.npy"), alpha)


def test_nan_and_infinity_come_through_where_they_count():
    factors()
    old = numpy.zeros((300, 270), numpy.float32)
    old[3, 4], old[299, 0] = numpy.nan, numpy.inf
    numpy.save("C.npy", old)
    gemm(beta=1)
    found = numpy.load("C.npy")
    assert numpy.isnan(found[3, 4])
    assert found[299, 0] == numpy.inf
    assert numpy.isfinite(found).sum() == found.size - 2


def test_one_matrix_may_be_both_factors():
    a = save("A.npy", 200, 200)
    watari.gemm("A.npy", "A.npy", "C.npy", fast_memory="2MiB")
    assert_product(a, a, numpy.load("C.npy"))


def test_the_product_is_a_file_that_direct_io_likes():
    factors()
    gemm()
    assert npy.read("C.npy").offset == 4096
    assert numpy.load("C.npy", mmap_mode="r").shape == (300, 270)
    assert Path("C.npy").stat().st_size == 4096 + 4 * 300 * 270


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from(sorted(npy.TYPES)))
def test_headers_are_read_by_numpy(rows, columns, dtype):
    text = npy.header(rows, columns, dtype)
    assert len(text) == npy.HEADER_BYTES
    file = io.BytesIO(text)
    npy_format.read_magic(file)
    shape, by_columns, found = npy_format.read_array_header_1_0(file)
    assert (shape, by_columns, found) == ((rows, columns), False, numpy.dtype(dtype))
    assert file.tell() == npy.HEADER_BYTES


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(version):
    a, b = factors()
    with open("A.npy", "wb") as file:
        npy_format.write_array(file, a, version=version)
    gemm()
    assert_product(a, b, numpy.load("C.npy"))


def cut(path, size):
    """Leaves the first bytes alone."""
    os.truncate(path, size)


def write(path, data):
    Path(path).write_bytes(data)


def save_as(matrix):
    return lambda: numpy.save("A.npy", matrix)


ONES = numpy.ones((300, 200), numpy.float32)
REFUSED = {
    "missing": (lambda: os.unlink("A.npy"), "A.npy: no such file"),
    "a folder": (lambda: (os.unlink("A.npy"), os.mkdir("A.npy")), "A.npy: not a file"),
    "empty": (lambda: cut("A.npy", 0), "A.npy: not a .npy file"),
    "text": (lambda: write("A.npy", b"1 2 3\n" * 50), "A.npy: not a .npy file: the magic string"),
    "header cut": (lambda: cut("A.npy", 60), "A.npy: not a .npy file"),
    "header wrong": (
        lambda: write("A.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': 3}   \n"),
        "A.npy: not a .npy file: Header does not",
    ),
    "version 9": (lambda: write("A.npy", b"\x93NUMPY\x09\x00" + b" " * 99), "version 9.0"),
    "data cut": (lambda: cut("A.npy", 240000), "cut short: 240000 bytes, while its header says"),
    "integers": (save_as(ONES.astype(int)), "elements are int64: must be float32 or float64"),
    "half": (save_as(ONES.astype("f2")), "elements are float16"),
    "other order": (save_as(ONES.astype(">f4")), "bytes in the other order"),
    "fields": (save_as(numpy.ones((2, 2), [("x", "f4")])), "elements are "),
    "objects": (save_as(numpy.ones((2, 2), object)), "elements are object"),
    "Fortran": (save_as(numpy.asfortranarray(ONES)), "Fortran order"),
    "vector": (save_as(numpy.ones(200, numpy.float32)), "shape is 200: must be a matrix"),
    "cube": (save_as(numpy.ones((2, 3, 4), numpy.float32)), "shape is 2x3x4"),
    "number": (save_as(numpy.float32(1)), "shape is one number"),
    "nothing": (save_as(ONES[:0]), "has no elements: 0 x 200"),
    "shapes": (save_as(ONES.T.copy()), "A.npy is 200 x 300 and B.npy is 200 x 270: columns of"),
    "types": (save_as(ONES.astype(float)), "A.npy is of float64 and B.npy of float32"),
    "same file": (lambda: os.link("A.npy", "C.npy"), "C.npy is also a factor"),
    "same by name": (lambda: os.symlink("B.npy", "C.npy"), "C.npy is also a factor"),
    "C a folder": (lambda: os.mkdir("C.npy"), "C.npy: cannot be written: not a regular file"),
}


def state():
    """Names, sizes and times of all files."""
    return {p.name: (p.lstat().st_size, p.lstat().st_mtime_ns) for p in Path().iterdir()}


def run_cli(capsys, *words):
    """Exit code, output and errors of `watari ...` in this process."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(words))
    out, err = capsys.readouterr()
    return ended.value.code, out, err


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_before_anything_is_written(what, capsys):
    factors()
    spoil, says = REFUSED[what]
    spoil()
    before = state()
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB"]
    code, _, err = run_cli(capsys, *line)
    assert (code, err.count("\n")) == (2, 1)
    assert says in err
    assert state() == before


OLD = {
    "missing": (lambda: None, "C.npy: no such file"),
    "shape": (lambda: save("C.npy", 270, 300), "C.npy: is 270 x 300, float32; to add to it"),
    "type": (lambda: save("C.npy", 300, 270, float), "must be 300 x 270, float32"),
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
        (["--fast-memory", "100KiB"], "fast-memory=100KiB is too small for tile=128"),
        (["--fast-memory", "much"], "'much' is not a size"),
        (["--tile", "100"], "'100' is not a tile: a multiple of 128"),
        (["--tile", "512"], "5 tiles take 5MiB"),
        (["--alpha", "nan"], "'nan' is not a number"),
        (["--beta", "1e999"], "beyond what a number can be"),
        (["--engine", "urign"], "did you mean 'uring'?"),
        (["--engine", "pinned"], "engine pinned is for matrices in memory, and these are in files"),
        (["--engine", "managed"], "known: posix, uring, mmap, cufile, queue, gpu"),
        (["--processor", "tpu"], "unknown value 'tpu'"),
        (["--threads", "0"], "'0' is not a whole number"),
        (["-o", "nowhere/C.npy"], "nowhere/C.npy: cannot be written: no folder"),
    ],
)
def test_wrong_words_are_refused(words, says, capsys):
    factors()
    before = state()
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB", *words]
    code, _, err = run_cli(capsys, *line)
    assert (code, err.count("\n")) == (2, 1)
    assert says in err
    assert state() == before


def test_help_offers_engines_of_files_alone(capsys):
    _, out, _ = run_cli(capsys, "gemm", "--help")
    words = re.findall(r"\w+", out)
    assert set(gemm_case.FILE_ENGINES) <= set(words)
    assert not set(gemm_case.IN_MEMORY) & set(words)


def test_a_disk_without_room_is_refused_before_anything_is_written(monkeypatch):
    factors()
    before = state()
    room = SimpleNamespace(f_bavail=10, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda path: room)
    with pytest.raises(FileError, match=r"not enough room: takes 328 kB"):
        gemm()
    assert state() == before


def test_a_disk_that_fills_up_leaves_nothing(monkeypatch):
    factors()
    save("C.npy", 300, 270)
    before = state()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FileError, match=r"C\.npy: cannot be written: No space left"):
        gemm()
    assert state() == before


def test_a_journal_without_room_ends_the_product_and_keeps_it(monkeypatch):
    a, b = factors()
    add = gemm_journal.Journal.add

    def full(self, tiles):
        if self.tiles:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        add(self, tiles)

    with monkeypatch.context() as patch:
        patch.setattr(gemm_journal.Journal, "add", full)
        with pytest.raises(FileError, match=r"No space left on device; 3 of 9 tiles are finished"):
            gemm(tile=128)
    assert gemm().finished_before == 3
    assert_product(a, b, numpy.load("C.npy"))


def undisturbed():
    """C as it is when nothing happens."""
    watari.gemm("A.npy", "B.npy", "whole.npy", fast_memory=FAST)
    found = Path("whole.npy").read_bytes()
    os.unlink("whole.npy")
    return found


@pytest.mark.parametrize("beta", ["0", "0.5"])
def test_killed_at_any_moment_it_goes_on_and_is_the_same(beta):
    factors(1000, 300, 400)
    old = save("C.npy", 1000, 300)
    watari.gemm("A.npy", "B.npy", "C.npy", fast_memory=FAST, beta=float(beta))
    whole = Path("C.npy").read_bytes()
    numpy.save("C.npy", old)
    before = Path("C.npy").read_bytes()
    done = -1
    for wanted in (0, 3, 9):
        process = command("--beta", beta, pause=0.01)
        wait_for_tiles(process, wanted)
        time.sleep(RNG.uniform(0, 0.05))
        process.kill()
        process.communicate()
        assert Path("C.npy").read_bytes() == before
        assert finished_tiles() >= max(done, wanted)
        done = finished_tiles()
    process = command("--beta", beta)
    out, err = process.communicate()
    assert process.returncode == 0, err
    forecast, before = out.splitlines()[1:3]
    assert forecast.startswith("in all: reads ")
    assert before == f"{done} of 24 tiles are finished already"
    assert Path("C.npy").read_bytes() == whole
    assert left_over() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(number):
    factors(1000, 300, 400)
    whole = undisturbed()
    process = command(pause=0.01)
    wait_for_tiles(process, 3)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == cli.INTERRUPTED
    assert err.startswith("watari: interrupted; ")
    assert "of 24 tiles are finished: the same command goes on from there" in err
    assert not Path("C.npy").exists()
    gemm()
    assert Path("C.npy").read_bytes() == whole


def test_tiles_are_such_as_fit_with_what_a_disk_wants_around_their_rows(monkeypatch):
    factors()
    fast, asked = 2**23, []
    native = sys.modules["watari._native"]
    whole_units = {128: 2**20, 256: 2**21}  # rows of 0.5 and 1 KiB in two units of 4096 bytes
    monkeypatch.setattr(
        native, "gemm_files_slot_bytes", lambda p: whole_units.get(p["tile"], p["tile"] ** 2 * 16)
    )
    monkeypatch.setattr(
        native, "gemm_files", lambda p, *_: asked.append(p["tile"]) or fake_gemm.gemm_files(p, *_)
    )
    watari.gemm("A.npy", "B.npy", "C.npy", fast_memory=fast, processor="cpu")
    assert asked == [128]  # 256 would fit 32 times without them


def test_an_end_before_anything_is_finished_leaves_nothing(monkeypatch):
    factors()

    def stopped(parameters, finished, progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["watari._native"], "gemm_files", stopped)
    with pytest.raises(gemm_files.Interrupted, match=r"^no tile was finished$"):
        gemm()
    assert left_over() == []


def unfinished(count=3, **more):
    """A product that stopped after some tiles; what it was told of."""

    class Stop:
        def start(self, work, finished):
            self.before = finished

        def advance(self, fraction, finished):
            if finished >= count:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(gemm_files.Interrupted):
        gemm(**more, progress=Stop())
    assert finished_tiles() >= count


def test_finished_tiles_are_not_computed_again(monkeypatch):
    a, b = factors()
    unfinished(tile=128)
    asked = []
    real = fake_gemm.gemm_files

    def recorded(parameters, finished, progress):
        asked.append(finished)
        return real(parameters, finished, progress)

    monkeypatch.setattr(sys.modules["watari._native"], "gemm_files", recorded)
    done = gemm()  # more memory would take larger tiles: the journal's are kept
    assert asked == [[(0, 0), (0, 1), (0, 2)]]
    assert (done.finished_before, done.tiles) == (3, 9)
    assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize("torn", ['{"tiles": [[1, 0', '{"tiles": [[1, 0], [1, 1]]}', ""])
def test_a_torn_last_line_counts_for_nothing(torn):
    a, b = factors()
    unfinished(tile=128)
    with open("C.npy.partial.json-lines", "a") as file:
        file.write(torn)
    assert gemm().finished_before == 3
    assert_product(a, b, numpy.load("C.npy"))


def change_a():
    save("A.npy", 300, 200)


def rewrite_journal(change):
    """Changes its first line."""
    path = Path("C.npy.partial.json-lines")
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps(change(json.loads(first))), *rest, ""]))


OTHER = {
    "A": (change_a, {}, "is of another product: A: mtime_ns was"),
    "alpha": (lambda: None, {"alpha": 2}, "alpha was 1.0, is now 2.0"),
    "tile": (lambda: None, {"tile": 256}, "tile was 128, is now 256"),
    "size": (lambda: cut("C.npy.partial", 5000), {}, "is not the file that"),
    "no journal": (lambda: os.unlink("C.npy.partial.json-lines"), {}, "no journal says what"),
    "no tile": (
        lambda: write(
            "C.npy.partial.json-lines",
            Path("C.npy.partial.json-lines").read_bytes() + b'{"tiles": [[3, 0]]}\n',
        ),
        {},
        "names tiles that C does not have",
    ),
    "not JSON": (lambda: write("C.npy.partial.json-lines", b"hello\n"), {}, "not a journal"),
    "newer": (
        lambda: rewrite_journal(lambda first: {**first, "schema": 9}),
        {},
        "schema is 9, this version reads 1",
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_another_product_is_not_gone_on_with_unless_told(what):
    factors()
    unfinished(tile=128)
    change, more, says = OTHER[what]
    change()
    before = state()
    with pytest.raises((UsageError, FileError)) as raised:
        gemm(**more)
    assert says in str(raised.value)
    assert "--fresh" in str(raised.value)
    assert state() == before
    done = gemm(**more, fresh=True)
    assert done.finished_before == 0
    a, b = numpy.load("A.npy"), numpy.load("B.npy")
    assert_product(a, b, numpy.load("C.npy"), more.get("alpha", 1))
    assert left_over() == []


def test_an_empty_unfinished_file_or_journal_is_begun_anew():
    a, b = factors()
    Path("C.npy.partial").touch()
    gemm()
    assert_product(a, b, numpy.load("C.npy"))
    unfinished(tile=128)
    write("C.npy.partial.json-lines", b'{"schema": 1, "prod')
    with pytest.raises(UsageError, match="no journal says what"):
        gemm()


def test_two_runs_at_once_on_one_output_are_refused():
    factors(1000, 300, 400)
    process = command(pause=0.02)
    wait_for_tiles(process, 1)
    with pytest.raises(UsageError, match=r"C\.npy\.partial is being written by another run"):
        gemm()
    with pytest.raises(UsageError, match="another run"):
        gemm(fresh=True)
    assert process.wait() == 0
    assert left_over() == []


def killed_in_place(monkeypatch, **more):
    """A product that had got its name, and could not say so any more."""

    def kill(*_):
        raise SystemError("killed")

    with monkeypatch.context() as patch:
        patch.setattr("watari.gemm_partial.remove_own", kill)
        with pytest.raises(SystemError):
            gemm(tile=128, **more)
    assert left_over() == ["C.npy.partial.json-lines"]


def test_killed_after_it_was_in_place_it_is_not_computed_again(monkeypatch):
    a, b = factors()
    old = save("C.npy", 300, 270)
    killed_in_place(monkeypatch, beta=1)
    done = gemm(beta=1)
    assert (done.tiles, done.finished_before) == (9, 9)
    assert_product(a, b, numpy.load("C.npy"), 1, 1, old)
    assert left_over() == []
    gemm()  # asked for once more it is a new product
    assert_product(a, b, numpy.load("C.npy"))


def overwritten():
    """The same file with other bytes."""
    time.sleep(0.02)  # times of change are told apart by the tick of the kernel's clock
    with open("C.npy", "r+b") as file:
        file.seek(4096)
        file.write(bytes(4))


@pytest.mark.parametrize(
    "change", [overwritten, lambda: cut("C.npy", 5000), lambda: save("C.npy", 2, 3)]
)
def test_a_product_that_was_replaced_in_place_is_made_again(monkeypatch, change):
    a, b = factors()
    killed_in_place(monkeypatch)
    inode = os.stat("C.npy").st_ino
    change()
    assert os.stat("C.npy").st_ino == inode
    assert gemm().finished_before == 0
    assert_product(a, b, numpy.load("C.npy"))
    assert left_over() == []


def test_an_error_while_reading_names_the_place_and_leaves_everything_whole():
    factors(1000, 300, 400)
    save("C.npy", 1000, 300)
    before = {name: Path(name).read_bytes() for name in ("B.npy", "C.npy")}
    process = command("--beta", "1", pause=0.01)
    wait_for_tiles(process, 3)
    cut("A.npy", 1_000_000)
    _, err = process.communicate()
    assert process.returncode == 1
    assert "A.npy: read at byte 1000" in err
    assert "A.npy than there is now; --fresh (fresh=True) discards it and begins anew" in err
    assert "goes on from there" not in err
    assert "C.npy is as it was; " in err
    assert {name: Path(name).read_bytes() for name in before} == before
    with pytest.raises(FileError, match="cut short"):
        gemm(beta=1)


def test_matrices_that_change_meanwhile_give_no_product():
    factors(1000, 300, 400)
    process = command(pause=0.01)
    wait_for_tiles(process, 3)
    os.utime("B.npy")
    _, err = process.communicate()
    assert process.returncode == 2
    assert "B.npy changed while it was read: the product is discarded" in err
    assert [*left_over(), Path("C.npy").exists()] == [False]


def test_what_the_machine_lacks_is_an_error_of_the_command(monkeypatch, capsys):
    factors()

    def lacks(*_):
        raise UnsupportedError("no GPU driver")

    monkeypatch.setattr(sys.modules["watari._native"], "gemm_files", lacks)
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB"]
    code, _, err = run_cli(capsys, *line)
    assert code == 2
    assert "no GPU driver" in err
    assert left_over() == []
    with pytest.raises(UnsupportedError):
        gemm()


def test_fast_memory_beyond_what_there_is_is_told_what_to_give(monkeypatch, capsys):
    factors()

    def lacks(*_):
        text = "asked for 1 TiB, available 23 GiB; choose a smaller size, or oversubscribe=yes"
        raise BeyondMemoryError(text)

    monkeypatch.setattr(sys.modules["watari._native"], "gemm_files", lacks)
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "1TiB"]
    code, _, err = run_cli(capsys, *line)
    assert code == 2
    says = "asked for 1 TiB, available 23 GiB; choose a smaller --fast-memory (fast_memory)"
    assert err == f"watari: {says}; no tile was finished\n"


def test_progress_is_told_from_the_forecast_to_the_end(capsys):
    factors()
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB", "--alpha", "-1"]
    code, out, _ = run_cli(capsys, *line)
    first, second, *_, last, note = out.splitlines()
    assert code == 0
    assert first.startswith("C.npy: 300 x 270 = (300 x 200) (200 x 270), float32, by uring on the")
    assert second.startswith("reads ")
    assert "(any schedule moves " in second
    assert "about " in second
    assert last.startswith("C.npy: ")
    assert note == "by NumPy"


def test_nothing_is_said_of_arithmetic_where_nothing_is_multiplied(capsys):
    factors()
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "2MiB", "--alpha", "0"]
    code, out, _ = run_cli(capsys, *line)
    assert code == 0
    assert "reads 0 B, writes 324 kB (any schedule moves 324 kB at least)" in out
    assert "arithmetic" not in out
    assert "FLOPS" not in out


def test_a_system_error_is_of_the_library(monkeypatch):
    factors()

    def broken(*_):
        raise SystemCallError("A.npy: pread at byte 4096: Input/output error")

    monkeypatch.setattr(sys.modules["watari._native"], "gemm_files", broken)
    with pytest.raises(SystemCallError, match=r"at byte 4096: .*; no tile was finished"):
        gemm()
    assert left_over() == []
