"""Case deep: a tree of pointers whose arrays a processor updates, in one of several styles.

Bytes are those of the head comment of cases/deep/native/kernels.hpp: each element of the
arrays is read and written, the pointers on the way are not counted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from watari.case.axes import PROCESSOR, SIZE, THREADS, axis, samples, style, table
from watari.case.axis import Parameters, count
from watari.case.case import Case
from watari.case.native import native
from watari.case.profile import Access, Phase, Profile, Transfer
from watari.cases.deep import standard
from watari.cases.deep.styles import STYLES
from watari.common.errors import UsageError
from watari.common.library import own_memory

DOUBLE, NODE = 8, 32  # bytes
DEEPEST = 20
SLOWEST_NODE, SLOWEST_BYTE = 2e-4, 2e-9  # seconds: to allocate and copy a node, to fill a byte
WRONG = "{count} elements of the tree do not have the value that the samples compute"


def nodes(p: Parameters) -> int:
    """Nodes of a complete binary tree."""
    return (1 << int(p["depth"])) - 1


def each(p: Parameters) -> int:
    """Elements of a node."""
    return int(p["size"]) // DOUBLE // nodes(p)


def data_bytes(p: Parameters) -> int:
    """Bytes of all arrays."""
    return nodes(p) * each(p) * DOUBLE


def require_elements(p: Parameters) -> None:
    """Raises UsageError where a node would have no element."""
    if not each(p):
        raise UsageError(
            f"deep: size={p['size']} has less than 8 bytes for each of {nodes(p)} nodes"
        )


def kinds(p: Parameters) -> dict[str, int]:
    """Bytes by kind of memory."""
    whole = data_bytes(p) + nodes(p) * NODE
    own = {"device": own_memory(p["processor"])}
    return {own.get(kind, kind): whole for kind in STYLES[p["style"]].kinds(p["processor"])}


def profile(p: Parameters) -> Profile:
    """A pass over all nodes a sample."""
    who, size = p["processor"], data_bytes(p)
    phase = Phase(
        "passes",
        2 * size,
        (Transfer(who, who, who, size),),
        (Access("tree", who, size, size, pattern="sparse"),),
        flops=size // DOUBLE,
        repeats=int(p["samples"]),
    )
    return Profile((phase,), kinds(p))


def extra_seconds(p: Parameters) -> float:
    """Seconds to build, copy, compare and release the tree, node by node."""
    return nodes(p) * SLOWEST_NODE + 4 * data_bytes(p) * SLOWEST_BYTE


CASES = (
    Case(
        "deep",
        "a tree of pointers: deep copy to the GPU against memory that both processors address",
        "{processor} {style} depth={depth} {size}",
        table(
            PROCESSOR,
            style(*STYLES),
            axis("depth", "levels of the tree: 2^depth - 1 nodes", count(1, DEEPEST), 10),
            replace(SIZE, summary="bytes of the arrays of all nodes"),
            samples(10, "passes over all nodes"),
            THREADS,
        ),
        native(__package__, "deep", WRONG),
        profile,
        require_sense=require_elements,
        extra_seconds=extra_seconds,
        standard=standard.trees,
        example="depth=1,8,14 size=256MiB style=explicit,packed,managed,system",
        also={"deep-copy": "", "tree": "", "pointers": "", "linked": ""},
        styles=Path(__file__).with_name("styles"),
        presentation="watari.cases.deep.words",
    ),
)
