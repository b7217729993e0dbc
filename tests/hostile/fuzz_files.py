"""Invalid files and words, through `commands.main` in this process.

Result files, journals of runs, plans, words of the command line, heads of matrices and journals of
products: valid samples, changed byte by byte or part by part. Promise: an exit code that is
documented, an error in one line that begins with `watari:`, and no other exception.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import os
import random
import re
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attacks
import mutations
from attacks import Broken, Unsupported
from commands import CODES
from mutations import changed_bytes, changed_json, changed_words

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "results").rglob("*-gemm-*.json"), key=lambda path: path.stat().st_size)[
    :8
]
PLANS = sorted((ROOT / "plans").glob("*.toml"))
NOWHERE = ["-o", "."]  # a folder: nothing is ever measured, since no result file can be there


def command_output(words: list[str], whole: bool = False) -> tuple[int, str]:
    """Exit code and errors of a command in this process; with `whole` all of its output. Raises
    Broken for any other end, MemoryError."""
    from watari.cli import commands

    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            commands.main(words)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except MemoryError:
        raise
    except BaseException:
        raise Broken(f"`{words}`: {traceback.format_exc(limit=-4)}") from None
    else:
        raise Broken(f"`{words}` has no exit code")
    message = err.getvalue().strip()
    if code not in CODES:
        raise Broken(f"`{words}`: exit code {code}")
    if code in (1, 2) and "--help" not in words and not message.startswith("watari: "):
        raise Broken(f"`{words}`: exit code {code}, and says '{message[-300:]}'")
    return code, out.getvalue() + err.getvalue() if whole else message


@functools.cache
def probed_once() -> None:
    """Probes the machine a single time, since it is the same in ten thousand attempts."""
    from watari.machine import probe

    probe.machine = functools.cache(probe.machine)


def word(code: int) -> str:
    return "refused" if code in (1, 2) else "taken"


def result_file(rng: random.Random) -> str:
    """`compare`, and sometimes a page of an accepted file, or its resumption."""
    sample = rng.choice(RESULTS)
    Path("new.json").write_bytes(changed_json(rng, sample.read_bytes()))
    Path("base.json").write_bytes(sample.read_bytes())
    code, _ = command_output(
        ["compare", *rng.choice([("base.json", "new.json"), ("new.json", "base.json")])]
    )
    if code not in (1, 2) and rng.random() < 0.2:
        command_output(["report", "new.json", "-o", "page.html"])
    if rng.random() < 0.1:
        command_output(["run", "--resume", "new.json", *NOWHERE])
    return f"{word(code)} results"


@functools.cache
def run_journal() -> bytes:
    """The journal of an unfinished run, made by the program itself."""
    from watari.plan.plan import Plan
    from watari.run import journal, prepare, resume
    from watari.run.launcher import Launcher

    state, _ = resume.load(RESULTS[0])
    now = prepare.program(Launcher())
    state.program = state.program.model_copy(
        update={"version": now.version, "revision": now.revision}
    )
    state.plan = prepare.fresh(Plan("x", ()), {**state.machine.model_dump()}, Launcher()).plan
    made = journal.Journal(Path("made.journal"), state)
    made.close()
    content = Path("made.journal").read_bytes()
    Path("made.journal").unlink()
    return content


def journal_of_a_run(rng: random.Random) -> str:
    name = Path("run.json.journal")
    lines = run_journal().splitlines(keepends=True)
    if rng.random() < 0.8:  # as an earlier version wrote them: the reader looks at their values
        lines = [re.sub(rb', "crc32": "\w{8}"}$', b"}", line) for line in lines]
    at = rng.randrange(len(lines))
    if rng.random() < 0.6:
        lines[at] = changed_json(rng, lines[at].rstrip(b"\n")) + b"\n"
        content = b"".join(lines)
    else:
        content = changed_bytes(rng, b"".join(lines))
    name.write_bytes(content)
    code, _ = command_output(["run", "--resume", rng.choice(["run.json", name.name]), *NOWHERE])
    return f"{word(code)} run journals"


def plan(rng: random.Random) -> str:
    text = rng.choice(PLANS).read_bytes()
    lines = text.splitlines(keepends=True)
    for _ in range(rng.choice([0, 1, 2])):
        at = rng.randrange(len(lines))
        name, equals, _ = lines[at].partition(b"=")
        lines[at] = name + equals + b" " + rng.choice(mutations.TOML).encode() + b"\n"
    text = b"".join(lines)
    Path("plan.toml").write_bytes(changed_bytes(rng, text) if rng.random() < 0.5 else text)
    code, message = command_output(["run", "--plan", "plan.toml", *NOWHERE])
    return "taken plans" if "is a folder" in message else f"{word(code)} plans"


def words(rng: random.Random) -> str:
    """Words of a run, of options and of other commands. Nothing is measured."""
    from watari import cases

    name = rng.choice(list(cases.CASES))
    axes = {axis.name: axis for axis in cases.CASES[name].axes.values()}
    given = []
    for axis in rng.sample(list(axes), rng.randrange(min(5, len(axes)))):
        choices = [*(axes[axis].choices or ()), *mutations.VALUES]
        given.append(f"{axis}={','.join(rng.choices(choices, k=rng.choice([1, 1, 2, 3])))}")
    options = [
        ["--budget", rng.choice(mutations.VALUES)],
        ["--time-limit", rng.choice(mutations.VALUES)],
        ["--launcher", rng.choice(mutations.LAUNCHERS)],
        ["--plan", rng.choice(mutations.VALUES)],
        ["--resume", rng.choice(mutations.VALUES)],
    ]
    extra = [text for option in options if rng.random() < 0.15 for text in option]
    line = changed_words(rng, ["run", name, *given, *extra])
    if line[:1] != ["run"]:  # another command may write a file where it runs, and starts nothing
        line = ["run", *line]
    code, message = command_output([*line, *NOWHERE])
    return "taken words" if "is a folder" in message else f"{word(code)} words"


HOW: dict[str, Any] = {
    "fast_memory": 2**20,
    "tile": 128,
    "processor": "cpu",
    "engine": "posix",
    "threads": 1,
}
LEFT = ("C.npy.partial", "C.npy.partial.journal")
PREFIX = f"fuzz_files-product-{os.getpid()}-"


@dataclass(frozen=True)
class Interrupted:
    """A product that was stopped halfway, in a folder where it stays: its journal identifies the
    files by more than their content."""

    folder: Path
    left: dict[str, bytes]
    right: bytes  # the undisturbed C


@functools.cache
def interrupted() -> Interrupted:
    """The stopped product, made once. Raises Unsupported."""
    import numpy

    from watari.cases.gemm import product

    os.chdir(tempfile.mkdtemp(prefix=PREFIX, dir=attacks.scratch()))
    draw = numpy.random.default_rng(1)
    for name, shape in {"A.npy": (300, 200), "B.npy": (200, 270)}.items():
        numpy.save(name, draw.standard_normal(shape).astype(numpy.float32))

    class Stopping(product.Silent):
        def advance(self, fraction: float, finished: int) -> None:
            if finished >= 2:
                os.kill(os.getpid(), signal.SIGINT)

    product.INTERVAL = 0.0
    product.gemm("A.npy", "B.npy", "C.npy", **HOW)
    right = Path("C.npy").read_bytes()
    Path("C.npy").unlink()
    with contextlib.suppress(product.Interrupted):
        product.gemm("A.npy", "B.npy", "C.npy", progress=Stopping(), **HOW)
    if not Path(LEFT[1]).exists():
        raise Unsupported("a product that can be stopped")
    return Interrupted(Path.cwd(), {name: Path(name).read_bytes() for name in LEFT}, right)


def refused(name: str, **more: Any) -> bool:
    """Whether `watari.gemm` refuses. Raises Broken for any other end."""
    from watari.cases.gemm import product
    from watari.common.errors import WatariError

    try:
        product.gemm("A.npy", "B.npy", "C.npy", **HOW, **more)
    except WatariError as error:
        if name not in str(error):
            raise Broken(f"{name} is not named: {error}") from None
        return True
    except Exception:
        raise Broken(f"{name}: {traceback.format_exc(limit=-4)}") from None
    return False


def head(rng: random.Random) -> str:
    """The head of a matrix is changed."""
    folder, source = Path.cwd(), interrupted().folder
    os.chdir(folder)
    for name in ("A.npy", "B.npy"):
        content = (source / name).read_bytes()
        changed = changed_bytes(rng, content[:128]) + content[128:]
        Path(name).write_bytes(changed if name == "A.npy" else content)
    return "refused matrices" if refused(".npy") else "taken matrices"


def journal_of_a_product(rng: random.Random) -> str:
    kept = interrupted()
    os.chdir(kept.folder)
    partial, journal = (Path(name) for name in LEFT)
    if Path("C.npy").exists():
        os.rename("C.npy", partial)  # the same file, as its journal requires
    partial.write_bytes(kept.left[LEFT[0]])
    changed = changed_bytes(rng, kept.left[LEFT[1]])
    journal.write_bytes(changed)
    if refused("C.npy"):
        return "refused product journals"
    if Path("C.npy").read_bytes() != kept.right:
        raise Broken(f"a wrong C, with this journal: {changed!r}")
    return "taken product journals"


FUZZED: list[Callable[[random.Random], str]] = [
    result_file,
    journal_of_a_run,
    plan,
    words,
    head,
    journal_of_a_product,
]


def attempt(rng: random.Random, folder: Path) -> str:
    before = Path.cwd()
    os.chdir(folder)
    try:
        probed_once()
        return rng.choice(FUZZED)(copy.copy(rng))
    finally:
        os.chdir(before)


if __name__ == "__main__":
    try:
        attacks.main(attempt, 60_000)
    finally:
        for left in attacks.scratch().glob(f"{PREFIX}*"):
            shutil.rmtree(left)
