"""Reads ranges of one object by Watari, obstore and KvikIO in turn, and prints rate and CPU time.

    python benchmarks/objects.py s3://bucket/key --pythons ours=python,obstore=venv/bin/python

The object must be there, and hold the bytes of `--make`: each word of 8 bytes follows from its
offset, so that every range is verified, outside the times. Server and credentials are those of the
environment (docs/objects.md). Each client is a process of its own, in its own Python: it reads
ranges once to warm up, and `--passes` times with the clock on. CPU seconds are those of the
client's process, in user space and in the kernel. Rounds alternate, and the order turns. The result
file has every pass of every round.

Ranges lie further apart than 1 MiB: obstore would join neighbours into one request. KvikIO asks the
CUDA driver about each buffer. Without one, `--driver` names a folder with a libcuda.so.1 for it,
such as that of the emulated GPU of the tests (build/test/tests/emulator/cuda). It reads with
`--threads` threads and in its mode of compatibility, since the buffers are memory of the CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

CLIENTS = ("ours", "obstore", "kvikio")
LANES = "OBJECTS_LANES"  # threads of Watari's reader, for experiments; by default it chooses
GAP = 2**21  # bytes between the starts of two ranges, at least
Read = Callable[[Sequence[int]], list[Any]]


def contents(offset: int, size: int) -> Any:
    """The bytes of the object."""
    import numpy as np

    words = np.arange(offset // 8, (offset + size) // 8, dtype=np.uint64)
    return (words * np.uint64(0x9E3779B97F4A7C15)).view(np.uint8)


def offsets(total: int, block: int, turn: int) -> list[int]:
    """Starts of the ranges of one pass."""
    step = max(GAP, 2 * block)
    return [at + turn * block % step for at in range(0, total - step + 1, step)]


def ours(bucket: str, key: str, block: int) -> tuple[Read, str]:
    """Watari's reader, into the same buffers at each pass."""
    from importlib.metadata import version

    from watari import objects

    lanes = int(os.environ.get(LANES, "0"))
    source = objects.Reader(f"s3://{bucket}/{key}", lanes=lanes)
    buffers: list[bytearray] = []

    def read(starts: Sequence[int]) -> list[Any]:
        while len(buffers) < len(starts):
            buffers.append(bytearray(block))
        source.read_into(list(zip(starts, buffers, strict=False)))
        return buffers[: len(starts)]

    return read, version("watari")


def obstore(bucket: str, key: str, block: int) -> tuple[Read, str]:
    """obstore's call for many ranges at once."""
    from importlib.metadata import version

    import obstore as library
    from obstore.store import S3Store

    store = S3Store(
        bucket,
        endpoint=os.environ["AWS_ENDPOINT_URL"],
        region=os.environ.get("AWS_REGION", "us-east-1"),
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )

    def read(starts: Sequence[int]) -> list[Any]:
        return list(
            library.get_ranges(store, key, starts=list(starts), lengths=[block] * len(starts))
        )

    return read, version("obstore")


def kvikio(bucket: str, key: str, block: int) -> tuple[Read, str]:
    """KvikIO's remote handle: its threads read each range."""
    import kvikio as library
    import numpy as np

    source = library.RemoteFile.open_s3(bucket, key)
    buffers: list[Any] = []

    def read(starts: Sequence[int]) -> list[Any]:
        while len(buffers) < len(starts):
            buffers.append(np.empty(block, np.uint8))
        waiting = [source.pread(b, block, at) for at, b in zip(starts, buffers, strict=False)]
        for each in waiting:
            each.get()
        return buffers[: len(starts)]

    return read, str(library.__version__)


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def client(name: str, url: str, total: int, block: int, passes: int, repeat: int) -> None:
    """Reads, and prints seconds and CPU seconds of each pass as JSON."""
    bucket, _, key = url.removeprefix("s3://").partition("/")
    read, version = {"ours": ours, "obstore": obstore, "kvikio": kvikio}[name](bucket, key, block)
    seconds, cpu = [], []
    wrong = 0
    for turn in range(passes + 1):
        lists = [offsets(total, block, turn * repeat + i) for i in range(repeat)]
        for starts in lists:
            before, start = cpu_seconds(), time.perf_counter()
            found = read(starts)
            spent, used = time.perf_counter() - start, cpu_seconds() - before
            wrong += sum(
                bytes(data) != contents(at, block).tobytes()
                for at, data in zip(starts, found, strict=True)
            )
            if turn > 0:
                seconds.append(spent)
                cpu.append(used)
    size = len(lists[0]) * block
    print(
        json.dumps(
            {"version": version, "bytes": size, "seconds": seconds, "cpu_s": cpu, "wrong": wrong}
        )
    )


