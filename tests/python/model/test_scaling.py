"""Profiles of machines that were not measured: the limit that scales each curve, and refusals."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import ended, printed, refused
from held_out import FITTED, RESULTS, Pair, of_files, profile
from hypothesis import given, settings
from hypothesis import strategies as st

from watari.common.errors import UsageError
from watari.machine.record import Machine
from watari.model import machine
from watari.model.machine import LATENCY, MachineProfile
from watari.model.profiles import choose, scaled
from watari.plan.request import resolve
from watari.results import schema

GB = 10**9
FOUR = sorted(RESULTS.glob("4x-nvidia-h200-x86_64/*.json"))
RATIOS = st.sampled_from((0.1, 0.5, 0.7, 1.0, 1.3, 2.0, 8.0))


def changed(
    memory: float = 1, link: float = 1, cache: float = 1, capacity: float = 1, cores: int = 16
) -> dict[str, Any]:
    """The probe of a machine like the H200, with other limits."""
    plain = profile().record() | {"name": "another"}
    cpu, gpu = plain["processors"]
    gpu["memory_bandwidth"] *= memory
    gpu["multiprocessors"] = round(100 * cache)
    gpu["l2_bytes"] = int(gpu["l2_bytes"] * capacity)
    for each in plain["links"]:
        each["bandwidth"] *= link
    cpu["cores"] = cores
    return plain


@cache
def base() -> MachineProfile:
    """The H200's profile, with a round number of multiprocessors."""
    plain = profile().model_dump(mode="json", by_alias=True)
    plain["machine"]["processors"][1]["multiprocessors"] = 100
    return MachineProfile.model_validate(plain)


def another(**ratios: Any) -> MachineProfile:
    return scaled.scaled(base(), Machine.model_validate(changed(**ratios)), ["a.json", "b.json"])


def seconds(of: MachineProfile, key: str, size: float = 4 * GB) -> float:
    return of.curves[key].cost(size).middle


def test_a_machine_of_the_same_limits_has_the_same_seconds_in_wider_intervals() -> None:
    same = another()
    assert same.curves.keys() == base().curves.keys()
    for key, curve in base().curves.items():
        for mine, theirs in zip(same.curves[key].points, curve.points, strict=True):
            assert (mine.bytes, mine.seconds) == pytest.approx((theirs.bytes, theirs.seconds))
            assert 1.05 < theirs.low / mine.low < 1.3
            assert 1.05 < mine.high / theirs.high < 1.3


@given(RATIOS, RATIOS, RATIOS, RATIOS, st.sampled_from((8, 16)))
@settings(deadline=None, max_examples=40)
def test_more_bytes_never_take_less_time(
    memory: float, link: float, cache: float, capacity: float, cores: int
) -> None:
    """The schema refuses points that do not ascend; costs ascend between and beyond points, too."""
    made = another(memory=memory, link=link, cache=cache, capacity=capacity, cores=cores)
    for curve in made.curves.values():
        costs = [curve.cost(2.0**n) for n in range(10, 40)]
        for name in ("middle", "low", "high"):
            values = [getattr(each, name) for each in costs]
            assert values == sorted(values)


@given(RATIOS, RATIOS)
@settings(deadline=None, max_examples=30)
def test_faster_limits_never_take_more_time(one: float, other: float) -> None:
    slow, fast = (another(memory=r, link=r) for r in sorted((one, other)))
    for key in base().curves:
        for size in (2**16, 2**24, 2**30, 2**35):
            assert seconds(fast, key, size) <= seconds(slow, key, size) * (1 + 1e-9)


@pytest.mark.parametrize("key", ["pass gpu", "transfer device device", "transfer managed device"])
def test_twice_the_rate_of_gpu_memory_halves_a_large_pass(key: str) -> None:
    assert seconds(another(memory=2), key) == pytest.approx(seconds(base(), key) / 2, rel=0.02)


@pytest.mark.parametrize("key", ["read gpu link", "write gpu link", "transfer pinned device"])
def test_twice_the_rate_of_the_link_halves_what_crosses_it(key: str) -> None:
    assert seconds(another(link=2), key) == pytest.approx(seconds(base(), key) / 2, rel=0.02)
    assert seconds(another(memory=2), key) == seconds(base(), key)


