"""What is said of a program from its trace: by `watari advise`, and by the model of bytes alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from stranger_table import Row

from watari.common.errors import WatariError
from watari.common.places import portable
from watari.model import choose, trace_file
from watari.model import today as bytes_alone

SCHEMA = "watari-advice-1"
SECONDS = 60.0  # time limit of `watari advise`


def advice(trace: Path, machine: Path | None) -> Row:
    """What `watari advise --json` prints for a trace, or its error."""
    if not trace.is_file():
        return {"error": f"no trace: {trace.name}"}
    command = [sys.executable, "-m", "watari", "advise", "--json", str(trace)]
    command += ["--machine", str(machine)] if machine else []
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"error": f"advise still ran after {SECONDS:.0f} s"}
    if ended.returncode:
        return {"error": str(portable(ended.stderr.strip()[-300:]))}
    content = json.loads(ended.stdout)
    found: Row = portable(content[0] if isinstance(content, list) else content)
    if found.get("schema") != SCHEMA:
        return {"error": f"advise gave no answer of schema {SCHEMA}"}
    return found


def today(trace: Path, machine: Path | None) -> Row:
    """Seconds of the GPU's part in each style, by the model of bytes: a baseline."""
    if machine is None or not trace.is_file():
        return {"unsupported": "needs a trace and --machine"}
    try:
        found = bytes_alone.today(trace_file.read(trace), choose.by_text(str(machine)))
    except WatariError as error:
        return {"unsupported": str(portable(str(error)))}
    return {
        "best": list(found.best),
        "seconds": {style: cost.middle for style, cost in found.seconds.items()},
    }


def said(trace: Path, machine: Path | None) -> Row:
    """Both, for a row."""
    return {"advice": advice(trace, machine), "today": today(trace, machine)}
