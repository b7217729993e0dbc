"""Charts as files: SVG, PDF or PNG."""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
PAPER = "white"  # also because vl-convert's PNG has wrong colours where it is transparent
SCALE = 3.0  # PNG pixels per point: 216 dots an inch


def converted(spec: dict[str, Any], format: str) -> bytes:
    """A Vega-Lite specification as SVG, PDF or PNG, on white."""
    options: dict[str, Any] = {"vl_version": VEGA_LITE}
    spec = {**spec, "background": PAPER}
    if format == "svg":
        return vl_convert.vegalite_to_svg(spec, **options).encode()
    if format == "pdf":
        return vl_convert.vegalite_to_pdf(spec, **options)
    return vl_convert.vegalite_to_png(spec, scale=SCALE, **options)
