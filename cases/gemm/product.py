"""C = alpha A B + beta C of matrices in files that need not fit memory: `watari.gemm`.

The product is the library's (src/watari/gemm/product/product.hpp); this module has the Python
types, the signals and the progress reports.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

from watari.case.axis import Parameters, count, numbered, parse_size
from watari.case.native import module
from watari.cases.gemm import axes, operand, output
from watari.common.errors import WatariError
from watari.common.interrupts import stoppable
from watari.machine import openblas
from watari.objects import is_address

PathLike = str | os.PathLike[str]
PRECISION = {"float32": "single", "float64": "double"}
INTERVAL = 1.0  # seconds between two syncs of completed tiles, and between two progress reports


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM ended a product; the message reports its completed tiles."""


@dataclass(frozen=True)
class Work:
    """A product whose files and values have passed every check."""

    output: str  # as it was named
    largest: str  # path of A, or of B; empty if one lies in objects
    dtype: str
    parameters: Parameters  # of the case `gemm`, except the store of the matrices
    plan: dict[str, float]  # bytes that will move
    tiles: int  # of C
    advice: str = ""  # on factors that are slow to read

    @property
    def bytes_of_c(self) -> int:
        """Bytes of the elements of C."""
        return int(self.parameters["m"] * self.parameters["n"] * int(self.dtype[-2:]) // 8)


class Progress(Protocol):
    """Receives the plan of a product, then its progress about once a second."""

    def start(self, work: Work, finished: int) -> None:
        """The product begins; an earlier run completed `finished` tiles of C."""

    def advance(self, fraction: float, finished: int) -> None:
        """`fraction` of this run's work is done; `finished` tiles of C are complete in all."""


class Silent:
    """Says nothing."""

    def start(self, work: Work, finished: int) -> None:
        pass

    def advance(self, fraction: float, finished: int) -> None:
        pass


@dataclass(frozen=True)
class Product:
    """Time and bytes of a product. An earlier, killed run computed `finished_before` tiles. Bytes
    that come from objects between rows of tiles are in `bytes_received`, not in `bytes_read`."""

    seconds: float
    bytes_read: int
    bytes_written: int
    tiles: int
    finished_before: int
    bytes_received: int = 0
    seconds_verifying: float = 0.0  # to read `out` back and to give it its name
    seconds_storing: float = 0.0  # to make a complete C a Zarr array, or an object
    notes: list[str] = field(default_factory=list)


def gemm(
    a: PathLike,
    b: PathLike,
    out: PathLike,
    *,
    fast_memory: int | str = "auto",
    alpha: float | str = 1.0,
    beta: float | str = 0.0,
    tile: int | str | None = None,
    engine: str | None = None,
    processor: str | None = None,
    threads: int | str | None = None,
    transpose_a: bool = False,
    transpose_b: bool = False,
    work: PathLike | None = None,
    fresh: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Product:
    """C = alpha A B + beta C for matrices in files or objects, which may be larger than memory.

    `a` (m x k) and `b` (k x n) are paths that `watari.open` takes: .npy, HDF5, Zarr and safetensors
    files, plain ones as `A.bin::float32:300x200`, and all of them as s3://bucket/key. Both are
    float32 or both float64, by rows or by columns; float16 and bfloat16 are multiplied as float32.
    With `transpose_a` the file of `a` is k x m, and its transpose is multiplied; with `transpose_b`
    the file of `b` is n x k. `out` becomes m x n of float32 or float64, by rows: a .npy file, a
    plain one (.bin, .raw, .dat), a new Zarr array of one chunk for each tile (.zarr), or any of
    these at s3://bucket/key. If beta is not 0, `out` must be a local file, and the product is added
    to beta times its content. Otherwise an existing file or object is replaced. A Zarr array and an
    object are stored from a complete C in a work file, beside the array or in the folder `work` (by
    default this one).

    Tiles of `tile` x `tile` elements (a multiple of 128) move through `fast_memory` bytes of GPU
    memory, or of RAM if `processor` is `cpu`. `fast_memory` is a number, a text such as "8GiB", or
    "auto": most of the free memory of the GPU, or half of the free RAM. `threads` CPU threads move
    tiles by `engine`: posix, uring, mmap, cufile, queue or gpu. cuBLAS or OpenBLAS multiplies them.

    `out` is written whole or not at all. A killed run leaves `out`.partial and a journal, and the
    same call resumes from them; `fresh` starts over. Ctrl-C (in the main thread) ends the product
    and keeps its completed tiles. Before the rename all of `out` is read back and compared with the
    checksums of its tiles: these bytes and seconds are not in `bytes_read` and `seconds`. `dry_run`
    checks everything, gives `progress` the plan, writes nothing, and returns the bytes that the
    product would move.

    Raises UsageError and FileError for wrong arguments or files, before anything is written;
    UnsupportedError if this machine lacks something; SystemCallError, with file and address, if a
    read or write fails; KeyboardInterrupt.
    """
    asked: Parameters = {
        "fast_memory": 0 if fast_memory == "auto" else parse_size(str(fast_memory)),
        "alpha": axes.parse_number(str(alpha)),
        "beta": axes.parse_number(str(beta)),
    }
    if tile is not None:
        asked["tile"] = axes.parse_tile(str(tile))
    if engine is not None:
        asked["engine"] = axes.parse_file_engine(engine)
    if processor is not None:
        asked["processor"] = numbered("cpu", "gpu")(processor)
    if threads is not None:
        asked["threads"] = count(1, 4096)(str(threads))
    paths = {name: os.fsdecode(path) for name, path in (("a", a), ("b", b))}
    to = output.output(os.fsdecode(out), os.fsdecode(work) if work else None)
    to.check(float(str(asked["beta"])))
    operand.require_apart(to.named, *paths.values())
    places = {name: operand.place(path) for name, path in paths.items()}
    paths["c"] = to.file
    switches = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    switches |= {"fresh": fresh, "plain": to.plain, "keep": to.is_stored}
    settled = axes.settle(asked)
    settled.pop("depth", None)  # the library chooses it
    product = prepared({**paths, **settled, **switches}, places)
    of = described(product, to.named, asked)
    of = replace(of, advice=operand.advice([str(a), str(b)], of.plan, of.parameters["tile"]))
    to.require_room(of.bytes_of_c)
    if dry_run:
        plan, before = of.plan, product.completed_before()
        if before < of.tiles and not (to.is_stored and os.path.exists(to.file)):
            product.require_room()
        (progress or Silent()).start(of, before)
        moved = int(plan["bytes_read"]), int(plan["bytes_written"])
        return Product(0.0, *moved, of.tiles, before, int(plan["bytes_received"]))
    if fresh:
        output.discard(to)
    done = multiply(product, of, progress or Silent())
    if to.is_stored:
        done["seconds_storing"] = store(to, of, progress or Silent())
    return Product(**{each.name: done[each.name] for each in fields(Product) if each.name in done})


def store(to: output.Output, of: Work, progress: Progress) -> float:
    """Stores a complete C; returns the seconds. Raises Interrupted, FileError, ServiceError."""
    began = time.monotonic()
    kept = f"C is complete in {to.file}: the same product stores it from there"
    with stoppable() as stopped:

        def advance(done: float) -> None:
            if hasattr(progress, "storing"):
                progress.storing(to.named, done)
            if done < 1 and stopped():
                raise Interrupted(kept)

        try:
            output.store(to, int(of.parameters["tile"]), advance)
        except KeyboardInterrupt:
            raise Interrupted(kept) from None
        except WatariError as error:
            raise type(error)(f"{error}; {kept}") from error
    return time.monotonic() - began


def prepared(asked: Parameters, places: dict[str, Any]) -> Any:
    """The library's product, with all arguments and files checked. Raises UsageError, FileError,
    UnsupportedError."""
    return module(__package__).GemmProduct(
        {**asked, "blas_folder": openblas.folder(), "interval": INTERVAL},
        {name: place for name, place in places.items() if place},
    )


def described(product: Any, output: str, asked: Parameters) -> Work:
    """The product as `Work`, in the words of the case."""
    facts = product.facts()
    names = ("m", "n", "k", "processor", "engine", "tile", "threads", "depth")
    parameters = {name: facts[name] for name in names}
    parameters |= {"alpha": asked["alpha"], "beta": asked["beta"]}
    parameters |= {"precision": PRECISION[facts["dtype"]], "fast-memory": facts["fast_memory"]}
    local = [each for each in facts["factors"] if not is_address(each)]
    largest = max(local, key=os.path.getsize) if len(local) == 2 else ""
    return Work(output, largest, facts["dtype"], parameters, facts, facts["tiles"])


def multiply(product: Any, work: Work, progress: Progress) -> dict[str, Any]:
    """Makes C. Raises Interrupted, WatariError."""
    started = False
    with stoppable() as stopped:

        def advanced(finished: int, part: float) -> bool:
            nonlocal started
            if started:
                progress.advance(part, finished)
            else:
                progress.start(work, finished)
                started = True
            return not stopped()

        try:
            done: dict[str, Any] = product.run(advanced)
        except KeyboardInterrupt:  # a second one, during a progress report
            raise Interrupted(product.kept()) from None
        except WatariError as error:
            kept = product.kept()
            raise type(error)(f"{error}; {kept}" if kept else str(error)) from error
    if done["stopped"]:
        raise Interrupted(product.kept())
    return done
