"""Products of .npy files: accepted files, defaults, and output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from command_line import printed, run_cli
from numpy.lib import format as npy_format
from products import (
    Listener,
    assert_product,
    factors,
    gemm,
    on_processor,
    save,
    with_header,
)

import watari
from watari.case import engines as case_engines
from watari.cases.gemm import axes as gemm_axes

pytestmark = pytest.mark.usefixtures("here")


def test_nan_and_infinity_come_through_where_they_count():
    a, b = factors()
    a[0, 0], b[1, 1] = numpy.nan, numpy.inf
    numpy.save("A.npy", a)
    numpy.save("B.npy", b)
    gemm()
    c = numpy.load("C.npy")
    assert numpy.isnan(c[0]).all()
    assert not numpy.isfinite(c[:, 1]).any()
    assert numpy.isfinite(numpy.delete(c[1:], 1, axis=1)).all()


def test_one_matrix_may_be_both_factors():
    a = save("A.npy", 200, 200)
    watari.gemm("A.npy", "A.npy", "C.npy", fast_memory="2MiB")
    assert_product(a, a, numpy.load("C.npy"))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_product_is_a_file_that_direct_io_likes(dtype):
    factors(dtype=dtype)
    gemm()
    with open("C.npy", "rb") as file:
        assert npy_format.read_magic(file) == (1, 0)
        header = npy_format.read_array_header_1_0(file)
        assert header == ((300, 270), False, numpy.dtype(dtype))
        assert file.tell() == 4096
    assert Path("C.npy").stat().st_size == 4096 + int(dtype[1]) * 300 * 270


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format_is_read(version):
    a, b = factors()
    with open("A.npy", "wb") as file:
        npy_format.write_array(file, a, version=version)
    gemm()
    assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize(
    "text",
    [
        "{'shape': (300, 200), 'fortran_order': False, 'descr': '<f4'}\n",
        '{"descr":"<f4","fortran_order":False,"shape":(300,200,)}',
        "{'descr': '=f4', 'fortran_order': False, 'shape': (300L, 200L), }   \n",
    ],
)
def test_headers_may_be_written_otherwise(text):
    a, b = factors()
    with_header(text)
    gemm()
    assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize("is_there", [False, True])
def test_a_product_is_made_where_a_link_leads(here, is_there):
    a, b = factors()
    (here / "far").mkdir()
    if is_there:
        save("far/C.npy", 2, 3)
    os.symlink("far/C.npy", "C.npy")
    gemm()
    assert os.readlink("C.npy") == "far/C.npy"
    assert os.listdir("far") == ["C.npy"]
    assert_product(a, b, numpy.load("far/C.npy"))


FAILING = """
def multiply(product, work, progress):
    progress.start(work, 0)  # prints
    raise errors.SystemCallError("A.npy: Input/output error")
product.multiply = multiply
"""


@pytest.mark.parametrize(
    ("patch", "ended"), [("", (0, "")), (FAILING, (1, "watari: A.npy: Input/output error\n"))]
)
def test_a_product_ends_as_ever_when_nobody_reads(patch, ended):
    a, b = factors()
    imports = (
        "import sys",
        "from watari.cases.gemm import product",
        "from watari.cli import commands",
        "from watari.common import errors",
    )
    code = "\n".join(imports) + f"{patch}\ncommands.main(sys.argv[1:])"
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", code, *on_processor()]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == ended
    if done.returncode == 0:
        assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_product_has_the_permissions_of_what_it_replaces(mode):
    factors()
    gemm()
    assert os.stat("C.npy").st_mode & 0o777 == os.stat("A.npy").st_mode & 0o777
    os.chmod("C.npy", mode)
    made = []
    gemm(progress=Listener(lambda finished: made.append(os.stat("C.npy.partial").st_mode & 0o777)))
    assert set(made) == {mode | 0o600}
    assert os.stat("C.npy").st_mode & 0o777 == mode


def test_help_offers_engines_of_files_alone(capsys):
    _, out, _ = run_cli(capsys, "gemm", "--help")
    words = re.findall(r"\w+", out)
    assert set(case_engines.FILE_ENGINES) <= set(words)
    assert not set(gemm_axes.IN_MEMORY) & set(words)


@pytest.mark.parametrize(
    ("asked", "engine", "depth"),
    [
        (None, "uring", 32),
        ("uring", "uring", 32),
        ("posix", "posix", 1),
        ("mmap", "mmap", 1),
        ("queue", "queue", 32),
    ],
)
def test_what_is_left_open_suits_the_machine(asked, engine, depth):
    factors()
    listener = Listener(lambda finished: None)
    gemm(engine=asked, progress=listener)
    parameters = listener.work.parameters
    assert parameters["engine"] == engine
    assert parameters["depth"] == depth
    assert parameters["threads"] == len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("fast_memory", "tile"), [("1GiB", 2048), ("64MiB", 1024), ("3MiB", 128)])
def test_a_tile_that_is_left_open_suits_fast_memory(fast_memory, tile):
    factors()  # narrower than these tiles, which then take less memory
    listener = Listener(lambda finished: None)
    gemm(fast_memory=fast_memory, tile=None, dry_run=True, progress=listener)
    assert listener.work.parameters["tile"] == tile


def test_progress_is_reported_from_the_forecast_to_the_end(capsys):
    factors()
    code, out, _ = run_cli(capsys, *on_processor("--alpha", "-1"))
    first, second, *_, last = out.splitlines()
    assert code == 0
    assert first.startswith("C.npy: 300 x 270 = (300 x 200) (200 x 270), float32, by uring on the")
    assert second.startswith("reads ")
    assert "(any schedule moves " in second
    assert " at best: " in second
    assert last.startswith("C.npy: ")


def test_nothing_is_said_of_arithmetic_where_nothing_is_multiplied(capsys):
    factors()
    out = printed(capsys, *on_processor("--alpha", "0"))
    assert "reads 0 B, writes 324 kB (any schedule moves 324 kB at least)" in out
    assert "arithmetic" not in out
    assert "FLOPS" not in out
