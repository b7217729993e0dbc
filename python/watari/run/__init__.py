"""Runs: trials in processes of their own, journal, budget, resume.

`watari.run` is also the function of watari/api/measure.py, so this module can be called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class Callable(ModuleType):
    """A module that is called as the function of the same name, and has its help."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.__wrapped__(*arguments, **named)

    @property
    def __wrapped__(self) -> Any:
        """The function, whose signature is that of the module."""
        return import_module("watari.api.measure").run

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """What `help(watari.run)` shows."""
        import inspect

        function = self.__wrapped__
        return f"run{inspect.signature(function)}\n\n{inspect.getdoc(function)}"


sys.modules[__name__].__class__ = Callable
