"""Links and state of the GPUs by nvidia-ml-py: PCIe as slot and GPU allow it together, NVLink, C2C.

NVML is asked only about the machine that it runs on, and changes no setting.
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

from watari.machine.visible import visible

# NVML numbers the versions of NVLink from 1 on: 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0.
NVLINK_GENERATION = {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 5}

# The member of a field value's union that holds it, by valueType.
MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal")

SWITCH = "switch"

# Why clocks are held down (nvmlClocksEventReasons); an idle GPU is left out.
REASONS = {
    0x004: "power-cap",
    0x008: "hardware-slowdown",
    0x010: "sync-boost",
    0x020: "thermal",
    0x040: "hardware-thermal",
    0x080: "hardware-power-brake",
    0x002: "application-clocks",
}
CLOCK_SM, CLOCK_MEMORY = 1, 2  # nvmlClockType_t


def read(bus_ids: list[str], library: Any = None) -> dict[str, Any]:
    """{reason, driver, gpus: {bus id: {pcie_generation, pcie_width, c2c, nvlink, state}}}.

    c2c is {links, bandwidth} and nvlink {generation, bandwidth, to: {bus id or `switch`: links}},
    bandwidth in B/s per direction, of one link for nvlink and of all for c2c; both may be None.
    """
    try:
        nvml = library or importlib.import_module("pynvml")
    except ImportError:
        return {"reason": "nvidia-ml-py is not installed", "driver": None, "gpus": {}}
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return {"reason": f"NVML: {error}", "driver": None, "gpus": {}}
    try:
        reader = Reader(nvml)
        return {
            "reason": None,
            "driver": text(reader.ask("nvmlSystemGetDriverVersion")),
            "gpus": {bus_id: reader.gpu(bus_id) for bus_id in bus_ids},
        }
    finally:
        nvml.nvmlShutdown()


def computing(library: Any = None) -> list[int]:
    """Processes that compute on each GPU that this process can see, without this one; those of all
    GPUs where it sees a part of one (MIG). Empty without NVML."""
    try:
        nvml = library or importlib.import_module("pynvml")
        nvml.nvmlInit()
    except ImportError:
        return []
    except nvml.NVMLError:
        return []
    try:
        reader = Reader(nvml)
        count = reader.ask("nvmlDeviceGetCount") or 0
        handles = [reader.ask("nvmlDeviceGetHandleByIndex", index) for index in range(count)]
        uuids = [text(reader.ask("nvmlDeviceGetUUID", handle)) or "" for handle in handles]
        words = os.environ.get("CUDA_VISIBLE_DEVICES")
        seen = visible(uuids, None if words and "MIG-" in words else words)
        return [reader.processes(handles[number]) or 0 for number in seen]
    finally:
        nvml.nvmlShutdown()


def text(value: Any) -> str | None:
    return value.decode() if isinstance(value, bytes) else value


class Reader:
    """Queries NVML; a value that a GPU or an older library does not report is None."""

    def __init__(self, nvml: Any) -> None:
        self.nvml = nvml

    def ask(self, function: str, *arguments: Any) -> Any:
        call: Callable[..., Any] | None = getattr(self.nvml, function, None)
        try:
            return call(*arguments) if call else None
        except self.nvml.NVMLError:
            return None

    def field(self, handle: Any, name: str) -> float | None:
        values = self.ask("nvmlDeviceGetFieldValues", handle, [getattr(self.nvml, name, 0)])
        if not values or values[0].nvmlReturn != 0:
            return None
        return float(getattr(values[0].value, MEMBERS[values[0].valueType]))

    def gpu(self, bus_id: str) -> dict[str, Any]:
        handle = self.ask("nvmlDeviceGetHandleByPciBusId", bus_id)
        if handle is None:
            unknown = ("pcie_generation", "pcie_width", "c2c", "nvlink", "state")
            return dict.fromkeys(unknown)
        return {
            "pcie_generation": self.ask("nvmlDeviceGetMaxPcieLinkGeneration", handle),
            # The width that was trained; unlike the speed it does not fall when the GPU idles.
            "pcie_width": self.ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
            "c2c": self.c2c(handle),
            "nvlink": self.nvlink(handle),
            "state": self.state(handle),
        }

    def state(self, handle: Any) -> dict[str, Any]:
        """Conditions that may make the GPU slower than its data sheet (record.GpuState)."""
        ecc = self.ask("nvmlDeviceGetEccMode", handle)
        reasons = self.ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
        if reasons is None:
            reasons = self.ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
        return {
            "link_generation": self.ask("nvmlDeviceGetCurrPcieLinkGeneration", handle),
            "link_generation_most": self.ask("nvmlDeviceGetMaxPcieLinkGeneration", handle),
            "gpu_generation_most": self.ask("nvmlDeviceGetGpuMaxPcieLinkGeneration", handle),
            "link_width": self.ask("nvmlDeviceGetCurrPcieLinkWidth", handle),
            "link_width_most": self.ask("nvmlDeviceGetMaxPcieLinkWidth", handle),
            "memory_clock": self.ask("nvmlDeviceGetClockInfo", handle, CLOCK_MEMORY),
            "memory_clock_most": self.ask("nvmlDeviceGetMaxClockInfo", handle, CLOCK_MEMORY),
            "memory_width": self.ask("nvmlDeviceGetMemoryBusWidth", handle),
            "sm_clock": self.ask("nvmlDeviceGetClockInfo", handle, CLOCK_SM),
            "sm_clock_most": self.ask("nvmlDeviceGetMaxClockInfo", handle, CLOCK_SM),
            "ecc": bool(ecc[0]) if ecc else None,
            "power_limit": self.watts("nvmlDeviceGetPowerManagementLimit", handle),
            "power_limit_default": self.watts("nvmlDeviceGetPowerManagementDefaultLimit", handle),
            "slowed_by": [name for bit, name in REASONS.items() if (reasons or 0) & bit],
            "processes": self.processes(handle),
        }

    def watts(self, function: str, handle: Any) -> float | None:
        """A power that NVML reports in mW."""
        milliwatts = self.ask(function, handle)
        return None if milliwatts is None else milliwatts / 1000

    def processes(self, handle: Any) -> int | None:
        """Processes that compute on the GPU, without this one."""
        running = self.ask("nvmlDeviceGetComputeRunningProcesses", handle)
        return None if running is None else sum(p.pid != os.getpid() for p in running)

    def c2c(self, handle: Any) -> dict[str, Any] | None:
        mode = self.ask("nvmlDeviceGetC2cModeInfoV", handle)
        if mode is None or not mode.isC2cEnabled:
            return None
        links = self.field(handle, "NVML_FI_DEV_C2C_LINK_COUNT")
        megabytes = self.field(handle, "NVML_FI_DEV_C2C_LINK_GET_MAX_BW")  # of one link
        return {
            "links": int(links) if links else None,
            "bandwidth": links * megabytes * 1e6 if links and megabytes else None,
        }

    def nvlink(self, handle: Any) -> dict[str, Any] | None:
        active = [
            link
            for link in range(getattr(self.nvml, "NVML_NVLINK_MAX_LINKS", 18))
            if self.ask("nvmlDeviceGetNvLinkState", handle, link) == 1
        ]
        if not active:
            return None
        megabytes = self.field(handle, "NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON")
        version = self.ask("nvmlDeviceGetNvLinkVersion", handle, active[0])
        return {
            "generation": NVLINK_GENERATION.get(version),
            "bandwidth": megabytes * 1e6 if megabytes else None,
            "to": dict(Counter(self.remote(handle, link) for link in active)),
        }

    def remote(self, handle: Any, link: int) -> str:
        """The GPU at the other end by its bus id as sysfs writes it, or `switch`."""
        kind = self.ask("nvmlDeviceGetNvLinkRemoteDeviceType", handle, link)
        pci = self.ask("nvmlDeviceGetNvLinkRemotePciInfo", handle, link)
        gpu_type = getattr(self.nvml, "NVML_NVLINK_DEVICE_TYPE_GPU", 0)
        if kind not in (gpu_type, None) or pci is None:
            return SWITCH
        return (text(pci.busId) or "").lower()[-len("0000:00:00.0") :]
