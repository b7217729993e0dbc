"""The checks of results that need the cases; the registry of cases, a layer above, adds them.

A module of its own, so that a trial registers cases without the rest of what results need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# name, parameters: those complete with the axes that were added to the case since
CompleteCase = Callable[[str, Mapping[str, Any]], dict[str, Any]]
COMPLETIONS: list[CompleteCase] = []
# name, parameters, and bytes and flops of a sample where some were taken
CheckCase = Callable[[str, Mapping[str, Any], "tuple[int, int] | None"], None]
CHECKS: list[CheckCase] = []
