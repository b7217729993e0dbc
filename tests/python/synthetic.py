"""Made-up result files for tests: a GPU machine and a CPU machine, every case and every status.

`results()` is a run of the GPU machine, `results(machine=cpu_machine())` one of the CPU machine;
`slower` scales chosen times, `seed` draws other noise. Times are drawn as real ones behave: noise
within a trial, a level for each trial that drifts from one to the next, now and then a late sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from watari.results.schema import Results

GIB = 2**30
EVERYWHERE = {"oversubscribe": False}  # an axis of every case whose arrays lie in memory
Generator = np.random.Generator
Samples = np.ndarray[Any, np.dtype[np.float64]]


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


def noisy(seconds: Samples, level: float, rng: Generator) -> list[float]:
    """A trial's samples: 0.5% noise around `level` x `seconds`, one in 50 late by a tenth."""
    noise = rng.lognormal(0.0, 0.005, len(seconds))
    late = np.where(rng.random(len(seconds)) < 0.02, 1.1, 1.0)
    return [float(s) for s in seconds * level * noise * late]


def levels(trials: int, rng: Generator, spread: float = 0.005) -> list[float]:
    """The level of each trial: a random walk back to 1 (a warming machine), and its own noise."""
    drift, out = 0.0, []
    for _ in range(trials):
        drift = 0.7 * drift + rng.normal(0.0, 0.7 * spread)
        out.append(float(np.exp(drift + rng.normal(0.0, 0.7 * spread))))
    return out


def trial(host_s: list[float], **more: Any) -> dict[str, Any]:
    """A trial that went well."""
    base = {"status": "ok", "started": "2025-06-01T12:00:00.000+00:00", "ranks": 1}
    quantities = {
        "peak_rss": {"value": 3.2e9, "unit": "B"},
        "threads": {"value": 16, "unit": "1"},
        "setup_s": {"value": 0.61, "unit": "s"},
    }
    return base | {"host_s": host_s, "quantities": quantities, "verified": True} | more


def lost_trial(status: str, error: str) -> dict[str, Any]:
    """A trial without samples."""
    return trial([]) | {"status": status, "error": error, "quantities": {}, "verified": None}


def residency(size: int, mapped: float) -> dict[str, Any]:
    """Residency as x86 reports it: what is not mapped on the CPU side is on the GPU."""
    on_cpu = int(size * mapped)
    return {"method": "pagemap", "bytes": size, "cpu": on_cpu, "gpu": size - on_cpu, "untold": 0}


def case(name: str, parameters: dict[str, Any], trials: list[dict[str, Any]]) -> dict[str, Any]:
    """A case whose status is the worst of its trials; `bytes` among the parameters is taken out."""
    parameters = dict(parameters)
    size = parameters.pop("bytes")
    order = ["ok", "unsupported", "wrong", "failed"]
    worst = max(trials, key=lambda t: order.index(t["status"]))
    return {
        "case": name,
        "parameters": parameters | {"threads": 16, **({} if name == "storage" else EVERYWHERE)},
        "status": worst["status"],
        "reason": worst.get("error"),
        "bytes_per_sample": size,
        "flops_per_sample": 0,
        "flags": [],
        "trials_planned": len(trials),
        "trials": trials,
    }


def copy_case(
    rng: Generator, start: str, end: str, size: int, rate: float, trials: int, **more: Any
) -> dict[str, Any]:
    """A copy at a rate in bytes per second; on the GPU unless `more` says otherwise."""
    parameters: dict[str, Any] = {"processor": "gpu", "from": start, "to": end, "size": size}
    parameters |= {"samples": 50, "streams": 1, "means": "copy-engine", "bidirectional": False}
    parameters |= {"numa": "local", "thp": "default"} | more
    moved_bytes = size * (2 if start == end else 1)
    flat = np.full(50, moved_bytes / rate)
    made = [trial(noisy(flat, level, rng), device_s=None) for level in levels(trials, rng)]
    for one in made:
        if parameters["processor"] != "cpu":
            one["device_s"] = [0.998 * s for s in one["host_s"]]
    return case("copy", parameters | {"bytes": moved_bytes}, made)


