"""The functions of CUDA by their names, as CUPTI has them."""

from __future__ import annotations

import re

import numpy as np

from watari.attach.trace.records.records import Array
from watari.model.replay.graph import Role

FREES = re.compile(
    r"(cuda|cu)(Mem)?(Free|FreeHost|FreeArray|HostUnregister)(_v\d+)?$|cuArrayDestroy"
)
ALLOCATES = re.compile(
    r"(cuda|cu)(Mem)?(Malloc|Alloc|Free|HostAlloc|Host(Un)?[rR]egister)|cuArray3?D?(Create|Destroy)"
)
STARTS = re.compile(
    r"cuInit|cu(Device)?(PrimaryCtx|Ctx)(Create|Retain|Reset|Release|Destroy)|"
    r"cu(Module|Library)(Load|Unload)|cudaDeviceReset|__cudaRegister"
)
QUERIES = re.compile(r"(cuda|cu)(Event|Stream)Query")
GRAPHS = re.compile(r"(cuda|cu)GraphLaunch")
NOT_READY = 600  # CUDA_ERROR_NOT_READY, cudaErrorNotReady


def roles(names: list[str], functions: Array) -> Array:
    """The role of each call, by its function."""
    known: list[int] = [
        Role.START if STARTS.match(n) else Role.ALLOCATION if ALLOCATES.match(n) else Role.CALL
        for n in names
    ]
    return np.array(known or [0], "u1")[functions]


def matching(names: list[str], functions: Array, pattern: re.Pattern[str]) -> Array:
    """Whether each call's function matches."""
    known = [bool(pattern.match(name)) for name in names]
    return np.array(known or [False])[functions]
