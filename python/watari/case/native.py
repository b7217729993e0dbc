"""Makes the `run` of a case from its compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from watari import _native
from watari.case.axis import Parameters
from watari.common.errors import WrongResultError


def verified(trial: dict[str, Any], wrong: str) -> dict[str, Any]:
    """The trial of the compiled module as a worker returns it, with `verified`. `wrong`: the error
    for wrong elements; {count} is their number."""
    count = trial.pop("wrong_elements")
    trial["verified"] = count == 0
    if count:
        trial["status"] = WrongResultError.status
        trial["error"] = wrong.replace("{count}", str(count))
    return trial


# Axes that a case's process does not take: the run has started that many. Values that leave the
# choice to the library.
OF_THE_RUN = ("ranks", "processes")
LEFT_OPEN = {"halo": "none", "page": "default"}


def passed(parameters: Parameters) -> Parameters:
    """The parameters that the compiled module takes: all but those above. It refuses a name that it
    does not know."""
    return {
        name: value
        for name, value in parameters.items()
        if name not in OF_THE_RUN and LEFT_OPEN.get(name) != value
    }


def compiled(case: str) -> Callable[..., dict[str, Any]]:
    """The function that runs a trial of a case, named after the case. `_native.pyi` does not list
    these functions."""
    function: Callable[..., dict[str, Any]] = getattr(_native, case)
    return function


def native(case: str, wrong: str) -> Callable[[Parameters], dict[str, Any]]:
    """The case's `run`."""

    def run(parameters: Parameters) -> dict[str, Any]:
        return verified(compiled(case)(passed(parameters)), wrong)

    return run
