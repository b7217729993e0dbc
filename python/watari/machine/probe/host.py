"""Conditions that slow this host: frequency, IOMMU, cgroup, other work, NUMA."""

from __future__ import annotations

from typing import Any

from watari.machine import cpus as cpus_of
from watari.machine.probe.system import System

FREQUENCY = "sys/devices/system/cpu/cpu0/cpufreq"
CGROUPS = "sys/fs/cgroup"


def state(files: System) -> dict[str, Any]:
    """The host's state, as record.HostState has it."""
    cpus, memory = cgroup(files)
    load = (files.text("proc/loadavg") or "").split()
    allowed = allowed_cpus(files)
    return {
        "governor": files.text(f"{FREQUENCY}/scaling_governor"),
        "cpu_khz_limit": files.number(f"{FREQUENCY}/scaling_max_freq"),
        "cpu_khz_most": files.number(f"{FREQUENCY}/cpuinfo_max_freq"),
        "turbo": turbo(files),
        "iommu": iommu(files),
        "cgroup_cpus": cpus,
        "cgroup_memory": memory,
        "allowed_cpus": allowed,
        "allowed_cores": len(cpus_of.cores(cpus_of.numbers(allowed), files.text))
        if allowed
        else None,
        "load": float(load[0]) if load else None,
        "numa_distances": distances(files),
        "pci_gpus": pci_gpus(files),
    }


def allowed_cpus(files: System) -> str | None:
    """The CPUs that this process may use, as a list of the kernel."""
    if files.is_this_machine:
        return cpus_of.listed(cpus_of.allowed())
    return files.field("proc/self/status", "Cpus_allowed_list")


def pci_gpus(files: System) -> int | None:
    """NVIDIA's display controllers (class 0x03...) on the PCI bus; None where it cannot be read."""
    folder = "sys/bus/pci/devices"
    devices = files.names(folder)
    if not devices:
        return None
    return sum(
        files.text(f"{folder}/{device}/vendor") == "0x10de"
        and (files.text(f"{folder}/{device}/class") or "").startswith("0x03")
        for device in devices
    )


def turbo(files: System) -> bool | None:
    """Whether the CPU may exceed its nominal frequency; None where the kernel does not say."""
    off = files.number("sys/devices/system/cpu/intel_pstate/no_turbo")
    boost = files.number("sys/devices/system/cpu/cpufreq/boost")
    return off == 0 if off is not None else None if boost is None else boost == 1


def iommu(files: System) -> str | None:
    """The translation of devices' addresses, from the domains of the kernel's groups."""
    groups = files.names("sys/kernel/iommu_groups")
    if not groups:
        return "off" if files.names("sys/kernel") else None
    kinds = {files.text(f"sys/kernel/iommu_groups/{group}/type") for group in groups}
    return "identity" if kinds <= {"identity"} else "translated"


def cgroup(files: System) -> tuple[float | None, int | None]:
    """CPUs and bytes that the cgroup of this process and those above it allow (version 2)."""
    lines = (files.text("proc/self/cgroup") or "").splitlines()
    own = next((line[3:] for line in lines if line.startswith("0::")), "/")
    parts = [part for part in own.split("/") if part]
    folders = ["/".join([CGROUPS, *parts[:depth]]) for depth in range(len(parts) + 1)]
    quotas = [(files.text(f"{folder}/cpu.max") or "max").split() for folder in folders]
    cpus = [int(quota) / int(*period) for quota, *period in quotas if quota != "max"]
    limits = [files.number(f"{folder}/memory.max") for folder in folders]
    return min(cpus, default=None), min((n for n in limits if n is not None), default=None)


def distances(files: System) -> dict[str, list[int]]:
    """Distances of each NUMA node to every node."""
    folder = "sys/devices/system/node"
    texts = {
        name[4:]: files.text(f"{folder}/{name}/distance")
        for name in files.names(folder)
        if name[:4] == "node" and name[4:].isdecimal()
    }
    return {node: [int(n) for n in text.split()] for node, text in texts.items() if text}
