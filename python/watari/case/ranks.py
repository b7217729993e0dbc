"""The axes of cases that run on several ranks: their number, the split of the grid, and the
exchange of its halo."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from watari.case.axes import THREADS, axis, compiler_words
from watari.case.axis import Axis, Machine, Parameters, count, one_of, parse_boolean
from watari.case.profile import Exchange
from watari.common import library
from watari.common.errors import UsageError
from watari.common.library import Style
from watari.machine.usable import usable_cores

HALOS = ("none", *library.HALOS)  # `none`: one rank
MOST_RANKS = 4096
NUMBERS = {3: "three", 4: "four"}


def parse_extents(text: str, like: str) -> tuple[int, ...]:
    """(2, 1, 1) of `2x1x1`; as many numbers as the example `like` has. Raises UsageError."""
    sides = like.count("x") + 1
    match = re.fullmatch("x".join([r"([1-9]\d{0,40})"] * sides), text, re.ASCII)
    if not match:
        raise UsageError(f"'{text}' is not {NUMBERS[sides]} numbers such as {like}")
    return tuple(int(number) for number in match.groups())


def parse_named(
    text: str, known: Mapping[str, tuple[int, ...]], like: str, what: str
) -> tuple[str, tuple[int, ...]]:
    """Name and extents of a known name, or of extents such as `like`. `what`: noun and form for the
    error, such as `grid of IxJxK`. Raises UsageError."""
    for name, extents in known.items():
        if text.lower() == name.lower():
            return name, extents
    try:
        extents = parse_extents(text, like)
    except UsageError:
        noun, form = what.split(" of ")
        raise UsageError(f"'{text}' is not a {noun}; write {', '.join(known)} or {form}") from None
    return next((name for name, of in known.items() if of == extents), text), extents


def parse_split(text: str, like: str) -> str:
    """Ranks along each axis as text. Raises UsageError."""
    parts = parse_extents(text, like)
    if math.prod(parts) > MOST_RANKS:
        raise UsageError(f"'{text}' is more than {MOST_RANKS} ranks")
    return "x".join(map(str, parts))


def along_first(ranks: int, like: str) -> str:
    """The split of ranks along the first axis alone."""
    return f"{ranks}{'x1' * like.count('x')}"


def settle(
    case: str, given: Parameters, like: str, along: Callable[[int], str] | None = None
) -> Parameters:
    """The given parameters with ranks and split made consistent; one rank has no halo, whatever was
    given. `along`: the split for a number of ranks, by default along the first axis.

    Raises UsageError for contradictions.
    """
    split = given.get("split")
    wanted = math.prod(parse_extents(split, like)) if split else 1
    ranks = given.get("ranks", wanted)
    if split and wanted != ranks:
        raise UsageError(f"{case}: split={split} is for {wanted} ranks, and ranks={ranks}")
    settled = {
        **given,
        "ranks": ranks,
        "split": split or (along(ranks) if along else along_first(ranks, like)),
    }
    if ranks == 1:
        overlap = {"overlap": False} if "overlap" in given else {}
        return {**settled, "halo": "none", **overlap}
    if given.get("halo") == "none":
        raise UsageError(
            f"{case}: {ranks} ranks need a halo: write halo=NAME ({', '.join(library.HALOS)})"
        )
    if ":" in given.get("processor", ""):
        raise UsageError(f"{case}: {ranks} ranks use a GPU each: write processor=gpu")
    return settled


def ranks_beside(machine: Machine, parameters: Parameters) -> int:
    """Ranks on the host with the most of them, where the host of each rank is known."""
    ranks = int(parameters["ranks"])
    placed = machine.get("hosts", ())[:ranks]
    return max(Counter(placed).values()) if len(placed) == ranks else ranks


def default_halo(machine: Machine, parameters: Parameters) -> str:
    """`peer` (GPU to GPU) on GPUs of one host; else `staged`, by the host's memory."""
    one_host = ranks_beside(machine, parameters) == int(parameters["ranks"])
    return "peer" if parameters["processor"] != "cpu" and one_host else "staged"


def halo_of(style: Style, machine: Machine, parameters: Parameters) -> str:
    """On a GPU the halo that a style in directives is written for; else the default halo."""
    if style.in_directives and parameters["processor"] != "cpu":
        return style.halos[0]
    return default_halo(machine, parameters)


def default_threads(machine: Machine, parameters: Parameters) -> int:
    """One thread per core; the ranks of a host share its cores."""
    return max(1, usable_cores(machine) // ranks_beside(machine, parameters))


def passes_gpu_memory(parameters: Parameters, styles: Mapping[str, Style]) -> tuple[str, ...]:
    """The check that a halo in GPU memory needs: MPI without CUDA crashes on its pointer."""
    given = parameters.get("halo") == "device" and parameters["processor"] != "cpu"
    in_gpu = styles[parameters["style"]].field == "device"
    return ("mpi-takes-gpu-memory",) if given and in_gpu else ()


def one_rank_labels(parameters: Parameters) -> dict[str, str]:
    """One rank shows neither split nor halo; a usual compiler is not shown either."""
    halo = {"split": "", "halo": ""} if parameters.get("ranks") == 1 else {}
    return halo | ({} if compiler_words(parameters) else {"compiler": ""})


def rank_axes(
    names: str,
    like: str,
    halo: Callable[[Machine, Parameters], str] = default_halo,
    halo_text: str = "peer, on the cpu staged",
    inner: str = "inner points",
) -> tuple[Axis, ...]:
    """The axes of ranks. `names`: the grid's axes; `like`: an example of a split."""
    before = {"ranks": 1, "split": along_first(1, like), "halo": "none", "overlap": False}
    rows = (
        axis("ranks", "processes, started by the launcher", count(1, MOST_RANKS), 1),
        Axis(
            "split",
            f"ranks along {names}, such as {like}",
            lambda text: parse_split(text, like),
            lambda m, p: along_first(p["ranks"], like),
            f"all along {names[0]}",
        ),
        Axis(
            "halo",
            "how ranks exchange: through the host, MPI from GPU memory, NCCL, GPU to GPU",
            one_of(*HALOS),
            halo,
            halo_text,
            HALOS,
        ),
        axis("overlap", f"exchange while {inner} are computed", parse_boolean, False),
    )
    threads = replace(
        THREADS,
        summary="CPU threads of a rank, pinned",
        default=default_threads,
        default_text="one a core, shared by the ranks",
    )
    return (*(replace(row, before=before[row.name]) for row in rows), threads)


def exchanges(
    names: str, extents: tuple[int, ...], split: str, point_bytes: float, periodic: bool
) -> tuple[Exchange, ...]:
    """The exchanges of a grid that is divided among ranks. `names`: of its axes, such as `xyz`;
    `point_bytes`: for each point of a face, in a sample."""
    parts = parse_extents(split, "x".join("1" * len(extents)))
    own = [-(-n // part) for n, part in zip(extents, parts, strict=True)]
    return tuple(
        Exchange(name, round(point_bytes * math.prod(own) / mine), 1 + (periodic or part > 2))
        for name, mine, part in zip(names, own, parts, strict=True)
        if part > 1
    )
