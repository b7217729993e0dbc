"""Made-up trials: noise within one, levels from one to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

GIB = 2**30
EVERYWHERE = {"oversubscribe": False}  # an axis of every case whose arrays lie in memory
ARRAYS = ("source", "destination")
Generator = np.random.Generator
Samples = np.ndarray[Any, np.dtype[np.float64]]


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
