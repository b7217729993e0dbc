"""`watari gemm` as a process: signals while C++ hangs, limits of addresses, another C++ runtime."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

import builds
import numpy
import pytest
from launching import HANGS
from products import assert_product, factors, gemm, save

pytestmark = pytest.mark.usefixtures("here")
BLOCKER = (builds.ROOT / "tests/python").joinpath("blocking_files.c")
RESUME = builds.ROOT / "scripts" / "resume.py"
WORDS = [sys.executable, "-m", "watari", "gemm", "A.npy", "B.npy", "-o", "C.npy"]
ON_CPU = [*WORDS, "--processor", "cpu", "--fast-memory", "32MiB"]


@pytest.fixture(scope="module")
def blocker(tmp_path_factory):
    """A library that makes reads of a file hang."""
    library = tmp_path_factory.mktemp("blocker") / "blocker.so"
    try:
        built = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(BLOCKER), "-ldl"]
        subprocess.run(built, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    return library


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_product_that_hangs(blocker, first, second):
    a, b = factors(1024, 1024, 1024)
    old = save("C.npy", 1024, 1024)
    environment = {"LD_PRELOAD": str(blocker), "BLOCK": "/B.npy", "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        [*ON_CPU, "--engine", "posix", "--tile", "1024"],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        assert process.stderr.readline() == b"blocked\n"
        process.send_signal(first)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(second)
        assert process.wait(HANGS) == -second  # the read would hang for ever
    finally:
        process.kill()
    errors = process.stderr.read().replace(b"blocked\n", b"")
    assert errors == b"watari: ended at once by a second signal\n"
    assert (numpy.load("C.npy") == old).all()
    gemm()
    assert_product(a, b, numpy.load("C.npy"))


@pytest.mark.parametrize("mebibytes", [50, 120, 200, 400, 700, 4000])
def test_a_limit_of_addresses_is_refused_in_one_line_or_suffices(mebibytes):
    a, b = factors()
    limit = mebibytes << 20
    done = subprocess.run(
        ON_CPU,
        capture_output=True,
        text=True,
        timeout=HANGS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )
    if done.returncode == 0:
        assert_product(a, b, numpy.load("C.npy"))
        return
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "within ulimit -v (RLIMIT_AS): asked for" in done.stderr
    assert not Path("C.npy").exists()


def test_a_killed_product_is_resumed_to_the_same_bits(here):
    done = subprocess.run(
        [sys.executable, str(RESUME), str(here)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("killed and resumed: ")
