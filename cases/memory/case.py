"""Cases copy, access, migration and touch: paths between memories, the cost of the first access."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from watari.case.axes import (
    HINT,
    KINDS,
    MOST_SAMPLES,
    OVERSUBSCRIBE,
    PAGE,
    PROCESSES,
    PROCESSOR,
    SHARED_THREADS,
    SIZE,
    THP,
    THREADS,
    axis,
    samples,
    table,
    words,
)
from watari.case.axis import Axis, Parameters, count, numbered, one_of, parse_boolean, sequence
from watari.case.case import Case
from watari.case.native import native
from watari.cases.memory import standard
from watari.cases.memory.profile import (
    access_profile,
    copy_profile,
    hints,
    migration_profile,
    touch_profile,
)
from watari.common.errors import UsageError
from watari.common.library import own_memory

SIDES = {"cpu": "HM", "gpu": "DM"}  # host and device memory, as Yoshida (2024) writes
WRONG = "{count} elements do not have the value that the copy writes"


def end(name: str, summary: str) -> Axis:
    """`from` and `to`: a memory kind, by default the executing processor's own."""
    return Axis(
        name,
        summary,
        numbered(*KINDS),
        lambda m, p: own_memory(p["processor"]),
        "the processor's own",
        KINDS,
    )


def parse_node(text: str) -> str:
    """`local`, `gpu`, or the number of a node. Raises UsageError."""
    return text if text in ("local", "gpu") else str(count(0, 4095)(text))


NUMA = Axis(
    "numa",
    "NUMA node of CPU memory; `gpu`: the GPU's own; `local`: by first touch",
    parse_node,
    lambda m, p: "local",
    "local",
)
# older results have what the kernel of their revision did, like `default`
STORES = words(
    "stores",
    "of the CPU's loop: `default` bypass the caches if both arrays exceed the last cache",
    "default",
    "default",
    "ordinary",
    before="default",
)
SPREAD = axis(
    "gpus",
    "GPUs that the processes use in turn, each its own device memory",
    count(1, 64),
    1,
    before=1,
)
# the same for cases that had no such axes at first
PLACED = (replace(NUMA, before="local"), replace(THP, before="default"), PAGE)


def require_few_phases(parameters: Parameters) -> None:
    """Raises UsageError where the phases have more samples in all than a result holds."""
    phases, samples = parameters["phases"].count("+") + 1, parameters["samples"]
    if phases * samples > MOST_SAMPLES:
        raise UsageError(
            f"migration: samples: {samples} in each of {phases} phases are more than a result "
            f"holds ({MOST_SAMPLES})"
        )


def require_migration(parameters: Parameters) -> None:
    """Raises UsageError for too many samples, and for a map without residency after each sample."""
    require_few_phases(parameters)
    if parameters["map"] and parameters["look"] == "phases":
        raise UsageError("migration: map: a map shows every sample; use look=samples")


def require_spread(parameters: Parameters) -> None:
    """Raises UsageError where processes cannot use several GPUs in equal numbers."""
    gpus, processes = parameters["gpus"], parameters["processes"]
    if gpus > 1 and parameters["processor"] != "gpu":
        raise UsageError(f"copy: gpus={gpus}: the processes use a GPU each: write processor=gpu")
    if processes % gpus:
        raise UsageError(
            f"copy: processes={processes} cannot use {gpus} GPUs equally: write a multiple"
        )


def copy_labels(p: Parameters) -> dict[str, str]:
    """Hides the means of a CPU, which has only one."""
    return {"means": ""} if (p["processor"], p["means"]) == ("cpu", "kernel") else {}


def access_labels(p: Parameters) -> dict[str, str]:
    """The sides of the arrays as Yoshida (2024) writes them: HM, DM."""
    return {array: SIDES[p[array]] for array in ("source", "destination")}


