"""The styles as Python lists them, also without a build, are those of styles.cpp."""

from __future__ import annotations

import pytest

from watari.cases.les.axes import STYLES
from watari.common.library import Style


def test_the_table_of_styles_is_that_of_the_compiled_module() -> None:
    native = pytest.importorskip("watari.cases.les._native")
    rows = [{**row, "halos": tuple(row["halos"])} for row in native.LES_STYLES]
    assert [Style(**row) for row in rows] == list(STYLES.values())
