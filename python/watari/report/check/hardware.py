"""Checks that the hardware agrees with its data sheet: clocks, distance of CPUs and GPU; and that
all hosts of a run agree with the first one. `pcie.py` has the links."""

from __future__ import annotations

from watari.machine.hosts import apart
from watari.report.check.causes import GPU, LINK, far, host, states
from watari.report.check.item import FAIL, PASS, UNKNOWN, Item, Run


def clocks(run: Run) -> list[Item]:
    """Clock and width of memory, from which its bandwidth is computed; fails if a reason other than
    application clocks lowers the clocks."""
    items = []
    for name, state in states(run.machine):
        clock, width = state.get("memory_clock_most"), state.get("memory_width")
        held = [reason for reason in state["slowed_by"] if reason != "application-clocks"]
        says = f"{clock} MHz, {width} bits" if clock and width else "not reported"
        verdict = FAIL if held else PASS if clock and width else UNKNOWN
        says += f"; limited by: {', '.join(held)}" if held else ""
        items.append(Item("hardware", f"{name}, clocks", verdict, says, frozenset({GPU})))
    return items


def absent(run: Run) -> list[Item]:
    """Fails where the record shows that the host has a GPU, or its driver, and the run used none. A
    run that saw some of several GPUs (a job's share) is not judged here."""
    if any(p["kind"] == "gpu" for p in run.machine["processors"]):
        return []
    on_bus, driver = host(run.machine).get("pci_gpus"), run.machine["driver"]
    if not (on_bus or driver):
        return []
    device = next((m for m in run.machine["memories"] if m["kind"] == "device"), None)
    reason = (device or {}).get("reason") or "not reported"
    there = f"{on_bus} on the PCI bus" if on_bus else f"driver {driver} is loaded"
    text = f"none for this run, but {there}: {reason}; a job must ask for them (--gres=gpu:1)"
    return [Item("hardware", "no GPU", FAIL, text, frozenset({GPU}))]


def distance(run: Run) -> list[Item]:
    """Whether the run has CPUs of the GPU's NUMA node."""
    if not host(run.machine).get("allowed_cpus") or len(run.machine["processors"]) < 2:
        return []
    text = far(run.machine)
    says = text or "the run has CPUs of the GPU's node"
    return [Item("hardware", "NUMA node", FAIL if text else PASS, says, frozenset({LINK}))]


def hosts(run: Run) -> list[Item]:
    """Hosts of a run that differ from the first; the others may wait for them."""
    names, unknown = list(dict.fromkeys(run.machine["hosts"])), run.machine["undescribed"]
    if len(names) < 2 and not unknown:
        return []
    items = [
        Item("hardware", f"host {name}", UNKNOWN if name in unknown else FAIL, text)
        for name, text in apart(run.machine)
    ]
    return items or [Item("hardware", "hosts", PASS, f"{len(names)} hosts are as {names[0]}")]
