"""Runs a program in each style in turn, and judges each run by a first one as it is.

The first run is not counted: its caches are cold and the GPU is asleep.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from watari.attach import events, imposed, rules
from watari.attach.start import Ending, Start, code_words, preloaded, run
from watari.attach.styles import AS_IS, STYLES, unsupported
from watari.common.progress import Progress, Silent
from watari.common.variables import readable
from watari.run import scratch
from watari.run.worker import now

BARE = "without-watari"  # a row of its own: the program without the preloaded library
OUT_OF_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
STYLE_LIMIT = 20.0  # time limit of a style, as a multiple of the seconds of the first run
LEAST_LIMIT = 60.0  # seconds
if TYPE_CHECKING:
    from watari.attach.counted import Counts

PART = 2**20  # bytes of a file that are read at once
STDOUT = "-"  # standard output, in the list of files that must not change
ABSENT, UNWRITTEN = "absent", "not written by the program"  # in place of a digest


@dataclass(frozen=True)
class Run:
    """One run of the program in a style. `status` and `reason` as in results."""

    style: str
    started: str
    ending: Ending
    events: events.Events
    outputs: dict[str, str]  # file: digest of its content, or why it has none
    status: str = "ok"
    reason: str = ""
    ended: str = ""  # how it ended, unless with exit code 0: that may be no failure


@dataclass
class Measured:
    """All runs of a program."""

    start: Start
    styles: list[str]
    rules: list[str]
    learned: Run  # the first run, as it is: the others are judged by it
    keeps_limit: bool = False  # the time limit is the user's own
    runs: list[Run] = field(default_factory=list)
    unsupported: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, Counts] = field(default_factory=dict)  # of traced runs, by style

    @property
    def bounded(self) -> Start:
        """The program with the time limit of every run after the first."""
        return self.start if self.keeps_limit else limited(self.start, self.learned.ending.seconds)

    def of(self, style: str) -> list[Run]:
        """The runs in a style."""
        return [one for one in self.runs if one.style == style]


def identified(path: Path, before: tuple[int, int] | None) -> str:
    """Digest of a file; ABSENT, or UNWRITTEN where the run did not write it."""
    if not path.is_file():
        return ABSENT
    if written(path) == before:
        return UNWRITTEN
    return digest(path)


def digest(path: Path) -> str:
    """SHA-256 of a file, which may be larger than memory."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(PART):
            found.update(part)
    return found.hexdigest()


