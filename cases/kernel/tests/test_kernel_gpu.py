"""The examples on a GPU: every kind of memory, hint and first touch, with their checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest
from kernel_sources import EXAMPLES

from watari import _native as native
from watari.cases.kernel import case as row
from watari.cases.kernel.parameter_types import TYPES
from watari.common.errors import UnsupportedError
from watari.machine import probe
from watari.plan.request import resolve

(CASE,) = row.CASES
pytestmark = pytest.mark.gpu


def run(source: str, check: str, **given: Any) -> dict[str, Any]:
    words = {"source": source, "check": check, "size": "4MiB", "samples": 3, **given}
    (request,) = resolve("kernel", words, probe.machine())
    try:
        return CASE.run(request.parameters)
    except UnsupportedError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "given",
    [
        {"memory": "device"},
        {"memory": "device", "inputs": "gpu"},
        {"memory": "pinned"},
        {"memory": "system"},
        *({"memory": "managed", "hint": hint} for hint in native.HINTS),
        *(
            {"memory": "managed", "inputs": a, "outputs": b}
            for a in ("cpu", "gpu")
            for b in ("gpu",)
        ),
    ],
    ids=lambda given: "-".join(given.values()),
)
@pytest.mark.parametrize("name", ["saxpy", "gather", "stencil"])
def test_an_example(name: str, given: dict[str, str]) -> None:
    source, check = EXAMPLES / f"{name}.cu", EXAMPLES / "checks.py"
    trial = run(str(source), f"{check}:{name}", **given)
    assert trial.get("status", "ok") == "ok", trial.get("error")
    assert trial["verified"] is True
    assert len(trial["device_s"]) == 3
    assert min(trial["device_s"]) > 0


def test_a_wrong_kernel_is_wrong(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cu"
    source.write_text((EXAMPLES / "saxpy.cu").read_text().replace("i < n", "i + 1 < n"))
    trial = run(str(source), f"{EXAMPLES / 'checks.py'}:saxpy", memory="managed")
    assert trial["status"] == "wrong"
    assert "y: 1 of" in trial["error"]


@pytest.mark.parametrize("kind", sorted({kind.filled_as for kind in TYPES.values()}))
@pytest.mark.parametrize("rule", ["fraction", "below", "ascending", "constant"])
def test_both_processors_write_the_same_values(kind: str, rule: str) -> None:
    by: dict[str, Any] = {}
    for processor in ("cpu", "gpu"):
        buffer = native.Buffer("managed", 2**20)
        buffer.fill_values(processor, kind, rule, limit=100, constant=7.0)
        by[processor] = buffer.bytes().copy()
    numpy.testing.assert_array_equal(by["cpu"], by["gpu"])
