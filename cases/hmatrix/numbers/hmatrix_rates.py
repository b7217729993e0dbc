"""Rates of H-matrix results, for the pages of this case."""

from __future__ import annotations


def product(m):
    """ms of the median product."""
    return m.quantity("matrix_bytes") / m.median / 1e6
