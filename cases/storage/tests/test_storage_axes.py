"""Case storage: its axes and its numbers, without a block moved."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from asked import CPU, GPU, request
from hypothesis import given
from hypothesis import strategies as st

from watari.case import engines as case_engines
from watari.cases.storage import case as storage_case
from watari.cases.storage import trial as storage_trial
from watari.common.errors import UsageError
from watari.common.units import format_count, format_latency
from watari.plan.request import describe, resolve
from watari.run import launch

one = partial(request, "storage")


# Axes


@pytest.mark.parametrize(
    ("block", "in_memory", "on_file"),
    [(512, 256, 64), (4096, 256, 64), (65536, 32, 32), (2**20, 2, 2)],
)
def test_a_gpu_keeps_bytes_in_flight_not_requests(block, in_memory, on_file) -> None:
    for more, depth in (
        ({"store": "ram"}, in_memory),
        ({}, on_file),
        ({"cache": "warm"}, in_memory),
    ):
        assert one(engine="gpu", block=block, **more).parameters["depth"] == depth


@pytest.mark.parametrize(("processor", "short", "long"), [("gpu", 32, 8), ("cpu", 32, 32)])
def test_uring_keeps_bytes_in_flight_where_they_pass_through_other_memory(
    processor, short, long
) -> None:
    for block, depth in ((4096, short), (2**18, long)):
        given = {"engine": "uring", "processor": processor, "block": block}
        assert one(GPU, **given).parameters["depth"] == depth


def test_threads_that_serve_a_gpu_leave_cores_to_others() -> None:
    cores = GPU["processors"][0]["cores"]
    serve = max(cores - 2, 1)
    for engine, store, cache, threads in (
        ("gpu", "ram", "none", serve),
        ("gpu", "file", "none", min(serve, 4)),
        ("gpu", "file", "warm", serve),
        ("gpu", "file", "cold", serve),
        ("uring", "file", "none", min(cores, 4)),
        ("uring", "file", "cold", cores),
        ("uring", "file", "warm", cores),
        ("posix", "file", "none", cores),
    ):
        given = {"engine": engine, "store": store, "cache": cache}
        assert one(GPU, **given).parameters["threads"] == threads


@pytest.mark.parametrize(
    ("engine", "cpu_default", "with_gpu", "depth", "cache"),
    [
        ("posix", "cpu", "gpu", 1, "none"),
        ("uring", "cpu", "gpu", 32, "none"),
        ("mmap", "cpu", "gpu", 1, "cold"),
        ("cufile", "gpu", "gpu", 1, "none"),
        ("queue", "cpu", "cpu", 32, "none"),
        ("gpu", "gpu", "gpu", 64, "none"),
    ],
)
def test_each_engine_has_defaults_that_suit_it(engine, cpu_default, with_gpu, depth, cache) -> None:
    for machine, processor in ((CPU, cpu_default), (GPU, with_gpu)):
        parameters = one(machine, engine=engine).parameters
        assert (parameters["processor"], parameters["depth"], parameters["cache"]) == (
            processor,
            depth,
            cache,
        )
        assert parameters["requests"] >= 8 * parameters["depth"] * parameters["threads"]
        assert (parameters["block"], parameters["size"], parameters["store"]) == (
            4096,
            2**30,
            "file",
        )


def test_one_command_sweeps_all_engines_each_with_its_own_depth() -> None:
    swept = resolve("storage", {"engine": list(case_engines.FILE_ENGINES), "depth": 64}, CPU)
    depths = {r.parameters["engine"]: r.parameters["depth"] for r in swept}
    assert depths == {
        e: 1 if e in case_engines.ONE_AT_A_TIME else 64 for e in case_engines.FILE_ENGINES
    }
    # both depths of an engine without a queue are the same case
    assert len(resolve("storage", {"engine": "posix", "depth": [1, 2]}, CPU)) == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"engine": "urin"}, "did you mean 'uring'?"),
        ({"block": "5KiB"}, "a power of two from 512 bytes to 1MiB"),
        ({"block": "2MiB"}, "a power of two from 512 bytes to 1MiB"),
        ({"block": "256"}, "a power of two from 512 bytes to 1MiB"),
        ({"depth": "0"}, "not a whole number from 1"),
        ({"size": "100MB"}, "a multiple of 4KiB, such as size=97656KiB"),
        ({"size": "1000"}, "such as size=4KiB"),
        ({"size": "4MiB", "files": "3"}, "whole MiB in each file"),
        ({"store": "modelled"}, "modelled:kioxia-cm6-v"),
        ({"fault": "drop"}, "did you mean 'dropped'?"),
        ({"cache": "hot"}, "known: none, cold, warm"),
        (
            {"engine": "posix", "depth": 4},
            "depth=4 is not possible: with the other values it is 1",
        ),
    ],
)
def test_a_wrong_word_is_reported_with_the_right_one(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)):
        one(**given)


def test_a_line_distinguishes_cases_of_a_sweep() -> None:
    swept = resolve("storage", {"threads": [1, 2], "depth": [1, 4]}, CPU)
    assert len({describe(r) for r in swept}) == 4
    assert describe(swept[0]) == "storage cpu uring random read 4KiB depth 1 x 1"


def test_a_slow_disk_is_given_time() -> None:
    slow = one(engine="posix", threads=1, requests=16384, samples=10)
    assert launch.time_limit(slow) > 16384 * 10 * storage_case.SLOW_REQUEST


# Numbers


@given(st.lists(st.floats(1e-7, 1.0), min_size=1, max_size=300))
def test_percentiles_are_those_of_the_requests_to_a_bucket(seconds: list[float]) -> None:
    edges = 1e-7 * 1.03 ** np.arange(600)
    counts, _ = np.histogram(seconds, edges)
    histogram = {"low": list(edges[:-1]), "high": list(edges[1:]), "count": list(counts)}
    for part in storage_trial.PERCENTILES.values():
        exact = float(np.quantile(seconds, part, method="inverted_cdf"))
        assert storage_trial.percentile(histogram, part) == pytest.approx(exact, rel=0.02)


def test_a_histogram_without_counts_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="without counts"):
        storage_trial.percentile({"low": [], "high": [], "count": []}, 0.5)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2e-7, "0.2 µs"), (64.2e-6, "64.2 µs"), (9.999e-4, "1 ms"), (0.0123, "12.3 ms"), (2, "2 s")],
)
def test_latencies_read_well(seconds: float, text: str) -> None:
    assert format_latency(seconds) == text


@pytest.mark.parametrize(("number", "text"), [(640, "640"), (71_540, "71.5k"), (11.14e6, "11.1M")])
def test_requests_per_second_read_well(number: float, text: str) -> None:
    assert format_count(number) == text