def access_case(rng: Generator, source: str, destination: str, trials: int) -> dict[str, Any]:
    """A GPU copy in managed memory: a slow first pass, then a plateau."""
    size = 4 * GIB
    seconds = np.full(50, 2 * size / 3.8e12)
    seconds[0] = size * ((source == "cpu") + (destination == "cpu")) / 11e9 + seconds[1]
    made = [
        trial(
            noisy(seconds, level, rng),
            residency_before={"source": residency(size, float(source == "cpu"))},
            residency_after={"source": residency(size, 0.0)},
        )
        for level in levels(trials, rng)
    ]
    parameters = {"processor": "gpu", "memory": "managed", "hint": "none", "source": source}
    parameters |= {"destination": destination, "size": size, "samples": 50}
    return case("access", parameters | {"bytes": 2 * size}, made)


def migration_case(rng: Generator, trials: int, samples: int = 100) -> dict[str, Any]:
    """GPU, CPU, GPU in managed memory: the pages follow the processor at its first sample."""
    size = GIB
    gpu, cpu = 2 * size / 3.8e12, 2 * size / 88e9
    seconds = np.repeat([gpu, cpu, gpu], samples)
    seconds[[0, samples, 2 * samples]] = size / 11e9
    fraction = np.repeat([0.0, 1.0, 0.0], samples)
    names = ("gpu-1", "cpu", "gpu-2")
    made = [
        trial(
            noisy(seconds, level, rng),
            series={f"cpu_mapped_fraction.{a}": fraction.tolist() for a in ARRAYS},
            phases=[
                {"name": name, "first": i * samples, "last": (i + 1) * samples}
                for i, name in enumerate(names)
            ],
            residency_before={a: residency(size, float(a == "source")) for a in ARRAYS},
            residency_after={a: residency(size, 0.0) for a in ARRAYS},
        )
        for level in levels(trials, rng)
    ]
    parameters = {"memory": "managed", "hint": "none", "size": size, "phases": "gpu+cpu+gpu"}
    return case("migration", parameters | {"samples": samples, "bytes": 2 * size}, made)


def touch_case(rng: Generator, operation: str, rate: float, trials: int) -> dict[str, Any]:
    """First touch, prefetch or fault of managed memory on the GPU."""
    size = GIB
    made = [trial(noisy(np.full(10, size / rate), level, rng)) for level in levels(trials, rng)]
    for one in made if operation == "prefetch" else []:
        one["series"] = {
            "return_s": [2e-5] * 10,
            "second_pass_s": [2 * size / 3.8e12] * 10,
        }
    parameters = {"processor": "gpu", "memory": "managed", "size": size, "operation": operation}
    return case("touch", parameters | {"samples": 10, "bytes": size}, made)


ARRAYS = ("source", "destination")
POINTS = {"L": 254 * 254 * 510, "XL": 510 * 510 * 1022}  # interior
# style: GFLOPS in the steady state, iterations until then, s before and after the loop
STYLES = {
    "explicit": (2660, 0, 1.8, 0.2),
    "managed": (2650, 1, 0.001, 0.3),
    "managed-prefetch": (2650, 0, 0.3, 0.3),
    "system": (2500, 50, 0.001, 0.3),
    "acc-data": (1400, 0, 1.9, 0.2),
    "acc-managed": (1390, 1, 0.001, 0.3),
}


