"""Several trials of case lattice in one process a rank: started by test_lattice_ranks.py.

mpirun -n N python lattice_ranks_program.py TRIALS.json OUTCOMES.json
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from watari import _native
from watari.cases.lattice import trial as lattice_trial
from watari.common.errors import WatariError
from watari.run.worker import RANK_VARIABLES, from_launcher


def outcome(parameters: dict[str, Any]) -> dict[str, Any]:
    """What tests compare of one trial, or the error that all ranks threw."""
    try:
        trial = lattice_trial.run(parameters)
    except WatariError as error:
        return {"error": error.name, "text": str(error)}
    values = {name: quantity["value"] for name, quantity in trial["quantities"].items()}
    return {**values, "wrong": trial.get("error"), "samples": len(trial["host_s"])}


def main(trials: str, output: str) -> None:
    """Rank 0 writes its outcomes; those of the other ranks are the same."""
    with open(trials) as file:
        outcomes = [outcome(parameters) for parameters in json.load(file)]
    if from_launcher(RANK_VARIABLES, 0) == 0:
        with open(f"{output}.partial", "w") as file:
            json.dump(outcomes, file)
        os.replace(f"{output}.partial", output)
    _native.end_ranks()


if __name__ == "__main__":
    main(*sys.argv[1:])
