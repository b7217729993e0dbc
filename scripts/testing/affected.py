"""Which folders a change affects: those that changed, and those that use them.

A folder is named without its tree: `memory` is src/watari/memory, python/watari/memory and their
tests; `cases/gemm` is everything of that case. A C++ folder is used by the folders that include its
headers, a Python folder by those that import it, and so on upwards. No folder uses a case, but the
tests of all cases (`cases`, `case`) try each of them.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES, SHARED = "cases", "case"  # of each case one folder, and what they share
NATIVE = {".cpp", ".hpp", ".cu", ".cuh"}
EXAMPLES = "library"  # whose tests build them against an installed library
# trees whose next part is the name of a folder, the longest first
TREES = ("src/watari/", "python/watari/", "tests/cpp/", "tests/python/", "src/", "tests/")
BINDINGS = "src/python/"  # one file for each folder
INCLUDED = re.compile(r'#include [<"]watari/([^>"]+)[>"]')
TESTED = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)", re.MULTILINE)
Users = dict[str, set[str]]


@cache
def case_names(root: Path = ROOT) -> frozenset[str]:
    """The folders of cases."""
    registries = (root / "python" / "watari" / CASES, root / CASES)
    return frozenset(p.parent.name for folder in registries for p in folder.glob("*/case.py"))


def folder_of(path: str, root: Path = ROOT) -> str:
    """The folder of a file, such as `memory` or `cases/gemm`; empty for a file of none."""
    if path.startswith(BINDINGS):
        return Path(path).stem
    tree = next((tree for tree in TREES if path.startswith(tree)), "")
    rest = path[len(tree) :].split("/")
    if rest[0] == CASES and len(rest) > 2:
        return f"{CASES}/{rest[1]}" if rest[1] in case_names(root) else SHARED
    if rest[0] == CASES:
        return CASES
    if path.startswith("examples/"):
        return EXAMPLES
    if not tree:
        return "docs" if path.startswith("docs/") or path.endswith(".md") else ""
    return rest[0] if len(rest) > 1 else ""


def sources(root: Path, suffixes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path, below the root, and text of each source file of src/, python/ and cases/."""
    for tree in ("src", "python", CASES):
        for path in sorted((root / tree).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in suffixes and "/tests/" not in name and path.is_file():
                yield name, path.read_text()


def imports(text: str) -> set[str]:
    """What a module imports from the package, in full."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "watari":
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("watari.")}
    return found


@cache
def python_users(root: Path = ROOT) -> Users:
    """By Python folder, the folders that import it."""
    users: Users = defaultdict(set)
    for path, text in sources(root, {".py"}):
        for name in imports(text):
            used = folder_of(f"python/{name.replace('.', '/')}/.py", root)
            users[used].add(folder_of(path, root))
    return users


@cache
def native_users(root: Path = ROOT) -> Users:
    """By C++ folder, the folders that include its headers."""
    users: Users = defaultdict(set)
    for path, text in sources(root, NATIVE):
        for used in INCLUDED.findall(text):
            users[folder_of(f"src/watari/{used}", root)].add(folder_of(path, root))
    return users


def upwards(folders: Iterable[str], users: Users) -> set[str]:
    """These folders and all that use them."""
    found: set[str] = set()
    open_ones = {folder for folder in folders if folder}
    while open_ones:
        found |= open_ones
        open_ones = {user for folder in open_ones for user in users.get(folder, ()) if user} - found
    return found


@dataclass(frozen=True)
class Affected:
    """The folders whose tests a change affects, by the language of the tests."""

    native: set[str]
    python: set[str]


def affected_by(changed: Iterable[str], root: Path = ROOT) -> Affected:
    """The folders of these files and all that use them. A change of a test affects its own."""
    files = [file for file in changed if folder_of(file, root)]
    product = [file for file in files if not is_test(file)]
    native = {folder_of(f, root) for f in files if is_native(f)}
    library = (f for f in product if is_native(f) and not f.startswith(BINDINGS))
    native |= upwards({folder_of(f, root) for f in library}, native_users(root))
    python = upwards({folder_of(f, root) for f in product if not is_native(f)}, python_users(root))
    python |= {folder_of(file, root) for file in files} | native
    of_all = {CASES, SHARED} if any(folder.startswith(f"{CASES}/") for folder in python) else set()
    return Affected(native, python | of_all)


def is_native(path: str) -> bool:
    return Path(path).suffix in NATIVE


def is_test(path: str) -> bool:
    return path.startswith("tests/") or "/tests/" in path


def places_of_tests(folder: str, root: Path = ROOT) -> list[Path]:
    """Where the tests of a folder lie."""
    places = [root / "tests" / "cpp" / folder, root / "tests" / "python" / folder]
    if folder.startswith(f"{CASES}/"):
        places.append(root / folder / "tests")
    return [place for place in places if place.is_dir()]


def files_of_tests(folder: str, pattern: str, root: Path = ROOT) -> list[Path]:
    """The test files of a folder; those of `cases` are of all cases, not of one."""
    find = Path.glob if folder == CASES else Path.rglob
    return sorted(file for place in places_of_tests(folder, root) for file in find(place, pattern))


def python_tests(folders: Iterable[str], root: Path = ROOT) -> list[Path]:
    return [
        file for folder in sorted(folders) for file in files_of_tests(folder, "test_*.py", root)
    ]


def importers(path: str, root: Path = ROOT) -> list[Path]:
    """The tests, of any folder, that import a module of the package."""
    name = (
        ".".join(Path(path).with_suffix("").parts).removeprefix("python.").removesuffix(".__init__")
    )
    name = name if name.startswith("watari.") else f"watari.{name}"
    every = [*(root / "tests" / "python").rglob("test_*.py"), *(root / CASES).rglob("test_*.py")]
    found = {file: imports(file.read_text()) for file in every}
    return sorted(
        f for f, names in found.items() if any(f"{n}.".startswith(f"{name}.") for n in names)
    )


def native_suites(folders: Iterable[str], root: Path = ROOT) -> list[str]:
    """The names of GoogleTest's suites in the tests of these folders."""
    files = [file for folder in folders for file in files_of_tests(folder, "*_test.cpp", root)]
    return sorted({name for file in files for name in TESTED.findall(file.read_text())})


def ctest_pattern(suites: Iterable[str]) -> str:
    """For ctest -R: a test is `Suite.Name`, `Instance/Suite.Name/0` or `Suite/0.Name`."""
    return rf"^(.*/)?({'|'.join(suites)})(/[0-9]+)?\."
