"""Small trials of case les."""

from __future__ import annotations

from typing import Any

import pytest

from watari.cases.les import trial
from watari.machine import probe
from watari.plan.request import Request, resolve

SMALL = {"processor": "cpu", "grid": "XS", "steps": 6, "every": 3}


def requests(**given: Any) -> list[Request]:
    return resolve("les", {**SMALL, **given}, probe.machine())


def run(**given: Any) -> dict[str, Any]:
    pytest.importorskip("watari._native")
    return trial.run(requests(**given)[0].parameters)


def value(of: dict[str, Any], name: str) -> float:
    return float(of["quantities"][name]["value"])


def assert_bits_of_the_cpu(*names: str, **given: Any) -> None:
    """Compares quantities of a run on a GPU with those of a CPU."""
    cpu, gpu = (run(**{**given, "processor": processor}) for processor in ("cpu", "gpu"))
    assert gpu["verified"] is True, gpu
    assert [value(gpu, name) for name in names] == [value(cpu, name) for name in names], names
