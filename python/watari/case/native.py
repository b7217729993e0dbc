"""How the compiled function of a case becomes its `run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watari import _native
from watari.case.axis import Parameters
from watari.common.errors import WrongResultError


def verified(trial: dict[str, Any], wrong: str) -> dict[str, Any]:
    """The trial of the compiled module as a worker gives it: `wrong` says what is not right, with
    {count} for how many elements."""
    count = trial.pop("wrong_elements")
    trial["verified"] = count == 0
    if count:
        trial["status"] = WrongResultError.status
        trial["error"] = wrong.replace("{count}", str(count))
    return trial


def native(function: str, wrong: str) -> Callable[[Parameters], dict[str, Any]]:
    """The compiled function of this name."""

    def run(parameters: Parameters) -> dict[str, Any]:
        return verified(getattr(_native, function)(parameters), wrong)

    return run
