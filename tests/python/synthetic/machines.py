"""Made-up machines."""

from __future__ import annotations

from typing import Any

from synthetic.trials import GIB


def cpu_machine() -> dict[str, Any]:
    """A machine without a GPU."""
    return {
        "name": "epyc-2core",
        "hosts": ["node0"],
        "architecture": "x86_64",
        "processors": [
            {
                "id": "cpu",
                "kind": "cpu",
                "name": "AMD EPYC 7R13",
                "packages": 1,
                "cores": 2,
                "threads": 2,
                "numa_nodes": [{"node": 0, "cpus": [0, 1], "bytes": 24 * GIB}],
                "caches": [{"level": 3, "kind": "unified", "bytes": 32 * 2**20, "count": 1}],
            }
        ],
        "memories": [
            memory("pageable", True, "nothing"),
            *(
                memory(kind, False, "a GPU", "no GPU driver")
                for kind in ("pinned", "device", "managed", "system")
            ),
            memory("file", True, "a file system"),
        ],
        "links": [],
        "capabilities": [
            {"name": "gpu-driver", "available": False, "reason": "no GPU driver", "detail": None},
            {"name": "io_uring", "available": True, "reason": None, "detail": "6.1"},
        ],
        "memory_bytes": 24 * GIB,
        "memory_available_bytes": 20 * GIB,
        "virtual_machine": True,
        "driver": None,
        "cuda": None,
        "kernel": "6.1.0-26-amd64",
        "page_size": 4096,
        "thp": {"enabled": "madvise", "defrag": "madvise"},
        "numa_balancing": 0,
        "uvm": {},
    }


def gpu_machine() -> dict[str, Any]:
    """An x86 machine with an H200, without HMM."""
    gpu = {
        "id": "gpu:0",
        "kind": "gpu",
        "name": "NVIDIA H200",
        "compute_capability": "9.0",
        "multiprocessors": 132,
        "l2_bytes": 50 * 2**20,
        "memory_bytes": 150_754_820_096,
        "memory_bandwidth": 4.8e12,
        "pci_bus_id": "0000:18:00.0",
        "numa_node": 0,
        "attributes": {
            "pageableMemoryAccess": 0,
            "pageableMemoryAccessUsesHostPageTables": 0,
            "concurrentManagedAccess": 1,
            "directManagedMemAccessFromHost": 0,
            "hostNativeAtomicSupported": 0,
        },
    }
    no_hmm = "pageableMemoryAccess is 0: the kernel lacks CONFIG_DEVICE_PRIVATE"
    machine = cpu_machine()
    machine["processors"][0] |= {"name": "Intel Xeon Platinum 8468", "cores": 16, "threads": 16}
    machine["processors"].append(gpu)
    return machine | {
        "name": "h200-x86",
        "memories": [
            memory("pageable", True, "nothing"),
            *(memory(kind, True, "a GPU") for kind in ("pinned", "device", "managed")),
            memory("system", False, "pageableMemoryAccess", no_hmm),
            memory("file", True, "a file system"),
        ],
        "links": [link("cpu", "gpu:0"), link("gpu:0", "cpu")],
        "capabilities": [
            {"name": "gpu-driver", "available": True, "reason": None, "detail": "580.95"},
            {"name": "cufile", "available": False, "reason": "no libcufile.so", "detail": None},
        ],
        "memory_bytes": 256 * GIB,
        "memory_available_bytes": 240 * GIB,
        "driver": "580.95.05",
        "cuda": {"driver": "13.0", "runtime": "13.0"},
        "uvm": {"uvm_perf_access_counter_threshold": "256"},
    }


def memory(kind: str, supported: bool, needs: str, reason: str | None = None) -> dict[str, Any]:
    """A row of the memories of a machine."""
    row = {"kind": kind, "supported": supported, "needs": needs, "reason": reason}
    return row | {"route": None}


def link(start: str, end: str) -> dict[str, Any]:
    """PCIe Gen5 x16 in one direction."""
    row = {"from": start, "to": end, "kind": "pcie", "generation": 5, "width": 16}
    return row | {"links": None, "bandwidth": 63.0e9}
