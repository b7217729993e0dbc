"""A strict check of a file against the published definition of the Trace Event Format.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: keys by phase,
times in microseconds, slices of a thread nested or apart, flows with a beginning and an end. Two
rules go beyond it: events in order of time, and a name for each process and thread.
"""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any

BASE = {"ph": str, "name": str, "pid": int, "tid": int}
TIMED = {**BASE, "ts": float}
KEYS: dict[str, dict[str, type]] = {
    "X": {**TIMED, "dur": float, "args": dict},
    "i": {**TIMED, "s": str, "args": dict},
    "C": {**TIMED, "args": dict},
    "s": {**TIMED, "id": int, "cat": str},
    "f": {**TIMED, "id": int, "cat": str, "bp": str},
    "M": {**BASE, "args": dict},
}
METADATA = {
    "process_name": ("name", str),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
SHORTEST = 1e-3  # microseconds: times are whole nanoseconds


def require(holds: object, what: str, event: object = "") -> None:
    if not holds:
        raise ValueError(f"{what} {event}")


def no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


def require_keys(event: dict[str, Any]) -> None:
    """Requires exactly the keys of the event's phase."""
    require(event.get("ph") in KEYS, "an unknown phase:", event)
    wanted = KEYS[event["ph"]]
    require(event.keys() == wanted.keys(), "keys of another phase:", event)
    for key, kind in wanted.items():
        value = event[key]
        numbers = (int, float) if kind is float else kind
        require(isinstance(value, numbers) and not isinstance(value, bool), f"{key} of", event)
        if kind in (int, float):
            require(isfinite(value) and value >= 0, f"{key} below zero in", event)


def require_arguments(event: dict[str, Any]) -> None:
    """Requires valid arguments for the event's phase."""
    match event["ph"]:
        case "M":
            require(event["name"] in METADATA, "unknown metadata:", event)
            key, kind = METADATA[event["name"]]
            value = event["args"].get(key)
            require(isinstance(value, kind) and value != "", key, event)
        case "C":
            values = list(event["args"].values())
            require(values and all(isinstance(v, int | float) for v in values), "series of", event)
        case "i":
            require(event["s"] in ("g", "p", "t"), "scope of", event)


def require_nested(slices: list[dict[str, Any]]) -> None:
    """Requires that a later slice of a thread ends within the earlier one, or begins behind it."""
    open_until: list[float] = []
    for event in slices:
        end = event["ts"] + event["dur"]
        while open_until and open_until[-1] <= event["ts"] + SHORTEST / 2:
            open_until.pop()
        require(not open_until or end <= open_until[-1] + SHORTEST / 2, "overlaps:", event)
        open_until.append(end)


def check(text: str) -> list[dict[str, Any]]:
    """Returns the events of a file. Raises ValueError if the file violates the format."""
    text.encode()  # no lone half of a surrogate pair, nor an escaped one:
    document = json.loads(text, parse_constant=no_number)
    json.dumps(document, ensure_ascii=False).encode()
    require(document.keys() == {"traceEvents", "displayTimeUnit"}, "keys of the file")
    require(document["displayTimeUnit"] in ("ms", "ns"), "displayTimeUnit")
    events = document["traceEvents"]
    for event in events:
        require_keys(event)
        require_arguments(event)
    times = [event.get("ts", -1) for event in events]  # metadata first
    require(times == sorted(times), "not in order of time")
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    on_threads = {(e["pid"], e["tid"]) for e in events if e["ph"] in "Xi"}
    require(on_threads <= named, "threads without a name:", on_threads - named)
    require({e["pid"] for e in events} <= processes, "a process without a name")
    for thread in on_threads:
        of = [e for e in events if e["ph"] == "X" and (e["pid"], e["tid"]) == thread]
        require_nested(of)
    flows = [Counter((e["cat"], e["name"], e["id"]) for e in events if e["ph"] == p) for p in "sf"]
    require(flows[0] == flows[1], "flows that do not begin or end:", flows[0] - flows[1])
    return list(events)
