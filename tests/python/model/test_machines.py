"""Machines by name: predictions from published values alone, and results that are not usable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import synthetic
from held_out import RESULTS

from watari.common.errors import UsageError
from watari.model import predict
from watari.model.answer import of_profile
from watari.model.profiles import choose, fit, known
from watari.plan.request import resolve
from watari.results import published, schema
from watari.results.schema import Results

MEASURED = ("h100", "h200")  # scripts/profiles.sh


@pytest.mark.parametrize("name", known.files())
def test_every_machine_has_sources_and_predicts(name: str) -> None:
    profile = known.machine(name)
    assert profile.kind == ("measured" if name in MEASURED else "published")
    assert profile.sources
    assert all(curve.source for curve in profile.curves.values())
    given = {"size": "1GB", "samples": "10"}
    found = predict.of_case(
        "access", resolve("access", given, profile.record())[0].parameters, profile
    )
    assert any(not one.reason for one in found)


def loops(name: str) -> dict[str, float]:
    """Seconds of the loop of the thesis's Himeno, by style."""
    profile = known.machine(name)
    given = {"grid": "XL", "iterations": "3000", "form": "two-kernel", "kernel": "shared"}
    parameters = resolve("himeno", given, profile.record())[0].parameters
    timed = frozenset({"first", "moving", "steady"})
    found = predict.of_case("himeno", parameters, profile)
    return {p.style: p.only(timed).total.middle for p in found if not p.reason}


def test_gh200_has_the_order_of_the_thesis() -> None:
    """Figure 5.8: system some 100 GFLOPS behind explicit, 80 behind managed."""
    spent = loops("gh200")
    assert spent["explicit"] < spent["managed"] < spent["system"]


def settled(size: int, **given: str) -> float:
    """GB/s of a settled pass as the thesis counts them."""
    profile = known.machine("gh200")
    axes = {"memory": "system", "processor": "gpu", "size": str(size), "samples": "200"} | given
    parameters = resolve("access", axes, profile.record())[0].parameters
    one = predict.of_parameters("access", parameters, profile)
    steady = next(part for part in one.work if part.name == "steady")
    return 2 * size * steady.times / one.parts["steady"].middle / 1e9


@pytest.mark.parametrize("source", ["cpu", "gpu"])
@pytest.mark.parametrize("destination", ["cpu", "gpu"])
@pytest.mark.parametrize("size", [4_000_000_000, 8_000_000_000])
def test_settled_rates_of_gh200_are_those_of_the_thesis(
    source: str, destination: str, size: int
) -> None:
    """Patterns (5) to (8); rates of system memory are published for pattern (5) alone."""
    theirs = 3000 if size == 4_000_000_000 else 2400
    assert settled(size, source=source, destination=destination) == pytest.approx(theirs, rel=0.15)


def test_settled_rates_of_4_gb_need_no_published_settled_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The copy's own rate replaces the missing rates of system memory."""
    values = [v for v in published.values() if not v.quantity.startswith("shared")]
    monkeypatch.setattr(published, "values", lambda *a, **k: values)
    assert settled(4_000_000_000, source="cpu", destination="cpu") == pytest.approx(3000, rel=0.15)


def test_the_cpu_reads_gpu_memory_of_gh200_over_the_link() -> None:
    """Pattern (4): near the copy from the device, for ever."""
    rate = settled(4_000_000_000, processor="cpu", source="gpu", destination="gpu")
    assert 300 <= rate <= 2 * 450


def test_an_impossible_rate_is_refused() -> None:
    made = synthetic.plain()
    copies = [
        c
        for c in made["cases"]
        if c["case"] == "copy"
        and c["parameters"]["from"] == c["parameters"]["to"] == "device"
        and c["status"] == "ok"
    ]
    largest = max(copies, key=lambda c: c["parameters"]["size"])
    for trial in largest["trials"]:  # 29,605 GB/s
        moved = largest["bytes_per_sample"]
        trial["host_s"] = [moved / 29605e9 for _ in trial["host_s"]]
        if trial.get("device_s"):
            trial["device_s"] = list(trial["host_s"])
    profile = fit.fit([Results.model_validate(made)], ["made"])
    (refused,) = [r for r in profile.refused if "29605" in r.why]
    assert "device" in refused.what
    rates = [p.bytes / p.seconds for p in profile.curves["pass gpu"].points]
    assert max(rates) < 5e12