def make(url: str, total: int) -> None:
    """Uploads the object."""
    from watari import objects

    with objects.create(url) as target:
        for offset in range(0, total, 2**23):
            target.write(contents(offset, 2**23).tobytes())


def run(python: str, arguments: Sequence[str], more: dict[str, str]) -> dict[str, Any]:
    """The answer of one client, with more variables; `error` if it has none."""
    words = [python, __file__, *arguments]
    environment = {**os.environ, **more}
    ended = subprocess.run(words, capture_output=True, text=True, timeout=600, env=environment)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or ["no message"]
        return {"error": lines[-1]}
    return dict(json.loads(ended.stdout))


def variables(name: str, options: argparse.Namespace) -> dict[str, str]:
    """Variables of one client."""
    if name != "kvikio":
        return {}
    found = {"KVIKIO_COMPAT_MODE": "ON", "KVIKIO_NTHREADS": str(options.threads)}
    return {**found, "LD_LIBRARY_PATH": str(options.driver)} if options.driver else found


def summary(rounds: Sequence[dict[str, Any]]) -> dict[str, float]:
    """GB/s, the median and the best of all passes; median and least CPU seconds a GB."""
    rates = [r["bytes"] / s / 1e9 for r in rounds for s in r["seconds"]]
    cpu = [c / (r["bytes"] / 1e9) for r in rounds for c in r["cpu_s"]]
    return {"GB/s": median(rates), "best GB/s": max(rates), "CPU s/GB": median(cpu)}


def compared(options: argparse.Namespace, pythons: dict[str, str]) -> list[dict[str, Any]]:
    """Every block size, in alternation."""
    rows = []
    for block, repeat in ((2**16, options.repeat), (2**23, 1)):
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in pythons}
        for number in range(options.rounds):
            names = list(pythons)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                words = ["--client", name, options.url, "--total", str(options.total)]
                words += ["--block", str(block), "--passes", str(options.passes)]
                words += ["--repeat", str(repeat)]
                answer = run(pythons[name], words, variables(name, options))
                if "error" in answer:
                    print(f"{name}: {answer['error']}", file=sys.stderr)
                else:
                    found[name].append(answer)
        for name, rounds in found.items():
            if rounds:
                row = {"client": name, "block": block, **summary(rounds), "rounds": rounds}
                rows.append(row)
                print(
                    f"{block:8} {name:8} {row['GB/s']:7.3f} GB/s, at best {row['best GB/s']:7.3f}"
                    f" {row['CPU s/GB']:7.3f} CPU s/GB"
                    f"  wrong {sum(r['wrong'] for r in rounds)}"
                )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--total", type=int, default=2**28, help="bytes of the object")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=5, help="of each round")
    parser.add_argument(
        "--repeat", type=int, default=8, help="calls with ranges of 64 KiB in a pass"
    )
    parser.add_argument("--pythons", default=f"ours={sys.executable}", help="client=python,...")
    parser.add_argument("--driver", type=Path, help="folder of a libcuda.so.1, for KvikIO")
    parser.add_argument("--threads", type=int, default=8, help="of KvikIO")
    parser.add_argument("--make", action="store_true", help="upload the object first")
    parser.add_argument("--server", default="", help="its name and version, for the result file")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--client", choices=CLIENTS, help=argparse.SUPPRESS)
    parser.add_argument("--block", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        client(
            options.client,
            options.url,
            options.total,
            options.block,
            options.passes,
            options.repeat,
        )
        return
    if options.make:
        make(options.url, options.total)
    pythons = dict(each.split("=", 1) for each in options.pythons.split(","))
    rows = compared(options, pythons)
    if options.output:
        result = {"server": options.server, "object_bytes": options.total}
        result |= {"kvikio_threads": options.threads, "clients": rows}
        options.output.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
