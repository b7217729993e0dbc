"""Finds CUPTI: in a toolkit, or in the package nvidia-cuda-cupti that pip installs.

Its version may not be newer than the driver's.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from watari.common.errors import UnsupportedError

VARIABLE = "WATARI_CUPTI"
NAMES = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")
MAJOR = re.compile(r"\.so\.(\d+)")


def folders() -> Iterator[Path]:
    """The folders that may have CUPTI, in the order of the search."""
    for entry in sys.path:
        for inner in ("nvidia/cu13/lib", "nvidia/cuda_cupti/lib"):
            yield Path(entry or ".") / inner
    toolkits = [
        Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)
    ]
    for toolkit in (*toolkits, Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"))):
        yield from (toolkit / "extras/CUPTI/lib64", toolkit / "lib64", toolkit / "lib")
    yield from (Path(f"/usr/lib/{machine}-linux-gnu") for machine in ("x86_64", "aarch64"))


def major(path: Path) -> int:
    """13 of libcupti.so.13; 0 where neither the file nor the target of its link has a number."""
    for name in (path.name, path.resolve().name):
        if match := MAJOR.search(name):
            return int(match[1])
    if match := re.search(r"libcupti\.so\.(\d{4})", path.resolve().name):
        return int(match[1][:2])
    return 0


def of_driver() -> int | None:
    """The major version of CUDA that the driver serves; None without a driver."""
    version = ctypes.c_int(0)
    try:
        if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) != 0:
            return None
    except (OSError, AttributeError):
        return None
    return version.value // 1000


def find() -> Path:
    """The newest CUPTI that the driver can serve. The variable WATARI_CUPTI names another one.
    Raises UnsupportedError where there is none."""
    driver = of_driver()
    if named := os.environ.get(VARIABLE):
        if Path(named).is_file():
            return Path(named)
        raise UnsupportedError(f"{VARIABLE}={named}: no such file")
    found = [folder / name for folder in folders() for name in NAMES if (folder / name).is_file()]
    fitting = [path for path in found if driver is None or major(path) <= driver]
    if fitting:
        return max(fitting, key=major)
    why = f"; {found[0]} is for a newer driver than this one of CUDA {driver}" if found else ""
    package = f"nvidia-cuda-cupti-cu{driver}" if driver == 12 else "nvidia-cuda-cupti"
    raise UnsupportedError(f"a trace needs CUPTI, which was not found{why}: pip install {package}")
