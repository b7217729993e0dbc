"""Commands whose output is a file that they must not write: an input under another name, a folder,
a pipe, or a file of the user; also a file of the user that has the name of an intermediate file.

Promises: such a command ends with exit code 2 in one line, before its work, and no file changes. An
output that may be written is written, and nothing else changes.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import attacks
import numpy
from attacks import Broken
from files_of_cases import READS, reading
from fuzz_files import command_output

ROOT = Path(__file__).parents[2]
RUN = ROOT / "results" / "nvidia-h200-x86_64" / "20261121-standard.json"
TRACE = min((ROOT / "results").rglob("*-trace-*.json"), key=lambda path: path.stat().st_size)
PREDICT = ["predict", "himeno", "grid=XS", "--machine"]
# what a case reads: a command may read two kinds of file
NAMES = [f"{words[0]}-{at}{suffix}" for at, (words, suffix, _, _) in enumerate(READS)]
# words, the inputs among them, and the suffixes of the option that comes after them
COMMANDS: list[tuple[list[str], list[str], str]] = [
    (["export", "run.json", "-o"], ["run.json"], ".csv"),
    (["profile", "run.json", "-o"], ["run.json"], ".json"),
    (["check", "run.json", "--junit"], ["run.json"], ".xml"),
    (["fleet", "run.json", "-o"], ["run.json"], ".csv"),
    (["report", "trace.json", "-o"], ["trace.json"], ".html"),
    ([*PREDICT, "run.json", "-o"], ["run.json"], ".svg"),
    (["predict", "trace.json", "--machine", "gh200", "-o"], ["trace.json"], ".svg"),
    (["gemm", "A.npy", "B.npy", "--fast-memory", "2MiB", "--processor", "cpu", "-o"],
     ["A.npy", "B.npy"], ".npy"),
    (["bem", "cube:1", "-o"], [], ".vtu"),
    (["bem", "cube:1", "-o", "c.vtu", "--charges"], [], ".npy"),
    *((reading(words, name), [name], Path(output).suffix)
      for name, (words, _, _, output) in zip(NAMES, READS, strict=True)),
]  # fmt: skip
BESIDE = [".hmatrix", ".hmatrix.partial", ".hmatrix.partial.journal"]  # of `watari bem`
NOTES = b"the notes of a user\n"


def inputs() -> None:
    """Every file that a command reads."""
    shutil.copy(RUN, "run.json")
    shutil.copy(TRACE, "trace.json")
    numpy.save("A.npy", numpy.eye(30, dtype=numpy.float32))
    numpy.save("B.npy", numpy.ones((30, 20), dtype=numpy.float32))
    for name, (_, _, content, _) in zip(NAMES, READS, strict=True):
        Path(name).write_bytes(content())


def an_input(rng: random.Random, read: list[str], suffix: str) -> str:
    """An input, under one of its names or another one."""
    if not read:
        return a_file(rng, read, suffix)
    name, other = rng.choice(read), f"other{suffix}"
    how = rng.randrange(4)
    if how == 0:
        os.link(name, other)
    elif how == 1:
        Path(other).symlink_to(name)
    elif how == 2:
        Path("folder").mkdir()
        return f"folder/../{name}"
    return other if how < 2 else name


def a_file(rng: random.Random, read: list[str], suffix: str) -> str:
    """A file of the user, or a link to one."""
    Path("notes").write_bytes(rng.choice([NOTES, b'{"name": "notes"}', bytes(5000), b"\x7fELF"]))
    if rng.random() < 0.5:
        Path(f"o{suffix}").symlink_to("notes")
    else:
        Path("notes").rename(f"o{suffix}")
    return f"o{suffix}"


def no_file(rng: random.Random, read: list[str], suffix: str) -> str:
    """A folder, a pipe, a device, a link to itself, or a name in no folder."""
    name = f"o{suffix}"
    how = rng.randrange(5)
    if how == 0:
        Path(name).mkdir()
    elif how == 1:
        os.mkfifo(name)
    elif how == 2:
        Path(name).symlink_to("/dev/full")
    elif how == 3:
        Path(name).symlink_to(name)
    else:
        return rng.choice([f"none/{name}", f"run.json/{name}", ".", "..", "/", "x" * 300 + suffix])
    return name


def another_suffix(rng: random.Random, read: list[str], suffix: str) -> str:
    """The name of another kind of file."""
    others = {".toml", ".csv", ".json", ".xml", ".svg", ".vti", ".vtu"} - {suffix}
    return f"o{rng.choice(sorted(others))}"


def a_new_file(rng: random.Random, read: list[str], suffix: str) -> str:
    """A name that is free, or has an empty file."""
    if rng.random() < 0.5:
        Path(f"o{suffix}").touch()
    return f"o{suffix}"


TARGETS = [an_input, a_file, no_file, another_suffix, a_new_file]


def everything() -> dict[str, tuple[int, bytes]]:
    """Kind and content of every file, by path."""
    found = {}
    for path in Path().rglob("*"):
        status = path.lstat()
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else b""
        if not path.is_symlink() and path.is_file():
            content = path.read_bytes()
        found[str(path)] = (status.st_mode, content)
    return found


def check(words: list[str], code: int, may: set[str], before: dict[str, tuple[int, bytes]]) -> None:
    """Raises Broken for a file that changed, appeared or is gone, other than those in `may`."""
    after = everything()
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) and not (code == 0 and name in may):
            raise Broken(f"{name} has changed after `{words}`, which ended with {code}")


def beside(rng: random.Random) -> str:
    """A file of the user where `watari bem` would put one of its own."""
    name = f"c.vtu{rng.choice(BESIDE)}"
    Path(name).write_bytes(rng.choice([NOTES, b"\x93NUMPY", b"x" * 9000]))
    words = ["bem", "cube:1", "-o", "c.vtu"]
    before = everything()
    code, _ = command_output(words)
    check(words, code, set(), before)
    if code != 2:
        raise Broken(f"`{words}` takes {name}, and ends with {code}")
    return "beside: refused"


def attempt(rng: random.Random, folder: Path) -> str:
    os.chdir(folder)
    if rng.random() < 0.1:
        return beside(rng)
    inputs()
    words, read, suffix = rng.choice(COMMANDS)
    target = rng.choice(TARGETS)
    words = [*words, target(rng, read, suffix)]
    before = everything()
    code, _ = command_output(words)
    check(words, code, {words[-1], "c.vtu"}, before)
    if (code == 0) != (target is a_new_file) or code not in (0, 2, 3):
        raise Broken(f"`{words}` ({target.__name__}) ended with {code}")
    return f"{target.__name__.replace('_', ' ')}: {'refused' if code else 'written'}"


if __name__ == "__main__":
    attacks.main(attempt, 300)
