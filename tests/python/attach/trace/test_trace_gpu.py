"""The chain on a real driver and CUPTI: a program of known touches, traced as a user's."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from launching import HANGS

from watari.attach.trace.check import PROGRAM
from watari.common.files import PACKAGE

MIB = 2**20


@pytest.mark.gpu
def test_known_touches_are_reported_or_the_trace_is_incomplete(tmp_path) -> None:
    command = [sys.executable, "-m", "watari", "trace", "--", str(PACKAGE / PROGRAM)]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS)
    assert ended.returncode == 0, ended.stderr
    observed = json.loads((tmp_path / "trace.json").read_text())["observed"]
    (allocation,) = observed["allocations"]
    (kernel,) = observed["kernels"]
    assert (allocation["bytes"], allocation["kind"]) == (64 * MIB, "managed")
    assert (kernel["name"], kernel["launches"]) == ("watari_touch", 2)
    if observed["complete"]:
        moved = allocation["moved"]
        assert 16 * MIB <= moved["by faults to GPU"] <= 64 * MIB
        assert moved["by faults to CPU"] >= 16 * MIB
        assert kernel["sampled"] == 2
        assert any(touch["writes"] for touch in kernel["touched"])
    else:
        assert all(observed["incomplete"])
