"""Hosts of one run: their differences, and the places that show them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import synthetic

from watari.case.anonymous import anonymous
from watari.machine.hosts import apart, differences, of_host, with_host
from watari.machine.record import Machine
from watari.report.check import items
from watari.report.check.item import FAIL, PASS, UNKNOWN
from watari.report.compare import compare
from watari.report.overview import run
from watari.results.measured import measurements
from watari.results.schema import Results
from watari.run.resume import joined

Plain = dict[str, Any]


def host(**state: Any) -> Plain:
    """An H200 machine as a record has it, in this state."""
    machine = synthetic.gpu_machine()
    machine["state"] = {"governor": "performance", "load": 0.5} | state
    machine["processors"][1]["state"] = {"link_width": 16, "sm_clock": 1980, "slowed_by": []}
    return Machine.model_validate(machine).model_dump(mode="json", by_alias=True)


def gpu(**changed: Any) -> Callable[[Plain], None]:
    return lambda m: m["processors"][1].update(changed)


def gpu_state(**changed: Any) -> Callable[[Plain], None]:
    return lambda m: m["processors"][1]["state"].update(changed)


def state(**changed: Any) -> Callable[[Plain], None]:
    return lambda m: m["state"].update(changed)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (state(governor="powersave"), ["governor powersave, not performance"]),
        (state(turbo=False), ["turbo no, not none"]),
        (gpu(name="NVIDIA H100"), ["gpu:0 name NVIDIA H100, not NVIDIA H200"]),
        (lambda m: m["processors"].pop(), ["gpu:0 none, not NVIDIA H200"]),
        (gpu_state(link_width=8), ["gpu:0 link_width 8, not 16"]),
        (gpu_state(slowed_by=["thermal", "x"]), ["gpu:0 slowed_by thermal, x, not none"]),
        (lambda m: m["links"][0].update(width=8), ["cpu-gpu:0 width 8, not 16"]),
        (lambda m: m["links"].reverse(), []),
        (lambda m: m.update(memory_bytes=2**36), ["memory_bytes 68.7 GB, not 275 GB"]),
        (lambda m: m.update(memory_bytes=m["memory_bytes"] - 2**20), []),
        (
            lambda m: m["memories"][4].update(supported=True),
            ["memories system supported yes, not no"],
        ),
        (lambda m: m["thp"].update(enabled="never"), ["thp enabled never, not madvise"]),
        (lambda m: m.update(kernel="7"), ["kernel 7, not 6.1.0-26-amd64"]),
        (lambda m: m.update(uvm={}), ["uvm uvm_perf_access_counter_threshold none, not 256"]),
        # states of a moment, and the choice among equal parts, are no differences
        (state(load=7.0, allowed_cpus="8-15"), []),
        (gpu_state(sm_clock=300, link_generation=1), []),
        (gpu(pci_bus_id="0000:19:00.0"), []),
        (lambda m: m.update(memory_available_bytes=1, name="x", hosts=["y"]), []),
    ],
)
def test_in_what_a_host_differs(change: Callable[[Plain], None], says: list[str]) -> None:
    other = copy.deepcopy(host())
    change(other)
    assert differences(host(), other) == says


def test_caches_of_two_kinds_of_cores_are_compared_whole() -> None:
    first, other = host(), host()
    cache = first["processors"][0]["caches"][0]
    first["processors"][0]["caches"] = [cache, {**cache, "bytes": 2**20}]
    other["processors"][0]["caches"] = [cache, {**cache, "bytes": 2**21}]
    assert differences(first, first) == []
    assert len(differences(first, other)) == 1


def several() -> Plain:
    """node1 is like node0, node2 and node3 are slow, node4 gave no record."""
    slow = host(governor="powersave")
    machine = {**host(), "hosts": [f"node{n}" for n in range(5)]}
    told = {"node0": host(), "node1": host(load=3.0), "node2": slow, "node3": {**slow}}
    for name in machine["hosts"]:
        machine = with_host(machine, name, told.get(name))
    return machine


SLOW = ("node2, node3", "governor powersave, not performance")
MUTE = ("node4", "gave no record")


def test_equal_hosts_have_one_record() -> None:
    machine = several()
    Machine.model_validate(machine)
    assert [m["hosts"] for m in machine["others"]] == [["node2", "node3"]]
    assert machine["undescribed"] == ["node4"]
    assert apart(machine) == [SLOW, MUTE]
    governors = [
        found and found["state"]["governor"]
        for found in (of_host(machine, name) for name in machine["hosts"])
    ]
    assert governors == ["performance", "performance", "powersave", "powersave", None]


def measured_on(machine: Plain) -> Results:
    return synthetic.results(machine=machine, seed=1)


def test_check_fails_for_a_host_that_differs_and_names_it() -> None:
    found = {i.name: (i.verdict, i.says) for i in items.check(measured_on(several()))}
    assert found[f"host {SLOW[0]}"] == (FAIL, SLOW[1])
    assert found["host node4"] == (UNKNOWN, MUTE[1])
    equal = {**host(), "hosts": ["node0", "node1", "node1"]}
    found = {i.name: (i.verdict, i.says) for i in items.check(measured_on(equal))}
    assert found["hosts"] == (PASS, "2 hosts are as node0")
    mute = with_host({**host(), "hosts": ["node4", "node4"]}, "node4", None)
    found = {i.name: (i.verdict, i.says) for i in items.check(measured_on(mute))}
    assert found["host node4"] == (UNKNOWN, MUTE[1])
    one = [i.name for i in items.check(measured_on(host()))]
    assert [name for name in one if "host" in name.split()] == []


def test_the_likely_cause_names_its_host() -> None:
    results = measured_on(several()).as_dict()
    for case in results["cases"]:
        case["status"], case["reason"] = "failed", "it did"
    causes = {c for i in items.check(Results.model_validate(results)) for c in i.causes}
    assert "node2, node3: CPU frequency: governor powersave" in causes
    assert "virtual machine: runs under a hypervisor" in causes  # of the first host, once
    assert not any("node" in c and "hypervisor" in c for c in causes)


def test_compare_and_report_say_it() -> None:
    apart_, alike = measured_on(several()), measured_on(host())
    lines = [f"new, host {name}: {text}" for name, text in (SLOW, MUTE)]
    assert [row for row in compare(alike, apart_).head if "host" in row] == lines
    assert [row for row in compare(alike, alike).head if "host" in row] == []
    (shown,) = measurements([apart_])[:1]
    page = run(shown.run, [apart_], measurements([apart_]))
    (doubt,) = [d for d in page["doubts"] if d.title == "Hosts differ"]
    assert doubt.cases == [f"{name}: {text}" for name, text in (SLOW, MUTE)]
    assert page["hosts"] == [SLOW, MUTE]


def test_names_of_other_hosts_are_left_out() -> None:
    machine = anonymous([measured_on(several())])[0].machine
    assert [m.hosts for m in machine.others] == [["host-3", "host-4"]]
    assert machine.undescribed == ["host-5"]


def test_a_run_that_goes_on_elsewhere_has_the_hosts_of_both() -> None:
    earlier = Machine.model_validate({**several(), "others": [], "hosts": ["node0"]})
    now = Machine.model_validate({**host(turbo=False), "hosts": ["node0", "node7", "node7"]})
    machine = joined(earlier, now)
    assert machine.hosts == ["node0", "node7"]
    assert [m.hosts for m in machine.others] == [["node7"]]
    assert joined(machine, now) == machine
    whole = joined(earlier, Machine.model_validate(several()))
    assert [m.hosts for m in whole.others] == [["node2", "node3"]]
