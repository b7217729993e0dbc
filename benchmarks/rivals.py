"""Case `copy` against plain rivals, process by process in alternation, on this machine.

    python benchmarks/rivals.py [--rounds 7] [-o rivals.json]

The rivals are built with the compilers found here and share no code with this project: a STREAM
copy (g++ -O3 -fopenmp) and a loop of cudaMemcpy (nvcc). Each round runs ours and the rival's in
fresh processes, one after the other; the ratio compares medians over rounds of the median sample,
both by the host's clock.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from watari import cases
from watari.case.axis import Machine, Parameters, parse_size
from watari.machine import probe
from watari.plan.request import Request, describe, resolve
from watari.run import launch
from watari.run.launcher import PINNING, Launcher, environment

HERE = Path(__file__).parent
SAMPLES = 30
DUELS = (
    ("copy-engine", "h", "d"),
    ("copy-engine", "d", "h"),
    ("copy-engine", "d", "d"),
    ("kernel", "d", "d"),
)


def build(source: str, folder: Path) -> Path:
    """Compiles a rival with the compiler of its language."""
    compiler = {
        ".cpp": ["g++", "-O3", "-march=native", "-fopenmp"],
        ".cu": ["nvcc", "-O3", "-arch=native"],
    }[Path(source).suffix]
    program = folder / Path(source).stem
    subprocess.run([*compiler, str(HERE / source), "-o", str(program)], check=True)
    return program


def rival(command: list[str], request: Request) -> float:
    """Median seconds of a rival's samples, in the environment that our own trials get."""
    variables = environment(request, Launcher())
    out = subprocess.run(command, check=True, capture_output=True, text=True, env=variables)
    return median(float(line) for line in out.stdout.split())


def ours(request: Request) -> float:
    """Median seconds of a trial's samples, by the host's clock."""
    trial = launch.trial(request, Launcher(), launch.time_limit(request))
    if trial["status"] != "ok":
        raise SystemExit(f"{describe(request)}: {trial['error']}")
    return float(median(trial["host_s"]))


def duel(given: Parameters, machine: Machine, command: list[str], rounds: int) -> dict[str, Any]:
    """Ours and the rival's in alternation; rates in GB/s by the case's count of bytes."""
    request = resolve("copy", {**given, "samples": SAMPLES, "trials": 1}, machine)[0]
    play: list[Callable[[], float]] = [lambda: ours(request), lambda: rival(command, request)]
    times = [[turn() for turn in play] for _ in range(rounds)]
    bytes_moved = cases.find("copy").profile(request.parameters).bytes_per_sample
    mine, theirs = (bytes_moved / median(column) / 1e9 for column in zip(*times, strict=True))
    return {
        "case": describe(request),
        "rival": Path(command[0]).name,
        "ours_GBps": round(mine, 2),
        "rival_GBps": round(theirs, 2),
        "ratio": round(mine / theirs, 4),
        "seconds": times,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size", default="1GiB")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    size = parse_size(options.size)
    machine = probe.machine()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        stream = str(build("stream_copy.cpp", Path(folder)))
        cpu = {"processor": "cpu", "size": size}
        rows.append(duel(cpu, machine, [stream, str(size), str(SAMPLES)], options.rounds))
        if cases.gpus(machine):
            bare = str(build("bare_memcpy.cu", Path(folder)))
            kinds = {"h": "pinned", "d": "device"}
            for means, a, b in DUELS:
                gpu = {"processor": "gpu", "from": kinds[a], "to": kinds[b], "size": size}
                command = [bare, a, b, str(size), str(SAMPLES)]
                rows.append(duel({**gpu, "means": means}, machine, command, options.rounds))
    for row in rows:
        print("{case}: {ours_GBps} GB/s, {rival} {rival_GBps}, ratio {ratio}".format(**row))
    if options.output:
        report = {"machine": machine["name"], "environment": dict(PINNING), "rows": rows}
        options.output.write_text(json.dumps(report, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
