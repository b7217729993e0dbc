"""Causes that make a machine slower than its parts, one a row, looked up in the machine's record.

`touches` names the parts that a cause slows: `link` (between CPU and GPU), `gpu` (its memory),
`cpu` (memory beside it), `store`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from watari.common.units import format_bytes
from watari.machine.cpus import numbers

Machine = dict[str, Any]
LINK, GPU, CPU, STORE = "link", "gpu", "cpu", "store"
GDDR_MOST_BITS = 512  # wider memory is HBM, whose error correction takes no bandwidth


@dataclass(frozen=True)
class Cause:
    """`find` returns the cause as the record shows it; None if it is absent or not recorded."""

    name: str
    touches: tuple[str, ...]
    find: Callable[[Machine], str | None]


def states(machine: Machine) -> list[tuple[str, dict[str, Any]]]:
    """The GPUs whose state is recorded."""
    gpus = (p for p in machine["processors"] if p["kind"] == "gpu")
    return [(gpu["id"], gpu["state"]) for gpu in gpus if gpu.get("state")]


def host(machine: Machine) -> dict[str, Any]:
    """The host's state; empty if it is not recorded."""
    return machine.get("state") or {}


def each_gpu(text: Callable[[dict[str, Any]], str | None]) -> Callable[[Machine], str | None]:
    """A `find` that joins the texts of all GPUs that have one."""

    def find(machine: Machine) -> str | None:
        shown = [f"{name}: {reported}" for name, s in states(machine) if (reported := text(s))]
        return "; ".join(shown) or None

    return find


def below(state: dict[str, Any], now: str, most: str, says: str) -> str | None:
    """The text if one recorded number is below another."""
    low, high = state.get(now), state.get(most)
    return says.format(low, high) if low and high and low < high else None


def slowed(state: dict[str, Any]) -> str | None:
    """Clocks that are held down by anything but a power cap, which has a row of its own."""
    reasons = [name for name in state["slowed_by"] if name != "power-cap"]
    return f"clocks are limited by: {', '.join(reasons)}" if reasons else None


def power(state: dict[str, Any]) -> str | None:
    """A power limit below the default one, or one that lowers the clocks."""
    text = below(state, "power_limit", "power_limit_default", "limited to {:g} W of {:g} W")
    return text or (
        "its power limit lowers the clocks" if "power-cap" in state["slowed_by"] else None
    )


def ecc(state: dict[str, Any]) -> str | None:
    """Error correction that costs bandwidth."""
    narrow = (state.get("memory_width") or 0) <= GDDR_MOST_BITS
    return "ECC is on, and takes bandwidth of GDDR memory" if state.get("ecc") and narrow else None


def others(state: dict[str, Any]) -> str | None:
    """Other processes on the GPU."""
    count = state.get("processes")
    return f"{count} other process{'es'[: 2 * (count > 1)]} on it" if count else None


def far(machine: Machine) -> str | None:
    """CPUs of the run that are not on the GPU's NUMA node."""
    allowed = host(machine).get("allowed_cpus")
    cpu, *gpus = machine["processors"]
    for gpu in gpus:
        own = [n for n in cpu["numa_nodes"] if n["node"] == gpu.get("numa_node") and n["cpus"]]
        if not allowed or not own or numbers(own[0]["cpus"]) & numbers(allowed):
            continue
        used = [n["node"] for n in cpu["numa_nodes"] if numbers(n["cpus"]) & numbers(allowed)]
        row = host(machine).get("numa_distances", {}).get(str(own[0]["node"]), [])
        distance = [f" (distance {row[node]})" for node in used if node < len(row)][:1]
        where = ", ".join(map(str, used)) + "".join(distance)
        return f"{gpu['id']} is on NUMA node {own[0]['node']}, the run's CPUs on {where}"
    return None


def frequency(machine: Machine) -> str | None:
    """A CPU that is kept below its highest frequency."""
    state = host(machine)
    governor = state.get("governor")
    texts = [
        "governor powersave" if governor == "powersave" else None,
        "no turbo" if state.get("turbo") is False else None,
        below(state, "cpu_khz_limit", "cpu_khz_most", "limited to {} kHz of {} kHz"),
    ]
    return ", ".join(text for text in texts if text) or None


def limits(machine: Machine) -> str | None:
    """A cgroup that allows less than the machine has."""
    state, cores = host(machine), machine["processors"][0]["cores"]
    cpus, memory = state.get("cgroup_cpus"), state.get("cgroup_memory")
    texts = [
        f"the cgroup allows {cpus:g} CPUs of {cores}" if cpus and cpus < cores else None,
        f"the cgroup allows {format_bytes(memory)} of memory"
        if memory is not None and memory < machine["memory_bytes"]
        else None,
    ]
    return ", ".join(text for text in texts if text) or None


def busy(machine: Machine) -> str | None:
    """Other work on the CPU when the run began."""
    load, cores = host(machine).get("load"), machine["processors"][0]["cores"]
    return f"load {load:g} on {cores} cores when it began" if load and load > cores / 2 else None


def pages(machine: Machine) -> str | None:
    """Small pages that cannot become huge ones."""
    thp = (machine.get("thp") or {}).get("enabled")
    small = machine["page_size"] <= 4096 and thp == "never"
    return "pages of 4 KiB, and transparent huge pages are off" if small else None


CAUSES = (
    Cause(
        "PCIe width",
        (LINK,),
        each_gpu(lambda s: below(s, "link_width", "link_width_most", "x{} in use of x{}")),
    ),
    Cause(
        "PCIe generation",
        (LINK,),
        each_gpu(
            lambda s: below(
                s, "link_generation_most", "gpu_generation_most", "the slot allows Gen{} of Gen{}"
            )
        ),
    ),
    Cause("NUMA node", (LINK,), far),
    Cause("ECC", (GPU,), each_gpu(ecc)),
    Cause("power cap", (GPU,), each_gpu(power)),
    Cause("clocks", (GPU,), each_gpu(slowed)),
    Cause("other processes", (GPU, LINK), each_gpu(others)),
    Cause(
        "IOMMU",
        (LINK, STORE),
        lambda m: (
            "translates addresses of devices" if host(m).get("iommu") == "translated" else None
        ),
    ),
    Cause("CPU frequency", (CPU, LINK), frequency),
    Cause("cgroup", (CPU, STORE), limits),
    Cause("other work", (CPU, LINK, STORE), busy),
    Cause("page size", (CPU,), pages),
    Cause(
        "virtual machine",
        (LINK, CPU, STORE),
        lambda m: "runs under a hypervisor" if m["virtual_machine"] else None,
    ),
)


def likely(machine: Machine, path: set[str]) -> list[str]:
    """Causes in the record that may slow this path; those of other hosts with the hosts' names."""
    found = ((c.name, c.find(machine)) for c in CAUSES if path.intersection(c.touches))
    own = [f"{name}: {text}" for name, text in found if text]
    return own + [
        f"{', '.join(other['hosts'])}: {text}"
        for other in machine.get("others", [])
        for text in likely(other, path)
        if text not in own
    ]
