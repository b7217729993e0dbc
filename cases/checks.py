"""Checks of known cases in results: their axes accept the parameters, and counts are not zero.

A case or an axis that is not in the registry is of a newer version: its values are not checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from watari.case.axis import Axis, Value, as_text
from watari.case.case import Case
from watari.common.errors import UsageError
from watari.results.consistency import wrong

ELSEWHERE = ("folder",)  # axes whose values only the machine that measured can check


def known(axis: Axis, value: Value) -> bool:
    """Whether an axis accepts this value in the form that a run writes."""
    if axis.name in ELSEWHERE:
        return isinstance(value, str)
    try:
        parsed = axis.parse(as_text(value))
    except UsageError:
        return False
    alike = type(value) is type(parsed) or (type(value), type(parsed)) == (int, float)
    return bool(alike and value == parsed)


def check(case: Case, parameters: Mapping[str, Any], counts: tuple[int, int] | None) -> None:
    """Raises ValidationError if an axis is missing or has an invalid value, or if the bytes or
    flops of a sample are 0 though the case has some."""
    for axis in case.axes.values():
        if axis.name not in parameters:
            text = f"the axis '{axis.name}' of {case.name} is missing"
            raise wrong(("parameters",), text, parameters)
        value = parameters[axis.name]
        if not known(axis, value):
            text = f"not a value of this axis ({axis.summary}): {json.dumps(value)[:60]}"
            raise wrong(("parameters", axis.name), text, value)
    try:
        case.settle(dict(parameters))
    except UsageError as error:
        raise wrong(("parameters",), str(error), parameters) from None
    if counts is None:
        return
    profile = case.profile(dict(parameters))
    needed = (True, profile.flops_per_sample > 0)
    for name, count, wanted in zip(("bytes", "flops"), counts, needed, strict=True):
        if wanted and not count:
            text = "must be more than 0 where samples were taken"
            raise wrong((f"{name}_per_sample",), text, 0)
