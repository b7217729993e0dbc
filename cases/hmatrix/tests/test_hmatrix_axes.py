"""The axes of an H-matrix."""

from __future__ import annotations

import pytest

from watari.cases.hmatrix.axes import MOST, parse_mesh
from watari.common.errors import UsageError


def test_a_generator_has_a_number_of_panels() -> None:
    assert parse_mesh("cube:1") == "cube:1"
    assert parse_mesh(f"bumpy:{MOST}") == f"bumpy:{MOST}"
    assert parse_mesh("scan:71") == "scan:71"
    for text in ("cube:0", f"bumpy:{MOST + 1}", "cube:-1", "cube", "ball:3", "file:"):
        with pytest.raises(UsageError, match="is not a mesh"):
            parse_mesh(text)
