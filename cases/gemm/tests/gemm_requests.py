"""Requests of case `gemm` on made-up machines, and a stand-in for the library."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from asked import CPU as CPU
from asked import GPU as GPU
from asked import request

from watari.cases.gemm import _native

one = partial(request, "gemm")


def stand_in(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> None:
    """Replaces functions of the compiled part."""
    for name, function in functions.items():
        monkeypatch.setattr(_native, name, function)
