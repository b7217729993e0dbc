"""Axes and cases: requests of users, resolved parameters, counts and flags."""

from __future__ import annotations

from typing import Any

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from watari import cases
from watari.case import limits
from watari.case.axis import Machine, Parameters, as_text, parse_duration, parse_size
from watari.case.native import module
from watari.common.errors import UsageError, WrongResultError
from watari.common.units import exact_size
from watari.plan.request import Request, describe, expected_bytes, no_sense, resolve

GPU_MACHINE = synthetic.gpu_machine()
CPU_MACHINE = synthetic.cpu_machine()


def one(case: str, machine: dict[str, Any] = GPU_MACHINE, **given: Any) -> Request:
    requests = resolve(case, {name.rstrip("_"): v for name, v in given.items()}, machine)
    assert len(requests) == 1
    return requests[0]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64KiB", 2**16),
        ("4GB", 4 * 10**9),
        ("4G", 2**32),
        ("4gib", 2**32),
        ("1.5M", 3 * 2**19),
        ("100", 100),
        ("100B", 100),
        ("2TB", 2 * 10**12),
    ],
)
def test_sizes_read_as_documented(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "4X", "-1", "0", "GiB", "1e9", "4 4GB", "nan"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        parse_size(text)


def test_a_size_is_a_number_that_the_library_holds() -> None:
    assert parse_size(str(2**63 - 1)) == 2**63 - 1
    for text in (str(2**63), "16777216TiB", "1" * 30):
        with pytest.raises(UsageError, match="is larger than any machine can hold"):
            parse_size(text)


@given(st.integers(min_value=1, max_value=2**60))
def test_a_formatted_size_reads_back_exactly(size: int) -> None:
    assert parse_size(exact_size(size)) == size


@given(st.sampled_from(["s", "min", "h"]), st.integers(0, 10**6))
def test_durations(unit: str, number: int) -> None:
    assert parse_duration(f"{number}{unit}") == number * {"s": 1, "min": 60, "h": 3600}[unit]


def test_gpu_zero_is_the_gpu() -> None:
    assert one("copy", processor="gpu:0") == one("copy", processor="gpu")
    assert one("copy", from_="device:0", to="pinned") == one("copy", from_="device", to="pinned")


@pytest.mark.parametrize(
    ("case", "given", "says"),
    [
        ("cpoy", {}, "unknown case 'cpoy' (did you mean 'copy'?); known: copy, access"),
        ("copy", {"siez": "1G"}, "did you mean 'size'?"),
        ("copy", {"from": "pined"}, "did you mean 'pinned'?"),
        ("copy", {"means": "magic"}, "known: kernel, copy-engine"),
        ("copy", {"processor": "gpu:x"}, "unknown value 'gpu:x'"),
        ("copy", {"streams": "0"}, "not a whole number from 1"),
        ("copy", {"bidirectional": "perhaps"}, "neither yes nor no"),
        ("copy", {"trials": "1,2"}, "trials takes one number"),
        ("copy", {"size": ""}, "copy: size: no value given"),
        ("storage", {"file": ""}, "storage: file: no value given"),
        ("storage", {"file": ",a.npy"}, "storage: file: no value given"),
        ("storage", {"file": ["a.npy", " "]}, "storage: file: no value given"),
        ("kernel", {"source": ""}, "kernel: source: no value given"),
        ("copy", {"size": []}, "no value given"),
        ("migration", {"phases": "gpu+tpu"}, "unknown value 'tpu'"),
    ],
)
def test_a_wrong_word_gets_the_nearest_right_one_and_the_list(
    case: str, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError) as raised:
        resolve(case, given, GPU_MACHINE)
    assert says in str(raised.value)


def test_a_sweep_is_every_combination_once() -> None:
    requests = resolve(
        "copy", {"size": "1MiB,2MiB,1MiB", "streams": [1, 2], "trials": 3}, GPU_MACHINE
    )
    combinations = {(r.parameters["size"], r.parameters["streams"]) for r in requests}
    assert combinations == {(2**20, 1), (2**20, 2), (2**21, 1), (2**21, 2)}
    assert len(requests) == 4
    assert {r.trials for r in requests} == {3}
    assert len({r.key for r in requests}) == 4


@pytest.mark.parametrize(
    ("case", "sweep", "senseless"),
    [
        ("gemm", {"n": 2048, "fast-memory": "24MiB", "tile": [512, 2048]}, {"tile": 2048}),
        ("himeno", {"grid": ["XS", "M"], "ranks": [1, 64]}, {"grid": "XS", "ranks": 64}),
        ("storage", {"size": "6MiB", "files": [1, 4]}, {"files": 4}),
    ],
)
def test_a_sweep_keeps_what_makes_no_sense_beside_what_does(
    case: str, sweep: dict[str, Any], senseless: dict[str, Any]
) -> None:
    requests = resolve(case, sweep, GPU_MACHINE)
    (kept,) = (request for request in requests if no_sense(request))
    assert senseless.items() <= kept.parameters.items()
    assert len(requests) > 1
    with pytest.raises(UsageError) as raised:
        resolve(case, {**sweep, **senseless}, GPU_MACHINE)
    assert str(raised.value) == no_sense(kept)


def test_memory_sets_both_ends() -> None:
    requests = resolve("copy", {"memory": "pinned,device"}, GPU_MACHINE)
    assert [(r.parameters["from"], r.parameters["to"]) for r in requests] == [
        ("pinned", "pinned"),
        ("device", "device"),
    ]


def test_defaults_suit_the_machine() -> None:
    gpu, cpu = one("copy").parameters, one("copy", CPU_MACHINE).parameters
    assert (gpu["processor"], gpu["from"], gpu["means"]) == ("gpu", "device", "copy-engine")
    assert (cpu["processor"], cpu["from"], cpu["means"]) == ("cpu", "pageable", "kernel")
    assert cpu["threads"] == CPU_MACHINE["processors"][0]["cores"]
    small = {**CPU_MACHINE, "memory_available_bytes": 2**28}
    assert one("copy", small).parameters["size"] == 2**24
    assert one("copy", processor="gpu:1").parameters["to"] == "device:1"


@given(st.data())
def test_resolving_fills_every_axis_with_a_value_that_reads_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(cases.CASES)))
    case = cases.CASES[name]
    given = {
        axis.name: data.draw(st.sampled_from(axis.choices))
        for axis in case.axes.values()
        if axis.choices and data.draw(st.booleans())
    }
    if "ranks" in case.axes and given.get("halo") != "none":
        given["ranks"] = 2  # one rank has no halo
    elif "ranks" in case.axes:
        given.pop("overlap", None)
    if given.pop("compiler", "none") != "none":  # of a style in directives
        given["style"] = "omp-target"
    if given.get("engine") == "s3":
        given["folder"] = "s3://bucket/prefix"  # of objects, not of files
    if given.get("loop") == "open":  # of a trace, which is a file
        given.pop("loop")
    if given.get("turns", "none") != "none":  # turns need a source, and no hints
        given = {axis: value for axis, value in given.items() if axis not in ("source", "hint")}
    if given.get("radiation", "none") != "none":  # of one rank, and of a touch
        given = {
            axis: value
            for axis, value in given.items()
            if axis not in ("ranks", "halo", "cpu-touch")
        }
    for request in resolve(name, given, GPU_MACHINE):
        assert list(request.parameters) == list(case.axes)
        for axis_name, value in request.parameters.items():
            assert case.axes[axis_name].parse(as_text(value)) == value
        typed = {axis: value for axis, value in request.parameters.items() if value != ""}
        assert resolve(name, typed, GPU_MACHINE)[0].key == request.key
        assert expected_bytes(request) > 0
        assert describe(request).startswith(name)


