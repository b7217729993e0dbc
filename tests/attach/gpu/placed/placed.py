"""Compares the placements of a trace with times that the program measures itself: placed.py FOLDER

Ratios to `local` are compared, since only they count. Exit code 1: one differs by more than 25%,
or a row is missing. `longer` has no row `mapped`: it takes longer than its share of the time.
"""

import json
import sys
from pathlib import Path

MODES = ("local", "mapped", "faulting")
MOST = 0.25
UNMAPPED = "longer"


def main(folder: Path) -> int:
    """Prints a row for each kernel and placement."""
    truth = {mode: json.loads((folder / f"{mode}.json").read_text()) for mode in MODES}
    observed = json.loads((folder / "trace.json").read_text())["observed"]
    kernels = {one["name"].partition("(")[0]: one for one in observed["kernels"]}
    wrong = 0
    print("kernel    placement  launches   traced s  measured s   ratio, traced  measured")
    for name in truth["local"]:
        rows = {row["placement"]: row for row in kernels[name]["placements"]}
        for mode in MODES:
            row, local = rows.get(mode), rows.get("local")
            measured = truth[mode][name] / truth["local"][name]
            if row is None or local is None:
                good = name == UNMAPPED and mode == "mapped"
                print(
                    f"{name:10}{mode:10}       none  {truth[mode][name]:21.6f}  {measured:24.3f}"
                    f"  {'ok' if good else 'MISSING'}"
                )
            else:
                ratio = row["seconds"] / local["seconds"]
                good = abs(ratio / measured - 1) <= MOST and (name, mode) != (UNMAPPED, "mapped")
                print(
                    f"{name:10}{mode:10}{row['launches']:9}{row['seconds']:12.6f}"
                    f"{truth[mode][name]:12.6f}{ratio:16.3f}{measured:10.3f}"
                    f"  {'ok' if good else 'DIFFERS'}"
                )
            wrong += not good
    print("kernel    faulting s  while CUPTI records faults")
    recorded = json.loads((folder / "faults.json").read_text())["observed"]["kernels"]
    for one in recorded:
        name = one["name"].partition("(")[0]
        seconds = one["traced_seconds"] / one["launches"]
        print(f"{name:10}{truth['faulting'][name]:10.6f}{seconds:30.6f}")
    for name, kernel in kernels.items():
        placed = kernel["unplaced"] or "in every placement"
        print(f"{name}: touches of {kernel['sampled']} of {kernel['launches']}; {placed}")
    print(f"{wrong} differ" if wrong else "all as they are")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
