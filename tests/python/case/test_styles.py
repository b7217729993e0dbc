"""The table of an application's styles, which Python and CMake read."""

from __future__ import annotations

import contextlib
from importlib import import_module

import pytest
from builds import ROOT

from watari import cases
from watari.common import library
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


@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_row_has_words_of_the_library_and_its_program(name: str) -> None:
    for row in APPLICATIONS[name].values():
        for kind in (row.kind, row.host, row.field):
            assert kind in library.KINDS, (row.name, kind)
        assert set(row.halos) <= set(library.HALOS), row.name
        assert set(row.processors) <= {"cpu", "gpu"}, row.name
        of_cpu, of_gpu = f"{row.name}-cpu.cpp", f"{row.name}.cpp"
        if row.fortran:
            of_cpu = of_gpu = f"fortran/{row.name}.f90"
        elif row.in_directives:
            of_cpu = of_gpu = f"directives/{row.name}.cpp"
        for processor, file in (("gpu", of_gpu), ("cpu", of_cpu)):
            if processor in row.processors:
                assert (ROOT / "cases" / name / "native" / "styles" / file).is_file(), file


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
