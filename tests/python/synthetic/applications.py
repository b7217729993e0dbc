"""Made-up cases of applications and storage, as real ones behave."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthetic.trials import GIB, Generator, case, levels, lost_trial, noisy, trial

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
    parameters |= {"rehearsal": 0, "ranks": 1, "overlap": False} | more
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
        # the first sample is a phase: a late sample would be a late phase
        one = trial([float(seconds[0]) * level, *noisy(seconds[1:], level, rng)])
        one["device_s"] = [0.998 * s for s in one["host_s"]]
        one["series"] = {"gosa": [1e-4] * count}
        if ranks > 1:
            one["series"]["halo_s"] = [0.1 * s for s in one["host_s"]]
        outside = {"allocate": 0.1, "allocate_device": 0.002, "transfer_in": before}
        outside |= {"transfer_out": after / 2, "release_device": 0.002}
        outside |= {"read": after / 2, "release": 0.05}
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
    parameters |= {"alpha": 1.0, "beta": 0.0, "depth": 1, "samples": 3, "rows": 0} | more
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