def test_an_unchanged_link_changes_nothing_that_crosses_it() -> None:
    made = another(memory=0.7, capacity=0.8)
    for key, curve in base().curves.items():
        if scaled.limit_of(key, curve, 63e9) != scaled.MEMORY:
            assert [p.seconds for p in made.curves[key].points] == pytest.approx(
                [p.seconds for p in curve.points]
            )


def test_launches_and_latencies_stay() -> None:
    made = another(memory=0.5, link=0.5, cache=0.5)
    for key in ("pass gpu", "transfer pinned device"):
        assert seconds(made, key, 8) == pytest.approx(seconds(base(), key, 8), rel=0.15)
    for key, curve in base().curves.items():
        assert [p.bytes for p in made.curves[key].points] == [p.bytes for p in curve.points]


def test_what_a_cache_holds_is_scaled_by_the_multiprocessors() -> None:
    """A pass that the cache of the H200 holds; a larger cache holds more bytes at that rate."""
    (held,) = [p for p in base().curves["pass gpu"].points if LATENCY < p.bytes <= 60 * 2**20]
    assert seconds(another(memory=0.5), "pass gpu", held.bytes) == pytest.approx(held.seconds)
    start = scaled.latency(base().curves["pass gpu"].points)
    slower = seconds(another(cache=0.5), "pass gpu", held.bytes)
    assert slower - start == pytest.approx(2 * (held.seconds - start))
    larger = another(capacity=2).curves["pass gpu"].points
    assert [p.bytes for p in larger if LATENCY < p.bytes < 2**28] == [2 * held.bytes]


def test_of_a_fault_only_the_time_on_the_link_is_scaled() -> None:
    """1 GiB needs 17 ms on the link; the fault takes 89 ms."""
    key, size = "fault gpu managed read", 2**30
    more = seconds(another(link=0.5), key, size) - seconds(base(), key, size)
    assert more == pytest.approx(size / 63.015e9, rel=0.01)
    assert seconds(another(link=1e6), key, size) > 0.75 * seconds(base(), key, size)


def test_another_cpu_widens_what_a_cpu_does() -> None:
    same, other = another(), another(cores=64)
    for key, curve in other.curves.items():
        wider = curve.points[-1].high / same.curves[key].points[-1].high
        of_gpu = scaled.limit_of(key, base().curves[key], 63e9) in (scaled.MEMORY, scaled.LINK)
        assert (wider == 1) == of_gpu
    assert "the CPUs differ" in scaled.says(other)
    assert "differ" not in scaled.says(same)


def test_capacities_and_memories_are_those_of_the_probe() -> None:
    plain = changed(memory=0.7)
    plain["processors"][1]["memory_bytes"] = 80 * GB
    made = scaled.scaled(base(), Machine.model_validate(plain), ["a", "b"])
    assert made.machine.processors[1].memory_bytes == 80 * GB  # type: ignore[union-attr]
    assert (made.name, made.kind, made.sources) == ("another", "scaled", ["a", "b"])
    assert made.scaled
    assert made.scaled.ratios["GPU memory"] == pytest.approx(0.7)
    assert resolve("access", {"size": "1GB"}, made.record())


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("memory_bandwidth", "bandwidth of its GPU memory"),
        ("multiprocessors", "number of multiprocessors"),
        ("l2_bytes", "capacity of its GPU cache"),
    ],
)
@pytest.mark.parametrize("measured", [False, True])
def test_an_unknown_limit_is_refused(field: str, says: str, measured: bool) -> None:
    plain = changed()
    plain["processors"][1][field] = None if field == "memory_bandwidth" else 0
    lacking = Machine.model_validate(plain)
    pair = (base().model_copy(update={"machine": lacking}), Machine.model_validate(changed()))
    if not measured:
        pair = (base(), lacking)
    with pytest.raises(UsageError, match=says):
        scaled.scaled(*pair, ["a", "b"])


def test_a_profile_says_how_it_was_made() -> None:
    plain = another().model_dump(mode="json", by_alias=True)
    for wrong in ({"kind": "measured"}, {"scaled": None}):
        with pytest.raises(ValueError, match="go together"):
            MachineProfile.model_validate(plain | wrong)


