"""NVML's report of a GPU's clocks, power and links."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from watari.machine.probe import nvml


class FakeNvml:
    """The part of pynvml in use, for a GPU with C2C and two links to another GPU."""

    NVMLError = type("NVMLError", (Exception,), {})
    NVML_NVLINK_MAX_LINKS = 4
    NVML_FI_DEV_C2C_LINK_COUNT = 170
    NVML_FI_DEV_C2C_LINK_GET_MAX_BW = 172
    NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON = 90
    VALUES = {170: 10, 172: 44712, 90: 26562}  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        answers = {
            "nvmlInit": None,
            "nvmlShutdown": None,
            "nvmlSystemGetDriverVersion": b"580.65.06",
            "nvmlDeviceGetHandleByPciBusId": "handle",
            "nvmlDeviceGetMaxPcieLinkGeneration": 5,
            "nvmlDeviceGetC2cModeInfoV": SimpleNamespace(isC2cEnabled=1),
            "nvmlDeviceGetNvLinkVersion": 6,
            "nvmlDeviceGetNvLinkRemoteDeviceType": 0,
            "nvmlDeviceGetNvLinkRemotePciInfo": SimpleNamespace(busId=b"00000009:01:00.0"),
        }
        if name not in answers:
            raise AttributeError(name)
        return lambda *arguments: answers[name]

    def nvmlDeviceGetNvLinkState(self, handle: str, link: int) -> int:  # noqa: N802
        if link > 2:
            raise self.NVMLError
        return int(link < 2)

    def nvmlDeviceGetFieldValues(self, handle: str, ids: list[int]) -> list[Any]:  # noqa: N802
        value = SimpleNamespace(uiVal=self.VALUES[ids[0]])
        return [SimpleNamespace(nvmlReturn=0, valueType=1, value=value)]


def test_nvml_reports_the_processes_on_each_visible_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    class Busy(FakeNvml):
        def __getattr__(self, name: str) -> Any:
            answers = {
                "nvmlDeviceGetCount": lambda: 2,
                "nvmlDeviceGetHandleByIndex": lambda index: index,
                "nvmlDeviceGetUUID": "GPU-a{}".format,
                "nvmlDeviceGetComputeRunningProcesses": lambda handle: (
                    [SimpleNamespace(pid=1)] * handle
                ),
            }
            return answers[name] if name in answers else super().__getattr__(name)

    seen = {None: [0, 1], "1": [1], "GPU-a0": [0], "1,0,1": [1, 0], "": [], "\u00b2": []}
    seen["MIG-1"] = [0, 1]
    for words, processes in seen.items():
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        if words is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", words)
        assert nvml.computing(Busy()) == processes


def test_nvml_reports_the_state_of_a_gpu() -> None:
    class Slowed(FakeNvml):
        def __getattr__(self, name: str) -> Any:
            answers = {
                "nvmlDeviceGetCurrPcieLinkWidth": 8,
                "nvmlDeviceGetMaxPcieLinkWidth": 16,
                "nvmlDeviceGetPowerManagementLimit": 350_000,
                "nvmlDeviceGetEccMode": [1, 1],
                "nvmlDeviceGetCurrentClocksThrottleReasons": 0x25,
                "nvmlDeviceGetComputeRunningProcesses": [SimpleNamespace(pid=1)],
            }
            if name in answers:
                return lambda *arguments: answers[name]
            return super().__getattr__(name)

    state = nvml.read(["0009:06:00.0"], Slowed())["gpus"]["0009:06:00.0"]["state"]
    assert (state["link_width"], state["link_width_most"]) == (8, 16)
    assert (state["power_limit"], state["power_limit_default"]) == (350.0, None)
    assert state["slowed_by"] == ["power-cap", "thermal"]  # idling, bit 0, is no reason
    assert (state["ecc"], state["processes"]) == (True, 1)


def test_nvml_reports_links() -> None:
    reported = nvml.read(["0009:06:00.0"], FakeNvml())
    assert reported["driver"] == "580.65.06"
    gpu = reported["gpus"]["0009:06:00.0"]
    assert gpu["c2c"] == {"links": 10, "bandwidth": pytest.approx(447.12e9)}
    assert gpu["nvlink"]["to"] == {"0009:01:00.0": 2}
    assert gpu["nvlink"]["generation"] == 4
    assert (gpu["pcie_generation"], gpu["pcie_width"]) == (5, None)
