"""Plans: which cases a run measures. The standard one is made for the machine; others are TOML.

A stored plan has a `name`, perhaps a `description` and a `source`; `[defaults]` with axis = value
for every case that has the axis; and one `[[case]]` table for each case, with `case = "copy"` and
its own axes. A list of values sweeps the axis.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from watari import cases, files
from watari.axes import Machine, nearest, unknown
from watari.errors import FileError, UsageError
from watari.request import Request, resolve

TEXTS = ("name", "description", "source")
FIELDS = (*TEXTS, "defaults", "case")


@dataclass(frozen=True)
class Plan:
    """Requests in order, and what to call them."""

    name: str
    requests: tuple[Request, ...]
    description: str | None = None
    source: str | None = None


def once(requests: list[Request]) -> tuple[Request, ...]:
    """The requests without repetitions; of a repeated one the larger number of trials stays."""
    kept: dict[str, Request] = {}
    for request in requests:
        if request.key not in kept or kept[request.key].trials < request.trials:
            kept[request.key] = request
    return tuple(kept.values())


def find(name: str) -> Path:
    """The file of this path, or the stored plan of this name. Raises UsageError."""
    stored = {
        path.stem: path
        for folder in files.stored("plans")
        for path in sorted(folder.glob("*.toml"))
    }
    if Path(name).is_file():
        return Path(name)
    if name in stored:
        return stored[name]
    if name.endswith(".toml") or "/" in name:
        raise UsageError(f"no plan file '{name}'{nearest(Path(name).stem, stored)}")
    raise unknown("plan", name, stored)


def checked(path: Path) -> dict[str, Any]:
    """The file's tables, each of the right type. Raises FileError naming file and field."""
    document = files.read_toml(path)
    for field in document:
        if field not in FIELDS:
            known = ", ".join(FIELDS)
            raise FileError(
                f"{path}: unknown field '{field}'{nearest(field, FIELDS)}; known: {known}"
            )
    for field in TEXTS:
        if not isinstance(document.get(field, ""), str):
            raise FileError(f"{path}: {field}: must be text")
    if not document.get("name"):
        raise FileError(f"{path}: name: is missing")
    if not isinstance(document.get("defaults", {}), dict):
        raise FileError(f"{path}: defaults: must be a table, [defaults]")
    listed = document.get("case")
    if not isinstance(listed, list) or not listed or not all(isinstance(c, dict) for c in listed):
        raise FileError(f"{path}: case: must be one or more tables, [[case]]")
    return document


def check_values(where: str, table: dict[str, Any]) -> None:
    """Every value a scalar or a list of scalars. Raises FileError naming the field."""
    for name, value in table.items():
        items = value if isinstance(value, list) else [value]
        if not items or not all(isinstance(item, (str, int, float)) for item in items):
            raise FileError(
                f"{where}: {name}: must be a text, a number, yes or no, or a list of them"
            )


def read(path: Path, machine: Machine) -> Plan:
    """Reads a stored plan. Raises FileError (what is not a plan), UsageError (unknown words)."""
    document = checked(path)
    defaults = document.get("defaults", {})
    check_values(f"{path}: defaults", defaults)
    known = {"trials"}.union(*(case.axes for case in cases.CASES.values()))
    for name in defaults:
        if name not in known:
            raise UsageError(f"{path}: defaults: {unknown('axis', name, sorted(known))}")
    requests: list[Request] = []
    for number, table in enumerate(document["case"], 1):
        where = f"{path}: case {number}"
        given = dict(table)
        name = given.pop("case", None)
        if not isinstance(name, str):
            raise FileError(f"{where}: case: must name a case: {', '.join(cases.CASES)}")
        check_values(where, given)
        try:
            axes = {"trials", *cases.find(name).axes}
            shared = {axis: value for axis, value in defaults.items() if axis in axes}
            requests += resolve(name, {**shared, **given}, machine)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
    return Plan(
        document["name"], once(requests), document.get("description"), document.get("source")
    )


def standard(machine: Machine) -> list[Request]:
    """What every machine can say in minutes, as large as its memory allows.

    Kinds of memory that the machine lacks are asked for too, so that the report tells why.
    """
    available = machine["memory_available_bytes"]
    has_gpu = bool(cases.gpus(machine))
    large = 2**30 if available >= 16 * 2**30 else cases.default_size(machine, {})
    sizes = [size for size in (2**16, 2**20, 2**24, 2**27, 2**30) if size <= large]
    rows: list[tuple[str, dict[str, Any]]] = [
        ("copy", {"processor": "cpu", "size": sizes, "samples": 20}),
        ("copy", {"processor": "cpu", "size": large, "samples": 20, "thp": ["always", "never"]}),
        ("touch", {"processor": "cpu", "memory": "pageable", "size": large, "samples": 5}),
    ]
    nodes = machine["processors"][0].get("numa_nodes", [])
    if len(nodes) > 1:
        numbers = [str(node["node"]) for node in nodes if node["cpus"]]
        rows.append(("copy", {"processor": "cpu", "size": large, "samples": 20, "numa": numbers}))
    rows += gpu_rows(machine, large) if has_gpu else absent_rows(sizes[0])
    rows += storage_rows(large)
    requests = [r for case, given in rows for r in resolve(case, {"trials": 3, **given}, machine)]
    return list(once(requests))


