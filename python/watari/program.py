"""What measures: version and build of this program, and the environment that its trials get."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys

from watari import results
from watari.launch import PINNING, Launcher
from watari.worker import now

TELLING = (
    "OMP_",
    "GOMP_",
    "CUDA_",
    "OMPI_",
    "UCX_",
    "NCCL_",
    "GLIBC_TUNABLES",
    "MALLOC_",
)


def version() -> str:
    """The installed version; that of a source tree is not known."""
    try:
        return importlib.metadata.version("watari")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def environment(launcher: Launcher) -> dict[str, str]:
    """The variables that matter, as the trials see them; OMP_NUM_THREADS is an axis of each."""
    set_by_user = {name: value for name, value in os.environ.items() if name.startswith(TELLING)}
    return {**PINNING, **set_by_user, **launcher.environment}


def program(launcher: Launcher) -> results.Program:
    """This program, now: the head of a result file."""
    from watari import _native

    built: dict[str, str] = getattr(_native, "build", dict)()
    return results.Program(
        version=version(),
        revision=built.get("revision") or None,
        compiler=built.get("compiler") or None,
        flags=built.get("flags") or None,
        cuda=built.get("cuda") or None,
        command=shlex.join(["watari", *sys.argv[1:]]),
        environment=environment(launcher),
        started=now(),
    )
