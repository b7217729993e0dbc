"""Case triad in words."""

from __future__ import annotations

from watari.case.axis import Parameters
from watari.case.presentation import Presentation


def words(case: str, p: Parameters) -> str:
    """`pinned memory, GPU, 8 products an element`."""
    products = f"{p['work']} product{'s' * (p['work'] != 1)} an element"
    return f"{p['memory']} memory, {p['processor'].upper()}, {products}"


PRESENTATION = Presentation(
    words=words, figures="watari_triad.figures", answer="watari_triad.answer"
)
