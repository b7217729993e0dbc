"""The compiled module (src/python) for type checkers: functions that give plain values."""

from typing import Any

def __getattr__(name: str) -> Any: ...
