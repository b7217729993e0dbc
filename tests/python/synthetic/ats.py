"""A simulated machine whose GPU shares the CPU's page tables (ATS), like a GH200.

A GPU's access counters show which pages it reads over the link, and the driver moves those pages.
No page moves back. So the figures and words for such a machine can be tested before there is one.
Its results are marked `simulated`, in the machine's name and in a note of every trial.

Published (facts of the model):
- pages of CPU-touched memory are read over the link until counters say otherwise; a page that the
  GPU touches first is made in GPU memory; no page was seen to move from GPU to CPU (Yoshida 2024);
- a counter's threshold is 256 accesses, for 64 KiB of a region of 2 MiB (NVIDIA's open driver);
- rates: 3.2 TB/s in GPU memory, 410 and 300 GB/s over the link, 310 to 360 GB/s in CPU memory; the
  rise takes 50 to 60 samples at 4 GB (Yoshida 2024).
Assumed (chosen so that the published rise comes out):
- a pass over a part of 64 KiB is 512 accesses of a line of 128 bytes, so every remote part passes
  the threshold in each pass;
- the driver serves a fixed number of notifications a pass, each for one part, in random order.
Left out (published, and not explained there): the lower rate at 8 GB, and dips of single samples.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthetic.machines import gpu_machine, memory
from synthetic.trials import ARRAYS, Generator, case, levels, noisy, trial

THRESHOLD, PART, LINE = 256, 2**16, 128  # accesses, bytes, bytes
HBM, TO_GPU, TO_CPU, DRAM = 3.2e12, 410e9, 300e9, 340e9  # bytes per second
MAP = 16  # parts of each array in the map
SERVED = 1 / 55  # of the parts of 4 GB, in each pass
NOTE = "simulated: migration by access counters, no machine"
Array = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass
class Memory:
    """The parts of one array: whether each lies in GPU memory, and its counter."""

    on_gpu: Array
    counted: np.ndarray[Any, np.dtype[np.int64]]

    @classmethod
    def touched(cls, size: int, by: str) -> Memory:
        """An array whose pages one processor touched first."""
        parts = -(-size // PART)
        return cls(np.full(parts, by == "gpu"), np.zeros(parts, dtype=np.int64))

    @property
    def bytes_on_gpu(self) -> float:
        return float(self.on_gpu.sum()) * PART

    @property
    def bytes_on_cpu(self) -> float:
        return float((~self.on_gpu).sum()) * PART

    @property
    def on_cpu(self) -> float:
        """The part of the array in CPU memory."""
        return float((~self.on_gpu).mean())

    def map(self, several: int) -> list[float]:
        """The same fraction, for each of `several` parts of the array."""
        return [float((~part).mean()) for part in np.array_split(self.on_gpu, several)]


def seconds(processor: str, source: Memory, destination: Memory) -> float:
    """Seconds of destination[i] = source[i]. Memories and ways of the link work in parallel."""
    gpu = source.bytes_on_gpu + destination.bytes_on_gpu
    cpu = source.bytes_on_cpu + destination.bytes_on_cpu
    if processor == "gpu":
        to_gpu, to_cpu = source.bytes_on_cpu, destination.bytes_on_cpu
    else:
        to_gpu, to_cpu = destination.bytes_on_gpu, source.bytes_on_gpu
    return max(gpu / HBM, cpu / DRAM, to_gpu / TO_GPU, to_cpu / TO_CPU)


def count(arrays: list[Memory], rng: Generator, served: int) -> None:
    """A pass of the GPU: remote parts count its accesses; some beyond the threshold move."""
    for array in arrays:
        array.counted[~array.on_gpu] += PART // LINE
    waiting = [np.flatnonzero(array.counted >= THRESHOLD) for array in arrays]
    several = sum(map(len, waiting))
    chosen = np.sort(rng.choice(several, min(served, several), replace=False))
    first = 0
    for array, parts in zip(arrays, waiting, strict=True):
        moved = parts[chosen[(chosen >= first) & (chosen < first + len(parts))] - first]
        array.on_gpu[moved] = True
        array.counted[moved] = 0
        first += len(parts)


def copies(
    rng: Generator, size: int, source: str, destination: str, turns: list[str], samples: int
) -> tuple[list[float], dict[str, list[float]]]:
    """Seconds of every sample, and the part of each array that is left in CPU memory after it."""
    arrays = [Memory.touched(size, source), Memory.touched(size, destination)]
    served = round(SERVED * 4e9 / PART) * 2
    taken: list[float] = []
    left: dict[str, list[float]] = defaultdict(list)
    for processor in turns:
        for _ in range(samples):
            taken.append(seconds(processor, *arrays))
            if processor == "gpu":
                count(arrays, rng, served)
            for name, array in zip(ARRAYS, arrays, strict=True):
                left[f"cpu_mapped_fraction.{name}"].append(array.on_cpu)
                for i, part in enumerate(array.map(MAP)):
                    left[f"cpu_mapped.{name}.{i:03d}"].append(part)
    return taken, left


def ats_machine() -> dict[str, Any]:
    """The machine, by its data sheet."""
    machine = gpu_machine()
    cpu, gpu = machine["processors"]
    cpu |= {"name": "NVIDIA Grace", "cores": 72, "threads": 72}
    gpu |= {"name": "NVIDIA GH200 120GB", "memory_bandwidth": 4e12, "l2_bytes": 60 * 2**20}
    shared = {"pageableMemoryAccess": 1, "pageableMemoryAccessUsesHostPageTables": 1}
    gpu["attributes"] |= {**shared, "hostNativeAtomicSupported": 1}
    memories = [m for m in machine["memories"] if m["kind"] != "system"]
    for link in machine["links"]:
        link |= {"kind": "nvlink-c2c", "generation": None, "width": None, "bandwidth": 450e9}
    return machine | {
        "name": "simulated-gh200",
        "architecture": "aarch64",
        "memories": [*memories, memory("system", True, "pageableMemoryAccess")],
        "page_size": 65536,
        "virtual_machine": False,
    }


def access_case(
    rng: Generator,
    processor: str,
    source: str,
    destination: str,
    trials: int,
    size: int = 4_000_000_000,
    samples: int = 200,
) -> dict[str, Any]:
    """One of the eight patterns in system memory."""
    made = []
    for level in levels(trials, rng):
        flat, _ = copies(rng, size, source, destination, [processor], samples)
        made.append(trial(noisy(np.array(flat), level, rng), notes=[NOTE]))
    parameters = {"processor": processor, "memory": "system", "hint": "none", "source": source}
    parameters |= {"destination": destination, "size": size, "samples": samples}
    return case("access", parameters | {"bytes": 2 * size}, made)


def migration_case(
    rng: Generator, trials: int, size: int = 4_000_000_000, samples: int = 100
) -> dict[str, Any]:
    """GPU, CPU, GPU in system memory (figure 5.7 of Yoshida 2024)."""
    made = []
    for level in levels(trials, rng):
        flat, left = copies(rng, size, "cpu", "gpu", ["gpu", "cpu", "gpu"], samples)
        made.append(
            trial(
                noisy(np.array(flat), level, rng),
                series=dict(left),
                phases=[
                    {"name": name, "first": i * samples, "last": (i + 1) * samples}
                    for i, name in enumerate(("gpu-1", "cpu", "gpu-2"))
                ],
                notes=[NOTE],
            )
        )
    parameters = {"memory": "system", "hint": "none", "size": size, "phases": "gpu+cpu+gpu"}
    parameters["map"] = MAP
    return case("migration", parameters | {"samples": samples, "bytes": 2 * size}, made)


def ats_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """All eight patterns, and the migration."""
    sides = ("cpu", "gpu")
    patterns = [
        access_case(rng, who, source, destination, trials)
        for who in sides
        for source in sides
        for destination in sides
    ]
    return [*patterns, migration_case(rng, trials)]
