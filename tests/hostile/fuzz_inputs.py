"""Damaged files of users, and text that a terminal would obey, through `commands.main`.

Traces, machine profiles, probes, result files, meshes and height maps: valid samples, changed byte
by byte or part by part, with hostile text in some of their texts; and devices, folders and pipes
in their place. The command runs in this process, under a limit on its addresses and a time limit.
Promise: a documented exit code, an error in one line that begins with `watari:`, no other
exception, no character on the output that a terminal obeys, bounded memory and time.
"""

from __future__ import annotations

import copy
import functools
import io
import json
import os
import random
import resource
import signal
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import attacks
import fuzz_files
import mutations
from attacks import Broken
from mutations import changed_bytes, changed_json

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
TRACES = sorted(RESULTS.rglob("*-trace-*.json"), key=lambda path: path.stat().st_size)[:4]
SAMPLES = sorted(RESULTS.rglob("*-copy*.json"), key=lambda path: path.stat().st_size)[:3]
HOSTILE = [
    "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202egnp.exe", "\u2066x", "a\nwatari: no error",
    "\r", "\x00", "\u2028", "\x1b]8;;http://x\x1b\\", "[link=http://x]y[/link]", "<script>",
]  # fmt: skip
OBEYED = ("Cc", "Cf", "Cs", "Zl", "Zp")
SECONDS = 60  # of a command, which takes a second at most
ADDRESSES = 4 << 30  # bytes beyond those of this process
PLACES = ["/dev/zero", "/dev/full", "/dev/null", ".", "/proc/self/mem", "/dev/fd/999", "absent"]


class Late(BaseException):
    """The command did not end in its time."""


def late(number: int, frame: FrameType | None) -> None:
    raise Late