def written(path: Path) -> tuple[int, int] | None:
    """Modification time (ns) and inode of a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino


def lines_identified(path: Path, ranks: int) -> str:
    """Digest of standard output. The lines of several ranks come in any order, so they are
    sorted."""
    if ranks == 1:
        return digest(path)
    content = b"\n".join(sorted(path.read_bytes().split(b"\n")))
    return hashlib.sha256(content).hexdigest()


def variables(row: str, files: Path, wanted: Sequence[str], start: Start) -> dict[str, str]:
    """The environment of a run: in a memory style, with changes, or without the library."""
    if row == BARE:
        return {}
    if imposed.parts(row):
        return {**preloaded(files, AS_IS, wanted), **imposed.variables(row, start)}
    return preloaded(files, row, wanted)


def once(start: Start, style: str, wanted: Sequence[str], same: Sequence[str]) -> Run:
    """Runs the program once in a style; its files are in a temporary folder."""
    with scratch.folder(None) as files:
        before = {name: written(Path(name)) for name in same if name != STDOUT}
        started = now()
        with imposed.beside_gpu(style):
            ending = run(start, variables(style, files, wanted, start), files)
        seen = events.read(files / "events")
        if not seen.uses_cuda:
            seen.cut += events.complaint(ending.errors)
        outputs = {
            name: lines_identified(ending.output, start.ranks)
            if name == STDOUT
            else identified(Path(name), before[name])
            for name in same
        }
        reason = ending.reason  # reads a file of the folder
        status = "failed" if reason else "ok"
        return Run(style, started, ending, seen, outputs, status, reason, reason)


def named(files: Sequence[str]) -> str:
    """Outputs in words."""
    return ", ".join("standard output" if name == STDOUT else readable(name) for name in files)


def is_written(value: str) -> bool:
    """Whether this is the digest of a file that a run wrote."""
    return value not in (ABSENT, UNWRITTEN)


def refused(seen: events.Events, code: int) -> bool:
    """Whether the driver refused an allocation with this code."""
    return any(a.code == code for a in seen.failed)


def judged(one: Run, first: Run) -> Run:
    """The run with its status, judged by the first run as it is. A nonzero exit code is no failure
    if the first run ended with the same one."""
    if one.ending.timed_out:
        return replace(one, status="failed", reason=one.reason)
    failures = [p for p in one.events.processes if p.failed_hints]
    if one.ending.code != first.ending.code and one.ending.code != 0:
        text = one.reason
        if refused(one.events, OUT_OF_MEMORY):
            text += "; the driver had no memory left"
        return replace(one, status="failed", reason=text)
    if one.ending.code != first.ending.code and first.status == "ok":
        text = f"{code_words(one.ending.code)}, not {first.ending.code} as it is"
        return replace(one, status="wrong", reason=text)
    changed = [name for name, value in one.outputs.items() if value != first.outputs.get(name)]
    if changed and first.status == "ok":
        files = named(changed)
        return replace(
            one, status="wrong", reason=f"the output differs from that of as-is: {files}"
        )
    if failures:
        api, code = failures[0].first_failed_hint
        return replace(one, status="failed", reason=f"a hint was refused: {api} gave error {code}")
    return replace(one, status="ok", reason="")


def first_run(start: Start, same: Sequence[str]) -> Run:
    """Runs the program as it is. A nonzero exit code is a property of the program, unless the
    driver refused an allocation."""
    one = once(start, AS_IS, [], same)
    own_code = one.ending.code > 0 and not one.ending.timed_out
    if own_code and not one.events.failed:
        return replace(one, status="ok", reason="")
    return one


def limited(start: Start, seconds: float) -> Start:
    """The start with the time limit of the other styles, from the seconds of the first run."""
    return replace(start, limit=min(start.limit, max(LEAST_LIMIT, STYLE_LIMIT * seconds)))


def vary(first: Run, second: Run) -> list[str]:
    """Outputs that differ between two runs of the program as it is."""
    return [name for name, value in first.outputs.items() if value != second.outputs.get(name)]


def all_runs(
    measured: Measured,
    count: int,
    same: Sequence[str],
    progress: Progress | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Runs the styles in turn, `count` times, so that drift hits all alike. A style that fails is
    not run again."""
    shown = progress or Silent()
    start = measured.bounded
    begun, done = clock(), 0
    turns = [style for style in measured.styles if style not in measured.unsupported] * count
    ended: set[str] = set()
    if measured.learned.status != "ok":  # it would fail again
        measured.runs.append(measured.learned)
        ended.add(AS_IS)
    varying: list[str] = []

    def left(number: int) -> float:
        """Seconds of the turns from this one on: as those that ran, or as the first run."""
        each = (clock() - begun) / done if done else measured.learned.ending.seconds
        return each * (len(turns) - number)

    with shown:
        for number, style in enumerate(turns):
            shown.start(style, left(number))
            if style in ended:
                shown.finish(f"{style}: not run again", left(number + 1))
                continue
            kept = [name for name in same if name not in varying]
            one = judged(once(start, style, measured.rules, kept), measured.learned)
            if style in (AS_IS, BARE):
                varying += [name for name in vary(measured.learned, one) if name in kept]
                if one.status == "wrong":  # a property of the program
                    one = replace(one, status="ok", reason="", outputs={})
            measured.runs.append(one)
            if one.events.cut:
                measured.notes.append(
                    f"{style}: its event log ends early ({one.events.cut[0]}): allocations and "
                    "bytes are lower limits"
                )
            done += 1
            if one.status != "ok":
                ended.add(style)
            text = f": {one.reason}" if one.reason else f" {one.ending.seconds:.4g} s"
            shown.finish(f"{style}: {one.status}{text}", left(number + 1))
    if missing := [
        name for name, value in measured.learned.outputs.items() if not is_written(value)
    ]:
        measured.notes.append(f"{named(missing)}: the program as it is does not write it")
    if varying:
        words = named(varying)
        measured.notes.append(f"{words}: differs between runs of as-is, so it is not judged")


def learn(measured: Measured, seen: events.Events) -> None:
    """Applies the first run: styles that cannot work, and allocations that must stay GPU memory."""
    for style in measured.styles:
        if style != BARE and (reason := unsupported(STYLES[style], seen)):
            measured.unsupported[style] = reason
        elif style not in (BARE, AS_IS):
            changed = [a for a in seen.allocations if a.kind in STYLES[style].changes]
            if reason := rules.none_met(changed, measured.rules):
                measured.unsupported[style] = reason
    measured.rules += rules.keep_shared(seen)
    if text := rules.note_shared(seen):
        measured.notes.append(text)
    if left := sum(process.left_bytes for process in seen.processes):
        measured.notes.append(f"{left} bytes of cuMemCreate stay as they are in every style")
