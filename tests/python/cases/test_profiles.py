"""The bytes and flops of a case's profile are those that its trials count, or those that were
counted by hand."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from watari import cases
from watari.case.axis import Parameters
from watari.machine import probe
from watari.plan.request import Request, resolve

CASES = Path(__file__).parents[3] / "cases"
FOUND = [runpy.run_path(str(CASES / folder / "tests" / "small.py")) for folder in cases.FOLDERS]
SMALL: dict[str, dict[str, Any]] = {k: v for each in FOUND for k, v in each["SMALL"].items()}
# shares by which a profile may differ from its trial, with their reason; others are exact
ESTIMATES: dict[str, float] = {k: v for each in FOUND for k, v in each.get("ESTIMATES", {}).items()}
COUNTED: dict[str, list[Any]] = {k: v for each in FOUND for k, v in each.get("COUNTED", {}).items()}
NEED_GPU = {name for each in FOUND for name in each.get("NEED_GPU", ())}


def requests(name: str, folder: str) -> list[Request]:
    """The requests of the case's `small.py`."""
    machine = probe.machine()
    case = cases.find(name)
    given = SMALL[name]
    if "folder" in case.axes:
        given = {**given, "folder": folder}
    return resolve(name, given, machine)


def test_every_case_is_looked_at() -> None:
    assert set(SMALL) == set(cases.CASES)


@pytest.mark.parametrize("name", SMALL)
def test_a_profile_has_the_bytes_and_flops_of_the_trial(name: str, tmp_path: Any) -> None:
    if name in NEED_GPU and not any(p["kind"] == "gpu" for p in probe.machine()["processors"]):
        pytest.skip("there is no GPU")
    case = cases.find(name)
    for request in requests(name, str(tmp_path)):
        profile, trial = case.profile(request.parameters), case.trial(request.parameters)
        assert trial.get("status", "ok") == "ok", trial
        taken = len(trial["host_s"])
        assert profile.flops_per_sample == trial["flops_per_sample"]
        if profile.exact:
            assert sum(phase.repeats for phase in profile.phases) == taken
        counted = trial["bytes_per_sample"]
        assert profile.bytes_per_sample == pytest.approx(counted, rel=ESTIMATES.get(name, 0))
        for phase in profile.phases:
            accessed = sum((a.read + a.written) * a.passes for a in phase.accesses)
            assert not accessed or accessed in (counted, 2 * counted)
            moved = sum(transfer.bytes for transfer in phase.transfers)
            if profile.stored:
                stored = store_bytes(request.parameters, trial)
                assert moved == pytest.approx(stored, rel=ESTIMATES.get(name, 0))
            else:  # a copy within one memory is counted twice
                assert moved in (0, counted, counted / 2)


def test_a_case_is_counted_as_it_runs_or_by_hand() -> None:
    assert {*ESTIMATES, *COUNTED} == {*SMALL}
    assert not {*ESTIMATES} & {*COUNTED}


@pytest.mark.parametrize("name", COUNTED)
def test_a_profile_has_the_bytes_and_flops_that_were_counted_by_hand(
    name: str, tmp_path: Any
) -> None:
    for request in requests(name, str(tmp_path)):
        fitting = [
            (moved, flops)
            for wanted, moved, flops in COUNTED[name]
            if wanted.items() <= request.parameters.items()
        ]
        profile = cases.find(name).profile(request.parameters)
        assert fitting == [(profile.bytes_per_sample, profile.flops_per_sample)]


def store_bytes(parameters: Parameters, trial: dict[str, Any]) -> float:
    """Bytes that a sample read from a store or wrote to it, as the trial counted them."""
    of = {name: quantity["value"] for name, quantity in trial["quantities"].items()}
    if "bytes_written" in of:
        return float(of["bytes_read"] + of["bytes_written"])
    if "read_bytes" in of:
        return float(of["read_bytes"])
    requests = sum(trial["histograms"]["latency"]["count"])
    return float(requests * parameters["block"] / len(trial["host_s"]))


def test_estimates_are_of_cases_that_say_so(tmp_path: Any) -> None:
    for name in ESTIMATES:
        for request in requests(name, str(tmp_path)):
            assert not cases.find(name).profile(request.parameters).exact


@pytest.mark.parametrize("name", SMALL)
def test_a_profile_counts_the_memory_of_all_buffers(name: str, tmp_path: Any) -> None:
    for request in requests(name, str(tmp_path)):
        profile = cases.find(name).profile(request.parameters)
        assert profile.memory == sum(profile.footprint.values()) > 0
        assert 0 <= profile.in_host_memory <= profile.memory
