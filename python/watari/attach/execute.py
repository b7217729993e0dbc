"""`watari exec`: becomes a program that gets changes from outside, by one exec. No process stays
behind, nothing is recorded.

Each rank of a job starts so, and a rank should not wait for Python: the common command line is read
here, without the packages of the other commands. Whatever is unusual, cli/execute.py reads.
"""

from __future__ import annotations

import os
import signal

from watari.attach import changes, entry
from watari.attach.changes import CHANGES
from watari.common.errors import UsageError, WatariError

TYPE_CHECKING = False  # type checkers take it as True, like typing.TYPE_CHECKING
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

PRELOAD = "LD_PRELOAD"
MOST = 100_000  # bytes of a variable: Linux passes 128 KiB
LONG_TABLE = "the trace names more kernels than a variable can pass"
NO_TABLE = (
    "--from names no trace with kernels before which faults move managed memory (watari trace)"
)


class Asked:
    """The words of the command line. `sources`: the files of --from."""

    def __init__(
        self,
        changes: Sequence[str] = (),
        command: Sequence[str] = (),
        sources: Sequence[str] = (),
        verbose: bool = False,
    ) -> None:
        self.changes, self.command, self.sources = list(changes), list(command), list(sources)
        self.verbose = verbose


class Ready:
    """What a program needs: variables to set, and notes on changes that are left out."""

    def __init__(self) -> None:
        self.variables: dict[str, str] = {}
        self.notes: list[str] = []
        self.is_near = False


