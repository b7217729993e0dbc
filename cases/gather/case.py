"""Case gather: a processor collects elements that lie apart, once each, in order or at random.

Bytes are those of the kernel's head comment (cases/gather/native/kernels.hpp): the elements
that are gathered, once. They are written side by side in the processor's own memory.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from watari.case.axes import (
    HINT,
    MEMORY,
    OVERSUBSCRIBE,
    PAGE,
    PROCESSOR,
    SIZE,
    THP,
    THREADS,
    axis,
    power_of_two,
    samples,
    table,
    words,
)
from watari.case.axis import Axis, Parameters, expanded, one_of, parse_folder
from watari.case.case import Case
from watari.case.engines import FOLDER, SLOW_DISK
from watari.case.native import module, passed, verified
from watari.case.profile import STORE, Access, Phase, Profile, Transfer
from watari.cases.gather import standard
from watari.cases.gather.axes import (
    NO_FILE,
    WORD,
    elements,
    of_file,
    parse_cache,
    parse_hits,
    parse_stride,
    require_elements,
    usual_cache,
    usual_source,
    usual_stride,
)
from watari.common.library import own_memory, side
from watari.common.units import exact_size

FILE_AXES = ("hits", "cache", "folder")
SLOWEST_MISS = 2e-4  # seconds
MOST = 4096  # bytes of an element
SLOWEST_ELEMENT, SLOWEST_PAGE, SMALL_PAGE = 1e-7, 5e-5, 4096  # seconds, seconds, bytes
WRONG = "{count} words of 4 bytes are not those of the gathered elements"


def run(p: Parameters) -> dict[str, Any]:
    """One trial in this process."""
    given = passed(p)
    if of_file(p):
        given |= {"folder": expanded(p["folder"])}
    else:
        given = {name: value for name, value in given.items() if name not in FILE_AXES}
    return verified(module(__package__).gather(given), WRONG)


def file_profile(p: Parameters) -> Profile:
    """Misses read pages of the file; all elements are written to the processor's memory."""
    who, moved = p["processor"], elements(p) * int(p["element"])
    phase = Phase(
        "gather",
        moved,
        (Transfer(who, STORE, who, moved),),
        (Access("destination", who, 0, moved),),
        repeats=int(p["samples"]),
    )
    return Profile((phase,), {own_memory(who): moved + int(p["cache"])}, disk=int(p["size"]))


def profile(p: Parameters) -> Profile:
    """One pass a sample: it reads the elements in place and writes them to the processor's memory.

    Pages of shared memory may have moved to the processor, so the fastest path is within its own
    memory.
    """
    if of_file(p):
        return file_profile(p)
    who, moved = p["processor"], elements(p) * int(p["element"])
    phase = Phase(
        "gather",
        moved,
        (Transfer(who, side(p["memory"], who), who, moved),),
        (
            Access("source", who, moved, 0, pattern="sparse"),
            Access("destination", who, 0, moved),
        ),
        repeats=int(p["samples"]),
    )
    footprint = Counter({p["memory"]: int(p["size"])})
    footprint[own_memory(who)] += moved
    return Profile((phase,), dict(footprint))


def extra_seconds(p: Parameters) -> float:
    """Seconds of all elements one by one, and of a fault for each page: once in the first pass, or
    twice a pass if turns move the source to the other side and back."""
    samples = int(p["samples"])
    if of_file(p):
        return int(p["size"]) / SLOW_DISK + (samples + 8) * elements(p) * SLOWEST_MISS
    moved = 1 if p["turns"] == "none" else 2 * samples
    return elements(p) * samples * SLOWEST_ELEMENT + moved * (
        int(p["size"]) / SMALL_PAGE * SLOWEST_PAGE
    )


def labels(p: Parameters) -> dict[str, str]:
    """Shows an element with its unit; hides a usual stride and a usual first touch."""
    size = exact_size(p["element"])
    element = {"element": f"{size}B" if size.isdigit() else size}
    usual = {"stride": ""} if p["stride"] == usual_stride(p) else {}
    same = p["source"] == usual_source(p)
    no_file = dict.fromkeys(FILE_AXES, "")
    if of_file(p):
        no_file = {"hits": f"{p['hits']:g}", "cache": exact_size(p["cache"])}
    return element | usual | no_file | ({"source": ""} if same else {})


CASES = (
    Case(
        "gather",
        "read elements that lie apart, in order or at random: the cost of a line, a page, a fault",
        "{processor} {memory} {pattern} {element} of {size}",
        table(
            PROCESSOR,
            MEMORY,
            words("pattern", "order in which elements are visited", "random", "random", "strided"),
            Axis(
                "element",
                "bytes of an element: a power of two from 4 to 4096",
                power_of_two(WORD, MOST),
                lambda m, p: 8,
                "8",
            ),
            Axis(
                "hits",
                "share of the visits that find their page in the cache of a file (array<T>), which "
                "is then the source: 0 to 1",
                parse_hits,
                lambda m, p: NO_FILE,
                "none: the source is memory",
                before=NO_FILE,
            ),
            Axis(
                "stride",
                "bytes from one element to the next",
                parse_stride,
                lambda m, p: usual_stride(p),
                "a cache line (64 on the cpu, 128 on a gpu), or the element",
            ),
            words(
                "turns",
                "what brings the source back before each pass: nothing; its processor reads "
                "it; the same, and prefetches of the elements, there and back",
                "none",
                "none",
                "read",
                "prefetch",
                before="none",
            ),
            Axis(
                "source",
                "processor that first touches the source",
                one_of("cpu", "gpu"),
                lambda m, p: usual_source(p),
                "the side of the memory; for managed and system memory the processor; with turns "
                "the other processor",
                ("cpu", "gpu"),
            ),
            HINT,
            SIZE,
            Axis(
                "cache",
                "bytes of that cache, in the processor's own memory",
                parse_cache,
                lambda m, p: usual_cache(p),
                "an eighth of the file",
                before=NO_FILE,
            ),
            axis(
                "folder",
                "folder of that file, kept for later runs",
                parse_folder,
                FOLDER,
                before=FOLDER,
            ),
            THP,
            PAGE,
            samples(20, "passes over all elements"),
            THREADS,
            OVERSUBSCRIBE,
        ),
        run,
        profile,
        require_sense=require_elements,
        extra_seconds=extra_seconds,
        labels=labels,
        standard=standard.gathers,
        example="element=4,8,32,128,1KiB,4KiB pattern=random,strided",
        also={
            "spatter": "",
            "random-access": "",
            "randomaccess": "",
            "spmv": "",
            "gups": "",
            "cache-hits": "hits=0.5",
            "sparse": "",
            "indirect": "",
        },
        presentation="watari.cases.gather.words",
    ),
)