@contextmanager
def bounded() -> Iterator[None]:
    """A limit on the seconds and on the addresses of this process."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ADDRESSES, limits[1]))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def check(words: list[str]) -> str:
    """Runs a command; a word for its outcome. Raises Broken."""
    fuzz_files.probed_once()
    try:
        with bounded():
            code, shown = fuzz_files.command_output(words, whole=True)
    except MemoryError:
        raise Broken(f"`{words}`: takes more than {ADDRESSES >> 30} GiB") from None
    obeyed = {c for c in shown if unicodedata.category(c) in OBEYED and c not in "\n\t"}
    if obeyed:
        raise Broken(f"`{words}`: {sorted(map(ascii, obeyed))} on the output: {ascii(shown)[:300]}")
    before, _, error = f"\n{shown}".rpartition("\nwatari: ")
    # notes on a mesh may come before a refusal, a forecast before a failure
    first = [line for line in before.split("\n") if line and not line.startswith("note: ")]
    if (code in (1, 2) and before.count("\nwatari: ")) or (code == 2 and first):
        raise Broken(f"`{words}`: several errors: {shown[-300:]}")
    if code == 2 and "\n" in error.rstrip("\n"):
        raise Broken(f"`{words}`: an error of several lines: {shown[-300:]}")
    return fuzz_files.word(code)


def poisoned(rng: random.Random, document: Any) -> Any:
    """The document with hostile text in one of its texts, or at its end."""
    texts = [(part, key) for part, key in mutations.locations(document) if type(part[key]) is str]
    for part, key in rng.sample(texts, min(len(texts), rng.choice([1, 3, 30]))):
        part[key] = rng.choice([part[key], ""]) + rng.choice(HOSTILE)
    return document


def changed(rng: random.Random, content: bytes) -> bytes:
    """A JSON file, damaged or with hostile text."""
    if rng.random() < 0.6:
        return changed_json(rng, content)
    return json.dumps(poisoned(rng, json.loads(content))).encode()


def name(rng: random.Random, suffix: str) -> str:
    """A name of a file, now and then hostile."""
    middle = rng.choice(HOSTILE).replace("/", "").replace("\0", "") if rng.random() < 0.1 else ""
    return f"x{middle}{suffix}"


def trace(rng: random.Random) -> str:
    """A trace, for the model and for its page."""
    path = name(rng, ".json")
    Path(path).write_bytes(changed(rng, rng.choice(TRACES).read_bytes()))
    commands = (
        ["predict", path, "--machine", "gh200"],
        ["advise", path, "--machine", "gh200"],
        ["report", path, "-o", "page.html"],
        ["try", "--fit", "1GiB", "--trace", path, "--", "absent-program"],
    )
    return f"{check(rng.choice(commands))} traces"


@functools.cache
def profile() -> bytes:
    """A machine profile of measured results."""
    check(["profile", *map(str, SAMPLES[:1]), "-o", "profile.json"])
    return Path("profile.json").read_bytes()


@functools.cache
def probe() -> bytes:
    """The output of `watari probe --json`."""
    return json.dumps(json.loads(SAMPLES[0].read_bytes())["machine"]).encode()


def machine(rng: random.Random) -> str:
    """A machine profile, or a probe, in each place that takes one."""
    path = name(rng, ".json")
    kind = rng.choice((profile, probe))
    Path(path).write_bytes(changed(rng, kind()))
    Path("whole.json").write_bytes(profile())
    commands = (
        ["predict", "copy", "size=1GiB", "--machine", path],
        ["advise", "--machine", path],
        ["profile", path, "--for", path, "-o", "y.json"],
        ["profile", "whole.json", "--for", path, "-o", "y.json"],
    )
    return f"{check(rng.choice(commands))} machines"


def result(rng: random.Random) -> str:
    """A result file, for the commands that fuzz_files leaves out."""
    path = name(rng, ".json")
    content = rng.choice(SAMPLES).read_bytes()
    Path(path).write_bytes(changed(rng, content))
    Path("whole.json").write_bytes(content)
    commands = (
        ["check", path, "--stored", "."],
        ["fleet", path],
        ["check", "whole.json", "--stored", "."],
        ["check", path, "--baseline", "whole.json", "--junit", "checks.xml"],
        ["compare", "whole.json", path],
        ["profile", path, "-o", "y.json"],
        ["predict", "copy", "size=1GiB", "--results", path],
        ["export", path, "-o", "y.csv"],
    )
    return f"{check(rng.choice(commands))} results"


@functools.cache
def meshes() -> dict[str, bytes]:
    """A small closed surface in each format that Watari reads itself."""
    from watari.cases.hmatrix import _native

    vertices, triangles, _ = _native.hmatrix_shape("cube:1")
    lines = [f"v {' '.join(map(str, v))}" for v in vertices.tolist()]
    count = len(vertices)
    faces = [f"f {' '.join(str(i + 1) for i in t)}" for t in triangles.tolist()]
    relative = [f"f {' '.join(f'{i - count}//' for i in t)}" for t in triangles.tolist()]
    text = ["solid x"]
    for corners in vertices[triangles].tolist():
        text += ["facet normal 0 0 0", "outer loop"]
        text += [f"vertex {' '.join(map(str, c))}" for c in corners] + ["endloop", "endfacet"]
    binary = bytes(80) + len(triangles).to_bytes(4, "little")
    for corners in vertices[triangles].astype("<f4"):
        binary += bytes(12) + corners.tobytes() + bytes(2)
    return {
        "a.obj": "\n".join([*lines, *faces]).encode(),
        "b.obj": "\n".join([*lines, *relative]).encode(),
        "a.stl": "\n".join([*text, "endsolid x", ""]).encode(),
        "b.stl": binary,
    }


def mesh(rng: random.Random) -> str:
    """A mesh: read, checked and solved, or refused."""
    kind = rng.choice(list(meshes()))
    path = name(rng, kind[-4:])
    Path(path).write_bytes(changed_bytes(rng, meshes()[kind]))
    repair = ["--repair"] * (rng.random() < 0.3)
    return f"{check(['bem', path, '-o', 'c.vtu', '--threads', '1', *repair])} meshes"


@functools.cache
def height_map() -> bytes:
    """A map of heights."""
    import numpy

    made = io.BytesIO()
    numpy.save(made, numpy.where(numpy.arange(1024).reshape(32, 32) % 7 == 0, 8.0, 0.0))
    return made.getvalue()


def heights(rng: random.Random) -> str:
    """A map of heights: its head, or all of it."""
    whole = height_map()
    content = changed_bytes(rng, whole[:128]) + whole[128:]
    if rng.random() < 0.3:
        content = changed_bytes(rng, rng.choice([whole, b"PK\x03\x04" + whole, b""]))
    path = name(rng, ".npy")
    Path(path).write_bytes(content)
    words = ["wind", f"file:{path}", "--grid", "32x32x32", "--steps", "1", "-o", "wind.vti"]
    return f"{check(words)} maps"


def place(rng: random.Random) -> str:
    """No file: a device, a folder, nothing."""
    path = rng.choice(PLACES)
    Path("whole.json").write_bytes(SAMPLES[0].read_bytes())
    commands = (
        ["compare", path, "whole.json"],
        ["check", path],
        ["report", path, "-o", "page.html"],
        ["export", path, "-o", "y.csv"],
        ["profile", path, "-o", "y.json"],
        ["profile", "whole.json", "--for", path, "-o", "y.json"],
        ["predict", "copy", "--machine", path],
        ["predict", path, "--machine", "gh200"],
        ["run", "--plan", path, *fuzz_files.NOWHERE],
        ["run", "--resume", path, *fuzz_files.NOWHERE],
        ["bem", path, "-o", "c.vtu"],
        ["wind", f"file:{path}", "--grid", "32x32x32", "--steps", "1", "-o", "wind.vti"],
    )
    return f"{check(rng.choice(commands))} places"


FUZZED: list[Callable[[random.Random], str]] = [
    trace, trace, machine, machine, result, result, mesh, heights, place,
]  # fmt: skip


def attempt(rng: random.Random, folder: Path) -> str:
    before = Path.cwd()
    os.chdir(folder)
    try:
        return rng.choice(FUZZED)(copy.copy(rng))
    except Late:
        raise Broken(f"no end within {SECONDS} s") from None
    finally:
        os.chdir(before)


if __name__ == "__main__":
    attacks.main(attempt, 60_000)
