"""C = alpha A B + beta C of matrices in .npy files that need not fit memory: `watari.gemm`."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from watari import gemm_case
from watari.axes import Parameters, count, numbered, parse_size
from watari.errors import BeyondMemoryError, FileError, WatariError
from watari.gemm_journal import ANEW, Journal, Tile
from watari.gemm_partial import changed, finished_already, opened, put_in_place
from watari.gemm_work import PathLike, Work, native, native_parameters, prepared


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM ended a product; the message says what is kept."""


class Progress(Protocol):
    """Told by `gemm` what it is about to do, and about once a second how far it is."""

    def start(self, work: Work, finished: int) -> None:
        """The product begins; so many tiles of C were finished by an earlier run."""

    def advance(self, fraction: float, finished: int) -> None:
        """So much of this run's work is done, and so many tiles of C in all."""


class Silent:
    """Says nothing."""

    def start(self, work: Work, finished: int) -> None:
        pass

    def advance(self, fraction: float, finished: int) -> None:
        pass


@dataclass(frozen=True)
class Product:
    """What a product took. Tiles of `finished_before` were computed by an earlier, killed run."""

    seconds: float
    bytes_read: int
    bytes_written: int
    tiles: int
    finished_before: int
    notes: list[str] = field(default_factory=list)


def gemm(
    a: PathLike,
    b: PathLike,
    out: PathLike,
    *,
    fast_memory: int | str,
    alpha: float | str = 1.0,
    beta: float | str = 0.0,
    tile: int | str | None = None,
    engine: str | None = None,
    processor: str | None = None,
    threads: int | str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Product:
    """C = alpha A B + beta C for matrices in .npy files, which may be larger than memory.

    `a` (m x k) and `b` (k x n) are both of float32 or of float64, in C order; `out` becomes m x n
    of the same type. With beta other than 0 `out` must be there and is the C that is added to; else
    a file that is there is replaced. Tiles of `tile` x `tile` elements (a multiple of 128) move
    through `fast_memory` bytes (a number or a text such as "8GiB") of GPU memory, or of RAM where
    `processor` is `cpu`; `engine` (gemm_case.FILE_ENGINES) moves them, with so many CPU `threads`.
    Tile products are cuBLAS's or OpenBLAS's.

    `out` is written whole or not at all. A killed run leaves `out`.partial and a journal, and the
    same call goes on from there; `fresh` begins anew. Ctrl-C (where this is the main thread) ends
    it with what is finished kept.

    Raises UsageError and FileError before anything is written, for what does not fit;
    UnsupportedError where this machine lacks what is asked for; SystemCallError with file and
    address where reading or writing fails; KeyboardInterrupt.
    """
    asked: Parameters = {
        "fast-memory": parse_size(str(fast_memory)),
        "alpha": gemm_case.parse_number(str(alpha)),
        "beta": gemm_case.parse_number(str(beta)),
    }
    if tile is not None:
        asked["tile"] = gemm_case.parse_tile(str(tile))
    if engine is not None:
        asked["engine"] = gemm_case.parse_file_engine(engine)
    if processor is not None:
        asked["processor"] = numbered("cpu", "gpu")(processor)
    if threads is not None:
        asked["threads"] = count(1, 4096)(str(threads))
    work = prepared(a, b, out, asked, fresh)
    if not fresh and finished_already(work):
        return Product(0.0, 0, 0, work.tiles, work.tiles)
    told = progress or Silent()
    with opened(work, fresh) as (file, journal):
        before = len(journal.tiles)
        told.start(work, before)
        done = multiply(work, journal, told)
        put_in_place(work, file, journal)
    return Product(
        float(done["seconds"]),
        int(done["bytes_read"]),
        int(done["bytes_written"]),
        work.tiles,
        before,
        list(done["notes"]),
    )


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or SIGTERM came; a second one does what it did before. In the main thread."""
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        restore()

    for number in numbers:
        signal.signal(number, ask)
    try:
        yield lambda: bool(asked)
    finally:
        restore()


def multiply(work: Work, journal: Journal, progress: Progress) -> dict[str, Any]:
    """The product, into the unfinished C. Raises Interrupted, WatariError."""
    lost: list[OSError] = []
    with stoppable() as stopped:

        def advanced(tiles: Sequence[Tile], fraction: float) -> bool:
            try:
                journal.add([(int(row), int(column)) for row, column in tiles])
            except OSError as error:
                lost.append(error)
                return False
            progress.advance(fraction, len(journal.tiles))
            return not stopped()

        try:
            done: dict[str, Any] = native().gemm_files(
                native_parameters(work), list(journal.tiles), advanced
            )
        except KeyboardInterrupt:
            if lost:
                text = f"{journal.path}: cannot be written: {lost[0].strerror}"
                raise FileError(f"{text}; {kept(work, journal)}") from None
            raise Interrupted(kept(work, journal)) from None
        except BeyondMemoryError as error:
            numbers, _, _ = str(error).partition("; ")  # it advises what only cases have
            text = f"{numbers}; choose a smaller --fast-memory (fast_memory)"
            raise BeyondMemoryError(f"{text}; {kept(work, journal)}") from error
        except WatariError as error:
            raise type(error)(f"{error}; {kept(work, journal)}") from error
    return done


def kept(work: Work, journal: Journal) -> str:
    """What a run that did not finish leaves, for people."""
    old = f"{work.shown} is as it was; " if work.output.exists() else ""
    if not journal.tiles:
        return f"{old}no tile was finished"
    text = f"{old}{len(journal.tiles)} of {work.tiles} tiles are finished"
    for matrix in work.read:
        if changed(matrix):
            return f"{text}, of another {matrix.path} than there is now; {ANEW}"
    return f"{text}: the same command goes on from there"
