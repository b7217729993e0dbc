"""CUDA's attributes of a GPU on which words, links and kinds of memory depend.

The names are CUDA's; `src/watari/machine/gpus.cpp` reads them.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

Attribute = Literal[
    "pageableMemoryAccess",
    "pageableMemoryAccessUsesHostPageTables",
    "concurrentManagedAccess",
    "directManagedMemAccessFromHost",
    "hostNativeAtomicSupported",
    "managedMemory",
    "numaConfig",
    "numaId",
]
NAMES: tuple[Attribute, ...] = get_args(Attribute)
SHOWN = NAMES[:5]  # by `watari probe`, to people


def attribute(gpu: dict[str, Any], name: Attribute) -> int | None:
    """The value of an attribute; None if the driver or an older result does not have it."""
    value: int | None = gpu["attributes"].get(name)
    return value
