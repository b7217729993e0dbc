"""The styles of case deep, in the order in which people see them."""

from __future__ import annotations

from watari.common import library

STYLES = library.styles(
    library.style("explicit", "device", host="pageable", halos=()),
    library.style("packed", "device", host="pinned", halos=()),
    library.style("managed", "managed", halos=()),
    library.style("system", "system", halos=()),
)
