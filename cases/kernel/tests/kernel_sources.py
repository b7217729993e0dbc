"""Sources that the tests of case kernel share, and NVRTC, without which they are skipped."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import asked
import pytest

from watari.cases.kernel import compiler, files, source
from watari.cases.kernel.declaration import Declaration
from watari.common.errors import UnsupportedError
from watari.plan.request import Request

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "kernel"
PARAMETER = b"\x04\x17\x0c\x00"  # of a cubin: EIATTR_KPARAM_INFO, 12 bytes


def nvrtc() -> Any:
    """The compiler of this machine; skips the test without one."""
    try:
        return compiler.nvrtc()
    except UnsupportedError as error:
        pytest.skip(str(error))


def request(name: str = "saxpy", **given: Any) -> Request:
    """The request of an example, or of another source, on a machine with GPUs."""
    wanted = {"source": str(EXAMPLES / f"{name}.cu"), **given}
    return asked.request("kernel", asked.GPU, **wanted)


def example(name: str) -> tuple[str, Declaration]:
    """The value and the declaration of an example."""
    value = files.value_of(str(EXAMPLES / f"{name}.cu"))
    return value, source.of(value, name)


def parameters_of(image: bytes) -> list[tuple[int, int]]:
    """(offset, bytes) of the parameters of the one kernel in a cubin, as the compiler laid them
    out: index, ordinal, offset, then flags with the size above bit 18."""
    found, at = {}, image.find(PARAMETER)
    while at >= 0:
        _, ordinal, offset, flags = struct.unpack_from("<IHHI", image, at + len(PARAMETER))
        found[ordinal] = (offset, flags >> 18)
        at = image.find(PARAMETER, at + 1)
    return [found[ordinal] for ordinal in sorted(found)]
