"""The kinds of memory that this machine supports, and why not the others, in a user's words.

Sources: CUDA's programming guide (unified memory); for HMM the conditions of the open kernel
module, nvidia-uvm/uvm_hmm.c and uvm_linux.h (CONFIG_DEVICE_PRIVATE and migrate_device_range, which
is in Linux from 6.1.24 and 6.2.11 on; uvm_disable_hmm; never on Arm, never together with ATS).
"""

from __future__ import annotations

import re
from typing import Any

from watari.common import library
from watari.machine.probe import system
from watari.machine.probe.attributes import Attribute, attribute
from watari.machine.probe.system import System

Gpu = dict[str, Any]
Judgement = tuple[bool, "str | None", "str | None"]  # supported, reason, route

NEEDS = {kind.name: kind.needs for kind in library.KINDS.values()} | {"file": "a file system"}


def memories(gpus: list[Gpu], absence: str | None, machine: System) -> list[dict[str, Any]]:
    """One row a kind. `absence` is the reason why there are no GPUs."""
    judged: dict[str, Judgement] = dict.fromkeys(NEEDS, (True, None, None))
    if not gpus:
        reason = why_no_gpu(absence, machine)
        of_gpu = [kind.name for kind in library.KINDS.values() if kind.gpu]
        judged |= dict.fromkeys(of_gpu, (False, reason, None))
    else:
        judged["managed"] = managed(gpus)
        judged["system"] = of_system(gpus, machine)
    return [
        {
            "kind": kind,
            "supported": supported,
            "needs": NEEDS[kind],
            "reason": reason,
            "route": route,
        }
        for kind, (supported, reason, route) in judged.items()
    ]


def why_no_gpu(absence: str | None, machine: System) -> str:
    loaded = system.driver(machine)
    if absence == "no GPU driver" and loaded:
        return f"no GPU driver library (libcuda.so.1), though kernel module {loaded} is loaded"
    return absence or "no GPU"


def lacking(gpus: list[Gpu], name: Attribute) -> Gpu | None:
    """The first GPU that does not have an attribute."""
    return next((gpu for gpu in gpus if not attribute(gpu, name)), None)


def managed(gpus: list[Gpu]) -> Judgement:
    gpu = next((gpu for gpu in gpus if attribute(gpu, "managedMemory") == 0), None)
    if gpu:
        return False, f"managedMemory = 0 on {gpu['name']}", None
    gpu = lacking(gpus, "concurrentManagedAccess")
    if gpu:
        caveat = (
            f"concurrentManagedAccess = 0 on {gpu['name']}: memory moves as a whole at each kernel "
            "launch, the CPU may not touch it while the GPU runs, prefetch does nothing"
        )
        return True, caveat, None
    return True, None, None


def of_system(gpus: list[Gpu], machine: System) -> Judgement:
    gpu = lacking(gpus, "pageableMemoryAccess")
    if gpu:
        causes = "; ".join(why_not_pageable(gpu, machine))
        return False, f"pageableMemoryAccess = 0: {causes}", None
    by_host_tables = not lacking(gpus, "pageableMemoryAccessUsesHostPageTables")
    return True, None, "ATS" if by_host_tables else "HMM"


def why_not_pageable(gpu: Gpu, machine: System) -> list[str]:
    """Every known condition of HMM that this machine misses; else the conditions that are
    unknown."""
    release = system.upstream(machine)
    driver = system.driver(machine) or ""
    device_private = system.kernel_option(machine, "CONFIG_DEVICE_PRIVATE")
    parameters = system.uvm(machine)
    # On Arm the parameter is Y by default, which says nothing that a user could change.
    arm = "CPU implementer" in (machine.text("proc/cpuinfo") or "")
    conditions = {
        "the CPU is an Arm one, where the driver offers ATS (Grace) and no HMM": arm,
        f"{gpu['name']} is older than Turing": capability(gpu) < (7, 5),
        f"driver {driver} is older than 535": bool(driver) and version(driver) < (535,),
        "the GPU driver's kernel module is the proprietary one; HMM needs the open one": (
            system.open_module(machine) is False
        ),
        "the kernel lacks CONFIG_DEVICE_PRIVATE": device_private is False,
        f"kernel {release} is older than 6.1.24 (or 6.2.11)": too_old(machine, device_private),
        "HMM is switched off (nvidia-uvm's parameter uvm_disable_hmm = Y)": (
            not arm and parameters.get("uvm_disable_hmm") == "Y"
        ),
    }
    causes = [cause for cause, holds in conditions.items() if holds]
    if causes:
        return causes
    unknown = [] if device_private else ["whether the kernel has CONFIG_DEVICE_PRIVATE"]
    if system.open_module(machine) is None:
        unknown.append("whether the driver's kernel module is the open one")
    return [
        f"not known why; could not be read: {', '.join(unknown)}" if unknown else "not known why"
    ]


def too_old(machine: System, device_private: bool | None) -> bool:
    """Whether the kernel is older than HMM needs. Red Hat backports it to 5.14: such a kernel is
    judged by its number only if its configuration lacks CONFIG_DEVICE_PRIVATE."""
    if re.search(r"\.el\d", system.kernel(machine)) and device_private is not False:
        return False
    number = version(system.upstream(machine))
    return number < (6, 1, 24) or (6, 2) <= number < (6, 2, 11)


def version(text: str) -> tuple[int, ...]:
    """`6.8.0-45-generic` -> (6, 8, 0)."""
    match = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def capability(gpu: Gpu) -> tuple[int, ...]:
    return version(gpu["compute_capability"])
