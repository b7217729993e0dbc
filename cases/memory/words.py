"""Cases copy, access, migration and touch in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from watari.case.axes import page_words
from watari.case.axis import Parameters
from watari.case.presentation import Presentation
from watari.cases.memory.case import SIDES
from watari.cases.memory.profile import copy_bytes
from watari.results.measured import Measured

ARRAYS = ("source", "destination")
OPERATIONS = {
    "first-touch": "first touch by {processor}",
    "prefetch": "prefetch to {processor}",
    "fault": "{processor} reads what the other touched",
}


def pattern(parameters: Parameters) -> str:
    """An access pattern as Yoshida (2024) names it: `HM Read, DM Write by CPU`."""
    source, destination = (SIDES[parameters[array]] for array in ARRAYS)
    return f"{source} Read, {destination} Write by {parameters['processor'].upper()}"


def pattern_number(parameters: Parameters) -> int:
    """The number of a pattern in Yoshida (2024), 1 to 8: the CPU's four, then the GPU's."""
    on_gpu = [parameters["processor"] != "cpu", *(parameters[a] == "gpu" for a in ARRAYS)]
    return 1 + sum(weight for weight, is_set in zip((4, 2, 1), on_gpu, strict=True) if is_set)


def memory(parameters: Parameters) -> str:
    """Memory and hint: `managed`, `managed, mapped`."""
    hint = parameters.get("hint", "none")
    return str(parameters["memory"]) if hint == "none" else f"{parameters['memory']}, {hint}"


def executor(parameters: Parameters) -> str:
    """The executor of a copy: `CPU`, `GPU kernel`, `copy engine`."""
    processor = str(parameters["processor"])
    if processor == "cpu":
        return "CPU"
    if parameters["means"] == "copy-engine":
        return "copy engine" if processor == "gpu" else f"copy engine of {processor}"
    return f"{processor.upper()} kernel"


def extras(parameters: Parameters) -> str:
    """Unusual values in words: processes; streams, directions and stores of a copy; pages, node."""
    gpus = parameters.get("gpus", 1)
    parts = [
        f"{parameters['processes']} processes" if parameters.get("processes", 1) != 1 else "",
        f"on {gpus} GPUs" if gpus != 1 else "",
        f"{parameters['streams']} streams" if parameters.get("streams", 1) != 1 else "",
        "both directions" if parameters.get("bidirectional") else "",
        "ordinary stores" if parameters.get("stores") == "ordinary" else "",
        page_words(parameters),
        f"node {parameters['numa']}" if parameters.get("numa", "local") != "local" else "",
    ]
    return ", ".join(p for p in parts if p)


def plain(m: Measured) -> bool:
    """Whether a case has no unusual values."""
    return not extras(m.parameters)


def copy_words(parameters: Parameters) -> str:
    """`pinned → device, copy engine, 4 streams`."""
    path = f"{parameters['from']} → {parameters['to']}, {executor(parameters)}"
    return ", ".join(t for t in (path, extras(parameters)) if t)


def touch_words(parameters: Parameters) -> str:
    """`managed, prefetch to GPU`."""
    operation = OPERATIONS[parameters["operation"]]
    text = f"{parameters['memory']}, {operation.format(processor=parameters['processor'].upper())}"
    return ", ".join(t for t in (text, extras(parameters)) if t)


WORDS: dict[str, Callable[[Parameters], str]] = {
    "copy": copy_words,
    "access": lambda p: ", ".join(t for t in (pattern(p), memory(p), extras(p)) if t),
    "migration": lambda p: ", ".join(
        t for t in (memory(p), p["phases"].upper().replace("+", ", "), extras(p)) if t
    ),
    "touch": touch_words,
}


def words(case: str, parameters: Parameters) -> str:
    """A case in words, without its size."""
    return WORDS[case](parameters)


def as_copy(m: Measured) -> Measured:
    """Access to explicit memory as a case `copy`, by a kernel in pinned and device memory.

    `access` counts every byte as read and written; `copy` counts a byte that crosses the link once.
    """
    if m.case != "access" or m["memory"] != "explicit":
        return m
    kinds = {"cpu": "pinned", "gpu": "device"}
    parameters = {
        "processor": m["processor"],
        "from": kinds[m["source"]],
        "to": kinds[m["destination"]],
        "size": m["size"],
        "means": "kernel",
        "streams": 1,
        "bidirectional": False,
        "processes": m["processes"] or 1,
        "gpus": 1,
        "samples": m["samples"] or 1,
    }
    size = copy_bytes(parameters) if m.bytes_per_sample else 0
    return replace(m, case="copy", parameters=parameters, bytes_per_sample=size)


PRESENTATION = Presentation(
    words=words,
    alike=as_copy,
    plain=plain,
    figures="watari.cases.memory.figures",
    answer="watari.cases.memory.answer",
)
