"""`near`: the CPUs and the memory of the NUMA node that is next to the GPU.

Both are properties of a process that an exec keeps: its CPU affinity, and its memory policy
(set_mempolicy(2)). Memory prefers the node, and comes from another one where it is full.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from watari.machine import cpus as cpus_of
from watari.machine.visible import visible

DEFAULT, PREFERRED = 0, 1  # MPOL_DEFAULT, MPOL_PREFERRED
NODES = 1024  # bits of a memory policy
NUMBERS = {  # of system calls
    "x86_64": {"set_mempolicy": 238, "get_mempolicy": 239},
    "aarch64": {"get_mempolicy": 236, "set_mempolicy": 237},
}
# set by launchers: the number of a rank among those of its host
LOCAL_RANKS = (
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "SLURM_LOCALID",
    "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
)


def read(path: str) -> str:
    """The content of a file of the kernel; empty where there is none."""
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def cpus(root: str) -> dict[int, set[int]]:
    """The CPUs of each node that has some."""
    folder = f"{root}/sys/devices/system/node"
    nodes = cpus_of.numbers(read(f"{folder}/online"))
    lists = {node: cpus_of.numbers(read(f"{folder}/node{node}/cpulist")) for node in nodes}
    return {node: of for node, of in lists.items() if of}


def gpus(root: str) -> list[tuple[str, int]]:
    """UUID and node of each GPU, in the order of the PCI bus, as CUDA numbers equal GPUs."""
    folder = f"{root}/proc/driver/nvidia/gpus"
    try:
        addresses = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for address in addresses:
        facts = dict(
            line.split(":", 1)
            for line in read(f"{folder}/{address}/information").splitlines()
            if ":" in line
        )
        node = read(f"{root}/sys/bus/pci/devices/{address.lower()}/numa_node")
        found.append((facts.get("GPU UUID", "").strip(), int(node or -1)))
    return found


def node_of_gpu(root: str, environment: dict[str, str]) -> tuple[int, str]:
    """The node next to the GPU of this process; -1 and the reason where none can be chosen."""
    if len(cpus(root)) < 2:
        return -1, "this machine has one NUMA node"
    found = gpus(root)
    seen = visible([uuid for uuid, _ in found], environment.get("CUDA_VISIBLE_DEVICES"))
    nodes = [found[number][1] for number in seen]
    if not nodes:
        return -1, "no GPU is visible here"
    if len(set(nodes)) > 1:
        rank = next((environment[name] for name in LOCAL_RANKS if name in environment), "")
        if not rank.isdigit():
            return -1, "its GPUs are next to several NUMA nodes: set CUDA_VISIBLE_DEVICES"
        nodes = [nodes[int(rank) % len(nodes)]]
    if nodes[0] not in cpus(root):
        return -1, "the system does not say which NUMA node is next to the GPU"
    return nodes[0], ""


def memory_policy() -> tuple[int, int]:
    """The memory policy of this process: its mode, and a bit for each of its nodes."""
    import ctypes

    mode, nodes = ctypes.c_int(DEFAULT), ctypes.create_string_buffer(NODES // 8)
    call("get_mempolicy", ctypes.byref(mode), nodes, NODES, None, 0)
    return mode.value, int.from_bytes(nodes.raw, "little")


def set_memory_policy(mode: int, nodes: int) -> str:
    """Gives this process a memory policy; the reason where it cannot."""
    error = call("set_mempolicy", mode, nodes.to_bytes(NODES // 8, "little"), NODES)
    return f"the memory policy is refused: {os.strerror(error)}" if error else ""


def call(name: str, *arguments: object) -> int:
    """A system call of NUMBERS; its errno, 0 where it succeeds."""
    import ctypes  # takes as long as all the rest

    numbers = NUMBERS.get(os.uname().machine)
    if numbers is None:
        return errno.ENOSYS
    done = ctypes.CDLL(None, use_errno=True).syscall(numbers[name], *arguments)
    return ctypes.get_errno() if done else 0


def move(root: str = "") -> str:
    """Moves this process next to its GPU. The reason where it stays as it is.

    It stays within the launcher's CPUs. A memory policy that was set before is kept if it has the
    node, or leaves each page to the node of its CPU; one with other nodes is a reason to stay."""
    node, reason = node_of_gpu(root, dict(os.environ))
    if reason:
        return reason
    allowed = cpus(root)[node] & cpus_of.allowed()
    if not allowed:
        return f"no CPU of NUMA node {node}, next to the GPU, is allowed here"
    mode, nodes = memory_policy()
    if nodes and not nodes >> node & 1:
        return f"the memory policy of this process leaves out NUMA node {node}, next to the GPU"
    if mode == DEFAULT and (reason := set_memory_policy(PREFERRED, 1 << node)):
        return reason
    cpus_of.allow(allowed)
    return ""


@contextmanager
def moved(root: str = "") -> Iterator[str]:
    """This process next to its GPU for a while, so that the programs that it starts are there, too;
    yields the reason where it stays as it is."""
    before, policy = cpus_of.allowed(), memory_policy()
    reason = move(root)
    try:
        yield reason
    finally:
        if not reason:
            cpus_of.allow(before)
            set_memory_policy(*policy)
