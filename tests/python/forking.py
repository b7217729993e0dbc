"""`python -m watari` without the 0.7 s of its imports: a process that has imported Watari forks for
each command. The fork is a process of its own, with its folder, variables and streams.

tests/python/cli/test_endings.py starts commands as a shell does.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HANGS = 1800  # seconds: for a command that hangs, not for a slow machine
PACKAGES = ("watari.api", "watari.attach", "watari.cli", "watari.model", "watari.results")
# beginnings of variables that a process reads once, when it starts
AT_START = ("LD_", "PYTHON", "LC_", "LANG", "MALLOC_", "OMP_", "OPENBLAS_")


class Parent:
    """The process that forks."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # as the streams of a command: no terminal
                pass_fds=[theirs.fileno()],
            )

    def run(self, request: dict[str, Any], streams: list[int]) -> None:
        socket.send_fds(self.socket, [json.dumps(request).encode()], streams)

    def code(self) -> int:
        """The exit code of the command, once it has ended."""
        answer = self.socket.recv(64)
        assert answer, f"the process that forks has ended: {self.process.wait()}"
        return int(answer)


parents: dict[tuple[int, frozenset[tuple[str, str]]], Parent] = {}


def parent(environment: Mapping[str, str]) -> Parent:
    """A parent with the variables that a process reads when it starts."""
    lasting = {name: value for name, value in environment.items() if name.startswith(AT_START)}
    key = os.getpid(), frozenset(lasting.items())
    if key not in parents:
        parents[key] = Parent(environment)
    return parents[key]


def python(
    words: tuple[str, ...],
    cwd: Path,
    environment: Mapping[str, str],
    stdin: Any = None,
    values: Mapping[str, float] | None = None,
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run([sys.executable, *words], ...)`, with its output as text. The first words
    are `-m` and a module, or a script. `values`: names of modules, such as `watari.x.LIMIT`, that
    have another value there."""
    with contextlib.ExitStack() as stack:
        if stdin in (None, subprocess.DEVNULL):
            stdin = stack.enter_context(open(os.devnull))
        pipes = [os.pipe(), os.pipe()]
        forks = parent(environment)
        request = {
            "words": [os.fsdecode(word) for word in words],
            "cwd": str(cwd),
            "environment": dict(environment),
            "values": dict(values or {}),
        }
        given = stdin if isinstance(stdin, int) else stdin.fileno()
        forks.run(request, [given, *(write for _, write in pipes)])
        for _, write in pipes:
            os.close(write)
        out, err = (stack.enter_context(open(read)) for read, _ in pipes)
        texts: list[str] = []
        thread = threading.Thread(target=lambda: texts.append(err.read()))
        thread.start()
        written = out.read()
        thread.join()
        return subprocess.CompletedProcess(words, forks.code(), written, texts[0])


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Makes a fork the process of a command, which ends if it hangs."""
    signal.alarm(HANGS)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for name, value in request["values"].items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)


def run(first: str, *words: str) -> None:
    """Runs a module or a script, as Python does with these words."""
    if first == "-m":
        sys.argv = list(words)
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *words]
        sys.path.insert(0, str(Path(first).resolve().parent))
        runpy.run_path(first, run_name="__main__")


def fork(requests: socket.socket) -> list[str]:
    """Forks for each request; returns its words in the forks."""
    while True:
        message, streams, *_ = socket.recv_fds(requests, 2**20, 3)
        if not message:
            os._exit(0)
        pid = os.fork()
        if not pid:
            requests.close()
            request = json.loads(message)
            become(request, streams)
            return list(request["words"])
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(pid, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def imported() -> None:
    """Imports what commands import."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            with contextlib.suppress(ImportError):  # a test may hide a package
                importlib.import_module(module.name)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, which `-m watari` does not see
    imported()
    run(*fork(socket.socket(fileno=int(sys.argv[1]))))
