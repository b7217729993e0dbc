"""Runs on a made-up machine (fake_cli.py), in this process or in one of their own."""

import os
import subprocess
import sys
from pathlib import Path

import fake_cli
from launching import HANGS

from watari.plan.request import Request, resolve
from watari.run import launch, runner
from watari.run.launcher import Launcher

ARGUMENTS = ["copy", "processor=cpu", "size=1MiB", "trials=200", "samples=3", "-o", "run.json"]


def requests(*sizes, trials=2, processor="cpu"):
    given = {"processor": processor, "size": list(sizes), "trials": trials, "samples": 3}
    return resolve("copy", given, fake_cli.machine())


# a real request: needs the compiled module
COPY = Request("copy", {**requests(2**20)[0].parameters, "samples": 3}, 1)


def state(asked):
    plan = fake_cli.prepare.Plan("test", tuple(asked))
    return fake_cli.prepare.fresh(plan, fake_cli.machine(), Launcher())


def options(tmp_path, how="good", **given):
    launcher = Launcher.parse(f"{sys.executable} {fake_cli.FAKE} {how} --")
    return runner.Options(tmp_path / "run.json", launcher, **given)


class Recorder:
    """A progress listener that records its calls."""

    def __init__(self):
        self.finished, self.left = [], []

    def start(self, text, left):
        self.left.append(left)

    def finish(self, text, left):
        self.finished.append(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def launch_good(tmp_path):
    return launch.trial(requests(2**20)[0], options(tmp_path).launcher, HANGS, tmp_path)


def start(arguments, tmp_path, how, **given):
    command = [sys.executable, fake_cli.__file__, "run", *arguments, *fake_cli.launcher(how)]
    package = str(Path(runner.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": package, **given.pop("env", {})}
    return subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, **given
    )


def finished(process, code=0):
    """Output and errors of a process that ends with this code."""
    texts = process.communicate(timeout=HANGS)
    assert process.returncode == code, texts
    return texts


def wait_for_lines(process, number):
    return [process.stdout.readline() for _ in range(number)]