def himeno_case(rng: Generator, style: str, trials: int, **more: Any) -> dict[str, Any]:
    """Himeno on the GPU: a style's level, its migration at the link's rate, its transfers. Several
    ranks share the work, and spend a tenth of an iteration on the halo."""
    gflops, moving, before, after = STYLES[style]
    parameters: dict[str, Any] = {"processor": "gpu", "style": style, "grid": "XL"}
    parameters |= {"iterations": 60, "form": "fused", "kernel": "tuned", "data": "standard"}
    parameters |= {"ranks": 1, "overlap": False} | more
    alone = parameters["ranks"] == 1
    parameters |= {"halo": "none" if alone else more.get("halo", "staged")}
    parameters.setdefault("split", f"{parameters['ranks']}x1x1")
    points, ranks = POINTS[parameters["grid"]], int(parameters.get("ranks", 1))
    count = parameters["iterations"]
    per_point = 56 if parameters["form"] == "fused" else 64
    seconds = np.full(count, 34 * points / (gflops * 1e9) / ranks * per_point / 56)
    seconds[0] += 0.3 / ranks if moving else 0.0
    seconds[:moving] += 0.02 * np.arange(moving, 0, -1) / max(moving, 1)
    made = []
    for level in levels(trials, rng):
        # a phase of its own: a late sample would be a late phase
        one = trial([float(seconds[0]) * level, *noisy(seconds[1:], level, rng)])
        one["device_s"] = [0.998 * s for s in one["host_s"]]
        one["series"] = {"gosa": [1e-4] * count}
        if ranks > 1:
            one["series"]["halo_s"] = [0.1 * s for s in one["host_s"]]
        outside = {"allocate": 0.1, "transfer_in": before, "transfer_out": after, "release": 0.05}
        one["quantities"] |= {n: {"value": v, "unit": "s"} for n, v in outside.items()}
        name = "rest" if moving else "steady"
        one["phases"] = [
            {"name": n, "first": a, "last": b} for n, a, b in (("first", 0, 1), (name, 1, count))
        ]
        made.append(one)
    made_case = case("himeno", parameters | {"bytes": per_point * points}, made)
    return made_case | {"flops_per_sample": 34 * points}


def himeno_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """Styles beside each other, one of them on 1, 2 and 4 GPUs, `system` unsupported."""
    reason = "system memory needs pageableMemoryAccess, which is 0 here"
    absent = himeno_case(rng, "system", 1)
    absent["trials"] = [lost_trial("unsupported", reason)]
    absent |= {"status": "unsupported", "reason": reason, "bytes_per_sample": 0}
    acc = ("acc-data", "acc-managed")
    several = [
        himeno_case(rng, style, trials, kernel="shared", grid=grid, ranks=n, halo=halo)
        for grid in ("L", "XL")
        for style, halo in zip(acc, ("staged", "device"), strict=True)
        for n in (1, 2, 4)
    ]
    return [
        *(himeno_case(rng, style, trials) for style in ("explicit", "managed", "managed-prefetch")),
        *(himeno_case(rng, s, trials, form="two-kernel") for s in ("explicit", "managed")),
        absent,
        *several,
    ]


# engine: requests per second at most, bytes per second at most, of the disk and of memory
ENGINES = {
    "posix": (20e3, 2e9, 0.4e6, 15e9),
    "cufile": (25e3, 3e9, 0, 0),
    "uring": (150e3, 3.2e9, 1e6, 30e9),
    "queue": (150e3, 3.2e9, 6e6, 40e9),
    "gpu": (170e3, 3.3e9, 11e6, 50e9),
}


