"""`watari try` on programs that allocate in every way, on a driver without a GPU."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from launching import HANGS
from tried import attempt, built, driver, program, quantity, watari

MB = 1_000_000


@pytest.mark.parametrize("name", ["linked", "opened"])
def test_every_allocation_of_gpu_memory_is_moved_and_the_program_computes_the_same(tmp_path, name):
    words = ("device", str(MB), "pitch", "1000", "async", str(MB), "pool", str(MB))
    ended, styles = attempt(tmp_path, *words, options=("--same-output", "-"), name=name)
    assert ended.returncode == 0, ended.stderr
    assert {s for s, case in styles.items() if case["status"] == "ok"} == {
        "as-is",
        "managed",
        "managed-prefetch",
        "mapped",
        "pinned",
    }
    assert quantity(styles["as-is"], "moved_allocations") == 0
    assert quantity(styles["as-is"], "device_peak") == MB
    for style, kind in (("managed", "managed"), ("mapped", "managed"), ("pinned", "pinned")):
        assert quantity(styles[style], "moved_allocations") == 6  # three of them on a stream
        assert quantity(styles[style], "device_peak") == 0
        # what a stream has freed is kept for its next allocation of that size
        assert quantity(styles[style], f"{kind}_peak") == pytest.approx(MB, rel=0.01)


def test_managed_memory_gets_hints_and_keeps_its_kind(tmp_path):
    ended, styles = attempt(tmp_path, "managed", str(MB))
    assert ended.returncode == 0
    for style in ("managed-prefetch", "mapped", "read-mostly", "preferred-gpu", "accessed-by"):
        assert styles[style]["status"] == "ok"
        assert quantity(styles[style], "managed_peak") == MB
    assert "allocates no GPU memory" in styles["pinned"]["reason"]


def counts(path: Path) -> dict:
    """Of the last run; Watari itself asks the driver what GPUs there are."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["allocations"]][-1]


@pytest.mark.parametrize(
    ("style", "prefetches", "advices"),
    [("managed", 0, 0), ("managed-prefetch", 1, 0), ("mapped", 0, 2), ("pinned", 0, 0)],
)
def test_the_driver_sees_what_the_style_says(tmp_path, style, prefetches, advices):
    log = tmp_path / "counts"
    attempt(tmp_path, "device", str(MB), options=("--styles", style), counts=log)
    seen = counts(log)
    assert (seen["prefetches"], seen["advices"]) == (prefetches, advices)
    assert (seen["allocations"], seen["frees"], seen["launches"]) == (1, 1, 1)


def test_system_memory_needs_a_gpu_that_reads_it(tmp_path):
    _, styles = attempt(tmp_path, "device", str(MB))
    assert "pageableMemoryAccess" in styles["system"]["reason"]
    ended, styles = attempt(tmp_path, "device", str(MB), pageable=1)
    assert ended.returncode == 0
    assert styles["system"]["status"] == "ok"
    assert quantity(styles["system"], "system_peak") == MB


def test_what_is_shared_with_other_processes_stays_gpu_memory(tmp_path):
    ended, styles = attempt(tmp_path, "share", str(MB), "device", "5000", name="opened")
    assert "kept as GPU memory: cuIpcGetMemHandle needs it" in ended.stdout
    assert styles["managed"]["status"] == "ok"
    assert quantity(styles["managed"], "device_peak") == MB
    assert quantity(styles["managed"], "managed_peak") == 5000


def test_a_program_that_asks_is_told_what_it_has(tmp_path):
    ended, styles = attempt(tmp_path, "kind", "4096", options=("--same-output", "-"))
    assert styles["as-is"]["status"] == "ok"
    assert styles["managed"]["status"] == "wrong"
    assert "standard output" in styles["managed"]["reason"]
    assert ended.returncode == 0


def test_output_that_differs_by_itself_says_nothing(tmp_path):
    ended, styles = attempt(
        tmp_path, "device", "4096", "say", "pid", options=("--same-output", "-")
    )
    assert "differs between runs of as-is" in ended.stdout
    assert {styles[s]["status"] for s in ("as-is", "managed", "pinned")} == {"ok"}


