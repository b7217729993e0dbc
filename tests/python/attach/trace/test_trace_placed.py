"""Sampled launches with their memory in GPU memory, over the link, and faulting: their times, on a
driver and a CUPTI without a GPU."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tracing
from tracing import kernel, process, record, trace

from watari.attach.start import Start, run
from watari.attach.trace import again, runs, sampled, session
from watari.attach.trace.observed import placed, touched
from watari.attach.trace.records.records import Kind
from watari.attach.trace.records.repeats import Repeats

LONG = sampled.Bounds(60, 60)
FIELD = 4 * 2**20  # bytes of each allocation of `alternating`
LINK, FAULT = 5000, 2500  # ns for a KiB
PAGE = 65536
EVERY = {"local", "mapped", "faulting"}


@pytest.fixture
def made_up(made_up, monkeypatch):
    """The made-up driver with times of the link and of a fault."""
    monkeypatch.setenv("FAKE_CUDA_LINK_NS", str(LINK))
    monkeypatch.setenv("FAKE_CUDA_FAULT_NS", str(FAULT))
    return made_up


def sampling_run(tmp_path, cupti, *words: str, bounds: sampled.Bounds = LONG):
    start = Start((tracing.program(words[0]), *words[1:]))
    return sampled.sample(start, tmp_path, cupti, bounds)


@pytest.mark.parametrize(("name", "passes"), [("add_one", 1), ("add_again", 10)])
def test_a_kernel_takes_as_long_as_its_traffic_over_the_link(
    tmp_path, made_up, monkeypatch, name, passes
) -> None:
    monkeypatch.setenv("FAKE_CUDA_KERNEL_US", "1")  # else it takes the time of the CPU
    touches, why = sampling_run(tmp_path, made_up, "alternating", "6", name)
    assert not why
    rows = {row.placement: row.as_json() for row in touches.placed[name]}
    assert rows.keys() == EVERY
    assert {row["threads"] for row in rows.values()} == {1024 * 1024}
    assert {row["bytes"] for row in rows.values()} == {FIELD}
    seconds = {placement: row["seconds"] for placement, row in rows.items()}
    more = {place: seconds[place] - seconds["local"] for place in ("mapped", "faulting")}
    each = FIELD / 1024 * 1e-9
    # some pages of a placement still move in its first launch
    assert more["mapped"] == pytest.approx(passes * LINK * each, rel=0.2, abs=0.01)
    assert more["faulting"] == pytest.approx(FAULT * each, rel=0.5, abs=0.01)
    assert name not in touches.unplaced


def test_no_launch_runs_twice_and_results_stay(tmp_path, made_up, monkeypatch) -> None:
    monkeypatch.setenv("FAKE_CUDA_COUNTS", str(tmp_path / "counts"))
    for style in ("as-is", "sampled"):
        folder = tmp_path / style
        folder.mkdir()
        start = Start((tracing.program("alternating"), "6"))
        if style == "as-is":
            plain = run(start, {}, folder)
        else:
            again, _, _ = runs.traced_run(start, folder, made_up, "managed", runs.Sampling(60))
        counts = json.loads((tmp_path / "counts").read_text().splitlines()[-1])
        assert counts["launches"] == 12
    assert plain.output.read_text() == again.output.read_text() != ""


def test_hints_of_the_program_are_restored(tmp_path, made_up) -> None:
    start = Start((tracing.program("linked"), "hints", "400000"))
    printed = []
    for sampling in (None, runs.Sampling(60)):
        folder = runs.fresh(tmp_path, f"{bool(sampling)}")
        ending, _, _ = runs.traced_run(start, folder, made_up, "managed", sampling)
        printed.append(ending.output.read_text())
    assert printed[0] == printed[1]
    assert printed[0].count("preferred -1 read-mostly 0 accessed 0") == 4


def test_memory_beyond_the_gpu_is_not_placed_there(tmp_path, made_up, monkeypatch) -> None:
    monkeypatch.setenv("FAKE_CUDA_MEMORY", str(10 * 2**20))
    touches, _ = sampling_run(tmp_path, made_up, "alternating", "6")
    assert {row.placement for row in touches.placed["add_one"]} == {"mapped", "faulting"}
    (why,) = touches.unplaced["add_one"]
    assert why == "local: 0.013 GB do not fit in the 0.01 GB of the GPU"


def test_a_mapped_launch_that_takes_too_long_is_stopped_and_is_the_last(
    tmp_path, made_up, monkeypatch
) -> None:
    """A kernel of 0.04 s, which takes 0.6 s longer over the link."""
    monkeypatch.setenv("FAKE_CUDA_KERNEL_US", "10")
    monkeypatch.setenv("FAKE_CUDA_LINK_NS", "150000")
    bounds = sampled.Bounds(2, 60)
    touches, _ = sampling_run(tmp_path, made_up, "alternating", "8", bounds=bounds)
    assert {row.placement for row in touches.placed["add_one"]} == {"local", "faulting"}
    assert touches.unplaced["add_one"][0].startswith("mapped: a launch took more than 0.")


def test_a_launch_alone_has_other_placements_in_further_runs(tmp_path, made_up) -> None:
    start = Start((tracing.program("linked"), "device", "4000000"))
    _, _, (process,) = runs.traced_run(start, runs.fresh(tmp_path, "traced"), made_up)
    touches, _ = sampled.sample(start, runs.fresh(tmp_path, "sampled"), made_up, LONG)
    assert touches.placed == {}  # the launch wrote read-mostly memory
    few = again.lacking(process, touches)
    assert few == {"add_one"}
    time, said = again.Time(1, 0, lambda: 120), []
    found = again.placements(start, tmp_path, made_up, touches, few, time, 0, said.append)
    local, mapped, faulting = (row.as_json() for row in found.placed["add_one"])
    placements = [row["placement"] for row in (local, mapped, faulting)]
    assert placements == ["local", "mapped", "faulting"]
    assert {row["launches"] for row in (local, mapped, faulting)} == {1}
    assert {row["bytes"] for row in (local, mapped, faulting)} == {4_000_000}
    assert mapped["seconds"] > local["seconds"] + 0.5 * LINK * 4e6 / 1024 * 1e-9
    assert len(said) == 3


def test_without_the_time_for_further_runs_a_launch_alone_has_no_other_placement(tmp_path) -> None:
    time = again.Time(10, 0, lambda: 20)  # one more could end
    assert time.further(1) is not None
    assert time.further(2) is None
    few = frozenset({"add_one"})
    start = Start(("no such program",))
    empty = touched.Touches()
    assert again.placements(start, tmp_path, tmp_path, empty, few, time, 0, print) == empty


def test_a_launch_alone_has_every_placement(tmp_path) -> None:
    _, content = trace(tmp_path, "linked", "device", "400000")
    (row,) = content["observed"]["kernels"]
    assert {one["placement"] for one in row["placements"]} == EVERY
    assert row["unplaced"] == ""


def test_without_the_sampled_run_no_placement_is_known(tmp_path) -> None:
    _, content = trace(tmp_path, "alternating", "6", options=["--no-touches"])
    (row,) = content["observed"]["kernels"]
    assert row["placements"] == []
    assert row["unplaced"] == f"no local and no mapped and no faulting: {session.NOT_ASKED}"


def test_the_file_and_the_page_have_the_placements(tmp_path) -> None:
    pytest.importorskip("jinja2")
    settings = {"FAKE_CUDA_LINK_NS": LINK, "FAKE_CUDA_FAULT_NS": FAULT}
    _, content = trace(tmp_path, "alternating", "6", **settings)
    (row,) = content["observed"]["kernels"]
    assert {one["placement"] for one in row["placements"]} == EVERY
    assert row["unplaced"] == ""
    page = (tmp_path / "trace.html").read_text()
    assert "Over the link" in page


def launches(*rows: tuple[int, float, float], name: int = 1, **sizes: int) -> list[np.ndarray]:
    """Kernels of one block with `threads`, by correlation, start and end."""
    made = []
    for correlation, start, end in rows:
        one = kernel(start, end, name, correlation)
        one["address"], one["bytes"] = 1, sizes.get("threads", 32)
        made.append(one)
    return made


def put(correlation: int, placement: int) -> np.ndarray:
    return record(Kind.PLACED, 0, correlation=correlation, detail=placement)


def test_the_first_launch_counts_only_if_there_is_no_other() -> None:
    rows = launches((1, 1, 9), (2, 10, 12), (3, 20, 22))
    of = process(put(1, placed.LOCAL), put(2, placed.LOCAL), put(3, placed.LOCAL), *rows)
    (row,) = placed.of_run(of)["first"]
    assert row.seconds == pytest.approx([0.002, 0.002])
    (row,) = placed.of_run(process(put(1, placed.LOCAL), *rows))["first"]
    assert row.seconds == pytest.approx([0.008])


def test_a_launch_beside_another_kernel_does_not_count() -> None:
    own = launches((1, 1, 2), (2, 10, 12), (3, 20, 22))
    other = launches((9, 11, 13), name=2)
    of = process(put(2, placed.LOCAL), put(3, placed.MAPPED), *own, *other)
    (row,) = placed.of_run(of)["first"]
    assert row.placement == "mapped"


def test_launches_of_other_numbers_of_threads_are_other_rows() -> None:
    few, many = launches((2, 10, 12)), launches((3, 20, 26), threads=1024)
    of = process(put(2, placed.LOCAL), put(3, placed.LOCAL), *few, *many)
    rows = placed.of_run(of)["first"]
    assert [(row.threads, len(row.seconds)) for row in rows] == [(32, 1), (1024, 1)]


def test_a_launch_whose_faults_are_recorded_is_not_timed() -> None:
    evicted = [record(Kind.EVICTED, 0, correlation=n) for n in (1, 2)]
    evicted[1]["detail"] = 1
    touched_pages = record(Kind.TOUCHED, 13, correlation=2, address=PAGE, bytes=PAGE)
    of = process(*evicted, touched_pages, *launches((1, 1, 2), (2, 10, 12)))
    (row,) = placed.of_run(of)["first"]
    assert (row.placement, row.seconds, row.bytes) == ("faulting", [0.002], PAGE)


def test_a_launch_that_was_stopped_is_not_timed() -> None:
    stopped = record(Kind.STOPPED, 11, correlation=2)
    of = process(put(2, placed.MAPPED), stopped, *launches((2, 10, 12)))
    assert placed.of_run(of) == {}


@pytest.mark.parametrize(
    ("rows", "launched", "reasons", "why", "says"),
    [
        (EVERY, 20, [], "", ""),
        ((), 1, [], "", "no local and no mapped and no faulting: it is launched once"),
        (("local", "faulting"), 20, ["mapped: too long"], "", "no mapped: mapped: too long"),
        (("faulting", "mapped"), 2, [], "", "no local: it is launched 2 times"),
        ((), 20, [], "not asked for", "no local and no mapped and no faulting: not asked for"),
    ],
)
def test_reasons_of_missing_rows(rows, launched, reasons, why, says) -> None:
    timed = [placed.Placed(word, 32, [1.0], 0) for word in rows]
    assert placed.unplaced(timed, launched, reasons, why) == says


@pytest.mark.parametrize(
    ("ordinals", "touched", "period", "repeated"),
    [
        ([0, 3, 4], ["a", "a", "a"], 1, {0: 0, 3: 1, 4: 2}),
        ([0, 3, 4, 5], ["a", "b", "a", "b"], 2, {2: {0, 2}, 7: {1, 3}, 100: {0, 2}}),
        ([0, 3, 4, 5, 8, 9], list("aabcca"), 3, {6: {0, 1, 5}, 7: {2}, 11: {3, 4}}),
        ([0, 3, 4, 5], ["a", "a", "b", "b"], 0, {1: 0, 2: 0, 6: 3, 100: 3}),
    ],
)
def test_a_launch_repeats_the_sampled_one_a_period_away(
    ordinals, touched, period, repeated
) -> None:
    repeats = Repeats(ordinals, [{name} for name in touched])
    assert repeats.period == period
    for ordinal, index in repeated.items():
        assert repeats.index(ordinal) in (index if isinstance(index, set) else {index})
