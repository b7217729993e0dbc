"""Seeds faults, one at a time, and records which tests see each: `python tests/faults.py`

    python tests/faults.py                the faults that have no record yet, Python first
    python tests/faults.py --only WORDS   those whose `why` has these words, again
    python tests/faults.py --tests attach run    with the tests of these folders alone

faults.toml has the faults, cases/<name>/tests/faults.toml those of a case. A fault is put into a
copy of HEAD (build/faults/), which is built if the file is C++, and tested: first by the tests of
its folder, then by those of the folders that use it (scripts/testing/affected.py), up to the
first that fail. Their names become `seen` of the fault. build/faults/seen.json has the searches of
a fault that is not yet tried in full. A fault that no test sees needs a test.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
sys.path.insert(0, str(ROOT / "scripts" / "testing"))
import affected  # noqa: E402

from watari.common.reading import toml  # noqa: E402

FOLDER = ROOT / "build" / "faults"
TREE, VENV, RECORDS = FOLDER / "tree", FOLDER / "venv", FOLDER / "seen.json"
LIMIT = 1800  # seconds of one set of tests; a fault may make them hang
MOST_SEEN = 1  # tests that are recorded
Records = dict[str, dict[str, list[str]]]  # by fault, by search: the tests that fail
SUFFIXES = {".py", *affected.NATIVE}


@dataclass(frozen=True)
class Fault:
    """One row of a faults.toml: `why` names it, `seen` are the tests that fail."""

    kind: str
    why: str
    old: str
    new: str
    seen: tuple[str, ...] | None = None

    def place(self, root: Path = ROOT) -> str:
        """The file that has it, below the root. Raises ValueError unless there is one place."""
        found = [(path, text) for path, text in sources(root) if self.old in text]
        places = sum(text.count(self.old) for _, text in found)
        if places != 1:
            raise ValueError(f"'{self.why}' is in {places} places: {self.old!r}")
        return found[0][0]


@cache
def sources(root: Path) -> list[tuple[str, str]]:
    """Path and text of each file that may have a fault, before any is put in."""
    return list(affected.sources(root, SUFFIXES))


def tables() -> list[Path]:
    return [TESTS / "faults.toml", *sorted(ROOT.glob("cases/*/tests/faults.toml"))]


def read_faults() -> list[Fault]:
    return [Fault(**row) for file in tables() for row in toml(file)["fault"]]


def call(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the copy, in its virtual environment; one that hangs is stopped."""
    path = f"{VENV / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "VENV": str(VENV), "PATH": path, **variables}
    command = ["timeout", str(LIMIT), *map(str, words)]
    return subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True)


def git(*words: str | Path) -> None:
    subprocess.run(["git", *map(str, words)], check=True)


def build() -> None:
    done = call("scripts/testing/build_tests.sh")
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nThe build failed")


def prepare(is_native: bool) -> None:
    """Makes the copy of HEAD, and a virtual environment that has the packages of this one. Builds
    there if C++ is wanted; otherwise an earlier build does, with the present modules."""
    if not TREE.exists():
        git("clone", "-q", "--shared", "--no-checkout", ROOT, TREE)
    git("-C", TREE, "fetch", "-q", ROOT, "HEAD")
    git("-C", TREE, "checkout", "-fq", "--detach", "FETCH_HEAD")
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", VENV], check=True)
        (packages().parent / "site-packages" / "others.pth").write_text(others())
    if is_native or not (packages() / "watari").is_dir():
        build()
    else:
        shutil.copytree(TREE / "python" / "watari", packages() / "watari", dirs_exist_ok=True)


def packages() -> Path:
    return next((VENV / "lib").glob("python*/site-packages"))


def others() -> str:
    """The folders of packages of this interpreter."""
    return "\n".join(p for p in sys.path if p.endswith("site-packages")) + "\n"


def installed(old: str) -> Path:
    """The installed module that has this text."""
    files = (packages() / "watari").rglob("*.py")
    return next(path for path in files if old in path.read_text())


def pytest(files: list[Path], *words: str) -> list[str]:
    """The tests that fail."""
    if not files:
        return []
    names = [str(file.relative_to(TREE)) for file in files]
    quiet = ["-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", f"--maxfail={MOST_SEEN}"]
    helpers = str(TREE / "tests" / "python")
    done = call(VENV / "bin/python", "-m", "pytest", *quiet, *words, *names, PYTHONPATH=helpers)
    if done.returncode in (0, 5):
        return []
    failed = re.findall(r"^(?:FAILED|ERROR) (?:\S*/)?(\S+)", done.stdout, re.MULTILINE)
    return failed or [f"pytest ends with {done.returncode}"]


