"""Compares a trace of `patterns` with the touches that the program prints: patterns.py TRACE TRUTH.

For a kernel that reads or writes all of a range, the trace must have its pages, and at most one
more. If a kernel jumps from page to page, the driver may move more, up to the whole allocation.
Exit code 1: a difference.
"""

import json
import sys
from pathlib import Path

PAGE = 64 * 1024
LEAST = 2  # launches of each kernel that must have been sampled
JUMPS = ("stride", "sparse")


def main(trace: str, truth: str) -> int:
    """Prints a row for each array of each kernel."""
    observed = json.loads(Path(trace).read_text())["observed"]
    sizes = {one["label"]: one["bytes"] for one in observed["allocations"]}
    kernels = {one["name"].partition("(")[0].split("::")[-1]: one for one in observed["kernels"]}
    wanted: dict[str, dict[int, dict]] = {}
    for one in json.loads(Path(truth).read_text()):
        wanted.setdefault(one["kernel"], {})[one["allocation"]] = one
    wrong = 0
    print("kernel     sampled   allocation  touched is  touched said  access is  said")
    for name, arrays in wanted.items():
        kernel = kernels.get(name, {"sampled": 0, "launches": 0, "touched": []})
        said = {sizes[one["allocation"]]: one for one in kernel["touched"]}
        enough = kernel["sampled"] >= LEAST
        for size in sorted(arrays.keys() | said.keys()):
            one = arrays.get(size, {"bytes": 0, "access": "-"})
            seen = said.get(size, {"bytes": 0, "reads": False, "writes": False, "launches": 0})
            access = "r" * seen["reads"] + "w" * seen["writes"] or "-"
            most = size if name in JUMPS else one["bytes"] + PAGE
            good = enough and one["bytes"] <= seen["bytes"] <= most and access == one["access"]
            good = good and seen["launches"] == kernel["sampled"] * (size in arrays)
            wrong += not good
            print(
                f"{name:10} {kernel['sampled']:>3} of {kernel['launches']:<3}"
                f"{size / 1e6:10.2f}  {one['bytes'] / 1e6:10.2f}  {seen['bytes'] / 1e6:12.2f}"
                f"  {one['access']:>9}  {access:>4}  {'ok' if good else 'DIFFERS'}"
            )
    print(f"{wrong} differ" if wrong else "all as they are")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
