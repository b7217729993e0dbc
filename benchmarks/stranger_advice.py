"""The predictions for a program from its trace: by `watari advise`, and by the bytes alone."""

from __future__ import annotations

from pathlib import Path

import stranger_bytes
from stranger_table import Row

from watari.cli import answers
from watari.common.errors import WatariError
from watari.common.places import portable
from watari.model import choose, trace_file
from watari.model.replay.answer import values


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


def said(trace: Path, machine: Path | None) -> Row:
    """Both, for a row."""
    return {"advice": advice(trace, machine), "today": by_bytes(trace, machine)}
