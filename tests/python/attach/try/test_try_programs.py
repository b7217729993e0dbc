"""`watari try` on programs of several processes, threads and languages, and of the CUDA runtime."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import builds
import pytest
from launching import HANGS, executable
from tried import attempt, driver, program, quantity, watari


@pytest.mark.parametrize("words", [("fork", "4096"), ("work", "4096"), ("threads", "1")])
def test_children_and_threads_are_followed(tmp_path, words):
    _, styles = attempt(tmp_path, *words)
    case = styles["managed"]
    assert case["status"] == "ok"
    assert quantity(case, "moved_allocations") == (400 if words[0] == "threads" else 1)


def test_a_shell_that_sets_ld_preload_is_followed(tmp_path):
    command = f"LD_PRELOAD=libm.so.6 {program()} device 4096"
    output = tmp_path / "run.json"
    options = ("--no-traced", "--runs", "1", "--styles", "pinned", "-o", str(output))
    assert watari("try", *options, "--", "sh", "-c", command, cwd=tmp_path).returncode == 0
    assert quantity(json.loads(output.read_text())["cases"][1], "moved_allocations") == 1


def test_several_gpus_and_python(tmp_path):
    code = (
        "import ctypes as c\n"
        "d = c.CDLL('libcuda.so.1'); p = c.c_ulonglong(); x = c.c_void_p(); d.cuInit(0)\n"
        "for gpu in (0, 1):\n"
        "    d.cuDevicePrimaryCtxRetain(c.byref(x), gpu); d.cuCtxSetCurrent(x)\n"
        "    assert d.cuMemAlloc_v2(c.byref(p), c.c_size_t(4096)) == 0\n"
    )
    output = tmp_path / "run.json"
    options = ("--no-traced", "--runs", "1", "--styles", "managed", "-o", str(output))
    watari(
        "try",
        *options,
        "--",
        sys.executable,
        "-c",
        code,
        cwd=tmp_path,
        environment=driver(devices=2),
        code=0,
    )
    assert quantity(json.loads(output.read_text())["cases"][1], "moved_allocations") == 2


def test_what_was_done_before_a_crash_or_kill_is_recorded(tmp_path):
    for end, code in (("_exit", 5), ("kill", -9), ("crash", -6)):
        log = tmp_path / end
        log.mkdir()
        from watari.attach import events, start

        run = start.Start((program(), "keep", "4096", "keep", "8192", end, "5"), 30)
        files = Path(tempfile.mkdtemp(dir=log))
        variables = {**start.preloaded(files), "LD_LIBRARY_PATH": driver()["LD_LIBRARY_PATH"]}
        assert start.run(run, variables, files).code == code
        seen = events.read(files / "events")
        assert [a.bytes for a in seen.allocations] == [4096, 8192]
        assert seen.processes[0].ended is None  # its destructors did not run


@pytest.mark.parametrize("name", ["runtime_static", "runtime_shared"])
def test_the_cuda_runtime_is_given_the_replacements(tmp_path, name):
    """The runtime calls the cuInit that it was given, linked into the program or not. Without
    NVIDIA's driver it gets no further."""
    if not Path(program(name)).is_file():
        pytest.skip("built without CUDA")
    from watari.attach import events, start

    variables = {**start.preloaded(tmp_path), "LD_LIBRARY_PATH": driver()["LD_LIBRARY_PATH"]}
    start.run(start.Start((program(name),), 30), variables, tmp_path)
    seen = events.read(tmp_path / "events")
    assert seen.uses_cuda
    assert seen.processes[0].program == program(name)


@pytest.mark.gpu
@pytest.mark.parametrize("runtime", ["static", "shared"])
def test_a_program_of_the_runtime_runs_in_every_style_of_this_machine(tmp_path, runtime):
    compiler = shutil.which("nvcc", path=f"{os.environ['PATH']}:/usr/local/cuda/bin")
    if not compiler:
        pytest.skip("no nvcc on PATH or in /usr/local/cuda/bin")
    source = builds.ROOT / "tests/attach/programs/runtime.cu"
    made, output = tmp_path / f"runtime_{runtime}", tmp_path / "run.json"
    words = [compiler, "-arch=native", "-cudart", runtime, "-o", str(made), str(source)]
    subprocess.run(words, check=True)
    words = ["--same-output", "-", "-o", str(output), "--", str(made)]
    watari("try", *words, cwd=tmp_path, environment=dict(os.environ), code=0)
    cases = {case["parameters"]["style"]: case for case in json.loads(output.read_text())["cases"]}
    assert {case["status"] for case in cases.values()} <= {"ok", "unsupported"}
    assert cases["as-is"]["status"] == cases["pinned"]["status"] == "ok"


def test_every_run_reads_the_same_input(tmp_path):
    text = f'#!/bin/sh\nread size\n{program()} device "$size"\n'
    script = executable(tmp_path / "script.sh", text)
    (tmp_path / "input").write_text("4096\n")
    with (tmp_path / "input").open() as given:
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "watari", "try", "--no-traced", "--runs", "1"),
                "-o",
                "run.json",
                str(script),
            ],
            cwd=tmp_path,
            env=driver(),
            stdin=given,
            timeout=HANGS,
        )
    assert ended.returncode == 0
    cases = json.loads((tmp_path / "run.json").read_text())["cases"]
    assert quantity(cases[1], "moved_bytes") == 4096
