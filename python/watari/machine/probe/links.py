"""Links between processors: PCIe, NVLink, NVLink-C2C, with theoretical bandwidth per direction."""

from __future__ import annotations

import re
from typing import Any

from watari.machine.probe import nvml
from watari.machine.probe.attributes import attribute
from watari.machine.probe.system import System

# GT/s per lane, and the share that the encoding leaves: 8b/10b, 128b/130b, 242B/256B.
PCIE = {
    1: (2.5, 8 / 10),
    2: (5.0, 8 / 10),
    3: (8.0, 128 / 130),
    4: (16.0, 128 / 130),
    5: (32.0, 128 / 130),
    6: (64.0, 242 / 256),
}

# NVIDIA's figure for Grace Hopper, for machines without NVML.
GRACE_HOPPER_C2C = 450e9

Link = dict[str, Any]


def link(source: str, destination: str, kind: str, **known: Any) -> Link:
    empty = {"generation": None, "width": None, "links": None, "bandwidth": None}
    return {"from": source, "to": destination, "kind": kind, **empty, **known}


def links(
    gpus: list[dict[str, Any]], peers: list[list[bool]], reported: dict[str, Any], system: System
) -> list[Link]:
    """CPU to each GPU, then GPU to GPU. `reported`: facts from NVML, by bus id."""
    rows = [cpu_link(index, gpu, reported, system) for index, gpu in enumerate(gpus)]
    for one in range(len(gpus)):
        for other in range(one + 1, len(gpus)):
            if peers[one][other]:
                rows += gpu_links(one, other, gpus, reported)
    return rows


def cpu_link(index: int, gpu: dict[str, Any], reported: dict[str, Any], system: System) -> Link:
    known = reported.get(gpu["pci_bus_id"], {})
    ends = ("cpu", f"gpu:{index}")
    if known.get("c2c"):
        return link(*ends, "c2c", **known["c2c"])
    if attribute(gpu, "pageableMemoryAccessUsesHostPageTables"):
        hopper = gpu["compute_capability"].startswith("9.")
        return link(*ends, "c2c", bandwidth=GRACE_HOPPER_C2C if hopper else None)
    generation = known.get("pcie_generation") or pcie_generation(gpu["pci_bus_id"], system)
    width = known.get("pcie_width") or pcie_width(gpu["pci_bus_id"], system)
    bandwidth = pcie_bandwidth(generation, width)
    return link(*ends, "pcie", generation=generation, width=width, bandwidth=bandwidth)


def gpu_links(
    one: int, other: int, gpus: list[dict[str, Any]], reported: dict[str, Any]
) -> list[Link]:
    """NVLink between two GPUs, direct or through a switch; nothing where it is not known."""
    nvlink = reported.get(gpus[one]["pci_bus_id"], {}).get("nvlink")
    if not nvlink:
        return []
    count = nvlink["to"].get(gpus[other]["pci_bus_id"]) or nvlink["to"].get(nvml.SWITCH)
    if not count:
        return []
    bandwidth = nvlink["bandwidth"] * count if nvlink["bandwidth"] else None
    known = {"generation": nvlink["generation"], "links": count, "bandwidth": bandwidth}
    return [link(f"gpu:{one}", f"gpu:{other}", "nvlink", **known)]


def pcie_state(bus_id: str, system: System) -> dict[str, int]:
    """The part of record.GpuState that the kernel reports."""
    device = f"sys/bus/pci/devices/{bus_id}"
    found = {
        "link_generation": generation(system.text(f"{device}/current_link_speed")),
        "link_generation_most": pcie_generation(bus_id, system),
        "gpu_generation_most": generation(system.text(f"{device}/max_link_speed")),
        "link_width": lanes(device, "current_link_width", system),
        "link_width_most": lanes(device, "max_link_width", system),
    }
    return {key: value for key, value in found.items() if value}


def pcie_generation(bus_id: str, system: System) -> int | None:
    """The highest generation that GPU and slot allow. The current one falls when the GPU idles."""
    device = f"sys/bus/pci/devices/{bus_id}"
    port = (system.root / device).resolve().parent
    files = (f"{device}/max_link_speed", str(port / "max_link_speed"))
    known = [found for file in files if (found := generation(system.text(file)))]
    return min(known, default=None)


def generation(text: str | None) -> int | None:
    """The generation with a speed as the kernel writes it."""
    speeds = {speed: generation for generation, (speed, _) in PCIE.items()}
    return speeds.get(rate(text) or 0.0)


def rate(text: str | None) -> float | None:
    """`32.0 GT/s PCIe` -> 32.0; virtual machines may report `Unknown`."""
    match = re.match(r"([\d.]+) GT/s", text or "")
    return float(match.group(1)) if match else None


def pcie_width(bus_id: str, system: System) -> int | None:
    """Lanes in use; those of the GPU where these are unknown."""
    device = f"sys/bus/pci/devices/{bus_id}"
    return lanes(device, "current_link_width", system) or lanes(device, "max_link_width", system)


def lanes(device: str, file: str, system: System) -> int | None:
    """A number of lanes; 0, 63 and 255 stand for unknown."""
    number = system.number(f"{device}/{file}")
    return number if number in (1, 2, 4, 8, 12, 16, 32) else None


def pcie_bandwidth(generation: int | None, width: int | None) -> float | None:
    """B/s per direction, before packet headers: Gen5 x16 is 63.0e9."""
    if generation not in PCIE or not width:
        return None
    transfers, encoding = PCIE[generation]
    return round(transfers * 1e9 * encoding / 8 * width)