FAULTS = dict.fromkeys(("fault", "faults", "pagefault", "page-fault"), "operation=fault")
LINKS = {  # the tests of nvbandwidth, less the engine at the end of their names
    "host-to-device": "from=pinned to=device",
    "device-to-host": "from=device to=pinned",
    "host-to-device-bidirectional": "from=pinned to=device bidirectional=yes",
    "device-to-host-bidirectional": "from=device to=pinned bidirectional=yes",
    "all-to-host": "processor=gpu from=device to=pinned processes=2 gpus=2",
    "host-to-all": "processor=gpu from=pinned to=device processes=2 gpus=2",
    "device-to-device": "from=device to=device:1",
    "device-to-device-memcpy-read": "from=device to=device:1",
    "device-to-device-memcpy-write": "from=device to=device:1",
    "device-local-copy": "memory=device",
}
ENGINES = {"": "", "-memcpy": "", "-ce": " means=copy-engine", "-sm": " means=kernel"}
ENGINES |= {f"-memcpy{end}": axes for end, axes in ENGINES.items() if end[1:] in ("ce", "sm")}
NVBANDWIDTH = {
    f"{name}{end}": f"{link}{means}"
    for name, link in LINKS.items()
    for end, means in ENGINES.items()
}
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
                "a kernel (on the CPU a loop), or the GPU's copy engine",
                one_of("kernel", "copy-engine"),
                lambda m, p: "kernel" if p["processor"] == "cpu" else "copy-engine",
                "kernel on the cpu, copy-engine on the gpu",
                ("kernel", "copy-engine"),
            ),
            axis("streams", "CUDA streams that share the array", count(1, 64), 1),
            axis("bidirectional", "copy in both directions at once", parse_boolean, False),
            STORES,
            NUMA,
            THP,
            PAGE,
            samples(50),
            PROCESSES,
            SPREAD,
            SHARED_THREADS,
            OVERSUBSCRIBE,
        ),
        native(__package__, "copy", WRONG),
        copy_profile,
        require_sense=require_spread,
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
            "bandwidthtest": "from=pinned to=device",
            "p2pbandwidthlatencytest": "from=device to=device:1",
            "nvbandwidth": "from=pinned to=device",
            **NVBANDWIDTH,
            **dict.fromkeys(
                ("membw", "mlc", "mbw", "stream-triad", "stream-copy"), "processor=cpu"
            ),
            **dict.fromkeys(("membench", "likwid-bench", "cpu-memory"), "processor=cpu"),
            **dict.fromkeys(("gpu-memory", "device-memory", "gpu-membw"), "memory=device"),
            **dict.fromkeys(("cache", "caches", "l1", "l2", "l3", "llc"), "size=64KiB..1GiB"),
            "bidirectional": "from=pinned to=device bidirectional=yes",
            "bw": "",
            "bandwidth": "",
            "memcpy": "",
            "memory": "",
            **dict.fromkeys(("pcie", "c2c"), "from=pinned to=device"),
            "nvlink": "from=device to=device:1",
            **dict.fromkeys(("hbm", "vram"), "memory=device"),
            **dict.fromkeys(("dram", "ddr", "ram"), "memory=pageable processor=cpu"),
        },
        standard=standard.copies,
        **COMMON,
    ),
    Case(
        "access",
        "one processor copies; two axes choose who first touches each array",
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
            PROCESSES,
            SHARED_THREADS,
            *PLACED,
            OVERSUBSCRIBE,
        ),
        native(__package__, "access", WRONG),
        access_profile,
        labels=access_labels,
        alternatives=hints,
        outside={"prefetch": "bring"},
        example="memory=managed hint=none,prefetch source=cpu destination=gpu",
        also={
            **dict.fromkeys(("managed", "um", "uvm", "unified"), "memory=managed"),
            "zero-copy": "hint=mapped",
        },
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
            axis(
                "map",
                "parts of each array with a residency of their own",
                count(0, 512),
                0,
                before=0,
            ),
            words(
                "look",
                "when residency is read: after each sample, or between phases",
                "samples",
                "samples",
                "phases",
                before="samples",
            ),
            samples(100, "timed executions in each phase"),
            THREADS,
            *PLACED,
            OVERSUBSCRIBE,
        ),
        native(__package__, "migration", WRONG),
        migration_profile,
        require_sense=require_migration,
        alternatives=hints,
        outside={"prefetch": "bring"},
        example="memory=managed hint=none,prefetch,mapped",
        also={"page-migration": ""},
        standard=standard.migrations,
        **COMMON,
    ),
    Case(
        "touch",
        "the cost of the first access to fresh or moved memory, and of a prefetch",
        "{processor} {memory} {operation} {size}",
        table(
            PROCESSOR,
            words("memory", "kind", "managed", *KINDS),
            words(
                "operation",
                "write fresh pages; prefetch pages of the CPU; read pages of the other processor",
                "first-touch",
                "first-touch",
                "prefetch",
                "fault",
            ),
            SIZE,
            samples(10, "fresh allocations, one after the other"),
            THREADS,
            *PLACED,
            OVERSUBSCRIBE,
        ),
        native(__package__, "touch", WRONG),
        touch_profile,
        example="processor=gpu memory=managed operation=first-touch,prefetch,fault",
        also={"prefetch": "operation=prefetch", "first-touch": "", **FAULTS},
        standard=standard.touches,
        **COMMON,
    ),
)