def test_a_file_that_a_style_changes_is_named(tmp_path):
    script = tmp_path / "script.sh"
    script.write_text(f"#!/bin/sh\n{program()} kind 4096 > result\necho same > other\n")
    script.chmod(0o755)
    output = tmp_path / "run.json"
    options = ("--no-traced", "--runs", "1", "--styles", "managed", "-o", str(output))
    files = ("--same-output", "result", "--same-output", "other", "--same-output", "never")
    watari("try", *options, *files, "--", str(script), cwd=tmp_path)
    case = json.loads(output.read_text())["cases"][1]
    assert case["reason"] == "the output differs from that of as-is: result"


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
    ended = watari(
        "try",
        *options,
        "--",
        sys.executable,
        "-c",
        code,
        cwd=tmp_path,
        environment=driver(devices=2),
    )
    assert ended.returncode == 0, ended.stderr
    assert quantity(json.loads(output.read_text())["cases"][1], "moved_allocations") == 2


def test_only_some_allocations(tmp_path):
    words = ("device", "4096", "device", str(MB))
    _, styles = attempt(tmp_path, *words, options=("--only", "size>=1MB"))
    assert quantity(styles["managed"], "moved_bytes") == MB
    assert styles["managed"]["parameters"]["only"] == f"size>={MB}"
    listed = watari("try", "--sites", "--", program(), *words, cwd=tmp_path).stdout
    site = next(line.split()[0] for line in listed.splitlines() if "cuMemAlloc" in line)
    assert "device+0x" in listed  # the function of the program that allocates
    _, styles = attempt(tmp_path, *words, options=("--only", f"site:{site}#0"))
    assert quantity(styles["managed"], "moved_bytes") == 4096


def test_a_program_that_does_not_fit_is_made_to(tmp_path):
    words = [word for n in (600, 500, 300) for word in ("keep", str(n * 1000))]
    limits = {"memory": MB}
    ended, styles = attempt(tmp_path, *words, **limits)
    assert styles["as-is"]["status"] == "failed"
    assert "exit code 3" in styles["as-is"]["reason"]
    assert styles["managed"]["status"] == "ok"
    ended, styles = attempt(tmp_path, *words, options=("--fit", "1MB"), **limits)
    # the smallest that is large enough
    assert "1 of 3 allocations, 500 kB" in ended.stdout
    assert quantity(styles["pinned"], "device_peak") == 900_000
    assert quantity(styles["pinned"], "pinned_peak") == 500_000


def test_a_trace_says_which_allocations_the_gpu_touches_least(tmp_path):
    words = [word for n in (600, 500, 300) for word in ("keep", str(n * 1000))]
    listed = watari("try", "--sites", "--", program(), *words, cwd=tmp_path).stdout
    site = next(line.split()[0] for line in listed.splitlines() if "cuMemAlloc" in line)
    sizes = {f"{site}#{i}": size for i, size in enumerate((600_000, 500_000, 300_000))}
    touched = dict(zip(sizes, (600_000, 50_000_000, 30_000_000), strict=True))

    def write(renamed=""):
        accesses = [
            {"allocation": renamed + name, "processor": "gpu", "read": read, "written": 0}
            for name, read in touched.items()
        ]
        trace = {
            "schema": "watari-trace-1",
            "name": "linked",
            "allocations": [{"name": renamed + n, "bytes": size} for n, size in sizes.items()],
            "phases": [{"name": "gpu", "accesses": accesses}],
        }
        (tmp_path / "trace.json").write_text(json.dumps(trace))

    write()
    options = ("--fit", "1MB", "--trace", "trace.json", "--styles", "pinned")
    ended, styles = attempt(tmp_path, *words, options=options)
    assert "those that the GPU touches least" in ended.stdout, ended.stderr
    assert quantity(styles["pinned"], "moved_bytes") == 600_000
    write(renamed="other")
    ended, _ = attempt(tmp_path, *words, options=options)
    assert ended.returncode == 2
    assert "has none of the program's allocations" in ended.stderr


def test_a_style_that_the_driver_refuses_is_a_row(tmp_path):
    ended, styles = attempt(tmp_path, "device", "4096", refuse="cuMemAllocManaged")
    assert ended.returncode == 0
    assert styles["managed"]["status"] == "failed"
    assert "exit code 3" in styles["managed"]["reason"]
    assert styles["pinned"]["status"] == "ok"
    _, styles = attempt(tmp_path, "device", "4096", refuse="cuMemPrefetchAsync")
    assert styles["managed-prefetch"]["reason"].startswith("a hint was refused: cuMemPrefetchAsync")


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
    """As far as it comes without a driver of NVIDIA's: it calls cuInit by the name that it was
    given, whether it is linked into the program or not."""
    if not Path(program(name)).is_file():
        pytest.skip("built without CUDA")
    from watari.attach import events, start

    variables = {**start.preloaded(tmp_path), "LD_LIBRARY_PATH": driver()["LD_LIBRARY_PATH"]}
    start.run(start.Start((program(name),), 30), variables, tmp_path)
    seen = events.read(tmp_path / "events")
    assert seen.uses_cuda
    assert seen.processes[0].program == program(name)