def test_a_profile_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    plain = base().model_dump(mode="json", by_alias=True)
    del plain["scaled"]
    (tmp_path / "old.json").write_text(json.dumps(plain))
    assert machine.read(tmp_path / "old.json") == base()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "probe.json").write_text(json.dumps(changed(memory=0.5)))
    return tmp_path


def test_a_probe_and_results_make_a_profile_that_predicts(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended("profile", FITTED, "-o", "h200.json") == 0
    for measured in (FITTED, "h200.json"):
        out = printed(capsys, "profile", measured, "--for", "probe.json", "-o", "made.json")
        assert "not measured: nvidia-h200-x86_64 with other rates (GPU memory x 0.5, " in out
        assert machine.read(here / "made.json").sources == [Path(measured).name, "probe.json"]
    out = printed(capsys, "predict", "himeno", "grid=L", "--machine", "made.json")
    assert "not measured" in out.splitlines()[0]
    assert "GPU memory x 0.5" in out.splitlines()[0]
    out = printed(capsys, "advise", "--machine", "made.json")
    assert "not measured" in out.splitlines()[0]
    assert "from another machine's times" in out
    assert (
        json.loads(printed(capsys, "predict", "himeno", "--machine", "made.json", "--json"))[0][
            "kind"
        ]
        == "scaled"
    )


def without_gpu(plain: dict[str, Any]) -> None:
    plain["processors"] = plain["processors"][:1]


def without_link(plain: dict[str, Any]) -> None:
    plain["links"] = []


def by_nvlink(plain: dict[str, Any]) -> None:
    plain["links"][0]["kind"] = "c2c"


def itself(plain: dict[str, Any]) -> None:
    plain.update(profile().record())


def broken(plain: dict[str, Any]) -> None:
    del plain["architecture"]


def results(plain: dict[str, Any]) -> None:
    plain["schema"] = 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_gpu, "has no GPU"),
        (without_link, "does not record the bandwidth of the link"),
        (by_nvlink, "a link of kind pcie, another one of kind c2c"),
        (itself, "probe.json is a probe of nvidia-h200-x86_64 itself"),
        (broken, "no probe: architecture"),
        (results, "--for takes the output of `watari probe --json`"),
    ],
)
def test_a_probe_that_says_too_little_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], change: Any, says: str
) -> None:
    plain = changed()
    change(plain)
    (here / "probe.json").write_text(json.dumps(plain))
    error = refused(capsys, "profile", FITTED, "--for", "probe.json", "-o", "made.json")
    assert says in error
    assert not (here / "made.json").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("profile", "gh200", "--for", "probe.json", "-o", "x"), "gh200 was not measured itself"),
        (("profile", "made.json", "--for", "probe.json", "-o", "x"), "another was not measured"),
        (("profile", FITTED, "--for", "probe.json", "-o", "probe.json"), "probe.json"),
        (("predict", "copy", "--machine", "probe.json"), "--for probe.json"),
    ],
)
def test_what_cannot_be_scaled_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], words: tuple[Any, ...], says: str
) -> None:
    printed(capsys, "profile", FITTED, "--for", "probe.json", "-o", "made.json")
    assert says in refused(capsys, *words)


@cache
def of_four() -> list[Pair]:
    """The host of four H200s, from the H200 and the machine's own record of itself."""
    four = schema.read(FOUR[0]).machine
    made = scaled.scaled(choose.measured([FITTED]), four, [FITTED.name, "four"])
    return list(of_files(FOUR, made))


def test_a_host_of_the_same_gpus_is_predicted_as_by_the_profile_itself() -> None:
    """Its GPUs and its link have the H200's limits; its CPU has four times the cores."""
    found, theirs = of_four(), list(of_files(FOUR, profile()))
    assert len(found) > 15
    assert [p.error for p in found] == pytest.approx([p.error for p in theirs])
    assert np.median(np.abs([p.error for p in found])) <= 0.16
    assert np.mean([p.inside for p in found]) >= np.mean([p.inside for p in theirs])
