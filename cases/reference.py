"""The rate for an application's floor: that of a copy measured in the same result file."""

from __future__ import annotations

from collections.abc import Sequence

from watari.case import limits
from watari.cases import presentation
from watari.common.library import own_memory
from watari.results.measured import Measured

COPY = "copy"


def is_reference(m: Measured, copy: Measured) -> bool:
    """Whether `copy` is a valid large copy in the own memory of m's processor, in m's file."""
    processor = m["processor"]
    own = own_memory(processor)
    cache = limits.BEYOND_CACHE * limits.cache_bytes(m.machine, processor)
    return (
        (copy.case, copy.file, copy["processor"]) == (COPY, m.file, processor)
        and copy["from"] == copy["to"] == own
        and copy.drawn
        and not copy.flagged
        and presentation(COPY).plain(copy)
        and copy["size"] > cache
        and (processor != "cpu" or copy["threads"] == m["threads"])
    )


def copy_rate(m: Measured, cases: Sequence[Measured], size: int) -> float | None:
    """GB/s of a copy of the largest array by the best means; None where the file has none, where
    `size`, the bytes of the application's arrays, fits into caches, and for several ranks."""
    cache = limits.BEYOND_CACHE * limits.cache_bytes(m.machine, m["processor"])
    copies = [copy for copy in cases if is_reference(m, copy)]
    if not copies or size <= cache or m.ranks > 1:
        return None
    largest = max(copy["size"] for copy in copies)
    return max(copy.median for copy in copies if copy["size"] == largest)
