"""Whether the preloaded library can enter a program. Imports little: `watari exec` starts each rank
of a job by it."""

from __future__ import annotations

import os
import stat
from struct import Struct, error

TYPE_CHECKING = False  # type checkers take it as True, like typing.TYPE_CHECKING
if TYPE_CHECKING:
    from collections.abc import Sequence

PRELOADED = "libwatari_preload.so"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEPARATORS = " :\t\n"  # of paths in LD_PRELOAD, which cannot quote them
HEADER = Struct("<16sHHIQQQIHHHHHH")
PROGRAM = Struct("<IIQQQQQQ")
INTERPRETER = 3  # a program header


def which(name: str) -> str:
    """The path of a program, as execvp looks it up; empty where there is none."""
    folders = [""] if "/" in name else os.get_exec_path()
    for folder in folders if name else []:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def loader(path: str) -> str | None:
    """The dynamic linker that a 64-bit ELF file names, empty where it names none; None for another
    file."""
    try:
        with open(path, "rb") as file:
            head = HEADER.unpack(file.read(HEADER.size))
            if not head[0].startswith(b"\x7fELF\x02\x01"):
                return None
            file.seek(head[5])
            table = file.read(head[9] * head[10])
            for i in range(head[10]):
                row = PROGRAM.unpack_from(table, i * head[9])
                if row[0] == INTERPRETER:
                    file.seek(row[2])
                    return file.read(row[5]).rstrip(b"\0").decode(errors="replace")
    except (OSError, error):
        return None
    return ""


def has_capabilities(path: str) -> bool:
    """Whether a program gets capabilities from its file that this user lacks (setcap)."""
    try:
        return os.getuid() != 0 and bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def obstacle(command: Sequence[str]) -> str:
    """Why the preloaded library cannot enter a program; empty where it can."""
    path = which(command[0]) or command[0]
    status = os.stat(path)
    is_lent = status.st_mode & stat.S_ISUID and status.st_uid != os.getuid()
    if is_lent or (status.st_mode & stat.S_ISGID and status.st_gid != os.getgid()):
        return "runs with the rights of another user (setuid): the system preloads nothing there"
    if has_capabilities(path):
        return "gets rights from its file (setcap): the system preloads nothing there"
    linker = loader(path)
    if linker and "ld-musl" in linker:
        return "has the C library musl: the preloaded library needs glibc"
    return "is linked statically: no library can be preloaded" if linker == "" else ""
