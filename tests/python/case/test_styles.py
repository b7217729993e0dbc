"""What Python says of an application's styles is what its compiled part does."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from watari.case.native import module
from watari.cases.deep.styles import STYLES as DEEP
from watari.cases.himeno.axes import STYLES as HIMENO
from watari.cases.lattice.axes import STYLES as LATTICE
from watari.cases.les.axes import STYLES as LES
from watari.common.errors import UnsupportedError
from watari.common.library import Style

APPLICATIONS = {"deep": DEEP, "himeno": HIMENO, "lattice": LATTICE, "les": LES}
IN_PYTHON = {"modelled"}  # the program does not need it


@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_columns_of_a_style_are_those_of_its_program(name: str) -> None:
    try:
        compiled = getattr(module(f"watari.cases.{name}"), f"{name.upper()}_STYLES")
    except UnsupportedError as error:
        pytest.skip(str(error))
    rows = [asdict(row) for row in APPLICATIONS[name].values()]
    assert [{k: v for k, v in row.items() if k not in IN_PYTHON} for row in rows] == compiled


@pytest.mark.parametrize(
    ("row", "kinds"),
    [
        (HIMENO["explicit"], ("pageable", "device")),
        (HIMENO["acc-data"], ("pageable", "device")),
        (DEEP["packed"], ("pinned", "device")),
        (LES["managed"], ("managed",)),
    ],
)
def test_arrays_lie_in_two_kinds_where_they_are_copied(row: Style, kinds: tuple[str, ...]) -> None:
    assert row.kinds("gpu:1") == kinds
    assert row.kinds("cpu") == ("pageable",)
