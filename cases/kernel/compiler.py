"""Compiles a source by NVRTC, and keeps the result by its hash.

NVRTC is the library of the CUDA toolkit, of a Python wheel (nvidia-cuda-nvrtc), of a conda
environment, or the one that cuda-python or CuPy load.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from watari import _native as native
from watari.case.cache import digest, store, stored
from watari.cases.kernel import files
from watari.common.errors import UnsupportedError, UsageError

MAJORS = (13, 12)  # CUDA versions, the newest first
USUAL = 80  # architecture for which a source is checked on a machine without a GPU
# packages that load NVRTC by their own rules, and a call that makes them
PACKAGES = (("cuda.bindings.nvrtc", "nvrtcVersion"), ("cupy", "cuda.nvrtc.getVersion"))
REMEDY = "the CUDA toolkit and the wheel nvidia-cuda-nvrtc have it"


def folders() -> Iterator[str]:
    """Folders that may have NVRTC; `` is the loader's search path."""
    yield ""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield f"{os.environ[name]}/lib64/"
    yield "/usr/local/cuda/lib64/"
    if os.environ.get("CONDA_PREFIX"):
        yield f"{os.environ['CONDA_PREFIX']}/lib/"
    wheels = importlib.util.find_spec("nvidia")
    for package in wheels.submodule_search_locations or () if wheels else ():
        for folder in sorted(Path(package).glob("*/lib")):
            yield f"{folder}/"


def names() -> list[str]:
    """Names of the library: first of the CUDA version of this build, which the driver supports."""
    built = str(native.build()["cuda"]).partition(".")[0]
    majors = sorted(MAJORS, key=lambda major: str(major) != built)
    return [f"libnvrtc.so.{major}" for major in majors]


def files_of_nvrtc() -> Iterator[str]:
    """Every file that may be NVRTC, the best first."""
    for name in names():
        yield from (f"{folder}{name}" for folder in folders())
    for module, call in PACKAGES:
        try:
            attrgetter(call)(importlib.import_module(module))()
        except Exception:  # a package may raise anything when its library is missing
            continue
        yield from names()  # the loader finds it now, since it is in this process


@cache
def nvrtc() -> Any:
    """The compiler. Raises UnsupportedError."""
    why_not = ""
    for file in files_of_nvrtc():
        try:
            return native.Nvrtc(file)
        except UnsupportedError as error:
            why_not = why_not or str(error)
    raise UnsupportedError(f"{why_not}; {REMEDY}")


@dataclass(frozen=True)
class Target:
    """What to compile for: an architecture, machine code or PTX, and what a reader must know."""

    architecture: int
    machine_code: bool
    note: str = ""


def target(capability: str, known: list[int], version: tuple[int, int]) -> Target:
    """The target for a GPU of this compute capability: its machine code, else PTX of an older
    architecture. Raises UnsupportedError."""
    major, _, minor = capability.partition(".")
    wanted = 10 * int(major) + int(minor)
    if wanted in known:
        return Target(wanted, True)
    older = max((one for one in known if one < wanted), default=0)
    name = "NVRTC {}.{}".format(*version)
    if not older:
        raise UnsupportedError(
            f"{name} compiles for sm_{min(known)} to sm_{max(known)}, and this GPU is sm_{wanted}"
        )
    return Target(
        older,
        False,
        f"{name} does not know sm_{wanted}: the driver compiles PTX of compute_{older}",
    )


def compiled(source: str, to: Target) -> bytes:
    """The image of a source (a value of `files`), from the cache if it was compiled before. Raises
    UsageError with the compiler's messages, UnsupportedError without NVRTC."""
    compiler, text, name = nvrtc(), files.content_of(source), files.name_of(source)
    version = ".".join(map(str, compiler.version))
    form = "cubin" if to.machine_code else "ptx"
    what = [text, name, version, str(to.architecture), form]
    name_in_cache = f"{digest(*(part.encode() for part in what))}.{form}"
    image = stored(files.CACHE, name_in_cache)
    if image is None:
        try:
            image, _ = compiler.compile(text, name, to.architecture, to.machine_code)
        except UsageError as error:
            raise UsageError(f"{name} does not compile: {complaints(str(error))}") from None
        store(files.CACHE, name_in_cache, image)
    return bytes(image)


def complaints(messages: str) -> str:
    """The errors among the compiler's messages, without the lines of source that it shows."""
    errors = [line.strip() for line in messages.splitlines() if "error" in line]
    found = [line for line in errors if not re.match(r"\d+ errors? detected", line)]
    return "; ".join(found or messages.split("\n"))


def require_compiles(source: str, capability: str) -> None:
    """Raises UsageError if NVRTC is here and refuses the source. `capability`: of the GPU that runs
    it; empty on a machine without a GPU."""
    try:
        known = nvrtc().architectures
        usual = Target(USUAL if USUAL in known else min(known), False)
        wanted = target(capability, known, nvrtc().version) if capability else usual
        compiled(source, wanted)
    except UnsupportedError:
        return  # the trial says why
