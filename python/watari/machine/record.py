"""What a machine is, as a result file describes it; `watari.machine.probe` fills these in.

Every count of bytes is in bytes, every bandwidth in bytes per second, theoretical.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Bandwidth = Annotated[float, Field(gt=0, le=1e18)]


class Record(BaseModel):
    """A part of a result file: no unknown key, no guessed type, no NaN or infinity."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, populate_by_name=True
    )


class NumaNode(Record):
    """A NUMA node with memory or CPUs."""

    node: Count = Field(description="number that the kernel gives it")
    cpus: list[int] | str = Field(description="hardware threads on it, by number or as '0-71'")
    bytes: Count = Field(description="memory on it, in bytes")


class Cache(Record):
    """Caches of one level and kind."""

    level: Count = Field(description="1, 2, 3")
    kind: str = Field(description="data, instruction or unified")
    bytes: Count = Field(description="size of one, in bytes")
    count: Count = Field(description="how many of them")


class CpuProcessor(Record):
    """All CPU packages of a host."""

    id: str = Field(description="word on the command line: cpu")
    kind: Literal["cpu"]
    name: str = Field(description="model name")
    packages: Count = Field(description="sockets")
    cores: Count = Field(description="physical cores that may be used")
    threads: Count = Field(description="hardware threads that may be used")
    numa_nodes: list[NumaNode] = []
    caches: list[Cache] = []


class GpuProcessor(Record):
    """One GPU."""

    id: str = Field(description="word on the command line: gpu:0")
    kind: Literal["gpu"]
    name: str = Field(description="product name")
    compute_capability: str = Field(description="9.0")
    multiprocessors: Count = Field(description="streaming multiprocessors")
    l2_bytes: Count = Field(description="L2 cache, in bytes")
    memory_bytes: Count = Field(description="GPU memory, in bytes")
    memory_bandwidth: Bandwidth | None = Field(
        default=None, description="theoretical bandwidth of GPU memory, in B/s"
    )
    pci_bus_id: str | None = None
    numa_node: int | None = Field(default=None, description="nearest CPU node")
    attributes: dict[str, int] = Field(
        default={}, description="CUDA device attributes that say what memory can do"
    )


Processor = Annotated[CpuProcessor | GpuProcessor, Field(discriminator="kind")]


class Memory(Record):
    """A kind of memory, and whether it is here."""

    kind: str = Field(description="pageable, pinned, device, managed, system, file")
    supported: bool
    needs: str = Field(description="what it needs of machine and driver")
    reason: str | None = Field(default=None, description="why it is not supported")
    route: str | None = Field(
        default=None, description="how the GPU reaches pageable memory: ATS or HMM"
    )


class Link(Record):
    """A link between two processors."""

    from_: str = Field(alias="from", description="processor")
    to: str = Field(description="processor")
    kind: str = Field(description="pcie, nvlink, c2c")
    generation: int | None = Field(default=None, description="PCIe or NVLink generation")
    width: int | None = Field(default=None, description="PCIe lanes")
    links: int | None = Field(default=None, description="NVLinks")
    bandwidth: Bandwidth | None = Field(
        default=None, description="theoretical bandwidth in each direction, in B/s"
    )


class Capability(Record):
    """Something optional: a library, a driver, a kernel feature."""

    name: str = Field(
        description="mpi, cuda-aware-mpi, cufile, io_uring, openblas, cublas, hwloc, nvml, "
        "gpu-driver"
    )
    available: bool
    reason: str | None = Field(default=None, description="why it is not available")
    detail: str | None = Field(default=None, description="version, or what was detected")


class TransparentHugePages(Record):
    """Settings in /sys/kernel/mm/transparent_hugepage."""

    enabled: str | None = Field(default=None, description="always, madvise, never")
    defrag: str | None = Field(
        default=None, description="always, defer, defer+madvise, madvise, never"
    )


class CudaVersions(Record):
    """CUDA as the driver and as the runtime have it."""

    driver: str | None = Field(default=None, description="newest CUDA that the driver runs: 13.0")
    runtime: str | None = Field(default=None, description="CUDA runtime in use: 12.8")


class Machine(Record):
    """The machine on which a run measured."""

    name: str = Field(description="slug, begins the result file's name")
    hosts: list[str] = Field(description="host names, by rank")
    architecture: str = Field(description="x86_64, aarch64")
    processors: list[Processor] = Field(description="CPU first, then every GPU")
    memories: list[Memory] = Field(description="one row per kind of memory")
    links: list[Link] = []
    capabilities: list[Capability] = []
    memory_bytes: Count = Field(description="CPU memory, in bytes")
    memory_available_bytes: Count = Field(
        description="CPU memory that could be allocated when the run began, in bytes"
    )
    virtual_machine: bool = Field(default=False, description="runs under a hypervisor")
    driver: str | None = Field(default=None, description="version of the GPU driver")
    cuda: CudaVersions | None = None
    kernel: str = Field(description="uname -r")
    page_size: Count = Field(description="base page, in bytes")
    thp: TransparentHugePages | None = None
    numa_balancing: int | None = Field(default=None, description="kernel.numa_balancing")
    uvm: dict[str, Any] = Field(default={}, description="parameters of nvidia-uvm")

    @field_validator("processors")
    @classmethod
    def begins_with_the_cpu(cls, processors: list[Processor]) -> list[Processor]:
        """What defaults are made for."""
        if [p.kind for p in processors[:1]] != ["cpu"] or sum(
            p.kind == "cpu" for p in processors
        ) > 1:
            raise PydanticCustomError("processors", "must begin with the CPU, and have one")
        return processors
