"""The layers of the architecture: a folder may use folders above it in these tables, not below.

A change to a table is a change of the architecture: a commit of its own, with the reason.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from watari import cases

ROOT = Path(__file__).parents[3]
# C++, from the lowest layer up
CPP = (
    "core",
    "core/parallel",
    "core/loaded",
    "machine",
    "memory/rows",
    "memory",
    "files/uring",
    "files",
    "files/matrices",
    "files/partial",
    "objects/service",
    "objects",
    "comm",
    "storage/verify",
    "storage/nvme",
    "storage/cache",
    "storage/backends",
    "storage/controller",
    "storage/files",
    "storage",
    "storage/engines",
    "measure",
    "storage/stores",
    "blas",
    "krylov/kernels",
    "krylov",
    "gemm/schedule",
    "gemm/pipeline",
    "gemm",
    "gemm/product",
    "hmatrix/surface",
    "hmatrix/tree",
    "hmatrix/ranks",
    "hmatrix/file",
    "hmatrix/build",
    "hmatrix/product",
    "hmatrix",
    "case",
)
PYTHON = (
    "common",
    "objects",
    "machine",
    "results",
    "case",
    "memory",
    "arrays",
    "charts",
    "cases",
    "plan",
    "run",
    "model",
    "attach",  # reads and writes programs of the model; its page is the report's
    "report",
    "cli",
    "api",  # returns what the commands print
)
WORDS = {"kernel"}  # names of cases that are words of CUDA, too: of traces, of a copy's means
PUBLIC = {"python/watari/__init__.py"}  # `watari.gemm` is the library's, not the case of that name


def cpp_sources() -> Iterator[tuple[Path, str]]:
    """Yields each source and its folder: `memory`, or `cases/himeno` for one of a case."""
    library, cases = ROOT / "src" / "watari", ROOT / "cases"
    for path in sorted([*library.rglob("*"), *cases.glob("*/native/**/*")]):
        if path.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
            if path.is_relative_to(library):
                yield path, str(path.relative_to(library).parent)
            else:
                yield path, f"cases/{path.relative_to(cases).parts[0]}"


def folder_of(included: str, path: Path) -> str:
    """The folder of an included file: one of the library, or the case that has it."""
    match = re.match(r"watari/(.+)/[^/]+", included)
    if match:
        return match[1]
    found = Path(os.path.normpath(path.parent / included)).relative_to(ROOT)
    return "/".join(found.parts[:2]) if found.parts[0] == "cases" else ""


def cpp_includes() -> Iterator[tuple[str, str, str]]:
    """Yields a file, its folder, and the folder of each file of the project that it includes."""
    for path, folder in cpp_sources():
        for included in re.findall(r'#include "([^"]+)"', path.read_text()):
            used = folder_of(included, path)
            if used:
                yield str(path.relative_to(ROOT)), folder, used


def is_up(folder: str, used: str) -> bool:
    """Whether a folder may use another: one above it, or of its own case."""
    if folder == used:
        return True
    if used.startswith("cases/"):
        return False
    return folder.startswith("cases/") or CPP.index(used) < CPP.index(folder)


def test_no_folder_of_the_library_uses_one_below_it() -> None:
    includes = list(cpp_includes())
    assert len(includes) > 500
    assert [(file, used) for file, folder, used in includes if not is_up(folder, used)] == []


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    package = ROOT / "python" / "watari"
    found = [*package.rglob("*.py"), *(package / "cases").glob("*.py")]  # cases/ is a link
    of_cases = (package / "cases").glob("*/**/*.py")
    found += (path for path in of_cases if not {"tests", "numbers"} & set(path.parts))
    return [(path, ast.parse(path.read_text())) for path in sorted(set(found))]


def imports(tree: ast.Module) -> Iterator[str]:
    """The modules of this package that a module imports at run time, in full."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "watari":
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("watari."))


def test_no_folder_of_the_package_imports_one_below_it() -> None:
    wrong, count = [], 0
    for path, tree in modules():
        folder = path.relative_to(ROOT / "python" / "watari").parts[0]
        if folder not in PYTHON:
            continue  # __init__ and __main__ stand above all
        for name in imports(tree):
            used = name.split(".")[1]
            count += 1
            if used in PYTHON and PYTHON.index(used) > PYTHON.index(folder):
                wrong.append((str(path.relative_to(ROOT)), name))
    assert count > 300
    assert wrong == []


def test_cases_do_not_import_each_other() -> None:
    folders = {path.parent.name for path in (ROOT / "python/watari/cases").glob("*/case.py")}
    wrong = []
    for path, tree in modules():
        tree_of, own, *_ = (*path.relative_to(ROOT / "python/watari").parts, "")
        if tree_of != "cases" or own not in folders:
            continue
        for name in imports(tree):
            parts = name.split(".")
            if parts[1] == "cases" and len(parts) > 2 and parts[2] in folders - {own}:
                wrong.append((str(path.relative_to(ROOT)), name))
    assert folders
    assert wrong == []


def test_no_file_outside_the_cases_names_one() -> None:
    wrong = []
    for path, tree in modules():
        name = str(path.relative_to(ROOT))
        if name.startswith("python/watari/cases/") or name in PUBLIC:
            continue
        wrong += [
            (name, node.lineno, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node.value in cases.CASES.keys() - WORDS
        ]
    assert wrong == []


def test_each_folder_of_a_case_is_in_the_registry() -> None:
    folders = {path.parent.name for path in (ROOT / "cases").glob("*/case.py")}
    assert folders == set(cases.FOLDERS)
