"""Factors whose files hold their transposes, fast memory that the machine chooses, dry runs."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from command_line import printed, run_cli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from products import (
    Listener,
    assert_product,
    factors,
    finished_tiles,
    gemm,
    left_over,
    save,
    state,
    unfinished,
)

import watari
from watari.common.errors import FileError, UsageError

pytestmark = pytest.mark.usefixtures("here")
PROCESSORS = ["cpu", pytest.param("gpu", marks=pytest.mark.gpu)]
sides = st.integers(1, 520)


@pytest.mark.parametrize("processor", PROCESSORS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_transposes_in_files_of_any_size_are_multiplied(processor, data):
    m, n, k = (data.draw(sides) for _ in range(3))
    if data.draw(st.booleans()):  # rows of whole sectors
        m, n, k = (-(-side // 128) * 128 for side in (m, n, k))
    dtype = data.draw(st.sampled_from(["f4", "f8"]))
    of_a, of_b = data.draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    engine = data.draw(
        st.sampled_from(["posix", "mmap", "uring", "queue"][: 4 - (processor != "cpu")])
    )
    beta = data.draw(st.sampled_from([0.0, 0.5]))
    a = save("A.npy", *((k, m) if of_a else (m, k)), dtype)
    b = save("B.npy", *((n, k) if of_b else (k, n)), dtype)
    old = save("C.npy", m, n, dtype)
    gemm(
        processor=processor,
        engine=engine,
        fast_memory=data.draw(st.sampled_from([2**21, 2**22, 2**26])),
        tile=data.draw(st.sampled_from([128, 256])) if dtype == "f4" else 128,
        beta=beta,
        transpose_a=of_a,
        transpose_b=of_b,
    )
    a, b = a.T if of_a else a, b.T if of_b else b
    assert_product(a, b, numpy.load("C.npy"), beta=beta, old=old)
    assert left_over() == []


def test_shapes_that_do_not_fit_are_named_as_they_are_multiplied():
    factors(300, 270, 200)  # A is 300 x 200, B 200 x 270
    with pytest.raises(FileError, match=r"A.npy transposed is 200 x 300 and B.npy is 200 x 270"):
        gemm(transpose_a=True)
    with pytest.raises(FileError, match=r"A.npy is 300 x 200 and B.npy transposed is 270 x 200"):
        gemm(transpose_b=True)


def test_a_square_factor_makes_another_product_transposed():
    a, b = factors(300, 300, 300)
    gemm(transpose_a=True)
    assert_product(a.T, b, numpy.load("C.npy"))
    gemm(transpose_b=True)
    assert_product(a, b.T, numpy.load("C.npy"))


def test_a_partial_file_of_the_transposed_product_is_not_resumed_by_the_other():
    a, b = factors(1500, 1500, 1500)
    unfinished(transpose_a=True, tile=128, threads=1, engine="posix")
    with pytest.raises(UsageError, match=r"A.transposed was yes, is now not there"):
        gemm(tile=128)
    gemm(transpose_a=True, tile=128)
    assert_product(a.T, b, numpy.load("C.npy"))


def test_the_command_takes_both_and_chooses_fast_memory(capsys):
    a, b = save("A.npy", 200, 300), save("B.npy", 270, 200)
    words = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--processor", "cpu"]
    out = printed(capsys, *words, "--transpose-a", "--transpose-b", "--fast-memory", "auto")
    assert out.startswith("C.npy: 300 x 270 = (300 x 200) (200 x 270), float32, by ")
    assert_product(a.T, b.T, numpy.load("C.npy"))
    default = [*words, "--transpose-a", "--transpose-b"]
    assert run_cli(capsys, *default)[:2][0] == 0


def test_a_dry_run_prints_the_forecast_and_writes_nothing(capsys):
    factors()
    before = state()
    words = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--processor", "cpu", "--dry-run"]
    out = printed(capsys, *words)
    assert "\nreads " in out
    assert out.endswith("C.npy: not written\n")
    assert state() == before
    done = watari.gemm("A.npy", "B.npy", "C.npy", processor="cpu", dry_run=True)
    assert (done.seconds, done.finished_before) == (0, 0)
    assert done.bytes_written >= 300 * 270 * 4
    assert state() == before
    really = watari.gemm("A.npy", "B.npy", "C.npy", processor="cpu")
    assert (really.bytes_read, really.bytes_written) == (done.bytes_read, done.bytes_written)


def test_a_dry_run_says_what_an_earlier_run_completed():
    factors(1500, 1500, 1500)
    unfinished(tile=128, threads=1, engine="posix")
    before, seen = state(), []
    done = gemm(tile=128, dry_run=True, progress=Listener(seen.append))
    assert seen == [done.finished_before] == [finished_tiles()]
    assert state() == before
    with pytest.raises(UsageError, match="alpha was 1, is now 2"):
        gemm(tile=128, dry_run=True, alpha=2)
    assert state() == before
    assert not Path("C.npy").exists()


def test_a_dry_run_refuses_what_the_run_would_refuse():
    factors()
    save("B.npy", 100, 100)
    with pytest.raises(FileError, match="columns of the first must be rows of the second"):
        gemm(dry_run=True)
