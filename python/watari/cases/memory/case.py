"""Cases copy, access, migration and touch: paths between memories, and what the first access costs.

Bytes are those of the kernels' head comments (src/watari/cases/memory/kernels.hpp): a copy within
one memory counts each byte read and written, one between two counts it once, as it crosses the
link; `access` and `migration`, whose pages may lie on either side, count it twice.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from watari.case.axes import (
    HINT,
    KINDS,
    MOST_SAMPLES,
    OVERSUBSCRIBE,
    PROCESSOR,
    SIZE,
    THREADS,
    axis,
    samples,
    table,
    words,
)
from watari.case.axis import Axis, Parameters, count, numbered, one_of, parse_boolean, sequence
from watari.case.case import Case
from watari.case.native import native
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.memory import standard
from watari.common.errors import UsageError

SIDES = {"cpu": "HM", "gpu": "DM"}  # host and device memory, as the thesis writes
WRONG = "{count} elements are not what the copy must have left there"


def end(name: str, summary: str) -> Axis:
    """`from` and `to`: a memory kind, by default what the executing processor owns."""
    return Axis(
        name,
        summary,
        numbered(*KINDS),
        lambda m, p: (
            "pageable" if p["processor"] == "cpu" else p["processor"].replace("gpu", "device")
        ),
        "the processor's own",
        KINDS,
    )


def location(kind: str, processor: str) -> str:
    """The side on which memory of a kind lies in case `copy`; shared kinds are first touched by
    `processor`."""
    if kind.startswith("device"):
        return kind.replace("device", "gpu")
    return "cpu" if kind in ("pageable", "pinned") else processor


def copy_bytes(p: Parameters) -> int:
    """Within one memory a copy reads and writes it; between two, it crosses the link once."""
    same = location(p["from"], p["processor"]) == location(p["to"], p["processor"])
    return int(p["size"]) * (2 if same else 1) * (2 if p["bidirectional"] else 1)


def copy_profile(p: Parameters) -> Profile:
    """One copy a sample, or one in each direction."""
    size, processor, both = int(p["size"]), p["processor"], 2 if p["bidirectional"] else 1
    source, target = (location(p[name], processor) for name in ("from", "to"))
    paths = [(source, target), (target, source)][:both]
    phase = Phase(
        "copy",
        copy_bytes(p),
        tuple(Transfer(processor, a, b, size) for a, b in paths),
        (
            Access("source", processor, both * size, 0),
            Access("destination", processor, 0, both * size),
        ),
        repeats=int(p["samples"]),
    )
    footprint: Counter[str] = Counter()
    for name in ("from", "to"):
        footprint[p[name]] += both * size
    return Profile((phase,), dict(footprint))


def shared_copy(name: str, processor: str, transfer: Transfer, repeats: int) -> Phase:
    """destination[i] = source[i], each byte counted twice."""
    size = transfer.bytes
    accesses = (Access("source", processor, size, 0), Access("destination", processor, 0, size))
    return Phase(name, 2 * size, (transfer,), accesses, repeats=repeats)


def anywhere(size: int) -> Transfer:
    """The fastest path of pages that may have moved to the GPU: its own memory."""
    return Transfer("gpu", "gpu", "gpu", size)


def access_profile(p: Parameters) -> Profile:
    """Explicit arrays stay on their side; other pages may be on either."""
    size, processor = int(p["size"]), p["processor"]
    path, footprint = anywhere(size), {p["memory"]: 2 * size}
    if p["memory"] == "explicit":
        path = Transfer(processor, p["source"], p["destination"], size)
        kinds = Counter({"cpu": "pinned", "gpu": "device"}[p[a]] for a in ("source", "destination"))
        footprint = {kind: number * size for kind, number in kinds.items()}
    return Profile((shared_copy("access", processor, path, int(p["samples"])),), footprint)


def migration_profile(p: Parameters) -> Profile:
    """One phase for each processor in turn."""
    size, processors = int(p["size"]), p["phases"].split("+")
    phases = [
        shared_copy(
            f"{processor}-{processors[: i + 1].count(processor)}",
            processor,
            anywhere(size),
            int(p["samples"]),
        )
        for i, processor in enumerate(processors)
    ]
    return Profile(tuple(phases), {p["memory"]: 2 * size})


def require_few_phases(parameters: Parameters) -> None:
    """Raises UsageError where the phases have more samples in all than a result holds."""
    phases, samples = parameters["phases"].count("+") + 1, parameters["samples"]
    if phases * samples > MOST_SAMPLES:
        raise UsageError(
            f"migration: samples: {samples} in each of {phases} phases are more than a result "
            f"holds ({MOST_SAMPLES})"
        )


def touch_profile(p: Parameters) -> Profile:
    """Fresh memory for every sample, touched once."""
    size, processor = int(p["size"]), p["processor"]
    written = p["operation"] == "first-touch"
    access = Access("array", processor, 0 if written else size, size if written else 0)
    phase = Phase("touch", size, accesses=(access,), repeats=int(p["samples"]))
    return Profile((phase,), {p["memory"]: size})


def copy_labels(p: Parameters) -> dict[str, str]:
    """A CPU has one means of copying."""
    return {"means": ""} if (p["processor"], p["means"]) == ("cpu", "kernel") else {}


def access_labels(p: Parameters) -> dict[str, str]:
    """The sides of the arrays as the thesis writes them: HM, DM."""
    return {array: SIDES[p[array]] for array in ("source", "destination")}


COMMON: dict[str, Any] = {"presentation": "watari.cases.memory.words"}
CASES = (
    Case(
        "copy",
        "copy an array from one kind of memory to another",
        "{processor} {from} -> {to} {size} {means}",
        table(
            PROCESSOR,
            end("from", "memory that is read"),
            end("to", "memory that is written"),
            SIZE,
            Axis(
                "means",
                "a kernel (or CPU loop) of ours, or the GPU's copy engine",
                one_of("kernel", "copy-engine"),
                lambda m, p: "kernel" if p["processor"] == "cpu" else "copy-engine",
                "kernel on the cpu, copy-engine on the gpu",
                ("kernel", "copy-engine"),
            ),
            axis("streams", "CUDA streams that share the array", count(1, 64), 1),
            axis("bidirectional", "copy in both directions at once", parse_boolean, False),
            Axis(
                "numa",
                "NUMA node that CPU memory is bound to, or `local` (first touch)",
                lambda text: text if text == "local" else str(count(0, 4095)(text)),
                lambda m, p: "local",
                "local",
            ),
            words("thp", "transparent huge pages", "default", "default", "always", "never"),
            samples(50),
            THREADS,
            OVERSUBSCRIBE,
        ),
        native("copy", WRONG),
        copy_profile,
        labels=copy_labels,
        example="from=pinned to=device size=1MiB,64MiB,1GiB",
        also={
            "h2d": "from=pinned to=device",
            "d2h": "from=device to=pinned",
            "d2d": "memory=device",
            "p2p": "from=device to=device:1",
            "host": "processor=cpu",
            "device": "memory=device",
            "stream": "processor=cpu",
            "triad": "processor=cpu",
            "babelstream": "memory=device means=kernel",
            "nvbandwidth": "from=pinned to=device",
            "bandwidth": "",
            "memcpy": "",
        },
        standard=standard.copies,
        **COMMON,
    ),
    Case(
        "access",
        "destination[i] = source[i] by one processor, each array first touched by a chosen one",
        "{processor} {memory} {source} Read, {destination} Write {size}",
        table(
            PROCESSOR,
            words("memory", "kind", "managed", "explicit", "managed", "system"),
            HINT,
            words("source", "processor that first touches the source", "cpu", "cpu", "gpu"),
            words(
                "destination", "processor that first touches the destination", "cpu", "cpu", "gpu"
            ),
            SIZE,
            samples(50),
            THREADS,
            OVERSUBSCRIBE,
        ),
        native("access", WRONG),
        access_profile,
        labels=access_labels,
        example="memory=managed hint=none,prefetch source=cpu destination=gpu",
        also={"managed": "memory=managed", "um": "memory=managed", "zero-copy": "hint=mapped"},
        standard=standard.accesses,
        **COMMON,
    ),
    Case(
        "migration",
        "the same copy by GPU, CPU and GPU in turn: when do pages move, and do they stay?",
        "{memory} {size}",
        table(
            words("memory", "kind", "managed", "managed", "system"),
            HINT,
            SIZE,
            axis("phases", "processors in turn", sequence("cpu", "gpu"), "gpu+cpu+gpu"),
            samples(100, "timed executions in each phase"),
            THREADS,
            OVERSUBSCRIBE,
        ),
        native("migration", WRONG),
        migration_profile,
        require_sense=require_few_phases,
        example="memory=managed hint=none,prefetch,mapped",
        also={"page-migration": ""},
        standard=standard.migrations,
        **COMMON,
    ),
    Case(
        "touch",
        "what the first access to fresh memory costs, and prefetching it",
        "{processor} {memory} {operation} {size}",
        table(
            PROCESSOR,
            words("memory", "kind", "managed", *KINDS),
            words(
                "operation",
                "write fresh pages; prefetch CPU-touched pages; read pages the other touched",
                "first-touch",
                "first-touch",
                "prefetch",
                "fault",
            ),
            SIZE,
            samples(10, "fresh allocations in a row"),
            THREADS,
            OVERSUBSCRIBE,
        ),
        native("touch", WRONG),
        touch_profile,
        example="processor=gpu memory=managed operation=first-touch,prefetch,fault",
        also={"prefetch": "operation=prefetch", "fault": "operation=fault", "first-touch": ""},
        standard=standard.touches,
        **COMMON,
    ),
)
