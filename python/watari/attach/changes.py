"""The changes that can be imposed on a program from outside, in `watari try` and `watari exec`.

src/attach/preload/styles/changes.hpp has the same names in the same order. This module imports
little: `watari exec` starts each rank of a job, and typing and dataclasses take longer than all the
rest.
"""

from __future__ import annotations


class Change:
    """One change. `needs`: what it takes beside the preloaded library, empty for nothing.
    `replaces`: what it acts on. `is_inside`: by the preloaded library, not before the start."""

    def __init__(self, name: str, summary: str, needs: str, replaces: str, is_inside: bool) -> None:
        self.name, self.summary, self.needs = name, summary, needs
        self.replaces, self.is_inside = replaces, is_inside

    @property
    def help(self) -> str:
        """What it does and needs, for --help."""
        return f"{self.summary}; needs {self.needs}" if self.needs else self.summary


CHANGES: dict[str, Change] = {
    change.name: change
    for change in (
        Change(
            "staged",
            "copies of pageable memory go through pinned memory, by several threads",
            "",
            "cudaMemcpy of pageable memory",
            True,
        ),
        Change(
            "pooled",
            "freed GPU memory is kept for the next allocation of its size",
            "",
            "cudaMalloc, cudaFree",
            True,
        ),
        Change(
            "prefetched",
            "managed memory that the CPU wrote moves to the GPU before the kernel that reads it",
            "a trace of the program",
            "page faults of the GPU",
            True,
        ),
        Change(
            "huge",
            "memory of malloc gets huge pages",
            "glibc 2.35, linked dynamically",
            "page faults of the CPU",
            False,
        ),
        Change(
            "near",
            "CPUs and memory of the NUMA node that is next to the GPU",
            "more than one NUMA node",
            "CPU memory on another node",
            False,
        ),
    )
}
VARIABLE, VERSION, VERBOSE = "WATARI_CHANGES", "WATARI_CHANGES_VERSION", "WATARI_CHANGES_VERBOSE"
PREFETCHES = "WATARI_CHANGES_PREFETCHES"  # KERNEL:SITE,... as hashes (prefetched.hpp)
HUGE = "WATARI_CHANGES_HUGE"  # GLIBC_TUNABLES has the word of `huge` from `watari exec`
VARIABLES = (VARIABLE, VERSION, VERBOSE, PREFETCHES, HUGE)
