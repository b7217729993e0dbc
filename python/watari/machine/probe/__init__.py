"""`watari probe`: the parts of this machine, and why others are missing.

`machine()` gathers them from the compiled module (topology, GPUs, capabilities), from /proc and
/sys (`system`), and from NVML where it is available (`nvml`); `memories` judges the kinds of memory
and `links` the links between processors. The result has the shape of
`watari.machine.record.Machine`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from watari import _native
from watari.common.errors import UnsupportedError
from watari.common.files import PACKAGE
from watari.machine import cupti, openblas
from watari.machine.probe import host, links, memories, nvml, system
from watari.machine.probe.attributes import attribute
from watari.machine.probe.system import System
from watari.machine.probe.tables import render

__all__ = ["machine", "render"]


def machine(
    root: str | Path = "/",
    gpus: dict[str, Any] | None = None,
    topology: dict[str, Any] | None = None,
    capabilities: list[dict[str, Any]] | None = None,
    reported_links: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """This machine; or another one, whose files lie below `root`, with the values that the compiled
    module (`gpus`, `topology`, `capabilities`) and NVML (`reported_links`, see nvml.read) report.
    """
    files = System(Path(root))
    if gpus is None or topology is None or capabilities is None:
        gpus = _native.gpus() if gpus is None else gpus
        topology = _native.topology() if topology is None else topology
        capabilities = (
            _native.capabilities(openblas.folder()) if capabilities is None else capabilities
        )
    reported = reported_links or ask_nvml(files, [gpu["pci_bus_id"] for gpu in gpus["gpus"]])
    return assemble(files, gpus, topology, capabilities, reported)


def ask_nvml(files: System, bus_ids: list[str]) -> dict[str, Any]:
    if not files.is_this_machine:
        return {"reason": "not this machine", "driver": None, "gpus": {}}
    return nvml.read(bus_ids)


def assemble(
    files: System,
    gpus: dict[str, Any],
    topology: dict[str, Any],
    capabilities: list[dict[str, Any]],
    reported: dict[str, Any],
) -> dict[str, Any]:
    devices: list[dict[str, Any]] = gpus["gpus"]
    driver = system.driver(files) or reported["driver"]
    total, available = system.memory(
        files, [n for g in devices if (n := memory_node(g)) is not None]
    )
    processors = [
        cpu(files, topology),
        *(
            {"id": f"gpu:{i}", "kind": "gpu", **gpu, "state": state(gpu, reported, files)}
            for i, gpu in enumerate(devices)
        ),
    ]
    return {
        "name": slug(processors, topology["architecture"]),
        "hosts": [files.text("proc/sys/kernel/hostname") or "unknown"],
        "architecture": topology["architecture"],
        "processors": processors,
        "memories": memories.memories(devices, gpus["reason"], files),
        "links": links.links(devices, gpus["peers"], reported["gpus"], files),
        "capabilities": [*capabilities, *gpu_capabilities(files, driver, reported["reason"])],
        "memory_bytes": total,
        "memory_available_bytes": available,
        "virtual_machine": system.virtual_machine(files),
        "driver": driver,
        "cuda": cuda(gpus),
        "kernel": system.kernel(files),
        "page_size": system.page_size(files),
        "thp": system.transparent_huge_pages(files),
        "numa_balancing": files.number("proc/sys/kernel/numa_balancing"),
        "uvm": system.uvm(files),
        "state": host.state(files),
    }


def state(gpu: dict[str, Any], reported: dict[str, Any], files: System) -> dict[str, Any] | None:
    """The state of a GPU as NVML reports it, and its link as the kernel does; None without both.

    NVML has the most lanes that slot and GPU have together, the kernel those of the GPU alone.
    """
    bus_id = gpu["pci_bus_id"]
    known = reported["gpus"].get(bus_id, {}).get("state") or {}
    link = links.pcie_state(bus_id, files)
    merged = known | {key: value for key, value in link.items() if known.get(key) is None}
    lanes = [most for s in (link, known) if (most := s.get("link_width_most"))]
    return merged | ({"link_width_most": max(lanes)} if lanes else {}) or None


def cpu(files: System, topology: dict[str, Any]) -> dict[str, Any]:
    described = {key: value for key, value in topology.items() if key != "architecture"}
    return {
        "id": "cpu",
        "kind": "cpu",
        **described,
        "name": system.cpu_name(files, topology["name"]),
    }


def memory_node(gpu: dict[str, Any]) -> int | None:
    """The NUMA node of the GPU's own memory; None on machines where it is not a node."""
    return attribute(gpu, "numaId") if attribute(gpu, "numaConfig") == 1 else None


def cuda(gpus: dict[str, Any]) -> dict[str, str | None] | None:
    """{driver, runtime} as `13.0`, from CUDA's 13000; None in a build without CUDA."""
    if gpus["driver"] is None and gpus["runtime"] is None:
        return None
    return {
        end: f"{gpus[end] // 1000}.{gpus[end] % 1000 // 10}" if gpus[end] else None
        for end in ("driver", "runtime")
    }


def gpu_capabilities(
    files: System, driver: str | None, nvml_reason: str | None
) -> list[dict[str, Any]]:
    flavour = {True: "open kernel module", False: "proprietary kernel module", None: None}
    detail = ", ".join(filter(None, [driver, flavour[system.open_module(files)]]))
    without = f"{nvml_reason}: NVLink is not known" if nvml_reason else None
    rows = [
        ("gpu-driver", None if driver else "no kernel module of a GPU driver is loaded", detail),
        ("nvml", without, None),
        ("trace", *tracing()),
    ]
    return [
        {"name": name, "available": reason is None, "reason": reason, "detail": detail or None}
        for name, reason, detail in rows
    ]


def tracing() -> tuple[str | None, str | None]:
    """Why `watari trace` cannot work, or None; and the CUPTI that it uses, or None."""
    if not (PACKAGE / "libwatari_injected.so").is_file():
        return "this build has no injected library: CUPTI's headers were missing", None
    try:
        return None, str(cupti.find())
    except UnsupportedError as error:
        return str(error), None


def slug(processors: list[dict[str, Any]], architecture: str) -> str:
    """A name for result files that stays the same for a machine: `nvidia-h200-x86_64`,
    `2-core-amd-epyc-x86_64`. The host name is not in it.
    """
    gpus = [p["name"] for p in processors if p["kind"] == "gpu"]
    if gpus:
        count = f"{len(gpus)}x " if len(gpus) > 1 else ""
        words = f"{count}{gpus[0]}"
    else:
        words = f"{processors[0]['cores']}-core {processors[0]['name']}"
    words = re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b|@.*", " ", words, flags=re.IGNORECASE)
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") + f"-{architecture}"