def storage_case(
    rng: Generator, engine: str, block: int, trials: int, **more: Any
) -> dict[str, Any]:
    """Random reads by an engine: at the rate of its calls, up to its bandwidth."""
    parameters: dict[str, Any] = {"engine": engine, "pattern": "random", "direction": "read"}
    parameters |= {"processor": "cpu" if engine == "queue" else "gpu", "block": block, "size": GIB}
    parameters |= {"depth": 32, "threads": 16, "store": "file", "files": 1, "cache": "none"}
    parameters |= {"fault": "none", "folder": "~/.cache/watari", "requests": 4096, "samples": 20}
    parameters |= more
    in_memory = parameters["store"] == "ram" or parameters["cache"] == "warm"
    most, bandwidth = ENGINES[engine][2:] if in_memory else ENGINES[engine][:2]
    seconds = 4096 / min(most, bandwidth / block)
    made = [trial(noisy(np.full(20, seconds), level, rng)) for level in levels(trials, rng)]
    for one in made:
        latency = 512 * seconds / 4096
        quantities = {
            "latency_p50": latency,
            "latency_p99": 2 * latency,
            "latency_p99.9": 5 * latency,
        }
        units = dict.fromkeys(quantities, "s")
        quantities |= {"requests_per_s": 4096 / seconds, "cpu_s_per_GB": 0.5}
        units |= {"requests_per_s": "1/s", "cpu_s_per_GB": "s/GB"}
        if parameters["store"] == "file":
            quantities["direct"], units["direct"] = float(not in_memory), "1"
        one["quantities"] |= {n: {"value": v, "unit": units[n]} for n, v in quantities.items()}
    return case("storage", parameters | {"bytes": 4096 * block}, made)


def storage_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """Every engine on the disk and on memory, over the size of a request; mmap is unsupported."""
    blocks = [2**power for power in range(12, 19)]
    cases = [storage_case(rng, e, b, trials) for e in ENGINES for b in blocks]
    cases += [
        storage_case(rng, e, b, trials, store="ram") for e in ("queue", "gpu") for b in blocks
    ]
    cases += [
        storage_case(rng, e, b, trials, cache="warm") for e in ("posix", "uring") for b in blocks
    ]
    absent = storage_case(rng, "posix", 4096, 1)
    reason = "mmap goes through the page cache"
    absent["parameters"]["engine"] = "mmap"
    absent["trials"] = [lost_trial("unsupported", reason)]
    return [*cases, absent | {"status": "unsupported", "reason": reason, "bytes_per_sample": 0}]


def gpu_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """What the GPU machine measures, with an unsupported, a wrong and a failed case."""
    to_device = [
        copy_case(rng, "pinned", "device", size, 55e9 * size / (size + 5e5), trials)
        for size in (2**20, 2**26, GIB)
    ]
    unsupported = access_case(rng, "cpu", "gpu", 1)
    unsupported["parameters"] |= {"memory": "system"}
    reason = "system memory needs pageableMemoryAccess, which is 0 here"
    unsupported |= {"status": "unsupported", "reason": reason, "bytes_per_sample": 0}
    unsupported["trials"] = [lost_trial("unsupported", reason)]
    wrong = copy_case(rng, "managed", "device", GIB, 2e12, trials)
    wrong["trials"][-1] |= {"status": "wrong", "error": "element 7 is 3, not 7", "verified": False}
    wrong |= {"status": "wrong", "reason": "element 7 is 3, not 7"}
    failed = copy_case(rng, "device", "managed", GIB, 2e12, trials)
    failed["trials"][0] = lost_trial("failed", "killed by SIGKILL; likely out of memory")
    failed |= {"status": "failed", "reason": "killed by SIGKILL; likely out of memory"}
    return [
        *to_device,
        copy_case(rng, "device", "pinned", GIB, 55.2e9, trials),
        copy_case(rng, "device", "device", GIB, 4.25e12, trials, means="kernel"),
        *(access_case(rng, a, b, trials) for a in ("cpu", "gpu") for b in ("cpu", "gpu")),
        migration_case(rng, trials),
        *(
            touch_case(rng, operation, rate, trials)
            for operation, rate in (("first-touch", 18.6e9), ("prefetch", 49e9), ("fault", 11e9))
        ),
        *himeno_cases(rng, trials),
        *storage_cases(rng, trials),
        unsupported,
        wrong,
        failed,
    ]


def cpu_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """What every machine measures: copies in CPU memory."""
    return [
        copy_case(rng, "pageable", "pageable", size, rate, trials, processor="cpu", means="kernel")
        for size, rate in ((2**20, 300e9), (2**26, 90e9), (GIB, 88e9))
    ]


