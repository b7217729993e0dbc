"""Microseconds of allocating, touching first and releasing a block, by kind of memory; and copies.

Measured by tests/attach/gpu/placed/kinds.cu on an H100 over PCIe with 16 cores of a virtual machine
(results/nvidia-h100-80gb-hbm3-x86_64/20261126-kinds.txt), beyond the same of GPU memory. Between
sizes, and beyond them, times are straight lines.
"""

from __future__ import annotations

import numpy as np

from watari.model.replay.graph import Array

SIZES = np.array([2**12, 2**18, 2**22, 2**26, 2**29], float)
# microseconds of a block
BLOCKS = {
    "populate gpu managed": (3, 108, 533, 6770, 35100),
    "populate gpu managed by copy": (158, 158, 349, 2570, 2570),
    "populate cpu managed": (45, 141, 1396, 39300, 182000),
    "populate cpu managed by copy": (89, 200, 1444, 20900, 170000),
    "prefetch new": (54, 54, 54, 243, 1720),
    "release managed": (7, 7, 17, 433, 3656),
    "release prefetched": (5, 5, 5, 304, 2552),
    "release mapped": (6, 9, 50, 1322, 7459),
    "allocate pinned": (0, 0, 1562, 25065, 213111),
}
# of these seconds: least, most
WITHIN = {
    "populate gpu managed": (0.5, 1.5),
    "populate gpu managed by copy": (0.2, 2.0),
    "populate cpu managed": (0.15, 1.4),  # an H200 of a server that is not virtual: 0.2
    "populate cpu managed by copy": (0.15, 1.4),
    "prefetch new": (0.3, 3.0),
    "release managed": (0.5, 2.0),
    "release prefetched": (0.5, 2.0),
    "release mapped": (0.5, 2.0),
    "allocate pinned": (0.7, 1.5),
}
# times that a copy takes, of that to or from GPU memory: (style, to the GPU, pageable). None falls
# with the size: more bytes never take less time
COPIES = {
    ("managed", True, True): (1.0, 1.0, 1.0, 1.0, 1.05),
    ("managed", False, True): (1.0, 1.0, 1.0, 1.0, 1.1),
    ("managed", True, False): (1.08, 1.08, 1.08, 1.08, 1.1),
    ("managed", False, False): (1.06, 1.06, 1.06, 1.06, 1.06),
    ("mapped", True, True): (1.05, 1.05, 1.05, 1.05, 1.12),
    ("mapped", False, True): (1.05, 1.05, 1.05, 1.05, 1.1),
    ("mapped", True, False): (1.35, 1.35, 1.35, 1.35, 1.35),
    ("mapped", False, False): (1.35, 1.35, 1.35, 1.35, 1.35),
    ("pinned", True, True): (0.5, 0.6, 0.88, 0.92, 1.0),
    ("pinned", False, True): (0.5, 0.5, 0.84, 1.02, 2.1),
    ("pinned", True, False): (1.3, 1.33, 3.05, 3.1, 6.8),
    ("pinned", False, False): (1.3, 1.33, 3.0, 3.2, 6.7),
}
COPIES_WITHIN = {"managed": (0.95, 1.1), "mapped": (0.85, 1.25), "pinned": (0.7, 1.4)}
# microseconds that the call of a copy takes longer, by 4 KiB: (style, to the GPU, pageable)
CALLS = {
    ("managed", True, True): 7.2,
    ("managed", False, True): 4.3,
    ("managed", True, False): 3.1,
    ("managed", False, False): 2.8,
    ("mapped", True, True): 6.9,
    ("mapped", False, True): 5.5,
    ("mapped", True, False): 3.5,
    ("mapped", False, False): 3.7,
    ("pinned", True, True): -4.8,
    ("pinned", False, True): -5.4,
    ("pinned", True, False): -5.1,
    ("pinned", False, False): -4.4,
}


def line(sizes: Array, values: Array) -> Array:
    """Values at SIZES, for sizes between; beyond the last one the line goes on."""
    beyond = (values[-1] - values[-2]) / (SIZES[-1] - SIZES[-2])
    found: Array = np.interp(sizes, SIZES, values) + np.maximum(sizes - SIZES[-1], 0.0) * beyond
    return found


def seconds(step: str, size: float) -> float:
    """Seconds of a step of a block."""
    return float(line(np.array([size]), np.array(BLOCKS[step], float))[0]) * 1e-6


def factor(style: str, to_gpu: bool, pageable: bool, sizes: Array) -> Array:
    """Three rows: times that copies take, of those to or from GPU memory."""
    middle = np.interp(sizes, SIZES, COPIES[style, to_gpu, pageable])
    low, high = COPIES_WITHIN[style]
    return np.array([middle, middle * low, middle * high])
