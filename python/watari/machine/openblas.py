"""A folder in which the library may find an OpenBLAS when the system has none."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def folder() -> str:
    """The folder in which NumPy's wheel keeps its OpenBLAS; empty where NumPy is not from a
    wheel."""
    spec = importlib.util.find_spec("numpy")
    libraries = Path(spec.origin).parents[1] / "numpy.libs" if spec and spec.origin else None
    return str(libraries) if libraries and libraries.is_dir() else ""