def plain(
    machine: dict[str, Any] | None = None,
    trials: int = 5,
    seed: int = 0,
    slower: dict[str, float] | None = None,
) -> dict[str, Any]:
    """A result file as plain values; times of the cases named in `slower` are scaled by it."""
    rng = np.random.default_rng(seed)
    machine = gpu_machine() if machine is None else machine
    cases = cpu_cases(rng, trials)
    if any(p["kind"] == "gpu" for p in machine["processors"]):
        cases += gpu_cases(rng, trials)
    for one in cases:
        factor = (slower or {}).get(one["case"], 1.0)
        for made in one["trials"]:
            for clock in ("host_s", "device_s"):
                if made.get(clock):
                    made[clock] = [factor * s for s in made[clock]]
    return {
        "schema": 1,
        "program": {
            "version": "0.1.0",
            "revision": "0123abc",
            "compiler": "GCC 12.2.0",
            "flags": "-O3 -march=native -fopenmp",
            "cuda": "13.0" if machine["driver"] else None,
            "command": "watari run",
            "environment": {"OMP_PROC_BIND": "close"},
            "started": "2025-06-01T12:00:00.000+00:00",
            "finished": "2025-06-01T12:03:00.000+00:00",
        },
        "plan": {"name": "standard", "description": "made for this machine", "source": None},
        "machine": machine,
        "cases": cases,
        "missing": [],
    }


def results(
    machine: dict[str, Any] | None = None,
    trials: int = 5,
    seed: int = 0,
    slower: dict[str, float] | None = None,
) -> Results:
    """The same as a validated model."""
    return Results.model_validate(plain(machine, trials, seed, slower))


# engine: GB/s of reading small rows, seconds that each request adds, threads
MOVERS = {
    "posix": (9e9, 40e-6, 16),
    "uring": (30e9, 15e-6, 4),
    "managed": (12e9, 30e-6, 1),
    "gpu": (47e9, 2e-6, 16),
}


def gemm_case(rng: Generator, engine: str, tile: int, trials: int, **more: Any) -> dict[str, Any]:
    """A product that reads tiles over the link and multiplies them at 50 TFLOPS, on the GPU."""
    rate, rate_of_thread, threads = MOVERS[engine]
    parameters: dict[str, Any] = {"processor": "gpu", "engine": engine, "n": 32768, "m": 32768}
    parameters |= {"k": 32768, "precision": "single", "fast-memory": 8 * GIB, "tile": tile}
    parameters |= {"layout": "row-major", "schedule": "naive", "store": "ram", "folder": "/scratch"}
    parameters |= {"alpha": 1.0, "beta": 0.0, "depth": 1, "samples": 3} | more
    n, flops = int(parameters["n"]), 2 * int(parameters["n"]) ** 3
    block = tile if parameters["schedule"] == "naive" else min(n, 8 * tile)
    read, written = 8 * n**3 // block, 4 * n * n
    share = parameters.get("threads", threads) / threads
    floors = ((read + written) / 55e9, flops / 50e12)
    slow = (read + written) / (rate * share) + (n / tile) ** 3 * rate_of_thread
    seconds = np.full(3, 1.03 * max(*floors, slow))
    quantities = {
        "bytes_read": (read, "B"),
        "bytes_written": (written, "B"),
        "floor_s": (max(floors), "s"),
    }
    quantities |= {"store_floor_s": (floors[0], "s"), "blas_floor_s": (floors[1], "s")}
    made = [trial(noisy(seconds, level, rng)) for level in levels(trials, rng)]
    for one in made:
        one["quantities"] |= {name: {"value": v, "unit": u} for name, (v, u) in quantities.items()}
    made_case = case("gemm", parameters | {"bytes": read + written}, made)
    made_case["parameters"]["threads"] = parameters.get("threads", threads)
    return made_case | {"flops_per_sample": flops}