def parse(words: Sequence[str]) -> Asked | None:
    """`--staged --from FILE -- ./a.out`; None for a line that needs an answer in words."""
    asked, rest = Asked(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--" and rest:
            asked.command = rest
            return asked
        if word == "--from" and rest:
            asked.sources.append(rest.pop(0))
        elif word == "--verbose":
            asked.verbose = True
        elif word.startswith("--") and word[2:] in CHANGES:
            asked.changes.append(word[2:])
        else:
            return None
    return None


def begin(words: Sequence[str]) -> None:
    """Becomes the program. Returns only where the full command line has to answer."""
    asked = parse(words)
    if asked is None:
        return
    try:
        run(asked)
    except WatariError as error:
        tell(str(error))
        os._exit(error.exit_code)


def run(asked: Asked) -> NoReturn:
    """Becomes the program. Raises WatariError where there is none, or a file cannot be read."""
    path = executable(asked.command)
    environment = inherited()
    ready = prepared(asked, environment)
    for note in ready.notes:
        tell(note)
    if ready.is_near:
        from watari.attach import near

        if reason := near.move():
            tell(left_out(["near"], reason))
    restore()
    try:
        os.execve(path, asked.command, {**environment, **ready.variables})
    except OSError as error:
        from watari.attach.start import why_not_executed

        why = why_not_executed(asked.command[0], error)
        raise UsageError(f"{asked.command[0]}: cannot be executed: {why}") from None


def tell(text: str) -> None:
    """Writes a line to standard error, which may be closed or full: the program runs anyway."""
    from watari.common.printable import printable

    try:
        os.write(2, f"watari: {printable(text)}\n".encode(errors="replace"))
    except OSError:
        return


def executable(command: Sequence[str]) -> str:
    """The path of the program. Raises UsageError."""
    if command and (path := entry.which(command[0])):
        return path
    from watari.attach.start import require_program

    require_program(command)
    return command[0]


def inherited() -> dict[str, str]:
    """The environment without what Python adds to it in the locale C, and without the changes of a
    `watari exec` further out, which these replace."""
    environment = dict(os.environ)
    try:
        with open("/proc/self/environ", "rb") as file:
            if not any(v.startswith(b"LC_CTYPE=") for v in file.read().split(b"\0")):
                environment.pop("LC_CTYPE", None)
    except OSError:
        pass
    drop_changes(environment)
    return environment


def drop_changes(environment: dict[str, str]) -> None:
    """Takes the changes of an outer `watari exec` out of an environment."""
    outer = {name: environment.pop(name) for name in changes.VARIABLES if name in environment}
    if changes.HUGE in outer:
        from watari.attach import huge

        put(environment, huge.VARIABLE, huge.without(environment.get(huge.VARIABLE, "")))
    libraries = [each for each in environment.get(PRELOAD, "").split(":") if each]
    others = [each for each in libraries if os.path.basename(each) != entry.PRELOADED]
    if others != libraries:
        put(environment, PRELOAD, ":".join(others))
        environment[changes.VARIABLE] = ""  # the library in this process adds no variable then


def put(environment: dict[str, str], name: str, value: str) -> None:
    """Sets a variable, or removes it if the value is empty."""
    if value:
        environment[name] = value
    else:
        environment.pop(name, None)


def restore() -> None:
    """Gives back the signals that Python ignores: the program would ignore them, too."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def left_out(names: Sequence[str], reason: str) -> str:
    """`pooled is left out: ...`"""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}"


def prepared(asked: Asked, present: Mapping[str, str]) -> Ready:
    """The variables of the changes that this program can get. `present`: those that it has."""
    ready = Ready()
    names, table = wanted(asked, ready)
    ready.is_near = "near" in names
    if "prefetched" in names:
        if reason := NO_TABLE if not table else LONG_TABLE if len(table) > MOST else "":
            names.remove("prefetched")
            ready.notes.append(left_out(["prefetched"], reason))
        else:
            ready.variables[changes.PREFETCHES] = table
    if "huge" in names:
        add_huge(asked, present, ready)
    if inside := [name for name in names if CHANGES[name].is_inside]:
        add_library(asked, inside, present, ready)
    return ready


def wanted(asked: Asked, ready: Ready) -> tuple[list[str], str]:
    """The changes that the words and the files name, and the table of `prefetched`. Raises
    UsageError where there are no words and no files."""
    names: set[str] = set(asked.changes)
    tables: list[str] = []
    if asked.sources:
        from watari.attach import advised_changes

        for path in asked.sources:
            content = advised_changes.read(path)
            names |= advised_changes.named(path, content)
            tables.append(advised_changes.table_of(path, content))
            names |= {"prefetched"} if tables[-1] else set()
        if not names:
            ready.notes.append(f"{', '.join(asked.sources)}: no change in it is sure to help")
    elif not names:
        known = ", ".join(f"--{name}" for name in CHANGES)
        raise UsageError(f"which changes? {known}, or --from with a file of `watari advise`")
    return [name for name in CHANGES if name in names], ",".join(filter(None, tables))


def add_huge(asked: Asked, present: Mapping[str, str], ready: Ready) -> None:
    """Adds the variable of `huge`."""
    from watari.attach import huge, near

    linker = entry.loader(entry.which(asked.command[0])) if asked.command else None
    if reason := huge.lacking(linker, huge.version(), near.read(huge.SWITCH)):
        ready.notes.append(left_out(["huge"], reason))
    else:
        before = present.get(huge.VARIABLE, "")
        ready.variables[huge.VARIABLE] = huge.tunables(before)
        if ready.variables[huge.VARIABLE] != before:
            ready.variables[changes.HUGE] = "1"


def add_library(asked: Asked, names: list[str], present: Mapping[str, str], ready: Ready) -> None:
    """Adds the variables of the preloaded library."""
    path = os.path.join(entry.PACKAGE, entry.PRELOADED)
    reason = entry.obstacle(asked.command) if asked.command else ""
    if reason:
        reason = f"{asked.command[0]} {reason}"
    elif not os.path.isfile(path):
        reason = f"this build of Watari has no {entry.PRELOADED}"
    elif any(character in path for character in entry.SEPARATORS):
        reason = f"{path}: LD_PRELOAD takes no path with a space or colon"
    if reason:
        ready.notes.append(left_out(names, reason))
        return
    ready.variables[PRELOAD] = ":".join(filter(None, [path, present.get(PRELOAD, "")]))
    ready.variables[changes.VARIABLE] = ",".join(names)
    if asked.verbose:
        ready.variables[changes.VERBOSE] = "1"


def exports(asked: Asked, version: str) -> list[str]:
    """`--print`: lines of a shell that set the variables, before what it has in two of them. Notes
    go to standard error: a shell that evaluates the lines shows nothing of them."""
    import shlex

    ready = prepared(asked, {})
    for note in ready.notes:
        tell(note)
    variables = dict(ready.variables)
    if changes.VARIABLE in variables:
        variables[changes.VERSION] = version
    lines = []
    for name, value in variables.items():
        rest = f'"${{{name}:+:${name}}}"' if name in (PRELOAD, "GLIBC_TUNABLES") else ""
        lines.append(f"export {name}={shlex.quote(value)}{rest}")
    if ready.is_near:
        from watari.attach import near

        node, reason = near.node_of_gpu("", dict(os.environ))
        how = reason or f"no variable does it: numactl --cpunodebind={node} --preferred={node}"
        tell(f"near: {how}")
    return lines
