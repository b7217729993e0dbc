"""Requests of case `gemm` on made-up machines, and a stand-in for the library."""

from __future__ import annotations

from typing import Any

import pytest
import synthetic

from watari.cases.gemm import _native
from watari.plan.request import Request, resolve

GPU, CPU = synthetic.gpu_machine(), synthetic.cpu_machine()


def one(machine: dict[str, Any] = CPU, **given: Any) -> Request:
    asked = {name.replace("_", "-"): value for name, value in given.items()}
    (request,) = resolve("gemm", asked, machine)
    return request


def stand_in(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> None:
    """Replaces functions of the compiled part."""
    for name, function in functions.items():
        monkeypatch.setattr(_native, name, function)
