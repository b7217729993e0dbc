"""The styles of case deep, in the order in which people see them."""

from __future__ import annotations

from watari.common import library

STYLES = library.styles(__file__)
