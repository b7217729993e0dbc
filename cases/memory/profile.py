"""Bytes of the cases of memory, and the accesses that `predict` follows.

The bytes are those of the kernels' head comments (src/watari/measure/copy.hpp): a copy
within one memory counts each byte read and written, a copy between two counts it once, as it
crosses the link; `access` and `migration`, whose pages may be on either side, count it twice.
"""

from __future__ import annotations

from collections import Counter

from watari.case.axis import Parameters
from watari.case.profile import Access, Allocation, Move, Phase, Profile, Transfer
from watari.common.library import side

DOUBLE = 8  # bytes: an array is whole doubles


def array_bytes(p: Parameters) -> int:
    """Bytes of one array."""
    return int(p["size"]) // DOUBLE * DOUBLE


def several(p: Parameters) -> int:
    """Processes at once; 1 for a case without this parameter, which a figure made."""
    return int(p.get("processes", 1))


def copy_bytes(p: Parameters) -> int:
    """Bytes of a sample: read and written within one memory, or once across the link of two."""
    same = side(p["from"], p["processor"]) == side(p["to"], p["processor"])
    both = 2 if p["bidirectional"] else 1
    return array_bytes(p) * (2 if same else 1) * both * several(p)


def copy_profile(p: Parameters) -> Profile:
    """One copy a sample, or one in each direction. The copies of several processes are added up,
    since they share the path; on several GPUs each link has its part at the same time."""
    processor, both, processes = p["processor"], 2 if p["bidirectional"] else 1, several(p)
    size = array_bytes(p) * processes
    source, target = (side(p[name], processor) for name in ("from", "to"))
    paths = [(source, target), (target, source)][:both]
    phase = Phase(
        "copy",
        copy_bytes(p),
        tuple(Transfer(processor, a, b, size // int(p.get("gpus", 1))) for a, b in paths),
        (
            Access("source", processor, both * size, 0),
            Access("destination", processor, 0, both * size),
        ),
        repeats=int(p["samples"]),
        moves=(Move("source", "destination", size),) if p["means"] == "copy-engine" else (),
    )
    footprint: Counter[str] = Counter()
    for name in ("from", "to"):
        footprint[p[name]] += both * size
    arrays = (Allocation("source", size, p["from"]), Allocation("destination", size, p["to"]))
    # a case that a figure made lacks some parameters
    usual = {"streams": 1, "numa": "local"} | dict.fromkeys(("stores", "thp", "page"), "default")
    plain = both == processes == 1 and all(p.get(n, value) == value for n, value in usual.items())
    return Profile(
        (phase,),
        dict(footprint),
        style="fixed",
        allocations=arrays if plain else (),
        before=touched_first(size, source=source, destination=target),
    )


def touched_first(size: int, **touchers: str) -> tuple[Phase, ...]:
    """Each array written once by the processor that touches it first."""
    return tuple(
        Phase(f"first touch of {name}", size, accesses=(Access(name, who, 0, size),))
        for name, who in touchers.items()
    )


def styled(p: Parameters) -> str:
    """The name of the style, from the kind of memory and the hint."""
    return str(p["memory"] if p["hint"] == "none" else f"{p['memory']}-{p['hint']}")


def hints(p: Parameters) -> dict[str, Parameters]:
    """The same work in every kind of memory and with every hint that the case has."""
    styles = {
        "explicit": ("explicit", "none"),
        "managed": ("managed", "none"),
        "managed-prefetch": ("managed", "prefetch"),
        "managed-mapped": ("managed", "mapped"),
        "system": ("system", "none"),
    }
    given = {name: {**p, "memory": kind, "hint": hint} for name, (kind, hint) in styles.items()}
    if "source" not in p:  # two processors in turn: no array has a side of its own
        del given["explicit"]
    return given


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
    size, processor = array_bytes(p) * several(p), p["processor"]
    path, footprint = anywhere(size), {p["memory"]: 2 * size}
    names = ("source", "destination")
    kinds = dict.fromkeys(names, "")
    if p["memory"] == "explicit":
        path = Transfer(processor, p["source"], p["destination"], size)
        kinds = {name: {"cpu": "pinned", "gpu": "device"}[p[name]] for name in names}
        footprint = {kind: number * size for kind, number in Counter(kinds.values()).items()}
    return Profile(
        (shared_copy("access", processor, path, int(p["samples"])),),
        footprint,
        style="fixed" if p["memory"] == "explicit" else styled(p),
        allocations=tuple(Allocation(name, size, kinds[name]) for name in names)
        if several(p) == 1
        else (),
        before=touched_first(size, **{name: p[name] for name in names}),
    )


def migration_profile(p: Parameters) -> Profile:
    """One phase for each processor in turn."""
    size, processors = array_bytes(p), p["phases"].split("+")
    phases = [
        shared_copy(
            f"{processor}-{processors[: i + 1].count(processor)}",
            processor,
            anywhere(size),
            int(p["samples"]),
        )
        for i, processor in enumerate(processors)
    ]
    return Profile(
        tuple(phases),
        {p["memory"]: 2 * size},
        style=styled(p),
        allocations=(Allocation("source", size), Allocation("destination", size)),
        before=touched_first(size, source="cpu", destination="gpu"),
    )


def touch_profile(p: Parameters) -> Profile:
    """Fresh memory for every sample, touched once."""
    size, processor = array_bytes(p), p["processor"]
    written = p["operation"] == "first-touch"
    access = Access("array", processor, 0 if written else size, size if written else 0)
    phase = Phase(
        "touch",
        size,
        accesses=(access,),
        repeats=int(p["samples"]),
        fresh=True,
        prefetched=p["operation"] == "prefetch",
    )
    other = "gpu" if processor == "cpu" else "cpu"
    # as in touch.cpp, the other processor touches pages that are then faulted in or prefetched
    return Profile(
        (phase,),
        {p["memory"]: size},
        style="fixed" if p["memory"] not in ("managed", "system") else p["memory"],
        allocations=(Allocation("array", size, p["memory"]),),
        before=() if written else touched_first(size, array=other),
    )