@pytest.mark.parametrize(
    ("from_", "to", "more", "factor"),
    [
        ("device", "device", {}, 2),
        ("pinned", "device", {}, 1),
        ("device", "pinned", {}, 1),
        ("pinned", "pinned", {}, 2),
        ("device", "device:1", {}, 1),
        ("managed", "device", {}, 2),  # first touched by the GPU that copies
        ("pinned", "device", {"bidirectional": "yes"}, 2),
    ],
)
def test_bytes_are_counted_once_a_link_and_twice_within_a_memory(
    from_: str, to: str, more: dict[str, Any], factor: int
) -> None:
    request = one("copy", processor="gpu", from_=from_, to=to, size="1MiB", **more)
    assert cases.find("copy").profile(request.parameters).bytes_per_sample == factor * 2**20


def flags(parameters: Parameters, rate: float, machine: Machine) -> list[str]:
    return limits.flags(cases.find("copy").profile(parameters), parameters, rate, machine)


def test_rates_above_what_is_physical_are_flagged() -> None:
    memory = GPU_MACHINE["processors"][1]["memory_bandwidth"]
    link = limits.link_bandwidth(GPU_MACHINE, "cpu", "gpu")
    assert link
    inside = one("copy", processor="gpu", size="4GiB").parameters
    across = one("copy", processor="gpu", from_="pinned", to="device", size="4GiB").parameters
    both = {**across, "bidirectional": True}
    assert flags(inside, 1.01 * memory, GPU_MACHINE) == [limits.ABOVE]
    assert flags(inside, 0.99 * memory, GPU_MACHINE) == []
    assert flags(across, 1.01 * link, GPU_MACHINE) == [limits.ABOVE]
    assert flags(both, 1.99 * link, GPU_MACHINE) == []
    assert flags(both, 2.01 * link, GPU_MACHINE) == [limits.ABOVE]


