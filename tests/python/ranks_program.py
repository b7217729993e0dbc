"""Several trials of case himeno in one process a rank: started by test_himeno_ranks.py.

mpirun -n N python ranks_program.py TRIALS.json OUTCOMES.json
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from watari import _native
from watari.cases.himeno import trial as himeno_trial
from watari.common.errors import WatariError
from watari.run.worker import RANK_VARIABLES, from_launcher


def outcome(parameters: dict[str, Any]) -> dict[str, Any]:
    """What tests compare of one trial, or the error that all ranks threw."""
    try:
        trial = himeno_trial.run(parameters)
    except WatariError as error:
        return {"error": error.name, "text": str(error)}
    return {
        "fingerprint": trial["quantities"]["fingerprint"]["value"],
        "gosa": list(trial["series"]["gosa"]),
        "halo_s": len(trial["series"].get("halo_s", [])),
        "verified": trial["verified"],
        "samples": len(trial["host_s"]),
    }


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
