"""Made-up result files for tests: a GPU machine and a CPU machine, every case and every status.

`results()` is a run of the GPU machine, `results(machine=cpu_machine())` one of the CPU machine;
`slower` scales chosen times, `seed` draws other noise. Times are drawn as real ones behave: noise
within a trial, a level for each trial that drifts from one to the next, now and then a late sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from synthetic.applications import POINTS as POINTS
from synthetic.applications import gemm_case as gemm_case
from synthetic.applications import himeno_case as himeno_case
from synthetic.applications import himeno_cases, storage_cases
from synthetic.applications import storage_case as storage_case
from synthetic.machines import cpu_machine as cpu_machine
from synthetic.machines import gpu_machine
from synthetic.memory import access_case, copy_case, migration_case, touch_case
from synthetic.trials import GIB, Generator, lost_trial
from synthetic.trials import case as case
from synthetic.trials import levels as levels
from synthetic.trials import trial as trial
from watari.results.measured import Measured, measurements
from watari.results.schema import Results


def gpu_cases(rng: Generator, trials: int) -> list[dict[str, Any]]:
    """The cases of the GPU machine, with an unsupported, a wrong and a failed one."""
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
    """The cases of every machine: copies in CPU memory."""
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


def measured(*cases: dict[str, Any]) -> list[Measured]:
    """The cases of one run, as figures get them."""
    return measurements([Results.model_validate(plain() | {"cases": list(cases)})])


def changed(data: Any, steps: tuple[str | int, ...], value: Any) -> Any:
    """The values of a result file with one replaced."""
    inner = data
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = value
    return data
