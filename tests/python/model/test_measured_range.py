"""No sentence of the answer claims more than was measured: every size that it names is one of the
measured sizes, and it makes no claim about all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import synthetic
from hypothesis import given, settings
from hypothesis import strategies as st

from watari.case.sentence import Sentence
from watari.cases.atomic.case import workers
from watari.cases.deep.case import nodes
from watari.cases.memory.words import plain
from watari.common.units import format_size, format_times
from watari.model import answer
from watari.model.answer import of
from watari.model.profiles import choose
from watari.results import schema
from watari.results.measured import Measured, measurements
from watari.results.schema import Results

RESULTS = Path(__file__).parents[3] / "results"
FILES = (
    "nvidia-h200-x86_64/20261121-standard.json",
    "nvidia-h200-x86_64/20261123-latency-gpu.json",
    "nvidia-h200-x86_64/20261124-atomic-deep.json",
    "nvidia-h200-x86_64/20261124-beyond-copy.json",
    "nvidia-h200-x86_64/20261124-storage-files.json",
    "nvidia-h100-80gb-hbm3-x86_64/20261125-standard.json",
    "2-core-intel-xeon-x86_64/20261124-cpu-copies.json",
    "2-core-amd-epyc-x86_64/20261125-touch-thp.json",
)
SIZE = re.compile(r"\b(\d[\d.]* (?:[KMGT]i?B|B))\b(?!/s)")
CLAIMS = re.compile(
    r"\b(any size|all sizes|every size|always|never|from .{1,12} on a load)\b", re.I
)
AXES = ("size", "block", "element", "stride")


@pytest.fixture(scope="session")
def cases() -> list[list[Measured]]:
    """The cases of each file, those that say something."""
    wanted = {
        "copy",
        "access",
        "migration",
        "touch",
        "latency",
        "gather",
        "atomic",
        "deep",
        "storage",
    }
    runs = [measurements([schema.read(RESULTS / file)]) for file in FILES]
    return [[m for m in run if m.case in wanted and m.drawn] for run in runs]


def sizes(measured: Sequence[Measured]) -> set[str]:
    """The sizes of these cases, as sentences write them."""
    found = {m[axis] for m in measured for axis in AXES}
    return {format_size(size) for size in found if isinstance(size, int)}


def checked(said: Sequence[Sentence], measured: Sequence[Measured]) -> None:
    known = sizes(measured)
    threads = {workers(m.parameters) for m in measured if m.case == "atomic"}
    trees = {nodes(m.parameters) for m in measured if m.case == "deep"}
    for sentence in said:
        line = sentence.line()
        assert not CLAIMS.search(line), line
        assert set(SIZE.findall(line)) <= known, line
        assert {int(n) for n in re.findall(r"(\d+) threads?\b", line)} <= threads, line
        assert {int(n) for n in re.findall(r"(\d+) nodes?\b", line)} <= trees, line
        if sentence.figure:
            assert SIZE.search(line) or threads, f"{line}: for data of which size?"


def test_how_many_times_has_no_exponent() -> None:
    """The property below seldom draws so great a ratio."""
    assert [format_times(n) for n in (1.66, 99.4, 99.6, 220.3)] == ["1.7", "99", "100", "220"]
    assert [format_times(n, 3) for n in (1.666, 999.7)] == ["1.67", "1000"]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_sentence_stays_within_what_was_measured(
    cases: list[list[Measured]], data: st.DataObject
) -> None:
    """Any few cases of a run, so that every comparison lacks some of its sizes."""
    run = data.draw(st.sampled_from(cases))
    chosen = data.draw(st.sets(st.integers(0, len(run) - 1), min_size=1, max_size=24))
    subset = [run[i] for i in sorted(chosen)]
    checked(of(subset), subset)


def at_other_rates(m: Measured, factor: float) -> Measured:
    """The same case, by so many times slower."""
    names = [name for name in ("host_s", "device_s") if m.trials[0].get(name)]
    trials = [{**t, **{n: [s * factor for s in t[n]] for n in names}} for t in m.trials]
    return replace(m, trials=trials, flags=[])


def checked_parts(said: Sequence[Sentence], measured: Sequence[Measured]) -> None:
    """A bar is a share of something measured, and sizes below half are below half."""
    known = sizes(measured)
    for sentence in said:
        assert sentence.answer, sentence
        assert sentence.line().count(sentence.answer), sentence
        if sentence.bar:
            assert 0 < sentence.bar.share <= 1, sentence
            assert set(SIZE.findall(sentence.bar.says)) <= known, sentence
        ratios = re.findall(
            r"([\d.]+) times slower than .*? \((.+?) against (.+?)\)", sentence.text
        )
        for times, bad, good in ratios:
            slow, fast = (
                float(text.split()[0]) * (1000 if "TB" in text else 1) for text in (bad, good)
            )
            assert fast / slow == pytest.approx(float(times), rel=0.08), sentence
        checked_halves(sentence, measured)


def checked_halves(sentence: Sentence, measured: Sequence[Measured]) -> None:
    """No size that is said to be below half of a rate has a case that reaches it."""
    below = re.match(
        r"Copies of (.+) reach less than half of the rate with (.+)\.", sentence.crossover
    )
    if not below:
        return
    copies = [
        m
        for m in measured
        if m.case == "copy"
        and (m["from"], m["to"], m["means"]) == ("pinned", "device", "copy-engine")
        and not m.flagged
        and plain(m)
        and m["processor"] == "gpu"
    ]
    most = max(m.median for m in copies if format_size(m["size"]) == below[2])
    ends = [m["size"] for m in copies if format_size(m["size"]) in below[1].split(" to ")]
    inside = [m for m in copies if min(ends) <= m["size"] <= max(ends)]
    assert all(m.median < most / 2 for m in inside), sentence


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_sentence_is_true_whatever_the_rates(
    cases: list[list[Measured]], data: st.DataObject
) -> None:
    """Any few cases of a run, each at a rate of its own."""
    run = data.draw(st.sampled_from(cases))
    chosen = data.draw(st.sets(st.integers(0, len(run) - 1), min_size=1, max_size=24))
    factors = st.floats(-1.5, 1.5).map(lambda power: 10**power)
    subset = [at_other_rates(run[i], data.draw(factors)) for i in sorted(chosen)]
    said = of(subset)
    checked(said, subset)
    checked_parts(said, subset)


def test_every_topic_is_among_these_results(cases: list[list[Measured]]) -> None:
    """Else the property above would hold of sentences that are not made."""
    topics = {sentence.topic for run in cases for sentence in of(run)}
    gpu = {
        "again",
        "once",
        "turns",
        "larger",
        "slow",
        "files",
        "steps",
        "apart",
        "counters",
        "tree",
    }
    assert topics >= gpu | {"cpu-again"}
    for run in cases:
        checked(of(run), run)


def cpu_copies(*rates: tuple[int, float]) -> list[Measured]:
    """Copies in CPU memory of these sizes, at these rates."""
    rng = np.random.default_rng(0)
    made = synthetic.plain(synthetic.cpu_machine())
    made["cases"] = [
        synthetic.copy_case(
            rng, "pageable", "pageable", size, rate, 3, processor="cpu", means="kernel"
        )
        for size, rate in rates
    ]
    return measurements([Results.model_validate(made)])


def test_two_small_arrays_say_nothing_of_others() -> None:
    (said, *_) = of(cpu_copies((2**20, 20e9), (2**22, 21e9)))
    assert said.text.startswith("arrays of 1 MiB to 4 MiB alike. None is much faster than")


def test_memory_is_named_only_beyond_the_caches() -> None:
    (said, *_) = of(cpu_copies((2**12, 90e9), (2**20, 20e9)))
    assert said.text.startswith("parts that are smaller. A copy runs at")
    assert "from memory" not in said.text
    assert said.crossover == "Arrays of 1 MiB have less than half of the faster rate."


def test_a_rate_that_rises_again_is_no_loss_from_there_on() -> None:
    rates = ((2**12, 90e9), (2**20, 20e9), (2**22, 80e9), (2**30, 20e9))
    (said, *_) = of(cpu_copies(*rates))
    assert said.crossover == "Arrays of 1 GiB have less than half of the faster rate."


def renamed(cases: Sequence[Measured], name: str) -> list[Measured]:
    return [m for m in cases if m.case == name]


def test_the_half_of_a_rate_is_not_compared_with_itself(cases: list[list[Measured]]) -> None:
    """`Elements of 4 KiB reach half of the rate of 4 KiB.`"""
    gathers = renamed(cases[FILES.index("nvidia-h200-x86_64/20261124-beyond-copy.json")], "gather")
    wanted = {"processor": "cpu", "memory": "pageable", "thp": "default"}
    by_cpu = [m for m in gathers if all(m[name] == value for name, value in wanted.items())]
    ends = [m for m in by_cpu if m["element"] in (8, 4096)]
    said = {s.topic: s for s in of(ends)}
    assert said["apart"].crossover == ("Elements of 8 B reach less than half of the rate of 4 KiB.")


def test_two_sizes_of_a_request_set_no_limit_between_them(cases: list[list[Measured]]) -> None:
    """`Half of that rate needs requests of 64 KiB.`, where 8 KiB may do."""
    rng = np.random.default_rng(0)
    made = synthetic.plain()
    made["cases"] = [synthetic.storage_case(rng, "posix", block, 3) for block in (4096, 65536)]
    said = {s.topic: s for s in of(measurements([Results.model_validate(made)]))}
    assert said["files"].crossover == ("Requests of 4 KiB reach less than half of the best rate.")


def test_arrays_of_unlike_sizes_are_not_compared(cases: list[list[Measured]]) -> None:
    """A pass over 1 GiB in GPU memory beside one over 64 KiB of pinned memory."""
    rng = np.random.default_rng(0)
    made = synthetic.plain()
    made["cases"] = [
        synthetic.copy_case(rng, "device", "device", 2**30, 4e12, 3, means="kernel"),
        synthetic.copy_case(rng, "pinned", "device", 2**16, 1e9, 3, means="kernel"),
    ]
    assert of(measurements([Results.model_validate(made)])) == []


def test_equal_latencies_are_no_reason_for_a_cache() -> None:
    latencies = measurements([schema.read(RESULTS / FILES[1])])
    chains = [m for m in latencies if m.case == "latency" and m.drawn]
    one = max(chains, key=lambda m: int(m["size"]))
    half = replace(
        one,
        parameters=one.parameters | {"size": int(one["size"]) // 2},
        bytes_per_sample=one.bytes_per_sample,
    )
    (said,) = [s for s in of([half, one]) if s.topic == "steps"]
    assert said.text.startswith("arrays of ")
    assert "alike" in said.text
    assert said.crossover == ""


def test_a_profile_is_asked_about_data_of_a_measured_size() -> None:
    profile = choose.by_text(str(RESULTS / FILES[0]))
    said = answer.of_profile(profile)
    assert said
    largest = max(p.bytes for curve in profile.curves.values() for p in curve.points)
    assert largest < answer.SIZE
    for sentence in said:
        assert "1.07 GB" in sentence.line()
        assert "4 GB" not in sentence.line()
        assert "largest measured sizes" not in sentence.line()
