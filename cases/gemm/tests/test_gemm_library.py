"""Products by the library itself: every engine against NumPy in double, kills, failing reads, and
case `gemm` as a trial runs it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy
import pytest
from asked import CPU, GPU, quantities
from asked import request as request_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from products import assert_product, finished_tiles, save

import watari
from watari import _native as native
from watari import cases
from watari.cases.gemm import _native as gemm_native
from watari.cases.gemm import numbers as gemm_numbers
from watari.cases.gemm import trial as gemm_trial
from watari.common.errors import UnsupportedError, UsageError
from watari.common.interrupts import INTERRUPTED

ENGINES = ("posix", "uring", "mmap", "queue")  # on a CPU
ENGINES_BY_PROCESSOR = [("cpu", engine) for engine in ENGINES] + [
    pytest.param("gpu", engine, marks=pytest.mark.gpu)
    for engine in ("posix", "uring", "mmap", "gpu")
]
HOST_WAYS = [pytest.param("gpu", engine, marks=pytest.mark.gpu) for engine in ("pinned", "managed")]
FEW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
RNG = numpy.random.default_rng(21)
OWN_PROCESS = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # for its imports


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, request):
    """An empty folder. If other tests run beside this one, the test gets one CPU: a BLAS whose
    threads spin while they wait for each other is slow on shared CPUs."""
    monkeypatch.chdir(tmp_path)
    worker = re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", ""))
    cpus = os.sched_getaffinity(0)
    if worker and not request.node.get_closest_marker("gpu"):  # threads that serve a GPU never rest
        os.sched_setaffinity(0, {sorted(cpus)[int(worker) % len(cpus)]})
    yield tmp_path
    os.sched_setaffinity(0, cpus)


def product(**more: Any) -> Any:
    """Multiplies A.npy and B.npy into C.npy on the CPU."""
    given = {"fast_memory": 2**22, "tile": 128, "processor": "cpu"}
    return watari.gemm("A.npy", "B.npy", "C.npy", **{**given, **more})


sides = st.integers(1, 400)
numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5])


@pytest.mark.parametrize(("processor", "engine"), ENGINES_BY_PROCESSOR)
@FEW
@given(data=st.data())
def test_every_engine_multiplies_any_shape(processor, engine, data):
    m, n, k = (data.draw(sides) for _ in range(3))
    if data.draw(st.booleans()):  # rows of whole sectors: neighbouring tiles come together
        n, k = (-(-side // 128) * 128 for side in (n, k))
    dtype = data.draw(st.sampled_from(["f4", "f8"]))
    alpha, beta = data.draw(numbers), data.draw(numbers)
    a, b = save("A.npy", m, k, dtype), save("B.npy", k, n, dtype)
    old = save("C.npy", m, n, dtype)
    tile = data.draw(st.sampled_from([128, 256]))
    budget = data.draw(st.sampled_from([2**22, 2**23, 2**26]))
    threads = data.draw(st.integers(1, 3))
    given = {"alpha": alpha, "beta": beta, "tile": tile, "threads": threads}
    product(processor=processor, engine=engine, fast_memory=budget, **given)
    assert_product(a, b, numpy.load("C.npy"), alpha, beta, old)
    assert not list(Path().glob("*.partial*"))


@pytest.mark.parametrize(("processor", "engine"), ENGINES_BY_PROCESSOR)
def test_what_was_in_c_does_not_matter_without_beta(processor, engine):
    a, b = save("A.npy", 300, 200), save("B.npy", 200, 270)
    numpy.save("C.npy", numpy.full((300, 270), numpy.nan, numpy.float32))
    product(processor=processor, engine=engine)
    assert_product(a, b, numpy.load("C.npy"))
    product(processor=processor, engine=engine, alpha=0)
    assert (numpy.load("C.npy") == 0).all()


def test_fast_memory_that_is_too_small_for_the_rows_is_refused_before_anything_is_written():
    save("A.npy", 300, 200), save("B.npy", 200, 270)
    with pytest.raises(UsageError, match="fast memory"):
        product(fast_memory=5 * 2**16)
    assert {path.name for path in Path().iterdir()} == {"A.npy", "B.npy"}


@pytest.mark.parametrize("engine", ["gpu", "cufile"])
def test_what_needs_a_gpu_is_unsupported_here_and_leaves_nothing(engine):
    if native.gpus()["gpus"]:
        pytest.skip("there is a GPU")
    save("A.npy", 300, 200), save("B.npy", 200, 270)
    with pytest.raises(UnsupportedError):
        product(engine=engine, processor=None)
    assert {path.name for path in Path().iterdir()} == {"A.npy", "B.npy"}


def command(*words):
    """`watari gemm` as a process of its own: some seconds of small tiles."""
    line = ["gemm", "A.npy", "B.npy", "-o", "C.npy", "--fast-memory", "4MiB", "--tile", "128"]
    code = "import sys; from watari.cli import commands; commands.main(sys.argv[1:])"
    return subprocess.Popen(
        [sys.executable, "-c", code, *line, "--processor", "cpu", *words],
        env=OWN_PROCESS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


SLOW = ("--engine", "posix", "--threads", "1")  # hundreds of thousands of requests, one by one


def long_factors(n=2499, k=1003, m=2501):
    """A product of several seconds, in many blocks."""
    return save("A.npy", m, k), save("B.npy", k, n)


def wait_for_more_tiles(process, before):
    """Waits until the journal has new tiles."""
    while finished_tiles() <= before:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("n", "k"), [(2499, 1003), pytest.param(2560, 1024, marks=pytest.mark.slow)]
)
def test_killed_at_random_moments_it_ends_with_the_same_bits(n, k):
    long_factors(n, k)
    old = save("C.npy", 2501, n)
    product(beta=0.5)
    whole = Path("C.npy").read_bytes()
    numpy.save("C.npy", old)
    before, done = Path("C.npy").read_bytes(), 0
    for _ in range(2):
        process = command("--beta", "0.5", *SLOW)
        wait_for_more_tiles(process, done)
        time.sleep(RNG.uniform(0, 0.1))
        process.kill()
        process.communicate()
        assert Path("C.npy").read_bytes() == before
        done = finished_tiles()
    process = command("--beta", "0.5")
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert f"{done} of 400 tiles are completed already" in out
    assert Path("C.npy").read_bytes() == whole


def test_an_interrupt_ends_it_and_keeps_what_is_done():
    a, b = long_factors()
    process = command(*SLOW)
    wait_for_more_tiles(process, 0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == INTERRUPTED, err
    assert "of 400 tiles are completed: the same product resumes from there" in err
    product()
    assert_product(a, b, numpy.load("C.npy"))


# with these sides the product still runs when the first tiles are durable, after a second
@pytest.mark.parametrize(("engine", "side"), [("posix", 2500), ("uring", 6000), ("queue", 6000)])
def test_a_file_that_ends_early_ends_it_with_the_place(engine, side):
    long_factors(side, m=side)
    save("C.npy", side, side)
    before = Path("C.npy").read_bytes()
    process = command("--engine", engine, "--threads", "1")
    wait_for_more_tiles(process, 0)
    os.truncate("A.npy", (side - 500) * 1003 * 4)
    _, err = process.communicate()
    assert process.returncode == 1, err
    assert re.search(r"read of \d+ bytes at \d{6,}", err) or ("A.npy" in err and "byte" in err), err
    assert "C.npy is unchanged; " in err
    assert "A.npy than there is now; fresh (--fresh) discards it and starts over" in err
    assert Path("C.npy").read_bytes() == before


# another shape for each process of tests: the shape is in the names of files in memory
M = 500 + os.getpid() % 100
SMALL = {"n": 640, "m": M, "k": 777, "tile": 128, "fast-memory": "3MiB", "samples": 1}


def trial(**given):
    """Case gemm in this process."""
    asked = {**SMALL, "processor": "cpu", "folder": str(Path.cwd()), "threads": 2, **given}
    machine = GPU if asked["processor"] == "gpu" else CPU
    parameters = request_of("gemm", machine, **asked).parameters
    return parameters, cases.CASES["gemm"].run(parameters)


@pytest.mark.parametrize(("processor", "engine"), ENGINES_BY_PROCESSOR + HOST_WAYS)
@pytest.mark.parametrize("layout", ["row-major", "tiled"])
@pytest.mark.parametrize("store", ["file", "ram"])
@pytest.mark.parametrize("schedule", ["reuse", "naive"])
def test_a_trial_is_verified_and_reads_what_was_planned(processor, engine, layout, store, schedule):
    if engine in ("pinned", "managed") and store == "file":
        pytest.skip("its matrices are in memory")
    given = {
        "processor": processor,
        "engine": engine,
        "layout": layout,
        "store": store,
        "schedule": schedule,
    }
    p, result = trial(**given)
    assert result["verified"] is True, result
    of = quantities(result)
    assert of["bytes_read"] + of["bytes_written"] == of["bytes_planned"]
    plan = gemm_native.gemm_plan(gemm_trial.native_parameters(p))
    assert plan["bytes_read"] == of["bytes_read"]
    assert result["flops_per_sample"] == 2 * 640 * M * 777
    assert result["bytes_per_sample"] == of["bytes_planned"]
    assert len(result["host_s"]) == 1
    assert gemm_numbers.speed(result["flops_per_sample"], [result]).over_floor
    blas = "OpenBLAS" if processor == "cpu" else "cuBLAS"
    assert any(blas in note for note in result["notes"])


@pytest.mark.parametrize(
    "given",
    [
        {"beta": 0.5, "alpha": -2},
        {"beta": 1, "precision": "double"},
        {"alpha": 0, "beta": 3},
        {"samples": 3, "beta": 1},
        {"n": 100, "m": 30, "k": 1},
        {"n": 128, "m": 128, "k": 128},
        {"tile": 256, "fast-memory": "8MiB", "precision": "double"},
    ],
)
def test_trials_of_other_shapes_and_factors(given):
    p, result = trial(**given)
    assert result["verified"] is True, result
    assert len(result["host_s"]) == p["samples"]


def test_nothing_is_multiplied_where_alpha_is_0():
    _, result = trial(engine="posix", alpha=0, beta=2)
    assert result["verified"] is True, result
    assert result["flops_per_sample"] == 0
    assert result["quantities"]["lower_bound_bytes"]["value"] == 0


@pytest.mark.parametrize("engine", ["pinned", "managed"])
def test_a_plan_says_what_its_trial_will_say(engine):
    request = request_of("gemm", GPU, engine=engine, store="file")
    with pytest.raises(UnsupportedError, match="has its matrices in memory: store=ram"):
        gemm_native.gemm_plan(gemm_trial.native_parameters(request.parameters))


def test_a_run_shows_the_plan_and_then_what_was_read(tmp_path):
    code = "import sys; from watari.cli import commands; commands.main(sys.argv[1:])"
    words = [f"{name}={value}" for name, value in SMALL.items()]
    words += ["processor=cpu", f"folder={tmp_path}", "trials=1", "-o", "run.json"]
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "gemm", *words],
        env=OWN_PROCESS,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"gemm {M} x 640 x 777, tile 128 of 3MiB, reuse, single, file: reads ")
    assert "GFLOPS" in done.stdout
    assert "x floor" in done.stdout
