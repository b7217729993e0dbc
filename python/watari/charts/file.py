"""Charts as files: SVG, PDF or PNG."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from watari.common.errors import WatariError
from watari.common.files import PACKAGE, reason
from watari.common.printable import printable

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
SCALES = {"png": 3.0}  # of a pixel of the page: 216 dots an inch of it as points
SECONDS = 600.0  # at most, for all charts of a command
START = PACKAGE / "run" / "start.py"


def converted(
    specs: Sequence[dict[str, Any] | str], format: str, scale: float | None = None
) -> list[bytes]:
    """Vega-Lite specifications as SVG, PDF or PNG, on white; or SVGs, which are texts, as PDF or
    PNG. `format` in any case, as suffixes have it; `scale`: points or pixels of a pixel. Raises
    WatariError."""
    format = format.lower()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            for number, spec in enumerate(specs):
                (folder / f"{number:04}.json").write_text(json.dumps(shown(spec)))
            convert(folder, format, scale or SCALES.get(format, 1.0))
            return [(folder / f"{number:04}.{format}").read_bytes() for number in range(len(specs))]
        except OSError as error:
            raise WatariError(f"figures cannot be drawn: {reason(error)}") from None


def shown(part: Any) -> Any:
    """A part of a specification with printable texts: the engine ends at a control character."""
    if isinstance(part, dict):
        return {shown(key): shown(value) for key, value in part.items()}
    if isinstance(part, list):
        return [shown(value) for value in part]
    if isinstance(part, str):
        return "\n".join(map(printable, part.split("\n")))
    return part


def convert(folder: Path, format: str, scale: float) -> None:
    """Runs converter.py on a folder. Raises WatariError, OSError."""
    words = [str(folder), format, VEGA_LITE, str(scale)]
    command = [sys.executable, str(START), "watari.charts.converter", *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise WatariError(f"figures cannot be drawn: timeout after {SECONDS:.0f} s") from None
    if done.returncode != 0:
        raise WatariError(f"figures cannot be drawn: {cause(done.returncode, done.stderr)}")


def cause(code: int, errors: bytes) -> str:
    """The cause of a failure of converter.py: its error, or the end of the engine."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        text = f"ulimit -v (RLIMIT_AS) allows {limit >> 20} MiB of addresses"
        return f"{text}, too few for the plotting engine (vl-convert): choose a larger limit"
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.strip()]
    if code > 0 and lines:
        return lines[-1]
    return f"the plotting engine (vl-convert) ended with {code}" + f": {lines[0]}" * bool(lines)
