"""Facts that the kernel reports in /proc and /sys, below a root that tests may move."""

from __future__ import annotations

import gzip
import os
import re
from dataclasses import dataclass
from pathlib import Path

# The kernel names no CPU model on Arm: (implementer, part) of /proc/cpuinfo.
ARM_NAMES = {
    ("0x41", "0xd40"): "Arm Neoverse V1",
    ("0x41", "0xd4f"): "Arm Neoverse V2",
    ("0x41", "0xd0c"): "Arm Neoverse N1",
    ("0x41", "0xd49"): "Arm Neoverse N2",
    ("0x41", "0xd85"): "Arm Cortex-X925",
    ("0x46", "0x001"): "Fujitsu A64FX",
}


@dataclass(frozen=True)
class System:
    """Files of a machine; a missing or unreadable one is None."""

    root: Path

    @property
    def is_this_machine(self) -> bool:
        return self.root == Path("/")

    def text(self, path: str) -> str | None:
        try:
            file = self.root / path
            if path.endswith(".gz"):
                return gzip.decompress(file.read_bytes()).decode(errors="replace")
            return file.read_text(errors="replace").strip()
        except (OSError, EOFError):
            return None

    def number(self, path: str) -> int | None:
        match = re.match(r"-?\d+", self.text(path) or "")
        return int(match.group()) if match else None

    def field(self, path: str, name: str) -> str | None:
        """The rest of the first line `name: rest` (or `name : rest`) of a file."""
        match = re.search(rf"^{re.escape(name)}\s*:\s*(.*)$", self.text(path) or "", re.MULTILINE)
        return match.group(1).strip() if match else None

    def kibibytes(self, path: str, name: str) -> int | None:
        """A field that is given in kB, in bytes."""
        match = re.search(rf"\b{re.escape(name)}:\s*(\d+) kB", self.text(path) or "")
        return int(match.group(1)) * 1024 if match else None

    def names(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(self.root / path))
        except OSError:
            return []


def kernel(system: System) -> str:
    return system.text("proc/sys/kernel/osrelease") or "unknown"


def upstream(system: System) -> str:
    """Version of Linux that a distribution's kernel follows. Debian and Ubuntu keep a .0 in the
    release (`6.1.0-28-amd64` is 6.1.119) and report the true number elsewhere.
    """
    ubuntu = system.text("proc/version_signature") or ""
    debian = re.search(r"\bDebian (\d+\.\d+\.\d+)", system.text("proc/version") or "")
    if debian:
        return debian.group(1)
    return ubuntu.split()[-1] if ubuntu else kernel(system)


def page_size(system: System) -> int:
    """Base page, in bytes."""
    return system.kibibytes("proc/self/smaps", "KernelPageSize") or os.sysconf("SC_PAGESIZE")


def memory(system: System, gpu_nodes: list[int]) -> tuple[int, int]:
    """CPU memory (all, available) in bytes. Where GPU memory is a NUMA node (GH200), the kernel
    counts it too: its bytes are subtracted."""
    total = system.kibibytes("proc/meminfo", "MemTotal") or 0
    available = system.kibibytes("proc/meminfo", "MemAvailable") or 0
    for node in gpu_nodes:
        file = f"sys/devices/system/node/node{node}/meminfo"
        total -= system.kibibytes(file, "MemTotal") or 0
        available -= system.kibibytes(file, "MemFree") or 0
    return max(total, 0), max(available, 0)


def transparent_huge_pages(system: System) -> dict[str, str | None]:
    def chosen(name: str) -> str | None:
        text = system.text(f"sys/kernel/mm/transparent_hugepage/{name}") or ""
        match = re.search(r"\[([^]]+)\]", text)
        return match.group(1) if match else None

    return {"enabled": chosen("enabled"), "defrag": chosen("defrag")}


def virtual_machine(system: System) -> bool:
    """Whether a hypervisor shows itself: by a CPU flag on x86, by firmware names on Arm."""
    flags = system.field("proc/cpuinfo", "flags") or ""
    firmware = " ".join(
        system.text(f"sys/class/dmi/id/{name}") or "" for name in ("sys_vendor", "product_name")
    )
    guest = re.search(r"QEMU|KVM|Virtual Machine|VMware|HVM domU", firmware)
    return "hypervisor" in flags.split() or guest is not None


def uvm(system: System) -> dict[str, int | str]:
    """Every parameter of the nvidia-uvm module, numbers as numbers."""
    folder = "sys/module/nvidia_uvm/parameters"
    values = {name: system.text(f"{folder}/{name}") for name in system.names(folder)}
    return {
        name: int(value) if re.fullmatch(r"-?\d+", value) else value
        for name, value in values.items()
        if value is not None
    }


def driver(system: System) -> str | None:
    """Version of the loaded kernel module of the GPU driver: `580.95.05`."""
    banner = system.text("proc/driver/nvidia/version") or ""
    match = re.search(r"NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", banner)
    return match.group(1) if match else system.text("sys/module/nvidia/version")


def open_module(system: System) -> bool | None:
    """Whether the GPU driver's kernel module is the open one; None where it does not say."""
    banner = system.text("proc/driver/nvidia/version")
    return "Open Kernel Module" in banner if banner else None


def kernel_option(system: System, option: str) -> bool | None:
    """Whether the kernel was built with an option; None where its configuration is not readable."""
    release = kernel(system)
    for path in ("proc/config.gz", f"boot/config-{release}", f"lib/modules/{release}/config"):
        text = system.text(path)
        if text is not None:
            return re.search(rf"^{option}=[ym]$", text, re.MULTILINE) is not None
    return None


def cpu_name(system: System, reported: str) -> str:
    """The name in the topology or, on Arm, the one that belongs to the part number."""
    implementer = system.field("proc/cpuinfo", "CPU implementer") or ""
    part = system.field("proc/cpuinfo", "CPU part") or ""
    return reported or ARM_NAMES.get((implementer, part), "unknown CPU")
