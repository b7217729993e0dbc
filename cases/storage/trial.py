"""One trial of case `storage`, and the numbers computed from it.

A histogram has buckets 3% apart (src/watari/measure/histogram.hpp), so percentiles are that exact.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from watari.case import modelled_store, ssd_model
from watari.case.axis import Parameters, expanded
from watari.case.native import module, passed, verified
from watari.cases.storage import own_data, workload
from watari.cases.storage.axes import bytes_per_sample, folders

FOREIGN = "is not a test file: it has other data"  # ends a note of cases/storage/storage.cpp
KEPT = 0.05  # of a model's rate: a trial within it is one of the modelled SSD
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}


def run(parameters: Parameters) -> dict[str, Any]:
    """One trial in this process. A new seed each time generates the random order and marks the
    written blocks."""
    seed = time.time_ns() >> 20
    where = folders(parameters)
    given = {
        **passed(parameters),
        "folder": parameters["folder"] if not where else "",
        "folders": [expanded(each) for each in where],
        "seed": seed,
        **own_data.native(parameters),
        **workload.native(parameters),
    }
    given.pop("file")
    given.pop("loop")
    given |= modelled_store.native(parameters["store"])
    trial = module(__package__).storage(given)
    trial["quantities"] |= quantities(trial, parameters) | workload.quantities(parameters)
    modelled_store.tell(trial, parameters["store"], at_row(parameters))
    tell_share(trial, parameters)
    trial["quantities"]["seed"] = {"value": float(seed), "unit": "1"}
    if parameters["file"]:
        changed = "{count} blocks differ from those that a second read returns: if the file did "
        return verified(trial, changed + "not change meanwhile, the engine read them wrong")
    wrong = "{count} sectors of 512 bytes are torn, or are not the requested ones"
    foreign = [note for note in trial["notes"] if note.endswith(FOREIGN)]
    if foreign:
        wrong += f"; {'; '.join(foreign)}: move it away, and a test file is made"
    elif parameters["store"] == "file" and parameters["fault"] == "none":
        wrong += (
            f"; if a file in {parameters['folder']} was changed by others, remove it, "
            "and it is made anew"
        )
    return verified(trial, wrong)


def at_row(parameters: Parameters) -> bool:
    """Whether the requests are those of a row of a model. Of several SSDs each has a number in
    flight that changes."""
    model = modelled_store.model_of(parameters["store"])
    if model is None or parameters["files"] != 1:
        return False
    in_flight = parameters["depth"] * parameters["threads"]
    return ssd_model.is_row(model, parameters["direction"], parameters["block"], in_flight)


def tell_share(trial: dict[str, Any], parameters: Parameters) -> None:
    """Adds the rate that the model of one SSD has for the requests of a closed loop, and a note
    where the trial had another one: the error of the model is then not that of the trial."""
    model = modelled_store.model_of(parameters["store"])
    if model is None or parameters["files"] != 1 or parameters["loop"] != "closed":
        return
    in_flight = parameters["depth"] * parameters["threads"]
    rate = ssd_model.rate(model, parameters["direction"], parameters["block"], in_flight)
    trial["quantities"]["model_requests_per_s"] = {"value": rate, "unit": "1/s"}
    share = trial["quantities"]["requests_per_s"]["value"] / rate
    if abs(share - 1) > KEPT:
        trial["notes"].append(
            f"this trial had {share:.2f} of the requests per second of the model, {rate:.4g}: its "
            "path, or a busy machine, decided, and the error of the model says nothing about it"
        )


def quantities(trial: Mapping[str, Any], parameters: Parameters) -> dict[str, dict[str, Any]]:
    """Requests per second, latencies and CPU time per GB of a trial, with units."""
    samples = [float(s) for s in trial["host_s"]]
    size = bytes_per_sample(parameters) * len(samples)
    values = {
        "bytes": (float(size), "B"),
        # the median of the rates, as for bandwidth: a median of two times is neither's
        "requests_per_s": (median(parameters["requests"] / s for s in samples), "1/s"),
        "cpu_s_per_GB": (trial["quantities"]["cpu_s"]["value"] / (size / 1e9), "s/GB"),
    }
    if "gpu_s" in trial["quantities"]:
        values["gpu_s_per_GB"] = (trial["quantities"]["gpu_s"]["value"] / (size / 1e9), "s/GB")
    for name, part in PERCENTILES.items():
        values[f"latency_{name}"] = (percentile(trial["histograms"]["latency"], part), "s")
    return {name: {"value": value, "unit": unit} for name, (value, unit) in values.items()}


def percentile(histogram: Mapping[str, Sequence[float]], part: float) -> float:
    """The longest time of this part of the requests: the middle of its bucket."""
    counts = histogram["count"]
    wanted, seen = part * sum(counts), 0.0
    for low, high, count in zip(histogram["low"], histogram["high"], counts, strict=True):
        seen += count
        if seen >= wanted:
            return (low + high) / 2
    raise ValueError("a histogram without counts")
