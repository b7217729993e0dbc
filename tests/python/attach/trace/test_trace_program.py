"""The whole chain on a driver and a CUPTI without a GPU: a trace reports what a program did."""

from __future__ import annotations

import json
import os

import emulator
import pytest
import trace_event_format
import tracing
from tracing import trace, watari

from watari.common.units import format_duration

FIELD = 4 * 2**20  # bytes of each allocation of `alternating`


@pytest.fixture(scope="module")
def alternating(tmp_path_factory):
    """A trace of four rounds of `alternating`."""
    folder = tmp_path_factory.mktemp("alternating")
    options = ("--perfetto", "timeline.json")
    ended, content = trace(folder, "alternating", "4", options=options, code=0)
    return folder, ended, content


def test_bytes_and_faults_are_those_of_the_program(alternating) -> None:
    _, _, content = alternating
    observed = content["observed"]
    assert observed["complete"], observed["incomplete"]
    managed, used, other = observed["allocations"]
    assert managed["moved"] == {"by faults to GPU": 4 * FIELD, "by faults to CPU": 3 * FIELD}
    assert used["moved"] == {"copied to GPU": FIELD, "copied to CPU": FIELD}
    assert other["moved"] == {"copied to GPU": 4 * FIELD}
    assert (managed["gpu_faults"], managed["cpu_faults"]) == (4 * 64, 4 * 64)
    assert all(row["pageable"] for row in observed["transfers"] if row["how"] == "copied")


def test_kernels_touch_what_they_read_and_write(alternating) -> None:
    _, _, content = alternating
    kernel = content["observed"]["kernels"][0]
    assert (kernel["name"], kernel["launches"], kernel["sampled"]) == ("add_one", 8, 4)
    touches = [(t["launches"], t["bytes"], t["reads"], t["writes"]) for t in kernel["touched"]]
    assert touches == [(2, FIELD, True, True)] * 2


def test_phases_alternate_between_the_processors(alternating) -> None:
    _, _, content = alternating
    names = [a["name"] for a in content["allocations"]]
    managed, used = names[0], names[1]
    processors = [phase["name"].partition("-")[0] for phase in content["phases"]]
    assert processors == ["cpu", "gpu"] * 8 + ["cpu"]
    accesses = [{a["allocation"] for a in phase["accesses"]} for phase in content["phases"]]
    assert accesses[:8] == [{managed}] * 8
    assert accesses[9] == {used}


def test_call_sites_are_lines_of_the_program(alternating) -> None:
    _, _, content = alternating
    observed = content["observed"]
    assert len({a["label"] for a in observed["allocations"]}) == 3
    sites = {row["site"] for row in observed["transfers"] if row["how"] == "copied"}
    assert all("alternating" in site for site in sites), sites


def test_the_output_says_how_much_longer_a_traced_run_takes(tmp_path) -> None:
    """Both runs take the second that the program sleeps, or more on a busy machine."""
    words = ("sleep", "1", "device", "400000")
    ended, content = trace(tmp_path, "linked", *words, options=["--no-touches"])
    observed = content["observed"]
    plain, traced = observed["untraced_seconds"], observed["traced_seconds"]
    once = observed["traced_once_seconds"]
    assert min(plain, traced) > 1
    assert 0 < once < traced - 1
    sentence = (
        f"{format_duration(plain)} as it is, {format_duration(traced)} traced "
        f"({traced / plain:.2f} times as long), {format_duration(once)} of it once"
    )
    assert sentence in ended.stdout.splitlines()


def test_the_timeline_has_every_launch(alternating) -> None:
    folder, _, _ = alternating
    rows = trace_event_format.check((folder / "timeline.json").read_text())
    assert sum(row["name"] == "add_one" for row in rows) == 8


def test_the_page_is_one_document(alternating) -> None:
    pytest.importorskip("watari.report.traced")
    folder, _, _ = alternating
    assert (folder / "trace.html").read_text().startswith("<!doctype html>")


@pytest.fixture(scope="module")
def long_kernels(tmp_path_factory):
    """A trace of a program of some 1.7 s, nearly all of it in four kernels: what a busy machine
    adds is little beside them. Of three traces one is not disturbed by other programs."""
    for number in range(3):
        folder = tmp_path_factory.mktemp(f"long{number}")
        _, content = trace(folder, "alternating", "2", FAKE_CUDA_KERNEL_US=100, code=0)
        if content["observed"]["replay"]["met"] == []:
            break
    return folder, content


def test_the_replay_gives_the_total_of_a_program(long_kernels) -> None:
    _, content = long_kernels
    replay = content["observed"]["replay"]
    assert replay["met"] == []
    kernels = sum(k["traced_seconds"] for k in content["observed"]["kernels"])
    assert kernels > 1.6
    assert replay["seconds"] > kernels


@pytest.mark.parametrize("command", ["predict", "advise"])
def test_the_trace_is_predicted(long_kernels, command: str) -> None:
    folder, _ = long_kernels
    ended = watari(folder, command, "trace.json", "--machine", "gh200", code=0)
    assert "managed-prefetch" in ended.stdout


@pytest.mark.parametrize("name", ["linked", "opened"])
@pytest.mark.parametrize(
    "words", ["device 400000", "fork 400000", "work 400000", "pool 400000 threads 1"]
)
def test_programs_of_every_kind_are_traced(tmp_path, name: str, words: str) -> None:
    _, content = trace(tmp_path, name, *words.split(), options=["--no-touches"], code=0)
    assert content["observed"]["complete"], content["observed"]["incomplete"]
    moved = [a["moved"] for a in content["observed"]["allocations"] if a["moved"]]
    assert moved == [{"copied to GPU": 400000, "copied to CPU": 400000}]
    assert content["observed"]["kernels"][0]["launches"] == 1