def ctest(folders: set[str]) -> list[str]:
    """The tests that fail."""
    suites = affected.native_suites(folders, TREE)
    if not suites:
        return []
    one = ["--test-dir", "build/test", "-R", affected.ctest_pattern(suites), "--timeout", "300"]
    done = call("ctest", *one, "-j", "2", "--stop-on-failure")
    failed = re.findall(r"^\s*\d+ - (\S+) \(", done.stdout, re.MULTILINE)
    return failed[:MOST_SEEN] or ([f"ctest ends with {done.returncode}"] if done.returncode else [])


def failing(place: str, native: set[str], python: set[str], in_process: bool) -> list[str]:
    """The tests of these folders that fail, up to the first set of them that has any."""
    files = affected.python_tests(python, TREE)
    return (
        (ctest(native) if affected.is_native(place) else [])
        or pytest(files, "-p", "in_process")
        or ([] if in_process else pytest(files))
    )


def seen_by_importers(place: str, given: Iterable[str]) -> list[str]:
    """The tests that import the fault's module, in process, that fail."""
    return [] if given else pytest(affected.importers(place, TREE), "-p", "in_process")


def seen_by_own(place: str, given: Iterable[str]) -> list[str]:
    """The tests of the fault's folder, or of the given ones, that fail."""
    own = set(given) or {affected.folder_of(place, TREE)}
    return failing(place, own, own, in_process=False)


def seen_by_users(place: str, given: Iterable[str]) -> list[str]:
    """The tests of the folders that use the fault's one, as `make check` runs them, that fail."""
    if given:
        return []
    own, users = {affected.folder_of(place, TREE)}, affected.affected_by([place], TREE)
    return failing(place, users.native - own, users.python - own, in_process=True)


@contextmanager
def seeded(fault: Fault) -> Iterator[str]:
    """Puts a fault in, and removes it again. Gives its file."""
    place = fault.place(TREE)
    is_native = affected.is_native(place)
    files = [TREE / place] if is_native else [TREE / place, installed(fault.old)]
    kept = {file: file.read_text() for file in files}
    try:
        for file, text in kept.items():
            file.write_text(text.replace(fault.old, fault.new))
        if is_native:
            build()
        yield place
    finally:
        for file, text in kept.items():
            file.write_text(text)


def try_all(faults: list[Fault], records: Records, tests: list[str]) -> None:
    """Tries faults that have no record, those in Python first, and keeps what sees them."""
    python = [fault for fault in faults if not affected.is_native(fault.place())]
    native = [fault for fault in faults if fault not in python]
    rounds = [(python, seen_by_importers), (python, seen_by_own), (python, seen_by_users)]
    rounds += [(native, seen_by_own), (native, seen_by_users)]
    prepare(bool(native))
    for some, search in rounds:
        for fault in some:
            known = records.setdefault(fault.why, {})
            if search.__name__ in known or any(known.values()):
                continue
            with seeded(fault) as place:
                known[search.__name__] = seen = search(place, tests)
            RECORDS.write_text(json.dumps(records, indent=1))
            if seen or search is seen_by_users:
                write_seen(fault, seen)
            print(place, fault.why, *seen or [f"no test {search.__name__}"], sep=" | ", flush=True)


def write_seen(fault: Fault, seen: list[str]) -> None:
    """Puts the tests that see a fault below its `why`."""
    row = re.compile(rf'^(why = "{re.escape(fault.why)}"\n)(?:seen = .*\n)?', re.MULTILINE)
    for file in tables():
        file.write_text(
            row.sub(lambda found: f"{found[1]}seen = {json.dumps(seen)}\n", file.read_text())
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", metavar="WORDS")
    parser.add_argument("--tests", nargs="+", default=[])
    asked = parser.parse_args()
    records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    faults = read_faults()
    if asked.only:
        faults = [fault for fault in faults if asked.only in fault.why]
        records = {why: known for why, known in records.items() if asked.only not in why}
    else:
        faults = [fault for fault in faults if fault.seen is None]
    try_all(faults, records, asked.tests)


if __name__ == "__main__":
    main()