def test_nothing_is_flagged_within_the_cache_or_without_a_known_limit() -> None:
    small = one("copy", processor="gpu", size="1MiB").parameters
    assert flags(small, 1e15, GPU_MACHINE) == []
    unknown = one("copy", CPU_MACHINE, size="4GiB").parameters
    assert flags(unknown, 1e15, CPU_MACHINE) == []


def test_wrong_elements_make_a_trial_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = module("watari.cases.memory")
    monkeypatch.setattr(compiled, "copy", lambda parameters: {"wrong_elements": 3})
    trial = cases.CASES["copy"].run(one("copy").parameters)
    assert trial["status"] == WrongResultError.status
    assert trial["verified"] is False
    assert "3 elements" in trial["error"]


@pytest.mark.parametrize(
    ("case", "given", "line"),
    [
        ("copy", {"processor": "cpu"}, "copy cpu pageable -> pageable 1GiB"),
        ("copy", {"from_": "pinned"}, "copy gpu pinned -> device 1GiB copy-engine"),
        (
            "copy",
            {"processor": "gpu:1", "means": "kernel", "size": "64KiB", "streams": 4},
            "copy gpu:1 device:1 -> device:1 64KiB kernel streams=4",
        ),
        ("access", {"destination": "gpu"}, "access gpu managed HM Read, DM Write 1GiB"),
        ("migration", {"hint": "mapped", "size": "4GB"}, "migration managed 4GB hint=mapped"),
        ("touch", {"operation": "prefetch"}, "touch gpu managed prefetch 1GiB"),
    ],
)
def test_a_case_is_described_by_its_path_and_what_is_special(case, given, line) -> None:
    assert describe(one(case, **given)) == line


KEPT = [(n, a) for n, c in cases.CASES.items() for a in ("samples", "iterations") if a in c.axes]


@pytest.mark.parametrize("many", ["1000001", str(10**12), "9" * 40])
@pytest.mark.parametrize(("case", "axis"), KEPT)
def test_more_samples_than_a_result_holds_are_refused(case: str, axis: str, many: str) -> None:
    says = rf"{case}: {axis}: {many[:20]} is more than a result holds \(1000000\)"
    with pytest.raises(UsageError, match=says):
        resolve(case, {axis: many}, synthetic.cpu_machine())


def test_samples_of_all_phases_together_are_counted() -> None:
    given = {"samples": "500000", "phases": "+".join(["cpu"] * 3)}
    with pytest.raises(UsageError, match=r"500000 in each of 3 phases are more than a result"):
        resolve("migration", given, synthetic.cpu_machine())
    resolve("migration", {**given, "phases": "cpu+cpu"}, synthetic.cpu_machine())
