"""A summary of the folder of run.sh, in at most 40 lines: summary.py FOLDER."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

AS_IS, BARE = "as-is", "without-watari"


def load(path: Path) -> Any:
    """A file's content; None if its step did not write it."""
    return json.loads(path.read_text()) if path.is_file() else None


def seconds(case: dict[str, Any]) -> float | None:
    """The median of the runs that ended."""
    times = [t for trial in case["trials"] for t in trial["host_s"]]
    return median(times) if times else None


def tried(path: Path) -> str:
    """A program in each style: seconds as it is, and ratios to these; with a status if not ok."""
    cases = {case["parameters"]["style"]: case for case in json.loads(path.read_text())["cases"]}
    base = seconds(cases[AS_IS])
    words = []
    for name, case in cases.items():
        value = seconds(case)
        if case["status"] == "unsupported":
            continue
        if name == AS_IS:
            ended = f"{value:.4g} s x{len(case['trials'])}" if value else case["status"]
            words.append(f"{name} {ended}")
        else:
            ratio = f" {value / base:.3f}" if value and base else ""
            words.append(name + ratio + (f" ({case['status']})" if case["status"] != "ok" else ""))
    unsupported = [name for name, case in cases.items() if case["status"] == "unsupported"]
    same = all(case["status"] in ("ok", "unsupported") for case in cases.values())
    name = path.stem.removeprefix("try-")
    return f"{name:14} {', '.join(words)}; {'output same' if same else 'NOT ALL OK'}" + (
        f"; unsupported: {', '.join(unsupported)}" if unsupported else ""
    )


def traced(path: Path) -> str:
    """Seconds of a program and of its trace, and the number of sampled launches."""
    seen = json.loads(path.read_text())["observed"]
    plain, longer = seen["untraced_seconds"], seen["traced_seconds"]
    kernels = seen["kernels"]
    launches = sum(kernel["launches"] for kernel in kernels)
    sampled = sum(kernel["sampled"] for kernel in kernels)
    without = sum(not kernel["sampled"] for kernel in kernels)
    state = "complete" if seen["complete"] else "INCOMPLETE: " + "; ".join(seen["incomplete"])
    return (
        f"{path.stem.removeprefix('trace-'):14} {plain:8.3f} {longer:8.3f} {longer / plain:6.2f} "
        f"{seen['traced_once_seconds']:6.2f}  {sampled} of {launches} launches, "
        f"{without} of {len(kernels)} kernels never; {state}"
    )[:150]


def lines(folder: Path) -> Iterator[str]:
    """The table."""
    yield "tried          seconds as it is x runs, and times these in each style"
    yield from (tried(path) for path in sorted(folder.glob("try-*.json")))
    yield "traced           as is   traced  ratio   once  sampled"
    yield from (traced(path) for path in sorted(folder.glob("trace-*.json")))
    for name in ("patterns.txt", "tests.txt"):
        path = folder / name
        if path.is_file():
            yield from path.read_text().splitlines()[-10 if name == "patterns.txt" else -1 :]
    steps = folder / "steps.txt"
    if steps.is_file():
        yield "; ".join(line.removeprefix("== ") for line in steps.read_text().splitlines())


if __name__ == "__main__":
    print("\n".join(lines(Path(sys.argv[1]))))