def test_times_of_another_clock_are_converted(tmp_path) -> None:
    words = ("device", "400000")
    _, content = trace(
        tmp_path, "linked", *words, options=["--no-touches"], FAKE_CUPTI_OWN_CLOCK=1, code=0
    )
    assert content["observed"]["complete"], content["observed"]["incomplete"]
    moved = content["observed"]["allocations"][0]["moved"]
    assert moved == {"copied to GPU": 400000, "copied to CPU": 400000}


@pytest.mark.parametrize("name", ["runtime_static", "runtime_shared"])
def test_the_library_enters_programs_of_the_cuda_runtime(tmp_path, name: str) -> None:
    """The made-up driver starts CUDA for them and can do no more (tests/emulator/cuda)."""
    _, content = trace(tmp_path, name, options=["--no-touches"], code=0)
    assert content["observed"]["complete"], content["observed"]["incomplete"]
    assert content["observed"]["cupti"] > 0


@pytest.mark.parametrize(
    ("end", "words"), [("crash 1", "ended by SIGABRT"), ("_exit 3", "exit code 3")]
)
def test_what_came_before_a_crash_is_kept(tmp_path, end: str, words: str) -> None:
    program = f"device 400000 sleep 1 device 400000 {end}".split()
    ended, content = trace(tmp_path, "linked", *program, options=["--no-touches"], code=0)
    assert "INCOMPLETE: the records end before the program does" in ended.stdout
    assert f"did not succeed: {words}" in ended.stdout
    first = content["observed"]["allocations"][0]
    assert first["moved"] == {"copied to GPU": 400000, "copied to CPU": 400000}


def test_a_process_that_calls_exit_at_once_and_another_are_said(tmp_path) -> None:
    one = f"{tracing.program('linked')} device 400000"
    script = f"{one}; exec {one} sleep 1 device 400000 device 400000 _exit 0"
    ended = watari(tmp_path, "trace", "--no-touches", "--", "sh", "-c", script)
    assert "2 processes used CUDA: this is the one with most records" in ended.stdout
    assert "the records end before the program does (it called _exit" in ended.stdout
    assert "of it once" not in ended.stdout


def test_a_program_with_an_exit_code_of_its_own_is_sampled(tmp_path) -> None:
    """The exit code is the same as it is, and with managed memory."""
    ended, content = trace(tmp_path, "linked", "device", "400000", "exit", "3")
    assert "the program did not succeed: exit code 3" in ended.stdout
    assert content["observed"]["touches"] == ""
    assert content["observed"]["kernels"][0]["sampled"] == 1


def test_every_run_reads_the_file_that_watari_is_given(tmp_path) -> None:
    script = f'read word; test "$word" = input && exec {tracing.program("linked")} device 4096'
    (tmp_path / "input").write_text("input\n")
    with (tmp_path / "input").open() as file:
        ended = watari(tmp_path, "trace", "--", "sh", "-c", script, stdin=file)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "trace.json").is_file()


@pytest.mark.parametrize(
    "words",
    [
        ("try", "--no-traced", "--runs", "1"),
        ("trace", "--no-touches"),
        ("advise", "--machine", "h100"),
    ],
)
def test_what_a_pipe_holds_is_not_read_and_that_is_said(tmp_path, words) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"input\n")
    program = tracing.program("linked")
    for descriptor in (reading, None):
        ended = watari(tmp_path, *words, "--", program, "device", "4096", stdin=descriptor)
        output = ended.stdout + ended.stderr
        said = "standard input: the program does not get what the pipe holds" in output
        assert said == (descriptor is not None), output
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("FAKE_CUPTI_LOSE", "of 256 pages that move to the GPU for certain, 231 were recorded"),
        ("FAKE_CUPTI_DROP", "CUPTI dropped"),
    ],
)
def test_lost_records_make_a_trace_incomplete(tmp_path, variable: str, words: str) -> None:
    settings = {variable: 10}
    _, content = trace(tmp_path, "alternating", "1", options=["--no-touches"], **settings, code=0)
    assert not content["observed"]["complete"]
    assert any(words in reason for reason in content["observed"]["incomplete"])
    pytest.importorskip("watari.report.traced")
    assert "Incomplete: " in (tmp_path / "trace.html").read_text()


@pytest.mark.parametrize(
    "command",
    [
        ("linked", "device", "400000", "say", b"\xff\xfe"),
        ("linked", "reset", "400000"),
        ("linked", "crowd", "50"),
        ("sh", "-c", "env -i LD_LIBRARY_PATH={path} {program} device 400000"),
    ],
)
def test_what_few_programs_do_is_traced(tmp_path, command) -> None:
    path, program = emulator.driver(), tracing.program("linked")
    words = [program if w == "linked" else w for w in command]
    if words[0] == "sh":
        words[2] = words[2].format(path=path, program=program)
    watari(tmp_path, "trace", "--perfetto", "timeline.json", "--", *words, code=0)
    content = json.loads((tmp_path / "trace.json").read_text())
    assert content["observed"]["complete"], content["observed"]["incomplete"]
    assert content["observed"]["allocations"]
    trace_event_format.check((tmp_path / "timeline.json").read_text())
