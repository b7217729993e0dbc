"""Case `storage` against fio's io_uring, on the same file, in alternation, on this machine.

    python benchmarks/fio.py [--rounds 5] [--block 4KiB,64KiB] [--threads 1,2] [-o fio.json]

fio (Debian package `fio`) reads with the same pattern, block, depth and number of threads, direct
I/O, on the same CPUs: as it is (`fio`); with registered buffers and files (`fio-fixed`); and with
these in huge pages (`fio-huge`), as our engines have them; why, and how to reserve such pages:
cases/storage/benchmarks/fio_rows.sh. A sample of ours has as many requests as plain fio ends in one
run, so that the ends of both, at which queues are not full, count alike; its blocks lie in memory
of their own. Each round runs every one in a fresh process, one after the other, so that a change of
the disk's speed affects all; a ratio compares medians over rounds. The load of the machine before
and after is stored with the results.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from watari import cases
from watari.case.axis import Machine, Parameters, parse_size
from watari.common.units import exact_size
from watari.machine import probe
from watari.plan.request import Request, describe, resolve
from watari.run import launch
from watari.run.launcher import Launcher

FIXED = ("--fixedbufs", "--registerfiles")
RIVALS: dict[str, tuple[str, ...]] = {
    "fio": (),
    "fio-fixed": FIXED,
    "fio-huge": (*FIXED, "--iomem=mmaphuge"),
}


def file_of(parameters: Parameters) -> Path:
    """The file that case `storage` makes and reuses (storage/files/file_set.cpp)."""
    return Path(parameters["folder"]).expanduser() / f"watari-{parameters['size']}.data"


def fio(parameters: Parameters, extra: tuple[str, ...], seconds: float) -> dict[str, float]:
    """Requests per second, and CPU seconds per second, of one fio process."""
    command = [
        "fio",
        "--name=rival",
        f"--filename={file_of(parameters)}",
        f"--size={parameters['size']}",
        f"--rw={'randread' if parameters['pattern'] == 'random' else 'read'}",
        f"--bs={parameters['block']}",
        f"--iodepth={parameters['depth']}",
        f"--numjobs={parameters['threads']}",
        "--ioengine=io_uring",
        "--direct=1",
        "--readonly",
        "--thread",
        "--group_reporting",
        "--time_based",
        f"--runtime={seconds}",
        "--output-format=json",
        *extra,
    ]
    if parameters["pattern"] != "random" and parameters["threads"] > 1:  # each its own part
        command.append(f"--offset_increment={parameters['size'] // parameters['threads']}")
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {run.stderr or run.stdout}")
    job = json.loads(run.stdout)["jobs"][0]
    cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * parameters["threads"]
    return {"rate": float(job["read"]["iops"]), "cpu": float(cpu)}


def ours(request: Request) -> dict[str, float]:
    """The same for one trial of case `storage`; the rate is that of the median sample."""
    trial = launch.trial(request, Launcher(), launch.time_limit(request))
    if trial["status"] != "ok":
        raise SystemExit(f"{describe(request)}: {trial['error']}")
    quantities = trial["quantities"]
    return {
        "rate": float(request.parameters["requests"] / median(trial["host_s"])),
        "cpu": float(quantities["cpu_s"]["value"] / sum(trial["host_s"])),
    }


def duel(
    given: Parameters, engines: list[str], machine: Machine, rounds: int, seconds: float
) -> list[dict[str, Any]]:
    """All engines and all rivals in turn; a row for each engine."""

    def request(engine: str, requests: int) -> Request:
        of = {**given, "engine": engine, "trials": 1, "requests": requests}
        return resolve("storage", of, machine)[0]

    short = request(engines[0], given["depth"] * given["threads"])
    ours(short)  # makes the file
    first = short.parameters
    count = round(seconds * fio(first, (), seconds)["rate"])
    requests = {engine: request(engine, count) for engine in engines}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in (*RIVALS, *engines)}
    for _ in range(rounds):
        for name, extra in RIVALS.items():
            runs[name].append(fio(first, extra, seconds))
        for engine in engines:
            runs[engine].append(ours(requests[engine]))
    rate = {name: median(run["rate"] for run in found) for name, found in runs.items()}
    cpu = {name: median(run["cpu"] for run in found) for name, found in runs.items()}
    return [
        {
            "case": describe(requests[engine]),
            "engine": engine,
            "block": first["block"],
            "depth": first["depth"],
            "threads": first["threads"],
            "requests_of_a_sample": count,
            "requests_per_s": {name: round(rate[name]) for name in (engine, *RIVALS)},
            "cpus_busy": {name: round(cpu[name], 2) for name in (engine, *RIVALS)},
            "ratio": round(rate[engine] / rate["fio"], 3),
            "ratio_fixed": round(rate[engine] / rate["fio-fixed"], 3),
            "ratio_huge": round(rate[engine] / rate["fio-huge"], 3),
            "runs": {name: runs[name] for name in (engine, *RIVALS)},
        }
        for engine in engines
    ]


def print_table(rows: list[dict[str, Any]]) -> None:
    names = ("ours", *RIVALS)
    print(f"{'engine':7} {'block':>7} {'depth':>5} {'threads':>7}", end="")
    print(
        "".join(f" {name + ' k/s':>14} {'cpus':>5}" for name in names), " ratio  to fixed  to huge"
    )
    for row in rows:
        block = exact_size(row["block"])
        print(f"{row['engine']:7} {block:>7} {row['depth']:5} {row['threads']:7}", end="")
        for rate, cpu in zip(
            row["requests_per_s"].values(), row["cpus_busy"].values(), strict=True
        ):
            print(f" {rate / 1e3:14.2f} {cpu:5.2f}", end="")
        print(f"  {row['ratio']:5.3f}  {row['ratio_fixed']:8.3f}  {row['ratio_huge']:7.3f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="of each run of fio")
    parser.add_argument("--engines", default="", help="uring,queue, and gpu where there is one")
    parser.add_argument("--block", default="4KiB,64KiB")
    parser.add_argument("--depth", default="32")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--pattern", default="random")
    parser.add_argument("--size", default="1GiB")
    parser.add_argument("--folder", default=None)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    if shutil.which("fio") is None:
        raise SystemExit("fio is not here: install the package `fio` (Debian, RHEL, conda-forge)")
    machine = probe.machine()
    engines = options.engines.split(",") if options.engines else ["uring", "queue"]
    if not options.engines and cases.gpus(machine):
        engines.append("gpu")
    common = {
        "pattern": options.pattern,
        "size": parse_size(options.size),
        "direction": "read",
        "samples": 3,
    }
    if options.folder:
        common["folder"] = options.folder
    load = os.getloadavg()[0]
    rows: list[dict[str, Any]] = []
    for block in options.block.split(","):
        for depth in options.depth.split(","):
            for threads in options.threads.split(","):
                given = {"block": parse_size(block), "depth": int(depth), "threads": int(threads)}
                rows += duel({**common, **given}, engines, machine, options.rounds, options.seconds)
    print_table(rows)
    if options.output:
        report = {
            "machine": machine["name"],
            "fio": subprocess.run(["fio", "--version"], capture_output=True, text=True).stdout,
            "seconds_of_fio": options.seconds,
            "load_before_and_after": [load, os.getloadavg()[0]],
            "rows": rows,
        }
        options.output.write_text(json.dumps(report, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
