"""The record of a machine in a result file; `watari.machine.probe` fills it in.

Every count of bytes is in bytes, every bandwidth in bytes per second, theoretical.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from watari.machine.cpus import numbers

Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Bandwidth = Annotated[float, Field(gt=0, le=1e18)]


class Record(BaseModel):
    """A part of a result file: no unknown key, no guessed type, no NaN or infinity."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        populate_by_name=True,
        defer_build=True,  # most commands need few of the records
    )


def checked_cpus(ranges: str | list[int]) -> str | list[int]:
    """The same CPUs. Raises an error of pydantic unless they are a list of CPUs."""
    try:
        numbers(ranges)
    except ValueError as error:
        raise PydanticCustomError("cpus", "{why}", {"why": str(error)}) from None
    return ranges


class NumaNode(Record):
    """A NUMA node with memory or CPUs."""

    node: Count = Field(description="number that the kernel gives it")
    cpus: Annotated[list[int] | str, AfterValidator(checked_cpus)] = Field(
        description="hardware threads on it, by number or as '0-71'"
    )
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


class GpuState(Record):
    """What may make a GPU slower than its data sheet, when the run began; null: not reported."""

    link_generation: int | None = Field(
        default=None, description="PCIe generation now; it falls when the GPU idles"
    )
    link_generation_most: int | None = Field(
        default=None, description="PCIe generation that slot and GPU allow together"
    )
    gpu_generation_most: int | None = Field(
        default=None, description="PCIe generation that the GPU alone allows"
    )
    link_width: int | None = Field(default=None, description="PCIe lanes in use")
    link_width_most: int | None = Field(default=None, description="PCIe lanes of the GPU")
    memory_clock: int | None = Field(default=None, description="MHz, now")
    memory_clock_most: int | None = Field(default=None, description="MHz")
    memory_width: int | None = Field(default=None, description="bits of the memory bus")
    sm_clock: int | None = Field(default=None, description="MHz, now")
    sm_clock_most: int | None = Field(default=None, description="MHz")
    ecc: bool | None = Field(default=None, description="error correction of its memory is on")
    power_limit: float | None = Field(default=None, description="W, as it is set")
    power_limit_default: float | None = Field(default=None, description="W")
    slowed_by: list[str] = Field(
        default=[], description="why its clocks are held down: power-cap, thermal, ..."
    )
    processes: int | None = Field(default=None, description="other processes that compute on it")


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
    state: GpuState | None = Field(
        default=None, description="null: neither NVML nor the kernel reports it"
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
        description="mpi, cuda-aware-mpi, cufile, io_uring, s3, openblas, cublas, hwloc, nvml, "
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


class HostState(Record):
    """What may make a host slower than its parts, when the run began; null: not reported."""

    governor: str | None = Field(default=None, description="of the CPU's frequency: performance")
    cpu_khz_limit: int | None = Field(default=None, description="highest frequency allowed, kHz")
    cpu_khz_most: int | None = Field(default=None, description="highest frequency it has, kHz")
    turbo: bool | None = Field(default=None, description="frequencies above the nominal are on")
    iommu: str | None = Field(
        default=None, description="off, identity (addresses as they are) or translated"
    )
    cgroup_cpus: float | None = Field(default=None, description="CPUs that the cgroup allows")
    cgroup_memory: Count | None = Field(default=None, description="bytes that it allows")
    allowed_cpus: Annotated[str, AfterValidator(checked_cpus)] | None = Field(
        default=None, description="CPUs that the run may use: 0-15"
    )
    allowed_cores: Count | None = Field(default=None, description="cores that these are of")
    load: float | None = Field(default=None, description="processes that ran in the last minute")
    numa_distances: dict[str, list[int]] = Field(
        default={}, description="by node, to every node, as firmware reports it: 10 is local"
    )
    pci_gpus: Count | None = Field(
        default=None, description="NVIDIA GPUs on the PCI bus, whether a driver has them or not"
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
    state: HostState | None = Field(default=None, description="null: of an older version")
    others: list[Machine] = Field(
        default=[],
        description="hosts of the run that are not as this one, which is rank 0's: a record for "
        "each group of equal ones, `hosts` has their names",
    )
    undescribed: list[str] = Field(
        default=[], description="hosts of the run that gave no record of themselves"
    )

    @field_validator("processors")
    @classmethod
    def begins_with_the_cpu(cls, processors: list[Processor]) -> list[Processor]:
        """Checks that the CPU comes first and once: the defaults of axes need it."""
        if [p.kind for p in processors[:1]] != ["cpu"] or sum(
            p.kind == "cpu" for p in processors
        ) > 1:
            raise PydanticCustomError("processors", "must begin with the CPU, and have one")
        return processors
