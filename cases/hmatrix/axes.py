"""Values and defaults of the axes of case `hmatrix`, and the bytes of a case."""

from __future__ import annotations

import math
import re
from pathlib import Path

from watari import _native
from watari.case import modelled_store
from watari.case.axis import Machine, Parameters, expanded, parse_size
from watari.case.engines import GPU_ONLY, folders_of
from watari.common.errors import UsageError

SOLVERS = ("gmres", "bicgstab", "fgmres")
PRECONDITIONERS = ("block-jacobi", "none")
STORE_WORDS = {"file": "", "ram": "store in memory"}  # in tables; others by their name
FACES = {"cube": 12, "icosphere": 20, "spheres": 40, "bumpy": 20, "scan": 20}  # triangles for N = 1
MOST = 10000  # of N
FILE = "file:"
FILE_TRIANGLES = 100_000  # assumed for a file, which is not read for an estimate
ROW_BYTES, ROW_GROWTH = 11.3e3, 2.7e3  # at 5120 triangles and eps 1e-6; more for each doubling
PAGE, LARGEST_REQUEST = 2**12, 2**17  # bytes: a batch has whole pages
DENSE_SHARE = 1.25  # without recompression
VECTORS, DIAGONAL = 36, 16  # doubles a triangle: a solver's vectors, the diagonal blocks' inverses
BESIDE = 6  # vectors beside those of a cycle of GMRES
PRODUCTS = 40  # of a solve
ENTRIES = 1.5  # computed for each stored entry


def parse_mesh(text: str) -> str:
    """A generator such as `bumpy:16`, or `file:PATH`. Raises UsageError."""
    if text.startswith(FILE) and text != FILE:
        return text
    match = re.fullmatch(rf"({'|'.join(FACES)}):([0-9]{{1,5}})", text, re.ASCII)
    if not match or not 1 <= int(match[2]) <= MOST:
        known = ", ".join(f"{name}:N" for name in FACES)
        raise UsageError(f"'{text}' is not a mesh: {known} with N from 1 to {MOST}, or file:PATH")
    return f"{match[1]}:{int(match[2])}"


def in_range(named: str, text: str, low: float, high: float) -> float:
    """A finite number from `low` to `high`; errors write `named` before it. Raises UsageError."""
    pattern = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
    value = float(text) if re.fullmatch(pattern, text, re.ASCII) else math.nan
    if not low <= value <= high:
        raise UsageError(f"{named}{text}: give a number from {low:g} to {high:g}")
    return value


def parse_eps(text: str) -> float:
    """The error of a leaf. Raises UsageError."""
    return in_range("eps=", text, 1e-11, 0.1)


def parse_eta(text: str) -> float:
    """The factor of the admissibility condition. Raises UsageError."""
    return in_range("eta=", text, 0.01, 100)


def parse_tolerance(text: str) -> float:
    """The residual at which the solver ends. Raises UsageError."""
    return in_range("tolerance=", text, 1e-14, 0.1)


def parse_budget(text: str) -> int:
    """A size, or 0. Raises UsageError."""
    return 0 if text.strip() == "0" else parse_size(text)


def settle(given: Parameters) -> Parameters:
    """Some engines need a GPU; each of several ranks uses its own. Raises UsageError."""
    if given.get("ranks", 1) > 1 and ":" in given.get("processor", ""):
        raise UsageError(f"hmatrix: {given['ranks']} ranks use a GPU each: write processor=gpu")
    return {**({"processor": "gpu"} if given.get("engine") in GPU_ONLY else {}), **given}


def default_engine(machine: Machine, parameters: Parameters) -> str:
    """The engine by which the processor starts its own transfers."""
    return _native.usual_engine("cpu") if parameters["processor"] == "cpu" else "gpu"


def require_sense(parameters: Parameters) -> None:
    """Raises UsageError if the `~` in the folder has no meaning, if the mesh's file is missing, or
    if inner iterations have no solver or no batches."""
    require_inner(parameters)
    modelled_store.require_ssds("hmatrix", parameters)
    if parameters["store"] == "file":
        for folder in folders_of(parameters["folder"]):
            expanded(folder)
    name = parameters["mesh"]
    if name.startswith(FILE) and not Path(expanded(name.removeprefix(FILE))).is_file():
        raise UsageError(f"mesh={name}: no such file")


def require_files(p: Parameters) -> None:
    """Before a run: raises FileError for a damaged model of an SSD, UsageError for requests outside
    its rows."""
    modelled_store.require_reach(p, "read", min(max(int(p["batch"]), PAGE), LARGEST_REQUEST))


def require_inner(p: Parameters) -> None:
    """Raises UsageError for inner iterations without fgmres, or without resident batches."""
    if p["inner"] and p["solver"] != "fgmres":
        raise UsageError(f"hmatrix: inner={p['inner']} needs solver=fgmres, not {p['solver']}")
    if p["inner"] and not p["pinned"]:
        raise UsageError(f"hmatrix: inner={p['inner']} needs resident batches: pinned=yes")


def triangles(p: Parameters) -> int:
    """Triangles of a generator's mesh; a guess for a file."""
    if p["mesh"].startswith(FILE):
        return FILE_TRIANGLES
    name, _, n = p["mesh"].partition(":")
    return FACES[name] * int(n) ** 2


def matrix_bytes(p: Parameters) -> int:
    """Bytes of all batches, about: a row grows with the logarithm of the triangles and of 1/eps."""
    n = triangles(p)
    row = ROW_BYTES + ROW_GROWTH * math.log2(n / 5120)
    row *= -math.log10(float(p["eps"])) / 6 * (1.0 if p["recompress"] else DENSE_SHARE)
    width = 4 if p["precision"] == "single" else 8
    return int(n * width * max(16.0, min(row / 8, n)))


def resident_bytes(p: Parameters) -> int:
    """Bytes of the resident batches, about."""
    if not p["pinned"]:
        return 0
    budget = int(p["fast-memory"]) * int(p["ranks"])
    return min(matrix_bytes(p), budget) if budget else matrix_bytes(p)
