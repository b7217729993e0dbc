"""Values and defaults of the axes of case `gemm`, and the bytes and flops of a case."""

from __future__ import annotations

import math
import re

from watari import _native
from watari.case import axis, engines, modelled_store
from watari.case.axis import Machine, Parameters
from watari.cases.gemm import side
from watari.common.errors import UsageError
from watari.common.units import exact_size
from watari.machine.usable import usable_cores

IN_MEMORY = ("pinned", "managed")  # engines for which the matrices lie in memory
ENGINES = (*engines.FILE_ENGINES, *IN_MEMORY)
ONE_AT_A_TIME = (*engines.ONE_AT_A_TIME, *IN_MEMORY)
GPU_ONLY = (*engines.GPU_ONLY, *IN_MEMORY)
LAYOUTS = ("row-major", "tiled")
SCHEDULES = ("reuse", "naive")
BYTES = {"single": 4, "double": 8}
TILE_UNIT, TILE_MOST = 128, 2**16  # elements
LARGEST_REQUEST = 2**17  # bytes, of tiles in files (src/watari/gemm/schedule/placement.hpp)
SLOTS_LEAST = 5  # a tile of C, and two of A and of B


def parse_tile(text: str) -> int:
    """Elements of a tile's edge: a multiple of 128. Raises UsageError."""
    tile = axis.count(1, TILE_MOST)(text)
    if tile % TILE_UNIT:
        raise UsageError(f"'{text}' is not a tile: a multiple of {TILE_UNIT} up to {TILE_MOST}")
    return tile


def parse_file_engine(text: str) -> str:
    """An engine that moves tiles of files. Raises UsageError."""
    if text in IN_MEMORY:
        raise UsageError(
            f"engine {text} is for matrices in memory; these are in files; "
            f"known: {', '.join(engines.FILE_ENGINES)}"
        )
    return axis.one_of(*engines.FILE_ENGINES)(text)


def parse_number(text: str) -> float:
    """A finite number, alpha or beta. Raises UsageError."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, axis.WORD):
        raise UsageError(f"'{text}' is not a number; write for example 1, -0.5 or 1e-3")
    if not math.isfinite(float(text)):
        raise UsageError(f"'{text}' is too large for a number")
    return float(text)


def settle(given: Parameters) -> Parameters:
    """Some engines need a GPU; those without a queue have one request in flight a thread."""
    engine = given.get("engine")
    needed = {"processor": "gpu"} if engine in GPU_ONLY else {}
    fixed = {"depth": 1} if engine in ONE_AT_A_TIME else {}
    return {**needed, **given, **fixed}


def side_of(n: str, given: Parameters) -> int:
    """The side that `auto:TIME` stands for. Raises UsageError."""
    return side.for_time(n, given, BYTES[given.get("precision", "single")])


def default_engine(machine: Machine, parameters: Parameters) -> str:
    """The engine by which the processor starts its own transfers."""
    return _native.gemm_default_engine(parameters["processor"])


def default_n(machine: Machine, parameters: Parameters) -> int:
    """A side for which a product takes seconds."""
    return 4096 if parameters["processor"] == "cpu" else 16384


def default_store(machine: Machine, parameters: Parameters) -> str:
    """`file`, or `ram` for the engines of matrices in memory."""
    return "ram" if parameters["engine"] in IN_MEMORY else "file"


def default_fast_memory(machine: Machine, parameters: Parameters) -> int:
    """A quarter of the whole matrices, but at least GEMM_USUAL_SLOTS tiles of the least size."""
    smallest = {**parameters, "tile": _native.GEMM_LEAST_TILE}
    size = bytes_with(parameters, int(parameters["m"]))
    return max(size // 4, _native.GEMM_USUAL_SLOTS * slot_bytes(smallest))


def default_tile(machine: Machine, parameters: Parameters) -> int:
    """The largest power of two up to 2048 with which fast memory holds 32 tiles; else 128. The
    library defines this default and the next two (src/watari/gemm/defaults.hpp)."""
    element = BYTES[parameters["precision"]]
    return _native.gemm_default_tile(parameters["fast-memory"], element)


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One a core, fewer for a GPU's queues."""
    cores = usable_cores(machine)
    on_disk = parameters["store"] == "file"
    return _native.gemm_default_threads(parameters["engine"], cores, on_disk)


