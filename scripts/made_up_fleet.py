"""Makes a fleet of copies of one result file, to try `watari fleet` without a cluster:

    python scripts/made_up_fleet.py RUN.json FOLDER [NODES]

The nodes scatter by 0.8%, their trials by 0.4%. On node 3 and node 11 copies from pinned memory
take 1.41 times as long; on node 5 the cases of managed memory failed. Host names are made up.
"""

from __future__ import annotations

import copy
import json
import random
import sys
from pathlib import Path
from typing import Any

NODES, TRIALS = 0.008, 0.004  # scatter, in logarithms
SLOW, SLOWER = (3, 11), 1.41
FAILED = 5
Plain = dict[str, Any]


def node(run: Plain, number: int, rng: random.Random) -> Plain:
    """The run, as one of this node."""
    made = copy.deepcopy(run)
    made["machine"]["hosts"] = [f"node{number:04}"]
    for case in made["cases"]:
        level = rng.lognormvariate(0, NODES)
        if number in SLOW and case["parameters"].get("from") == "pinned":
            level *= SLOWER
        if number == FAILED and "managed" in case["parameters"].values() and case["trials"]:
            case |= {"status": "failed", "reason": "CUDA error 700", "trials": []}
        for trial in case["trials"]:
            scale(trial, level * rng.lognormvariate(0, TRIALS))
    return made


def scale(trial: Plain, by: float) -> None:
    """Every sample takes `by` times as long."""
    for name in ("host_s", "device_s"):
        if trial.get(name):
            trial[name] = [seconds * by for seconds in trial[name]]


def main(recorded: str, folder: str, count: str = "20") -> None:
    """Writes the files, one a node."""
    run, rng = json.loads(Path(recorded).read_text()), random.Random(1)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number in range(int(count)):
        made = node(run, number, rng)
        path = Path(folder, f"{made['machine']['hosts'][0]}.json")
        path.write_text(json.dumps(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
