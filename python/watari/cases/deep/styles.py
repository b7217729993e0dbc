"""The styles of case deep, in the order in which people see them."""

from __future__ import annotations

from watari import _native
from watari.common import library

STYLES = library.styles(_native.DEEP_STYLES)