def gpu_rows(machine: Machine, large: int) -> list[tuple[str, dict[str, Any]]]:
    """The standard plan's part for a machine with a GPU: every kind, hint and direction."""
    sweep = [size for size in (2**16, 2**20, 2**24, 2**27, large) if size <= large]
    both = ["cpu", "gpu"]
    rows: list[tuple[str, dict[str, Any]]] = [
        ("copy", {"processor": "gpu", "from": "pinned", "to": "device", "size": sweep}),
        ("copy", {"processor": "gpu", "from": "device", "to": "pinned", "size": sweep}),
        ("copy", {"processor": "gpu", "memory": "device", "size": sweep, "means": "kernel"}),
        ("copy", {"processor": "gpu", "memory": "device", "size": large}),
        ("copy", {"from": "pinned", "to": "device", "size": large, "means": "kernel"}),
        ("copy", {"from": "device", "to": "pinned", "size": large, "means": "kernel"}),
        ("copy", {"processor": "cpu", "memory": "pinned", "size": large, "samples": 20}),
        *other_ends(large),
        ("copy", {"from": "pageable", "to": "device", "size": large, "samples": 10}),
        ("copy", {"from": "device", "to": "pageable", "size": large, "samples": 10}),
        ("copy", {"from": "pinned", "to": "device", "size": large, "bidirectional": True}),
        ("copy", {"from": "pinned", "to": "device", "size": large, "streams": [2, 4]}),
    ]
    if len(cases.gpus(machine)) > 1:
        rows.append(("copy", {"from": "device", "to": "device:1", "size": large}))
    for memory in ("explicit", "managed", "system"):
        pattern = {"memory": memory, "source": both, "destination": both, "size": large}
        rows.append(("access", {**pattern, "processor": "gpu", "samples": 20}))
        if memory != "explicit":
            rows.append(("access", {**pattern, "processor": "cpu", "samples": 5}))
    for hint in ("prefetch", "mapped", "read-mostly"):
        rows.append(("access", {"processor": "gpu", "hint": hint, "size": large, "samples": 20}))
    for memory, hints in (("managed", ["none", "prefetch", "mapped"]), ("system", ["none"])):
        migration = {"memory": memory, "hint": hints, "size": large, "samples": 20}
        rows.append(("migration", migration))
    for operation in ("first-touch", "prefetch", "fault"):
        touch = {"operation": operation, "size": large, "samples": 3}
        rows.append(("touch", {**touch, "processor": both, "memory": ["managed", "system"]}))
    return rows


def storage_rows(fitting: int) -> list[tuple[str, dict[str, Any]]]:
    """A look at the disk by every engine that goes past the page cache, and at the queues alone."""
    size = min(2**28, fitting)
    few = {"size": size, "samples": 3}
    small = {**few, "block": 4096, "requests": 2048}
    many = {**small, "engine": "gpu", "requests": size // 4096}
    large = {**few, "block": 2**20, "depth": 8, "requests": size // 2**20}
    return [
        ("storage", {**small, "engine": ["posix", "uring", "cufile", "queue"]}),
        ("storage", {**small, "engine": "queue", "store": "ram", "requests": 2**13}),
        ("storage", {**many, "store": ["file", "ram"]}),
        ("storage", {**large, "engine": "uring", "pattern": "sequential"}),
    ]


def other_ends(large: int) -> list[tuple[str, dict[str, Any]]]:
    """The rest of the matrix of paths: fewer trials, since few programs live on these."""
    few = {"processor": "gpu", "size": large, "samples": 5, "trials": 2}
    host = ["pageable", "pinned"]
    return [
        ("copy", {**few, "memory": "managed", "means": ["kernel", "copy-engine"]}),
        ("copy", {**few, "from": "managed", "to": ["pinned", "device"], "means": "kernel"}),
        ("copy", {**few, "from": ["pinned", "device"], "to": "managed", "means": "kernel"}),
        ("copy", {**few, "from": "managed", "to": [*host, "device"]}),
        ("copy", {**few, "from": [*host, "device"], "to": "managed"}),
        ("copy", {**few, "from": host, "to": host}),
    ]


def absent_rows(size: int) -> list[tuple[str, dict[str, Any]]]:
    """A small request for each kind of memory that needs a GPU, so that the report says why not."""
    kinds = [kind for kind in cases.KINDS if kind != "pageable"]
    return [
        ("copy", {"processor": "gpu", "memory": kinds, "size": size, "trials": 1}),
        ("access", {"processor": "gpu", "memory": ["managed"], "size": size, "trials": 1}),
        ("migration", {"memory": "managed", "size": size, "trials": 1}),
        ("touch", {"processor": "gpu", "memory": "managed", "size": size, "trials": 1}),
    ]
