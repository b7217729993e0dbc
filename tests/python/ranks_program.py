"""Several trials of one case in one process a rank: started by on_ranks.py.

mpirun -n N python ranks_program.py TRIALS.json OUTCOMES.json
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from watari import _native, cases
from watari.common.errors import WatariError
from watari.run.worker import RANK_VARIABLES, from_launcher


def outcome(case: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The values of one trial that tests compare, or the error that all ranks threw."""
    try:
        trial = cases.find(case).run(parameters)
    except WatariError as error:
        return {"error": error.name, "text": str(error)}
    return {
        **{name: list(values) for name, values in trial.get("series", {}).items()},
        **{name: quantity["value"] for name, quantity in trial["quantities"].items()},
        "wrong": trial.get("error"),
        "verified": trial["verified"],
        "samples": len(trial["host_s"]),
    }


def main(trials: str, output: str) -> None:
    """Rank 0 writes its outcomes; those of the other ranks are the same."""
    with open(trials) as file:
        outcomes = [outcome(case, parameters) for case, parameters in json.load(file)]
    if from_launcher(RANK_VARIABLES, 0) == 0:
        with open(f"{output}.partial", "w") as file:
            json.dump(outcomes, file)
        os.replace(f"{output}.partial", output)
    _native.end_ranks()


if __name__ == "__main__":
    main(*sys.argv[1:])
