"""Files: atomic writing, checks of paths, and the folders that come with the package."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from watari.common import owner
from watari.common.errors import FileError

PACKAGE = Path(__file__).parents[1]


def stored(name: str) -> list[Path]:
    """Possible folders of the package: inside it when installed, beside python/ in a source
    tree."""
    return [PACKAGE / name, PACKAGE.parents[1] / name]


def reason(error: Exception) -> str:
    """Why a file cannot be read or written, without its name."""
    return getattr(error, "strerror", None) or str(error)


def same(path: Path, other: Path) -> bool:
    """Whether two paths lead to the same file."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # one of them does not exist
        return os.path.realpath(path) == os.path.realpath(other)


def allow_open(path: str, chunks: int) -> None:
    """Raises the number of files that this process may have open, for all chunks of two arrays, one
    of which is `path`. Raises FileError if the system allows fewer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 1024 + 4 * chunks  # two arrays, each opened twice for a moment
    if not chunks or soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise FileError(
            f"{path}: {chunks} chunks, all of which are opened, and this process may open {hard} "
            "files (ulimit -Hn): choose larger chunks"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def temporary_of(target: Path) -> Path:
    """The temporary file of this process that becomes `target`."""
    return target.with_name(f".{target.name}.{owner.mark()}.partial")


def write_atomically(
    path: str | os.PathLike[str],
    content: str | bytes,
    before: Callable[[Path], None] = lambda temporary: None,
) -> None:
    """Put `content` at `path` in one step: a temporary file beside it, fsync, then rename.

    `before` gets the temporary file before it is at `path`. The file is then read back, since
    another process may have changed it. On any failure (a full disk, no permission) the old file
    stays as it was and the temporary one is removed, as is one that a killed process left. Raises
    FileError with path and cause.
    """
    try:
        target = Path(os.path.realpath(path))
    except FileNotFoundError:
        raise FileError(f"{path}: cannot be written: the current folder was removed") from None
    if os.path.exists(target) and not stat.S_ISREG(target.stat().st_mode):
        raise FileError(f"{path}: cannot be written: not a regular file")
    remove_left(target)
    temporary = temporary_of(target)
    data = content.encode() if isinstance(content, str) else content
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        before(temporary)
        if not has_content(temporary, data):
            raise OSError(None, "another process changed it meanwhile")
        os.replace(temporary, target)
    except OSError as error:
        kept = "; the file that was there is unchanged" if os.path.exists(target) else ""
        raise FileError(f"{path}: cannot be written: {reason(error)}{kept}") from error
    finally:
        with contextlib.suppress(OSError):  # gone already when the rename has happened
            os.unlink(temporary)
    sync_folder(target.parent)


def has_content(path: Path, content: bytes) -> bool:
    """Whether a file has this content. Raises OSError."""
    at, whole = 0, memoryview(content)
    with open(path, "rb") as file:
        while part := file.read(2**20):
            if part != whole[at : at + len(part)]:
                return False
            at += len(part)
    return at == len(whole)


def remove_left(target: Path) -> None:
    """Removes temporary files or folders of this one that killed processes left."""
    name = re.compile(rf"\.{re.escape(target.name)}\.{owner.PATTERN}\.partial")
    with contextlib.suppress(OSError):
        for path in owner.of_the_dead(target.parent, name):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Gives an OSError of this block the name of the file; a write that fails has none."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextlib.contextmanager
def closed_quietly(file: IO[Any]) -> Iterator[None]:
    """Closes a file without reporting an error; for files to which this process wrote nothing."""
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.close()


def sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
