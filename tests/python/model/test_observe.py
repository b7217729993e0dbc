"""Observations of a program: the laps of a part of it are one observation."""

from __future__ import annotations

import numpy as np
import pytest
import synthetic

from watari.model.profiles.observe import of_case
from watari.model.walk import Traits
from watari.results import schema
from watari.results.measured import measurements


def test_laps_of_one_part_are_observed_together() -> None:
    case = synthetic.himeno_case(np.random.default_rng(7), "explicit", 3)
    plain = synthetic.plain() | {"cases": [case]}
    (m,) = measurements([schema.Results.model_validate(plain)])
    quantities = {n: v["value"] for n, v in m.trials[0]["quantities"].items()}
    back = quantities["transfer_out"] + quantities["read"]
    seconds = [one.seconds for one in of_case(m, Traits())]
    assert pytest.approx(back) in seconds
    assert pytest.approx(quantities["read"]) not in seconds
