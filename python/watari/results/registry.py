"""The checks of results that need the cases; the registry of cases, a layer above, adds them.

A module of its own, so that a trial registers cases without importing the rest of results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

# name, parameters; returns the parameters with axes that the case got after they were written
CompleteCase = Callable[[str, Mapping[str, Any]], dict[str, Any]]
COMPLETIONS: list[CompleteCase] = []
# name, parameters, and bytes and flops of a sample if some were taken
CheckCase = Callable[[str, Mapping[str, Any], "tuple[int, int] | None"], None]
CHECKS: list[CheckCase] = []
