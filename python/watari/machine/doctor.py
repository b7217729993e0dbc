"""`watari doctor`: what this machine lacks for Watari's cases and for fast programs, why, and the
command that mends it. Nothing is changed here; the user reads the command and runs it.

Each row of TABLE is a function from the record of a machine and its files to findings; it returns
none where the part is not missing, or cannot be here.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from watari.common.units import format_bytes
from watari.machine.probe.system import System

Machine = dict[str, Any]
LEAST_FILES = 4096  # open files: a product of many blocks, a server of objects
LEAST_SHARED = 2**30  # bytes of /dev/shm: store=ram, ranks that share memory
NUMA = "proc/sys/kernel/numa_balancing"
THP = "sys/kernel/mm/transparent_hugepage"
URING = "proc/sys/kernel/io_uring_disabled"
FOREVER = "also in /etc/modprobe.d/watari.conf, to keep it"


@dataclass(frozen=True)
class Finding:
    """`what` is missing, `why`, and the command or setting that mends it."""

    what: str
    why: str
    mend: str


Row = Callable[[Machine, System], Iterator[Finding]]


def gpus(machine: Machine) -> list[dict[str, Any]]:
    """The GPUs that CUDA has."""
    return [p for p in machine["processors"] if p["kind"] == "gpu"]


def has_gpu(machine: Machine) -> bool:
    """Whether there is an NVIDIA GPU, with a driver or without."""
    return bool(gpus(machine) or (machine.get("state") or {}).get("pci_gpus") or machine["driver"])


def capability(machine: Machine, name: str) -> dict[str, Any]:
    """A row of the optional parts; one of an older record is taken as available."""
    rows = (row for row in machine["capabilities"] if row["name"] == name)
    return next(rows, {"available": True, "reason": None, "detail": None})


def memory(machine: Machine, kind: str) -> dict[str, Any]:
    """The row of a kind of memory."""
    return next(row for row in machine["memories"] if row["kind"] == kind)


def driver(machine: Machine, files: System) -> Iterator[Finding]:
    """A GPU without a driver, or a driver that CUDA cannot use."""
    if gpus(machine) or not has_gpu(machine):
        return
    why = memory(machine, "device")["reason"]
    if not machine["driver"]:
        yield Finding(
            "GPU driver", f"{why}, and a GPU is on the PCI bus", "sudo apt-get install nvidia-open"
        )
    elif not files.names("proc/driver/nvidia/gpus"):
        yield Finding("GPU driver", f"{why}; the driver has no GPU", "sudo dmesg | grep -i nvrm")
    else:
        text = "nvidia-smi; in a job: srun --gres=gpu:1; in a container: docker run --gpus all"
        yield Finding("GPU", why, text)


def gds(machine: Machine, files: System) -> Iterator[Finding]:
    """GPUDirect Storage."""
    if not has_gpu(machine):
        return
    row = capability(machine, "cufile")
    if not row["available"]:
        yield Finding(
            "GDS",
            f"{row['reason']}: the engine cufile is unsupported",
            "sudo apt-get install nvidia-gds, from the repository of CUDA; or pip install "
            "nvidia-cufile-cu12",
        )
    elif "compatibility" in (row["detail"] or ""):
        yield Finding(
            "GDS",
            f"{row['detail']}: cufile copies through CPU memory",
            "sudo apt-get install nvidia-gds && sudo modprobe nvidia-fs; then "
            "/usr/local/cuda/gds/tools/gdscheck -p",
        )


# part of a reason in machine/probe/memories.py, and what mends it; none: nothing does
HMM: tuple[tuple[str, str], ...] = (
    ("proprietary", "sudo apt-get install nvidia-open, then reboot"),
    (
        "uvm_disable_hmm",
        "sudo modprobe -r nvidia-uvm && sudo modprobe nvidia-uvm uvm_disable_hmm=0; " + FOREVER,
    ),
    ("CONFIG_DEVICE_PRIVATE", "a kernel with CONFIG_DEVICE_PRIVATE=y: those of Debian and Ubuntu"),
    ("kernel ", "a kernel from 6.1.24 or 6.2.11 on: sudo apt-get install linux-generic-hwe-24.04"),
    ("older than 535", "a driver from 535 on: sudo apt-get install nvidia-open"),
    ("older than Turing", "nothing: the GPU cannot"),
    ("Arm", "nothing: Grace has ATS in its place"),
)


def hmm(machine: Machine, files: System) -> Iterator[Finding]:
    """Plain malloc for the GPU: a finding for each condition that is missing."""
    row = memory(machine, "system")
    if not gpus(machine) or row["supported"]:
        return
    for cause in (row["reason"] or "").partition(": ")[2].split("; "):
        mend = next((m for part, m in HMM if part in cause), "see dmesg | grep -i hmm")
        yield Finding("HMM", f"{cause}: memory of malloc cannot be used by the GPU", mend)


def managed(machine: Machine, files: System) -> Iterator[Finding]:
    """Managed memory that moves as a whole."""
    row = memory(machine, "managed")
    if gpus(machine) and row["supported"] and row["reason"]:
        yield Finding("managed", row["reason"], "nothing on this system: Linux, not WSL or vGPU")


def mpi(machine: Machine, files: System) -> Iterator[Finding]:
    """MPI, and whether it takes GPU memory."""
    row, aware = (capability(machine, name) for name in ("mpi", "cuda-aware-mpi"))
    if not row["available"]:
        text = "sudo apt-get install openmpi-bin libopenmpi-dev, then build Watari again"
        yield Finding("MPI", f"{row['reason']}: cases of several ranks are unsupported", text)
    elif has_gpu(machine) and not aware["available"]:
        yield Finding(
            "CUDA-aware MPI",
            f"{aware['reason']}: halos pass through CPU memory",
            "pip install libucx-cu13 and --launcher as docs/ranks.md has it; or the cluster's "
            "module (module avail openmpi)",
        )


def huge_pages(machine: Machine, files: System) -> Iterator[Finding]:
    """Transparent huge pages, which a walk over small pages lacks."""
    state = (machine.get("thp") or {}).get("enabled")
    if state == "never" and machine["page_size"] <= 4096:
        yield Finding(
            "huge pages",
            "transparent huge pages are off: first touches and random reads of the CPU are slower",
            f"echo madvise | sudo tee /{THP}/enabled",
        )


def numa(machine: Machine, files: System) -> Iterator[Finding]:
    """Pages that the kernel moves between NUMA nodes, beside the driver."""
    if machine.get("numa_balancing") and gpus(machine):
        why = "the kernel unmaps pages to see who uses them, which slows memory that a GPU uses too"
        yield Finding("NUMA balancing", why, f"echo 0 | sudo tee /{NUMA}")


def frequency(machine: Machine, files: System) -> Iterator[Finding]:
    """A CPU that is kept slow."""
    if (machine.get("state") or {}).get("governor") == "powersave":
        text = "sudo cpupower frequency-set -g performance"
        yield Finding("CPU frequency", "governor powersave", text)


def iommu(machine: Machine, files: System) -> Iterator[Finding]:
    """Addresses of devices that are translated."""
    if (machine.get("state") or {}).get("iommu") == "translated" and has_gpu(machine):
        why = "translates addresses: transfers between GPU, NVMe and network may be slower"
        yield Finding("IOMMU", why, "iommu=pt on the kernel's command line, then reboot")


def uring(machine: Machine, files: System) -> Iterator[Finding]:
    """The engine uring."""
    row = capability(machine, "io_uring")
    if row["available"]:
        return
    if files.number(URING):
        text = "sudo sysctl kernel.io_uring_disabled=0"
    elif "built" in (row["reason"] or ""):
        text = "sudo apt-get install liburing-dev, then build Watari again"
    else:
        text = "in a container: docker run --security-opt seccomp=unconfined"
    yield Finding("io_uring", f"{row['reason']}: the engine uring is unsupported", text)


def library(name: str, what: str, mend: str) -> Row:
    """A row for an optional library of `watari probe`."""

    def find(machine: Machine, files: System) -> Iterator[Finding]:
        row = capability(machine, name)
        if not row["available"]:
            yield Finding(what, str(row["reason"]), mend)

    return find


def of_process(machine: Machine, files: System) -> Iterator[Finding]:
    """Limits of this shell (ulimit), which the trials inherit."""
    if not files.is_this_machine:
        return
    opened = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if 0 <= opened < LEAST_FILES:
        yield Finding("open files", f"ulimit -n is {opened}", f"ulimit -n {LEAST_FILES}")
    addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
    if addresses != resource.RLIM_INFINITY:
        why = f"ulimit -v is {format_bytes(addresses)}: CUDA reserves more addresses than memory"
        yield Finding("addresses", why, "ulimit -v unlimited")
    pinned = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    if 0 <= pinned < LEAST_SHARED and files.names("sys/class/infiniband"):
        why = f"ulimit -l is {format_bytes(pinned)}: InfiniBand sends from locked memory alone"
        mend = "memlock unlimited in /etc/security/limits.d/, LimitMEMLOCK=infinity of slurmd"
        yield Finding("locked memory", why, mend)


def cgroup(machine: Machine, files: System) -> Iterator[Finding]:
    """A share of the machine, of a job or a container."""
    state, cores = machine.get("state") or {}, machine["processors"][0]["cores"]
    limit, cpus = state.get("cgroup_memory"), state.get("cgroup_cpus")
    if limit is not None and limit < machine["memory_bytes"]:
        yield Finding(
            "memory of the job",
            f"the cgroup allows {format_bytes(limit)} of {format_bytes(machine['memory_bytes'])}",
            "in a job: --mem=0; in a container: docker run without --memory",
        )
    if cpus and cpus < cores:
        text = f"the cgroup allows {cpus:g} CPUs of {cores}"
        mend = "in a job: --exclusive --cpus-per-task=N; in a container: docker run without --cpus"
        yield Finding("CPUs of the job", text, mend)


def shared(machine: Machine, files: System) -> Iterator[Finding]:
    """Files in memory."""
    if not files.is_this_machine:
        return
    try:
        disk = os.statvfs("/dev/shm")
    except OSError:
        return
    size = disk.f_blocks * disk.f_frsize
    if size < LEAST_SHARED:
        why = f"/dev/shm has {format_bytes(size)}: store=ram and ranks on one host need more"
        yield Finding("files in memory", why, "docker run --shm-size=8g, or --ipc=host")


TABLE: tuple[Row, ...] = (
    driver,
    gds,
    hmm,
    managed,
    mpi,
    huge_pages,
    numa,
    frequency,
    iommu,
    uring,
    library("s3", "objects (s3://)", "sudo apt-get install libcurl4-openssl-dev, then build again"),
    library("openblas", "OpenBLAS", "sudo apt-get install libopenblas0-pthread"),
    library("hwloc", "hwloc", "sudo apt-get install libhwloc-dev, then build Watari again"),
    of_process,
    cgroup,
    shared,
)
OF_GPU = "GPU driver, GDS, HMM, managed memory, CUDA-aware MPI, NUMA balancing, IOMMU"
CHECKED = (
    "MPI, huge pages, CPU frequency, io_uring, libraries, limits of the process and of the cgroup, "
    "/dev/shm"
)


def looked_at(machine: Machine) -> str:
    """The parts of the table that this machine can have."""
    if has_gpu(machine):
        return f"looked at: {OF_GPU}, {CHECKED}"
    return f"looked at: {CHECKED}; no NVIDIA GPU is here, so not at: {OF_GPU}"


def findings(machine: Machine, files: System) -> list[Finding]:
    """What is missing on a machine, in the order of the table."""
    return [finding for row in TABLE for finding in row(machine, files)]
