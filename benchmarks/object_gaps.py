"""Narrow tiles and columns from an object: requests, bytes and seconds, by builds in turn.

    python benchmarks/object_gaps.py --pythons before=old/bin/python,after=python -o gaps.json

The server is the small one of the tests (tests/python/objects/object_server.py), in a process of
its own on this machine; it counts the requests for ranges and their bytes. `late` is a pause in
seconds before each answer, as of a server far away. Each client is a process of its own, in its own
Python. Rounds alternate, and the order turns. Every result is compared with NumPy, outside the
times.

    product   N x N = (N x N) (N x N) of float32, A and B in one .npy object each
    files     the same product from local files
    slice     a[:, 96:352] of such an object by watari.open
    gaps      256 ranges of 4 KiB, so far apart, in one call; with gap=0 each is a request
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

TESTS = Path(__file__).resolve().parents[1] / "tests" / "python" / "objects"
JOBS = (
    {"job": "product", "n": 5000, "fast": "16MiB"},
    {"job": "product", "n": 5000, "fast": "64MiB"},
    {"job": "product", "n": 5000, "fast": "256MiB"},
    {"job": "product", "n": 1500, "fast": "8MiB", "late": 0.03},
    {"job": "files", "n": 5000, "fast": "16MiB"},
    {"job": "slice", "n": 5000},
    {"job": "slice", "n": 5000, "late": 0.03},
    *(
        {"job": "gaps", "n": 5000, "apart": apart, "gap": gap, "late": late}
        for late in (0, 0.03)
        for apart in (2**16, 2**18, 2**19, 2**20)
        for gap in (0, 2**20)
        if apart * 256 < 4 * 5000**2 or apart * 64 < 4 * 5000**2
    ),
)


def matrix(name: str, n: int) -> Any:
    """A factor, whose products are exact in float32."""
    import numpy as np

    chance = np.random.default_rng([n, ord(name)])
    return chance.integers(-8, 9, (n, n), dtype=np.int8).astype("float32")


def serve() -> None:
    """Serves s3://bucket/A5000.npy and the like; /late?0.03 sets the pause, /seen returns the
    number of requests and their bytes, and forgets them."""
    sys.path.insert(0, str(TESTS))
    import io

    import numpy as np
    import object_server

    late = 0.0

    class Counting(object_server.Handler):
        def handle_any(self) -> None:
            nonlocal late
            if self.path.startswith("/late?"):
                late = float(self.path.partition("?")[2])
                return self.answer(200)
            if self.path == "/seen":
                fields = [f.get("Range", "") for m, _, f in self.server.kept.seen if m == "GET"]
                ranges = [re.fullmatch(r"bytes=(\d+)-(\d+)", each) for each in fields]
                sizes = [int(r[2]) - int(r[1]) + 1 for r in ranges if r]
                self.server.kept.seen.clear()
                return self.answer(200, json.dumps([len(sizes), sum(sizes)]).encode())
            time.sleep(late)
            return super().handle_any()

        do_GET = do_HEAD = handle_any  # noqa: N815

    object_server.Handler = Counting  # type: ignore[misc]
    server = object_server.Server()
    for n in sorted({job["n"] for job in JOBS}):
        for name in "AB":
            content = io.BytesIO()
            np.save(content, matrix(name, int(str(n))))
            server.kept.objects[f"/bucket/{name}{n}.npy"] = content.getvalue()
            object_server.etag(content.getvalue())  # its hash is kept
    print(server.port, flush=True)
    sys.stdin.read()


def client(job: dict[str, Any]) -> None:
    """Carries out a job, and prints its seconds, the bytes that it asked for, and whether all of
    them were right."""
    import numpy as np

    import watari
    from watari import objects

    n = job["n"]
    if job["job"] in ("product", "files"):
        paths = [f"s3://bucket/{name}{n}.npy" for name in "AB"]
        if job["job"] == "files":
            paths = [f"{name}{n}.npy" for name in "AB"]
            for name, path in zip("AB", paths, strict=True):
                np.save(path, matrix(name, n))
        done = watari.gemm(*paths, "C.npy", processor="cpu", fast_memory=job["fast"])
        seconds, asked = done.seconds, done.bytes_read
        right = np.array_equal(np.load("C.npy"), matrix("A", n) @ matrix("B", n))
    elif job["job"] == "slice":
        expected = matrix("A", n)[:, 96:352]
        with watari.open(f"s3://bucket/A{n}.npy") as array:
            start = time.perf_counter()
            found = array[:, 96:352]
            seconds, asked = time.perf_counter() - start, found.nbytes
        right = np.array_equal(found, expected)
    else:
        source = objects.Reader(f"s3://bucket/A{n}.npy", gap=job["gap"])
        count = min(256, source.size // job["apart"])
        found = np.empty((count, 4096), np.uint8)
        source.read(0, 1)  # connections
        start = time.perf_counter()
        source.read_into([(128 + i * job["apart"], found[i]) for i in range(count)])
        seconds, asked = time.perf_counter() - start, found.nbytes
        whole = np.frombuffer(matrix("A", n).tobytes(), np.uint8)
        right = all(
            np.array_equal(found[i], whole[i * job["apart"] : i * job["apart"] + 4096])
            for i in range(count)
        )
    print(json.dumps({"seconds": seconds, "asked": asked, "right": bool(right)}))


def measured(url: str, python: str, job: dict[str, Any]) -> dict[str, Any]:
    """One run of a job by one build."""
    urlopen(f"{url}/late?{job.get('late', 0)}").read()
    urlopen(f"{url}/seen").read()
    environment = {**os.environ, "AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "ID"}
    environment |= {"AWS_SECRET_ACCESS_KEY": "secret", "PYTHONSAFEPATH": "1"}
    with tempfile.TemporaryDirectory() as folder:
        words = [python, str(Path(__file__).resolve()), "--client", json.dumps(job)]
        ended = subprocess.run(
            words, capture_output=True, text=True, cwd=folder, env=environment, timeout=1200
        )
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    requests, received = json.loads(urlopen(f"{url}/seen").read())
    return {**json.loads(ended.stdout), "requests": requests, "received": received}


def rows(url: str, pythons: dict[str, str], rounds: int, only: str) -> list[dict[str, Any]]:
    """Every job, by the builds in turn."""
    result = []
    for job in JOBS:
        if only and job["job"] not in only.split(","):
            continue
        names = [name for name in pythons if job["job"] != "gaps" or name == list(pythons)[-1]]
        runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        for number in range(rounds):
            for name in names[number % len(names) :] + names[: number % len(names)]:
                runs[name].append(measured(url, pythons[name], dict(job)))
        for name, each in runs.items():
            last = each[-1]
            row = {**job, "build": name, "seconds": [run["seconds"] for run in each]}
            row |= {key: last[key] for key in ("requests", "received", "asked")}
            row["right"] = all(run["right"] for run in each)
            result.append(row)
            print({**row, "seconds": round(median(row["seconds"]), 4)}, flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", default=f"after={sys.executable}", help="build=python,...")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="jobs, by commas")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve()
    if options.client:
        return client(json.loads(options.client))
    words = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        pythons = dict(each.split("=", 1) for each in options.pythons.split(","))
        found = rows(url, pythons, options.rounds, options.only)
        server.kill()
    if options.output:
        options.output.write_text(json.dumps({"rows": found}, indent=1) + "\n")
    return None


if __name__ == "__main__":
    main()