@pytest.mark.gpu
def test_a_program_of_the_runtime_runs_in_every_style_of_this_machine(tmp_path):
    for name in ("runtime_static", "runtime_shared"):
        output = tmp_path / f"{name}.json"
        words = ("--same-output", "-", "-o", str(output), "--", program(name))
        assert watari("try", *words, cwd=tmp_path, environment=dict(os.environ)).returncode == 0
        cases = json.loads(output.read_text())["cases"]
        assert {case["status"] for case in cases} <= {"ok", "unsupported"}


def test_every_run_reads_the_same_input(tmp_path):
    script = tmp_path / "script.sh"
    script.write_text(f'#!/bin/sh\nread size\n{program()} device "$size"\n')
    script.chmod(0o755)
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


def test_report_compare_and_export_read_the_result(tmp_path):
    pytest.importorskip("vl_convert")
    attempt(tmp_path, "device", "4096", options=("--figure", "try.svg"))
    assert (tmp_path / "try.svg").read_text().startswith("<svg")
    assert watari("report", "run.json", "-o", "report.html", cwd=tmp_path).returncode == 0
    assert "managed-prefetch" in (tmp_path / "report.html").read_text()
    assert watari("compare", "run.json", "run.json", cwd=tmp_path).returncode == 0
    assert watari("export", "run.json", "-o", "run.csv", cwd=tmp_path).returncode == 0
    assert "managed-prefetch" in (tmp_path / "run.csv").read_text()


def test_a_table_needs_nothing_that_draws(tmp_path):
    """As without the extra `report`."""
    names = ("altair", "jinja2", "pygments", "vl_convert")
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({names}))\n"
    )
    environment = {**driver(), "PYTHONPATH": str(tmp_path)}
    words = ("try", "--runs", "1", "-o", "run.json", "--", program(), "device", "4096")
    ended = watari(*words, cwd=tmp_path, environment=environment)
    assert ended.returncode == 0, ended.stderr
    assert "managed-prefetch" in ended.stdout
    figure = ("try", "--figure", "a.svg", *words[1:])
    ended = watari(*figure, cwd=tmp_path, environment=environment)
    assert ended.returncode == 2
    assert "pip install 'watari[report]'" in ended.stderr


def test_what_moves_is_counted_in_a_further_run(tmp_path):
    cupti = built() / "fake_cupti" / "libcupti.so"
    if not cupti.is_file():
        pytest.skip("built without CUPTI")
    environment = {**driver(), "WATARI_CUPTI": str(cupti)}
    options = ("--runs", "1", "--styles", "managed", "-o", "run.json")
    ended = watari(
        "try", *options, "--", program(), "device", str(MB), cwd=tmp_path, environment=environment
    )
    assert "One further run of each style, traced" in ended.stdout, ended.stderr
    as_is, managed = json.loads((tmp_path / "run.json").read_text())["cases"]
    assert quantity(as_is, "traced_kernels") == quantity(managed, "traced_kernels") == 1
    assert quantity(as_is, "traced_to_gpu_bytes") == MB
    assert quantity(as_is, "traced_to_cpu_bytes") == MB
    assert quantity(as_is, "traced_lost") == 0


def test_advice_on_a_program_comes_from_a_trace_of_it(tmp_path):
    cupti = built() / "fake_cupti" / "libcupti.so"
    if not cupti.is_file():
        pytest.skip("built without CUPTI")
    environment = {**driver(), "WATARI_CUPTI": str(cupti)}
    words = ("advise", "--machine", "gh200", "--confirm", "--", program(), "device", str(MB))
    ended = watari(*words, cwd=tmp_path, environment=environment)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("; measured ") == 2
    assert list(tmp_path.iterdir()) == []
    wrong = watari("advise", "--confirm", "himeno", "--machine", "gh200", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--confirm runs a program" in wrong.stderr


@pytest.mark.mpi
def test_ranks_are_one_result(tmp_path):
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = {**driver(), **allowed, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    options = (
        "--no-traced",
        "--runs",
        "1",
        "--ranks",
        "2",
        "--styles",
        "managed",
        "-o",
        "run.json",
    )
    ended = watari(
        "try", *options, "--", program(), "device", "4096", cwd=tmp_path, environment=environment
    )
    assert ended.returncode == 0, ended.stderr
    case = json.loads((tmp_path / "run.json").read_text())["cases"][1]
    assert case["parameters"]["ranks"] == 2
    assert quantity(case, "moved_allocations") == 2
