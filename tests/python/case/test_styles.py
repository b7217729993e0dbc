"""What Python says of an application's styles is what its compiled part does."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from importlib import import_module

import pytest

from watari import cases
from watari.case.native import module
from watari.common.errors import UnsupportedError
from watari.common.library import Style


def rows_of(name: str) -> dict[str, Style]:
    """The table of a case's styles: STYLES of its `styles.py` or `axes.py`."""
    for part in ("styles", "axes"):
        with contextlib.suppress(ImportError):
            found = import_module(f"watari.cases.{name}.{part}")
            if isinstance(getattr(found, "STYLES", None), dict):
                return found.STYLES
    raise AssertionError(f"no table of the styles of {name}")


APPLICATIONS = {name: rows_of(name) for name, case in cases.CASES.items() if case.styles}
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
        (APPLICATIONS["himeno"]["explicit"], ("pageable", "device")),
        (APPLICATIONS["himeno"]["acc-data"], ("pageable", "device")),
        (APPLICATIONS["himeno"]["managed"], ("managed",)),
        (APPLICATIONS["deep"]["packed"], ("pinned", "device")),
    ],
)
def test_arrays_lie_in_two_kinds_where_they_are_copied(row: Style, kinds: tuple[str, ...]) -> None:
    assert row.kinds("gpu:1") == kinds
    assert row.kinds("cpu") == ("pageable",)
