"""How the processes of a trial are started: the launcher of its ranks, and their environment."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from watari import cases
from watari.common.errors import UsageError
from watari.plan.request import Request
from watari.run.worker import OF_RANKS

START = str(Path(__file__).with_name("start.py").absolute())
PINNING = {"OMP_PLACES": "cores", "OMP_PROC_BIND": "close", "CUDA_MODULE_LOADING": "EAGER"}


@dataclass(frozen=True)
class Launcher:
    """A command that starts the ranks of a trial: `[NAME=VALUE ...] mpirun -n {ranks}`.

    Used for trials of several ranks, and for every trial when the user chose it.
    """

    command: tuple[str, ...] = ("mpirun", "-n", "{ranks}")
    environment: dict[str, str] = field(default_factory=dict)
    template: str = ""

    @property
    def chosen(self) -> bool:
        """Whether the user gave it."""
        return bool(self.template)

    @classmethod
    def parse(cls, template: str) -> Launcher:
        """Reads the template as a shell would. Raises UsageError."""
        try:
            words = shlex.split(template)
        except ValueError as error:
            raise UsageError(f"launcher '{template}': {error}") from None
        environment: dict[str, str] = {}
        while words and words[0].partition("=")[0].isidentifier() and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        if not words:
            raise UsageError(f"launcher '{template}' has no command; e.g. 'mpirun -n {{ranks}}'")
        return cls(tuple(words), environment, template)

    def require_program(self) -> None:
        """Raises UsageError where the program that the user chose cannot be started."""
        program = self.command[0]
        if self.chosen and not shutil.which(program, path=self.environment.get("PATH")):
            raise UsageError(f"launcher '{program}': no program of this name, or not on PATH")

    def prefix(self, ranks: int) -> list[str]:
        """The words before the worker's command."""
        if ranks == 1 and not self.chosen:
            return []
        return [word.replace("{ranks}", str(ranks)) for word in self.command]


def ranks_of(request: Request) -> int:
    """The number of processes of a request."""
    return int(request.parameters.get("ranks", 1))


def environment(request: Request, launcher: Launcher) -> dict[str, str]:
    """The worker's environment: pinned threads unless the user decided, modules loaded eagerly."""
    defaults = dict(PINNING)
    if "threads" in request.parameters and cases.find(request.case).threads_compute:
        defaults["OMP_NUM_THREADS"] = str(request.parameters["threads"])
    inherited = dict(os.environ)
    if not launcher.prefix(ranks_of(request)):  # rank variables of a batch job do not apply
        inherited = {name: value for name, value in inherited.items() if name not in OF_RANKS}
    return safe_path({**defaults, **inherited, **launcher.environment})


def for_all_ranks(request: Request, launcher: Launcher) -> dict[str, str]:
    """The variables that ranks on other hosts must have too: launchers need not pass them on."""
    if not launcher.prefix(ranks_of(request)):
        return {}
    here = environment(request, launcher)
    return {
        name: here[name]
        for name in (*PINNING, "OMP_NUM_THREADS", *launcher.environment)
        if name in here
    }


def safe_path(variables: Mapping[str, str]) -> dict[str, str]:
    """These variables, with a PYTHONPATH without empty entries (from `$PYTHONPATH:folder`): Python
    takes them for the current folder."""
    paths = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path]
    others = {name: value for name, value in variables.items() if name != "PYTHONPATH"}
    return {**others, "PYTHONPATH": os.pathsep.join(paths)} if paths else others


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this package in a process of its own (start.py)."""
    return [sys.executable, START, module, *arguments]
