"""The compiled module of a case, loaded when the case needs it, and the `run` that it gives."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from watari.case.axis import Parameters
from watari.common.errors import UnsupportedError, WrongResultError


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
OF_THE_RUN = ("ranks", "processes", "gpus")
LEFT_OPEN = {"halo": "none", "page": "default", "compiler": "none"}


def passed(parameters: Parameters) -> Parameters:
    """The parameters that the compiled module takes: all but those above. It refuses a name that it
    does not know."""
    return {
        name: value
        for name, value in parameters.items()
        if name not in OF_THE_RUN and LEFT_OPEN.get(name) != value
    }


def module(package: str | None) -> Any:
    """The compiled module of a case's package. Raises UnsupportedError if it was not built."""
    name = f"{package}._native"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise UnsupportedError(missing(str(package))) from None


def missing(package: str) -> str:
    """Why a case has no compiled module, and how to get it."""
    own, case = package.rpartition(".")[::2]
    if own != "watari.cases":
        return f"{package} has no compiled part here: install it from its sources, with a compiler"
    return (
        f"{case} is not in this build: make build has all cases, make build CASES={case} this one"
    )


def native(package: str | None, case: str, wrong: str) -> Callable[[Parameters], dict[str, Any]]:
    """The `run` of a case: the function of its name in the module of its package."""

    def run(parameters: Parameters) -> dict[str, Any]:
        return verified(getattr(module(package), case)(passed(parameters)), wrong)

    return run
