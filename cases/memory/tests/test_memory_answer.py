"""The options of the answer and the bytes of a copy, from made-up numbers."""

from __future__ import annotations

import pytest
import synthetic

from watari.cases.memory import profile
from watari.cases.memory.ways import shared
from watari.plan.request import resolve
from watari.results.measured import Measured

GB = 10**9


def test_pages_that_move_in_the_first_passes_are_a_setup() -> None:
    """Three passes of 5, 2 and 2 s, then 1 s each: 6 s of setup, and 1 s a pass."""
    series = [5.0, 2.0, 2.0, *[1.0] * 9]
    trials = [{"host_s": series, "device_s": None, "ranks": 1}] * 3
    machine = synthetic.gpu_machine()
    m = Measured(
        "here", machine, "access", {"size": GB}, "ok", "", [], trials, len(trials), GB, 0, 0
    )
    option = shared(m, "managed")
    assert option.each.middle == pytest.approx(1.0)
    assert option.setup.middle == pytest.approx(6.0)


def test_a_copy_in_both_directions_counts_both() -> None:
    given = {"from": "pinned", "to": "device", "size": "1MiB", "means": "copy-engine"}
    machine = synthetic.gpu_machine()
    one, both = (
        profile.copy_bytes(resolve("copy", {**given, "bidirectional": word}, machine)[0].parameters)
        for word in ("no", "yes")
    )
    assert (one, both) == (2**20, 2**21)
