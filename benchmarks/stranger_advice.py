"""What a trace says of a program: predictions by `watari advise` and by the bytes alone, and its
large copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import stranger_bytes
from stranger_table import Row

from watari.cli import answers
from watari.common.errors import WatariError
from watari.common.places import portable
from watari.model import trace_file
from watari.model.profiles import choose
from watari.model.replay import files
from watari.model.replay.answer import values
from watari.model.replay.graph import Work
from watari.model.replay.savings import staging


def advice(trace: Path, machine: Path | None) -> Row:
    """What `watari advise --json` prints for a trace, or its error."""
    try:
        found, where = answers.of_trace(trace, str(machine) if machine else None, None)
    except WatariError as error:
        return {"error": portable(str(error))}
    row: Row = portable({**values.of(found), "machine": where})
    return row


def by_bytes(trace: Path, machine: Path | None) -> Row:
    """Seconds of the GPU's part in each style, by the model of bytes: a baseline."""
    if machine is None or not trace.is_file():
        return {"unsupported": "needs a trace and --machine"}
    try:
        found = stranger_bytes.priced(trace_file.read(trace), choose.by_text(str(machine)))
    except WatariError as error:
        return {"unsupported": str(portable(str(error)))}
    return {
        "best": list(found.best),
        "seconds": {style: cost.middle for style, cost in found.seconds.items()},
    }


def copied(trace: Path) -> Row:
    """Copies of pageable memory of 4 MiB or more: their number, bytes, and seconds from the time at
    which earlier work has ended. A call may wait long for that, and copy for a short time."""
    graph = trace.with_suffix(".graph")
    if not graph.is_file():
        return {}
    seen = files.read(graph)
    rows = seen.operations[np.argsort(seen.operations["start"], kind="stable")]
    ended = np.concatenate([[0.0], np.maximum.accumulate(rows["end"])[:-1]])
    begun = np.maximum(seen.calls["start"][rows["call"]], np.minimum(ended, rows["start"]))
    large = (rows["work"] == Work.COPY) & rows["pageable"] & (rows["bytes"] >= staging.LARGE)
    seconds = float((rows["end"] - begun)[large].sum()) * 1e-9
    moved = float(rows["bytes"][large].sum())
    return {"count": int(large.sum()), "bytes": moved, "seconds": seconds}


def said(trace: Path, machine: Path | None) -> Row:
    """All of them, for a row."""
    both = {"advice": advice(trace, machine), "today": by_bytes(trace, machine)}
    return {**both, "copied": copied(trace)}
