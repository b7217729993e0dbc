"""The test programs of `watari try`, on the driver without a GPU."""

import json
import subprocess
from pathlib import Path

import builds
import commanded
import emulator

MB = 1_000_000


def built() -> Path:
    """The folder of the test programs."""
    return builds.built("tests/attach/programs/linked") / "tests" / "attach"


def program(name: str = "linked") -> str:
    return str(built() / "programs" / name)


def driver(**variables: object) -> dict[str, str]:
    """The environment of a machine whose driver is the made-up one."""
    fake = {f"FAKE_CUDA_{name.upper()}": value for name, value in variables.items()}
    return emulator.environment(**fake)


def watari(*words: str, cwd: Path, environment=None, code=None) -> subprocess.CompletedProcess:
    return commanded.watari(cwd, words, environment or driver(), code=code)


def attempt(
    cwd: Path, *words: str, options=(), name="linked", changes="none", code=None, **variables
):
    """`watari try` with one run of each style; its output and its result file. `changes`: None for
    those that the first run shows. `code`: the exit code that is expected."""
    output = cwd / "run.json"
    ended = watari(
        "try",
        *("--runs", "1", "--no-traced", "-o", str(output)),
        *(("--changes", changes) if changes else ()),
        *options,
        "--",
        program(name),
        *words,
        cwd=cwd,
        environment=driver(**variables),
        code=code,
    )
    results = json.loads(output.read_text()) if output.is_file() else None
    return ended, {
        case["parameters"]["style"]: case for case in results["cases"]
    } if results else {}


def quantity(case: dict, name: str) -> float:
    return case["trials"][-1]["quantities"][name]["value"]
