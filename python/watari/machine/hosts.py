"""Hosts of one run: their differences from the first, and one record of all of them.

A run has the record of rank 0's host. `others` has a record for each group of hosts that differ
from it, `undescribed` the names of hosts that gave no record. A host in neither is like the first.
Not compared are values that change from moment to moment, and the CPUs and slots that a host uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from watari.common.units import format_bytes

Machine = dict[str, Any]

OF_A_RUN = ("name", "hosts", "others", "undescribed", "memory_available_bytes")
OF_A_MOMENT = (
    "load",
    "link_generation",
    "memory_clock",
    "sm_clock",
    "allowed_cpus",
    "allowed_cores",
    "pci_bus_id",
)
# keys that identify the rows of a list
KEYS = {
    "processors": ("id",),
    "numa_nodes": ("node",),
    "caches": ("level", "kind"),
    "memories": ("kind",),
    "links": ("from", "to"),
    "capabilities": ("name",),
}
PLAIN = ("processors", "links", "state", "numa_nodes")  # left out of the names of inner values
SAME_BYTES = 0.01  # firmware and kernel keep a little more or less of equal memories


def differences(first: Machine, other: Machine) -> list[str]:
    """`governor powersave, not performance`: each value of `other` that differs from that of
    `first`."""
    own, others = ({k: v for k, v in m.items() if k not in OF_A_RUN} for m in (first, other))
    return list(unlike("", own, others))


def unlike(name: str, first: Any, other: Any) -> Iterator[str]:
    """The differences of two values of one key; `name` is the key in words."""
    if isinstance(first, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*first, *other]):
            if key in OF_A_MOMENT:
                continue
            inner = name if key in PLAIN else f"{name} {key}".strip()
            rows = [by_key(key, value.get(key)) for value in (first, other)]
            yield from unlike(inner, *rows)
    elif not equal(name, first, other):
        yield f"{name} {shown(name, other)}, not {shown(name, first)}"


def by_key(key: str, value: Any) -> Any:
    """Rows of a list by the keys that identify them; any other value as it is."""
    if key not in KEYS or value is None:
        return value
    rows = {"-".join(str(row[part]) for part in KEYS[key]): row for row in value}
    return rows if len(rows) == len(value) else value  # caches of two kinds of cores share a key


def equal(name: str, first: Any, other: Any) -> bool:
    """Whether two values are equal; bytes within SAME_BYTES."""
    if name.endswith("bytes") and first and other:
        return bool(abs(other - first) <= SAME_BYTES * max(first, other))
    same: bool = first == other
    return same


def shown(name: str, value: Any) -> str:
    """A value in a sentence; a whole row by its name."""
    if isinstance(value, dict):
        return str(value.get("name", "there"))
    if isinstance(value, list):
        return ", ".join(shown(name, one) for one in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return format_bytes(value) if name.endswith("bytes") else str(value)


def of_host(machine: Machine, name: str) -> Machine | None:
    """The record of a host of the run; None where it gave none."""
    if name in machine.get("undescribed", []):
        return None
    return next((m for m in machine.get("others", []) if name in m["hosts"]), machine)


def with_host(machine: Machine, name: str, record: Machine | None) -> Machine:
    """The run's record with one more host. `record` describes the host; None: it gave none. The
    caller adds the name to `hosts`."""
    if record is None:
        return {**machine, "undescribed": [*machine.get("undescribed", []), name]}
    if not differences(machine, record):
        return machine
    others = list(machine.get("others", []))
    for n, known in enumerate(others):
        if not differences(known, record):
            others[n] = {**known, "hosts": [*known["hosts"], name]}
            break
    else:
        others.append({**record, "hosts": [name], "others": [], "undescribed": []})
    return {**machine, "others": others}


def apart(machine: Machine) -> list[tuple[str, str]]:
    """(hosts, their differences from the first one), for people."""
    rows = [
        (", ".join(m["hosts"]), "; ".join(differences(machine, m)))
        for m in machine.get("others", [])
    ]
    if unknown := machine.get("undescribed", []):
        rows.append((", ".join(unknown), "gave no record"))
    return rows
