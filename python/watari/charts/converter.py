"""Converts Vega-Lite specifications, in a process of its own: without memory or addresses the
engine (V8 in vl-convert) ends its process and prints its stack.

    start.py watari.charts.converter FOLDER svg 5.20 3.0     N.json becomes N.svg, for every N

A file may also have an SVG as a text, which becomes PDF or PNG.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAPER = "white"  # also because vl-convert's PNG has wrong colours where it is transparent


def converted(spec: Any, format: str, version: str, scale: float) -> str | bytes:
    """One picture."""
    import vl_convert

    made: str | bytes
    if isinstance(spec, str):
        made = (vl_convert.svg_to_pdf if format == "pdf" else vl_convert.svg_to_png)(spec, scale)
        return made
    spec = {**spec, "background": PAPER}
    if format == "svg":
        made = vl_convert.vegalite_to_svg(spec, vl_version=version)
    elif format == "pdf":
        made = vl_convert.vegalite_to_pdf(spec, vl_version=version, scale=scale)
    else:
        made = vl_convert.vegalite_to_png(spec, vl_version=version, scale=scale)
    return made


def main(folder: str, format: str, version: str, scale: str) -> None:
    """Converts the files of a folder."""
    for path in sorted(Path(folder).glob("*.json")):
        made = converted(json.loads(path.read_text()), format, version, float(scale))
        path.with_suffix(f".{format}").write_bytes(made.encode() if isinstance(made, str) else made)


if __name__ == "__main__":
    main(*sys.argv[1:])