def default_depth(machine: Machine, parameters: Parameters) -> int:
    """Requests in flight of each thread."""
    p, element = parameters, BYTES[parameters["precision"]]
    on_disk, default = p["store"] == "file", _native.gemm_default_depth
    usual = default(p["engine"], on_disk, p["layout"], p["tile"], element)
    return modelled_store.depth_within(p["store"], "read", usual, int(p["threads"]))


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError if fast memory holds fewer than 5 tiles, if alpha or beta is beyond the
    precision, or if the `~` in the folder of the files has no meaning."""
    if parameters["store"] == "file":
        for folder in engines.folders_of(parameters["folder"]):
            axis.expanded(folder)
    require_part(parameters)
    modelled_store.require_ssds("gemm", parameters)
    for name in ("alpha", "beta"):
        if not _native.gemm_holds(parameters["precision"], parameters[name]):
            raise UsageError(
                f"gemm: {name}={parameters[name]:g} is beyond precision={parameters['precision']}"
            )
    by_default = parameters["fast-memory"] == default_fast_memory({}, parameters)
    note = ", the default here," if by_default else ""
    least = SLOTS_LEAST * slot_bytes(parameters)
    if parameters["fast-memory"] < least:
        text = exact_size(least)
        raise UsageError(
            f"gemm: fast-memory={exact_size(parameters['fast-memory'])}{note} is too small "
            f"for tile={parameters['tile']}: {SLOTS_LEAST} tiles take {text}; "
            f"give {text} or more"
        )


def require_files(p: Parameters) -> None:
    """Before a run: raises FileError for a damaged model of an SSD, UsageError for requests outside
    its rows."""
    row = int(p["tile"]) * BYTES[p["precision"]] if p["layout"] == "row-major" else LARGEST_REQUEST
    for direction in ("read", "write"):
        modelled_store.require_reach(p, direction, min(row, LARGEST_REQUEST))


def require_part(p: Parameters) -> None:
    """Raises UsageError for a part of a product whose parts differ, or that has fewer rows."""
    if not p["rows"]:
        return
    if p["schedule"] != "naive":
        raise UsageError(f"gemm: rows={p['rows']} is a part of schedule=naive, not {p['schedule']}")
    if p["rows"] > block_rows(p):
        raise UsageError(
            f"gemm: rows={p['rows']}: C has {block_rows(p)} block rows of {p['tile']} rows"
        )


def computed(p: Parameters) -> int:
    """Rows of C that are computed."""
    rows = int(p.get("rows", 0)) * int(p["tile"])  # the command has no part
    return min(int(p["m"]), rows) if rows else int(p["m"])


def block_rows(p: Parameters) -> int:
    """Block rows of all of C."""
    return -(-int(p["m"]) // int(p["tile"]))


def bytes_with(p: Parameters, m: int) -> int:
    """Bytes of A, B and C with m rows of A and C."""
    n, k = int(p["n"]), int(p["k"])
    return (m * k + k * n + m * n) * BYTES[p["precision"]]


def matrix_bytes(p: Parameters) -> int:
    """Bytes of A, B and C, of the rows that are computed."""
    return bytes_with(p, computed(p))


def flops(p: Parameters) -> int:
    """A multiplication and an addition for each m x n x k; none where alpha is 0."""
    return 2 * computed(p) * int(p["n"]) * int(p["k"]) if p["alpha"] else 0


def least_bytes(p: Parameters) -> int:
    """Bytes that move even if all fits in fast memory: C is written; A and B (unless alpha is 0)
    and C (unless beta is 0) are read once."""
    m, n, k = computed(p), int(p["n"]), int(p["k"])
    elements = m * n + (m * k + k * n if p["alpha"] else 0) + (m * n if p["beta"] else 0)
    return elements * BYTES[p["precision"]]


def slot_bytes(p: Parameters) -> int:
    """Bytes of one tile."""
    return int(p["tile"]) ** 2 * BYTES[p["precision"]]


def slots(p: Parameters) -> int:
    """Tiles that fast memory holds."""
    return int(p["fast-memory"]) // slot_bytes(p)


def sides(parameters: Parameters) -> str:
    """The matrices of a product: `16384` where all are square, else `m x n x k`."""
    lengths = [int(parameters[name]) for name in ("m", "n", "k")]
    return str(lengths[0]) if len(set(lengths)) == 1 else " x ".join(map(str, lengths))


def extent(parameters: Parameters) -> str:
    """The matrices, and the part that is computed: `131072, 1 of 64 block rows`."""
    rows = int(parameters["rows"])
    part = f", {rows} of {block_rows(parameters)} block rows" if rows else ""
    return f"{sides(parameters)}{part}"
