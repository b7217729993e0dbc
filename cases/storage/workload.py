"""Workloads of case storage: requests at places of a store, in an order, some of them again.

    pattern=trace:FILE   a recorded one: fio's iolog (versions 2 and 3), or CSV (traces.py)
    pattern=kv-cache     pages of an inference server's KV cache (kv_cache.py)
    pattern=checkpoint   tensors of a checkpoint of 7 billion parameters (checkpoint.py)

A request becomes the blocks of `block` bytes that it covers, in order; `depth` of them are in
flight. `direction` chooses the requests that are replayed. In a closed loop (`loop=closed`) they
follow one another as fast as the engine can. In an open loop (`loop=open`) they begin at the times
of a trace, and latency counts from these times, so that a request that waits for its turn waits in
the result.
All blocks of a request have its time. Samples go through the workload one behind the other, and
begin again at its end.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from watari.case import axis
from watari.case.axis import Parameters
from watari.common.errors import UsageError, WatariError
from watari.common.units import exact_size

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from watari.cases.storage.requests import Requests

TRACE = "trace:"
ORDERS = ("random", "sequential")  # of all blocks
GENERATED = {"kv-cache": 2**16, "checkpoint": 2**20}  # bytes of the usual request
IN_ORDER = ("checkpoint",)  # mostly ascending: the kernel may read ahead
LOOPS = ("closed", "open")
SECTOR, LARGEST, MOST = 2**9, 2**20, 2**26  # bytes of a block, blocks of a workload


def parse(text: str) -> str:
    """An order, a workload, or `trace:FILE`. Raises UsageError."""
    if not text.startswith(TRACE):
        return str(axis.one_of(*ORDERS, *GENERATED, TRACE + "FILE")(text))
    if text == TRACE or not text.isprintable():
        raise UsageError(f"{text!r}: write trace:FILE, a name that is printable")
    axis.expanded(text.removeprefix(TRACE))
    return text


def file_of(pattern: str) -> str | None:
    """The file of a trace; None for other patterns."""
    return axis.expanded(pattern.removeprefix(TRACE)) if pattern.startswith(TRACE) else None


@lru_cache(maxsize=4)
def load(pattern: str, size: int) -> Requests:
    """The requests of a workload on a store of `size` bytes. Raises FileError, UsageError."""
    # with NumPy, which other trials start without
    from watari.cases.storage import checkpoint, kv_cache, traces

    if (path := file_of(pattern)) is not None:
        return traces.load(path)
    return {"kv-cache": kv_cache.made, "checkpoint": checkpoint.made}[pattern](size)


def usual_block(pattern: str) -> int:
    """Bytes of the most frequent request: a power of two, as a block is. Raises FileError."""
    if pattern in GENERATED:
        return GENERATED[pattern]
    sizes = Counter(load(pattern, 0).bytes.tolist())
    return min(max(1 << (int(sizes.most_common(1)[0][0]).bit_length() - 1), SECTOR), LARGEST)


def chosen(parameters: Parameters) -> Requests:
    """The requests of the asked direction. Raises FileError; UsageError for a trace beyond the
    store, or if it has none."""
    pattern, size = parameters["pattern"], parameters["size"]
    every = load(pattern, size)
    if every.end > size:
        raise UsageError(
            f"storage: pattern={pattern} has a request that ends at byte {every.end}, beyond the "
            f"store of size={exact_size(size)}"
        )
    some = every.only(parameters["direction"])
    if not len(some.offset):
        raise UsageError(f"storage: pattern={pattern} has no {parameters['direction']}s")
    return some


def blocks(parameters: Parameters) -> NDArray[np.uint64]:
    """Numbers of the blocks that the requests cover, in order. Raises as `chosen`, and UsageError
    if they are too many."""
    requests, block = chosen(parameters), int(parameters["block"])
    if (count := requests.covered(block)) > MOST:
        raise UsageError(
            f"storage: pattern={parameters['pattern']} has {count} blocks of {exact_size(block)}, "
            f"more than {MOST}"
        )
    return requests.blocks(block)


def times(parameters: Parameters) -> NDArray[np.float64]:
    """Seconds at which the blocks of an open loop arrive. Raises as `chosen`, and UsageError for a
    trace without times."""
    import numpy as np

    requests = chosen(parameters)
    if requests.seconds is None:
        raise UsageError(
            f"storage: loop=open: pattern={parameters['pattern']} has no times; CSV has a column "
            "`time` in seconds, an iolog of version 3 has them, one of version 2 has waits"
        )
    ascending = np.maximum.accumulate(requests.seconds - requests.seconds[0])
    return np.repeat(ascending, requests.counts(int(parameters["block"])))


def recorded_seconds(parameters: Parameters) -> float:
    """Seconds that all samples of an open loop take at least; 0 for a closed one, and where the
    trace cannot be read."""
    if parameters["loop"] == "closed":
        return 0.0
    with suppress(WatariError):
        moments = times(parameters)
        blocks_of_all = int(parameters["samples"]) * int(parameters["requests"])
        return float(moments[-1]) * -(-blocks_of_all // len(moments))
    return 0.0


def native(parameters: Parameters) -> Parameters:
    """The workload as the library takes it; nothing for an order."""
    pattern = parameters["pattern"]
    if pattern in ORDERS:
        return {}
    kind = "sequential" if pattern in IN_ORDER else "random"
    arrivals = {"times": times(parameters)} if parameters["loop"] == "open" else {}
    return {"pattern": kind, "trace": blocks(parameters), **arrivals}


def quantities(parameters: Parameters) -> dict[str, dict[str, Any]]:
    """Of a workload: the part of the moved bytes that its requests asked for, the part of its
    blocks that came before, and the seconds that a trace took where it was recorded."""
    if parameters["pattern"] in ORDERS:
        return {}
    import numpy as np

    requests, numbers = chosen(parameters), blocks(parameters)
    asked = int(requests.bytes.sum()) / (len(numbers) * parameters["block"])
    values = {
        "asked_share": (asked, "1"),
        "reuse": (1 - len(np.unique(numbers)) / len(numbers), "1"),
    }
    if requests.seconds is not None:
        values["trace_s"] = (float(requests.seconds.max() - requests.seconds.min()), "s")
    return {name: {"value": value, "unit": unit} for name, (value, unit) in values.items()}
