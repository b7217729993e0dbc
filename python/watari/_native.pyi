"""The compiled module (src/python.cpp), for type checkers: its functions give plain Python values."""

from typing import Any

def __getattr__(name: str) -> Any: ...
