"""The files that a command writes, and what they may replace: one set of rules for all commands.

A command calls `check` before its work, or `held`, which also keeps others from the same files:

    check([Written("-o", output, TABLE)], read=results)

Rules, in this order; a file that breaks one is refused in one line (exit code 2):

1. It is no file that the command reads, whatever name leads to it.
2. Its suffix is not that of another kind of file.
3. It is in a folder that exists and takes new files, on a disk with room.
4. A file of this name is a regular one that may be written, and empty or of the same kind.
5. No two files of a command are one.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from watari.common.errors import FileError, UsageError
from watari.common.files import reason, remove_left, same, temporary_of
from watari.common.lock import taken
from watari.common.units import format_bytes

HEAD = 2**16  # bytes at the beginning of a file that show its kind
BLOCK = 4096  # bytes that are written to prove that a disk has room

# suffixes that promise a kind of file; a file of another kind does not get them
PROMISED = frozenset(
    {
        ".svg",
        ".pdf",
        ".png",
        ".html",
        ".htm",
        ".csv",
        ".md",
        ".parquet",
        ".tsv",
        ".xlsx",
        ".npy",
        ".npz",
    }
    | {".vtu", ".vti", ".nc", ".json", ".xml", ".toml", ".journal", ".txt", ".log", ".yaml"}
)


@dataclass(frozen=True)
class Kind:
    """A kind of file: its name in the plural, its suffixes, and the bytes with which it begins."""

    name: str
    suffixes: tuple[str, ...]
    begins: re.Pattern[bytes]
    strict: bool = False  # no other suffix
    instead: dict[str, str] = field(default_factory=dict)  # advice, by refused suffix

    def is_of(self, path: Path) -> bool:
        """Whether a file is of this kind, or empty. Raises OSError."""
        with path.open("rb") as file:
            head = file.read(HEAD)
        return not head.strip() or self.begins.match(head) is not None


@dataclass(frozen=True)
class Written:
    """A file that a command writes: the option that names it, its path, its kind, and its least
    size in bytes."""

    option: str
    path: Path
    kind: Kind
    size: int = BLOCK

    def __str__(self) -> str:
        return f"{self.option} {self.path}"


def kind(
    name: str,
    suffixes: str,
    begins: bytes,
    strict: bool = False,
    instead: dict[str, str] | None = None,
) -> Kind:
    """A row of the table of kinds; `instead` may give several suffixes one advice."""
    advice = {one: text for ends, text in (instead or {}).items() for one in ends.split()}
    return Kind(name, tuple(suffixes.split()), re.compile(begins, re.DOTALL), strict, advice)


def named(schema: bytes) -> bytes:
    """The beginning of a JSON file with this schema."""
    return rb'\s*\{\s*"schema"\s*:\s*' + schema


AS_FIGURES = "figures: watari report RESULTS --format {format} -o FOLDER"
AS_TABLE = "a table: write {json}, then watari export {json} -o {path}"
AS_CSV = "a table: write {json}, then watari export {json} -o {csv}"
AS_TEXT = "its printed lines: write -o {json} > {path}"
AS_PAGE = "a page: write {json}, then watari report {json} -o {path}"

RESULTS = kind(
    "results",
    ".json",
    named(rb'\d+\s*,\s*"program"'),
    instead={
        ".csv .parquet .md": AS_TABLE,
        ".tsv .xlsx": AS_CSV,
        ".html .htm": AS_PAGE,
        ".txt .log": AS_TEXT,
    },
)
TRACE = kind("traces", ".json", named(rb'"watari-trace-'), instead={".html .htm": AS_PAGE})
MACHINE = kind("machine profiles", ".json", named(rb'"watari-machine-'))
GRAPH = kind("graphs of programs", ".graph", rb"PK\x03\x04")  # a ZIP archive
TIMELINE = kind("timelines", ".json", rb'\{"displayTimeUnit": "ns", "traceEvents"')
PAGE = kind(
    "pages",
    ".html .htm",
    rb"\s*<!doctype html>.*Watari</title>",
    instead={".svg .pdf .png": AS_FIGURES},
)
SVG = rb"(<\?xml[^>]*>\s*)?(<!DOCTYPE svg[^>]*>\s*)?<svg"
PNG, PDF = rb"\x89PNG\r\n", rb"%PDF-"
FIGURE = kind("figures", ".svg .pdf .png", b"|".join((SVG, PDF, PNG)), strict=True)
PICTURE = kind("pictures", ".png", PNG, strict=True)
TABLE = kind(
    "tables",
    ".csv .parquet .md",
    rb"(file,host,)?machine,revision,case,|PAR1|\| Case \|",
    strict=True,
)
TEST_SUITE = kind("JUnit files", ".xml", rb'<\?xml[^>]*>\s*<testsuites? name="watari (check|fleet)')
NODES = kind("tables of nodes", ".csv", rb"node,verdict,", strict=True)
METRICS = kind("text files of Prometheus", ".prom", rb"# HELP watari_", strict=True)
ARRAY = kind("arrays of NumPy", ".npy", rb"\x93NUMPY")


def require_name(option: str, name: str | Path | None) -> None:
    """Raises UsageError where an option took the `--` before a program for the name of its file."""
    if str(name) == "--":
        raise UsageError(f"{option}: name a file before --")


def check(
    files: Sequence[Written], read: Iterable[str | Path] = (), makes: Path | None = None
) -> None:
    """Raises UsageError or FileError where a file may not be written, as stated above. The command
    itself makes the folder `makes`."""
    os.getcwd()  # OSError where this folder is gone: commands.py says so
    read = list(read)
    for one in files:
        require_name(one.option, one.path)
        if str(one.path).startswith("s3:/"):
            raise UsageError(f"{one}: names a file on this machine, not an object")
        check_not_read(one, read)
        check_suffix(one)
        check_replaced(one)
        is_made = one.path.parent == makes and not os.path.lexists(makes)
        check_room(replace(one, path=makes) if makes and is_made else one)
    for number, one in enumerate(files):
        for other in files[:number]:
            if same(one.path, other.path):
                raise UsageError(f"{other} and {one} name one file: give each its own name")


@contextmanager
def held(
    files: Sequence[Written], read: Iterable[str | Path] = (), makes: Path | None = None
) -> Iterator[None]:
    """Checks these files, and lets no other command write them until the end of the block."""
    check(files, read, makes)
    with ExitStack() as locks:
        for one in files:
            locks.enter_context(alone(one))
        yield


@contextmanager
def alone(one: Written) -> Iterator[None]:
    """Holds a lock beside a file. Raises UsageError while another command holds it."""
    target = Path(os.path.realpath(one.path))
    if not target.parent.is_dir():  # the command makes it
        yield
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(taken(target.with_name(f".{target.name}.lock")))
        except UsageError:
            raise UsageError(f"{one} is being written by another command") from None
        yield


def check_not_read(one: Written, read: Sequence[str | Path]) -> None:
    """Raises UsageError where a command would overwrite one of its inputs."""
    for path in read:
        if same(one.path, Path(path)):
            raise UsageError(f"{one} would write over {path}, which is read: name another")


def check_suffix(one: Written) -> None:
    """Raises UsageError for the suffix of another kind of file, with the command that writes it."""
    suffix, own = one.path.suffix.lower(), one.kind.suffixes
    if suffix in own or (not one.kind.strict and suffix not in PROMISED):
        return
    text = f"{one}: names of {one.kind.name} end in {', '.join(own)}"
    if suffix in one.kind.instead:
        names = {end: shlex.quote(str(one.path.with_suffix(f".{end}"))) for end in ("json", "csv")}
        path = shlex.quote(str(one.path))
        advice = one.kind.instead[suffix].format(format=suffix[1:], path=path, **names)
        text += f"; for {advice}"
    raise UsageError(text)


def check_replaced(one: Written) -> None:
    """Raises UsageError or FileError where a folder, device or file of another kind is."""
    with cannot(one, "written"):
        try:
            mode = one.path.stat().st_mode
        except FileNotFoundError:
            return
    if stat.S_ISDIR(mode):
        raise UsageError(f"{one}: is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise FileError(f"{one}: cannot be written: not a regular file")
    if not os.access(one.path, os.W_OK):
        raise FileError(f"{one}: cannot be written: {os.strerror(errno.EACCES)}")
    with cannot(one, "read"):
        same_kind = one.kind.is_of(one.path)
    if not same_kind:
        raise UsageError(
            f"{one}: this file is none of the {one.kind.name} that Watari writes, so it is not "
            "replaced: remove it, or name another"
        )


def check_room(one: Written) -> None:
    """Raises UsageError or FileError where the folder takes no new file, before work whose result
    would be lost."""
    with cannot(one, "written"):
        target = Path(os.path.realpath(one.path))
    if not target.parent.is_dir():
        missing = shlex.quote(str(one.path.parent))
        raise UsageError(f"{one}: that folder does not exist; make it (mkdir -p {missing})")
    remove_left(target)
    proof = temporary_of(target)
    with cannot(one, "written"):
        disk = os.statvfs(target.parent)
        free = disk.f_bavail * disk.f_frsize
        if one.size > free:
            sizes = f"takes {format_bytes(one.size)}, {target.parent} has {format_bytes(free)} free"
            raise FileError(f"{one}: not enough room: {sizes}")
        try:
            with proof.open("wb") as file:
                file.write(bytes(BLOCK))
        finally:
            with suppress(OSError):
                proof.unlink()


@contextmanager
def cannot(one: Written, be: str) -> Iterator[None]:
    """Raises FileError, which names the file, in place of an error of the operating system."""
    try:
        yield
    except (OSError, ValueError) as error:  # a NUL in the name is a ValueError
        raise FileError(f"{one}: cannot be {be}: {reason(error)}") from None
