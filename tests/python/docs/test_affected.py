"""The folders that a change affects, as `make check` and tests/faults.py choose them."""

from __future__ import annotations

import re

import affected
import pytest


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("src/watari/core/error.cpp", "core"),
        ("src/watari/storage/nvme/queue.hpp", "storage"),
        ("src/attach/preload/memory.cpp", "attach"),
        ("src/python/machine.cpp", "machine"),
        ("python/watari/run/journal.py", "run"),
        ("tests/python/run/test_run.py", "run"),
        ("tests/cpp/krylov/cg_test.cpp", "krylov"),
        ("cases/himeno/native/loop.cpp", "cases/himeno"),
        ("python/watari/cases/gemm/case.py", "cases/gemm"),
        ("python/watari/cases/__init__.py", "cases"),
        ("docs/try.md", "docs"),
        ("examples/case/pyproject.toml", "library"),
        ("README.md", "docs"),
        ("scripts/test.sh", ""),
        ("Makefile", ""),
    ],
)
def test_a_file_has_a_folder(path: str, folder: str) -> None:
    assert affected.folder_of(path) == folder


def test_a_change_of_the_ground_floor_affects_all_that_stands_on_it() -> None:
    found = affected.affected_by(["src/watari/core/error.cpp"])
    assert {"core", "memory", "storage", "krylov", "cases/lattice"} <= found.native
    assert "attach" not in found.native  # it does not use the library
    found = affected.affected_by(["python/watari/common/files.py"])
    assert {"common", "run", "report", "cli", "cases", "cases/gemm"} <= found.python
    assert not found.native


def test_a_change_of_a_case_affects_it_and_the_tests_of_all_cases() -> None:
    found = affected.affected_by(["cases/himeno/native/loop.cpp"])
    assert found.native == {"cases/himeno"}
    assert found.python == {"cases/himeno", "cases", "case"}
    names = {path.name for path in affected.python_tests(found.python)}
    assert "test_himeno.py" in names
    assert "test_les.py" not in names


def test_a_change_of_a_test_affects_its_folder_alone() -> None:
    assert affected.affected_by(["tests/python/run/test_run.py"]).python == {"run"}


def test_every_folder_with_tests_is_found() -> None:
    """A tree that moves and is not found again would be tested by nothing."""
    tests = affected.ROOT.rglob("test_*.py")
    tests = [t for t in tests if not {"build", ".venv", "acceptance", "examples"} & set(t.parts)]
    folders = {affected.folder_of(t.relative_to(affected.ROOT).as_posix()) for t in tests}
    assert "" not in folders
    assert set(affected.python_tests(folders)) == set(tests)


def test_ctest_is_asked_for_whole_suites() -> None:
    pattern = re.compile(affected.ctest_pattern(["Fields", "Engine"]))
    found = ["Fields.Begin", "Of/Fields.Begin/3", "Fields/0.Begin", "a/b/Engine.X"]
    assert all(pattern.search(name) for name in found)
    others = ["FieldsOfOthers.Begin", "NoEngine.X", "Of/NoEngine.X/Engine"]
    assert not any(pattern.search(name) for name in others)
