"""The key by which results are resumed and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def key(case: str, parameters: Mapping[str, Any]) -> str:
    """Canonical text of case and parameters."""
    return json.dumps([case, parameters], sort_keys=True)