@pytest.mark.parametrize("flags", [[], ["above-limit"]])
def test_an_impossible_rate_of_several_processes_says_nothing_of_contention(
    flags: list[str],
) -> None:
    """Two processes whose copies inside GPU memory seem to run at 6.6 TB/s, where 4.8 is the limit.
    Copies over the link share it. A file of an earlier version has no flag."""
    made, rng = synthetic.plain(), np.random.default_rng(0)
    rates = {"device": (4.2e12, 6.6e12), "pinned": (55e9, 56e9)}
    for source, both in rates.items():
        for processes, rate in zip((1, 2), both, strict=True):
            more = {"processes": processes, "means": "kernel"}
            one = synthetic.copy_case(rng, source, "device", 2**30, rate, 2, **more)
            one["bytes_per_sample"] *= processes
            for trial in one["trials"]:
                for clock in ("host_s", "device_s"):
                    trial[clock] = [processes * s for s in trial[clock]]
            one["flags"] = flags if rate > 4.8e12 else []
            made["cases"].append(one)
    profile = fit.fit([Results.model_validate(made)], ["made"])
    (row,) = profile.contention
    assert (row.key, row.processes) == ("read gpu link", 2)
    assert row.factor == pytest.approx(2 * 55 / 56, rel=0.05)
    (refused,) = [r for r in profile.refused if "2 processes" in r.what]
    assert "device" in refused.what


def test_a_profile_is_of_one_machine() -> None:
    made = synthetic.plain()
    other = {**made, "machine": {**made["machine"], "name": "other"}}
    with pytest.raises(UsageError, match="one machine"):
        fit.fit([Results.model_validate(m) for m in (made, other)], ["a", "b"])


def test_results_of_nothing_that_a_profile_is_made_of_say_so() -> None:
    made = synthetic.plain()
    made["cases"] = []
    with pytest.raises(UsageError, match="watari run"):
        fit.fit([Results.model_validate(made)], ["a"])


def test_a_word_that_is_no_machine_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'gh200'"):
        choose.by_text("gh20")


def test_the_newest_result_of_a_machine_is_taken(tmp_path: Path) -> None:
    for day in (1, 2):
        made = synthetic.results(seed=day)
        made.program.started = f"2026-01-0{day}T00:00:00.000+00:00"
        (tmp_path / f"{day}.json").write_text(made.model_dump_json(by_alias=True))
    (tmp_path / "broken.json").write_text("{")
    found = [path.name for path, _ in choose.newest(made.machine.name, tmp_path)]
    assert found == ["2.json", "1.json"]
    assert list(choose.newest("another", tmp_path)) == []


@pytest.mark.parametrize("name", ["gh200", "pegasus"])
def test_a_machine_without_results_has_an_answer_that_says_where_from(name: str) -> None:
    said = of_profile(known.machine(name))
    assert [s.topic for s in said] == ["again", "once", "turns", "larger"]
    assert all("published" in s.confidence or "20" in s.confidence for s in said)


def test_an_application_beside_copies_changes_no_rate_of_memory() -> None:
    """Its kernels are slower than its bytes, and its trial reads results with one thread."""
    names = [f"nvidia-h200-x86_64/20261121-{name}.json" for name in ("standard", "himeno-sam")]
    alone, beside = (fit.fit([schema.read(RESULTS / n) for n in k], k) for k in (names[:1], names))
    for key in ("pass cpu", "pass gpu"):
        for size in (2**21, 2**30, 2**34):
            mine, theirs = (p.curves[key].cost(size).middle for p in (alone, beside))
            assert theirs == pytest.approx(mine, rel=0.1)
    assert "transfer pageable device" in beside.curves
