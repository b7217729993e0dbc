"""Made-up cases of the folder memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from synthetic.trials import (
    ARRAYS,
    GIB,
    Generator,
    case,
    levels,
    noisy,
    residency,
    trial,
)


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
