"""The files that commands write: what they may replace, and what is refused before the work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from watari.common import written
from watari.common.errors import FileError, UsageError
from watari.common.written import Kind, Written

ROOT = Path(__file__).parents[3]
NAMES = {
    "results": ("run.json", written.RESULTS),
    "traces": ("trace.json", written.TRACE),
    "machine profiles": ("machine.json", written.MACHINE),
    "timelines": ("timeline.json", written.TIMELINE),
    "pages": ("page.html", written.PAGE),
    "figures": ("figure.svg", written.FIGURE),
    "pictures": ("picture.png", written.PICTURE),
    "tables": ("table.csv", written.TABLE),
    "JUnit files": ("check.xml", written.TEST_SUITE),
    "arrays": ("C.npy", written.ARRAY),
}
STORED = {  # files of this repository that commands have written
    "results": "results/nvidia-h200-x86_64/*.json",
    "older results": "tests/fixtures/results/*.json",
    "traces": "results/nvidia-h200-x86_64/*-trace-*.json",
    "figures": "docs/figures/*.svg",
    "pictures": "docs/figures/*.png",
}


def of(path: Path, kind: Kind = written.RESULTS) -> list[Written]:
    return [Written("-o", path, kind)]


@pytest.fixture(params=NAMES.values(), ids=NAMES.keys())
def wanted(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    name, kind = request.param
    return Written("-o", tmp_path / name, kind)


def test_a_new_file_and_an_empty_one_are_written(wanted: Written) -> None:
    written.check([wanted])
    assert list(wanted.path.parent.iterdir()) == []
    wanted.path.write_text("\n")  # of mktemp, or of an editor
    written.check([wanted])
    assert wanted.path.read_text() == "\n"


@pytest.mark.parametrize(
    "content",
    [b"#!/bin/sh\n", b'{"name": "package"}', b"\x7fELF", b"<!doctype html><title>Mine</title>"],
)
def test_a_file_of_another_kind_is_not_replaced(wanted: Written, content: bytes) -> None:
    wanted.path.write_bytes(content)
    with pytest.raises(UsageError, match="so it is not replaced: remove it, or name another"):
        written.check([wanted])
    assert wanted.path.read_bytes() == content
    assert list(wanted.path.parent.iterdir()) == [wanted.path]


@pytest.mark.parametrize("kind", STORED)
def test_files_that_commands_wrote_are_replaced(kind: str) -> None:
    of_kind = NAMES[kind.removeprefix("older ")][1]
    paths = [path for path in ROOT.glob(STORED[kind]) if is_ours(path, kind)]
    assert paths
    for path in paths:
        assert of_kind.is_of(path), path


def is_ours(path: Path, kind: str) -> bool:
    """Whether a stored file is one of this kind: the folder has other JSON files too."""
    head = path.read_bytes()[:200]
    if kind == "traces":
        return b"watari-trace-1" in head
    return kind != "results" or b'"program"' in head


def test_a_folder_is_refused(wanted: Written) -> None:
    wanted.path.mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        written.check([wanted])


def test_a_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", Path("/dev/full")):
        with pytest.raises(FileError, match="not a regular file"):
            written.check(of(path))


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("x.pdf", written.PAGE, "watari report RESULTS --format pdf -o FOLDER"),
        ("x.csv", written.RESULTS, "write .*x.json, then watari export .*x.json -o .*x.csv"),
        ("x.xlsx", written.RESULTS, "then watari export .*x.json -o .*x.csv"),
        ("x.html", written.RESULTS, "then watari report .*x.json -o .*x.html"),
        ("x.html", written.TRACE, "then watari report .*x.json -o .*x.html"),
        ("x.json", written.PAGE, "names of pages end in .html, .htm$"),
        ("x", written.FIGURE, "names of figures end in .svg, .pdf, .png$"),
        ("x.journal", written.RESULTS, "names of results end in .json$"),
    ],
)
def test_the_suffix_of_another_kind_is_refused_with_its_command(
    tmp_path: Path, name: str, kind: Kind, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        written.check(of(tmp_path / name, kind))


def test_any_other_suffix_is_taken(tmp_path: Path) -> None:
    for name in ("run", "run.2026", "run.JSON"):
        written.check(of(tmp_path / name))


def test_an_input_is_refused_under_every_name(tmp_path: Path) -> None:
    read = tmp_path / "read.json"
    read.write_text('{"schema": 1, "program": {}}')
    (tmp_path / "symbolic.json").symlink_to("read.json")
    os.link(read, tmp_path / "hard.json")
    written.check(of(read))
    for name in ("read.json", "symbolic.json", "hard.json", f"../{tmp_path.name}/read.json"):
        with pytest.raises(UsageError, match=r"would write over .*, which is read"):
            written.check(of(tmp_path / name), [read])
    with pytest.raises(UsageError, match="would write over"):  # also an input that is missing yet
        written.check(of(tmp_path / "absent.json"), [tmp_path / "absent.json"])


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("run.json")
    for name in ("run.json", "link.json"):
        other = Written("--trace", tmp_path / name, written.RESULTS)
        with pytest.raises(UsageError, match=r"-o .*run\.json and --trace .* name one file"):
            written.check([*of(tmp_path / "run.json"), other])


def test_a_missing_folder_is_refused_unless_the_command_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"that folder does not exist; make it \(mkdir -p none\)"):
        written.check(of(Path("none/run.json")))
    written.check(of(Path("results/run.json")), makes=Path("results"))
    with written.held(of(Path("results/run.json")), makes=Path("results")):
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "x" * 240 + ".json", "a\0b.json"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="cannot be written: "):
        written.check(of(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("a.json")
    with pytest.raises(FileError, match="Too many levels of symbolic links"):
        written.check(of(tmp_path / "a.json"))


POWERLESS = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []
PROGRAM = """
import sys
from pathlib import Path
from watari.common import written
try:
    written.check([written.Written("-o", Path(sys.argv[1]), written.RESULTS)])
except written.FileError as error:
    print(error)
"""


def refused_without_rights(path: Path) -> str:
    """The refusal of a process that may not write everywhere, as root may."""
    command = [*POWERLESS, sys.executable, "-c", PROGRAM, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_protected_folder_and_a_protected_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"schema": 1, "program": {}}')
    assert refused_without_rights(path) == ""
    path.chmod(0o444)
    assert "run.json: cannot be written: Permission denied" in refused_without_rights(path)
    path.chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        for name in ("run.json", "new.json"):
            refused = refused_without_rights(tmp_path / name)
            assert f"{name}: cannot be written: Permission denied" in refused
    finally:
        tmp_path.chmod(0o755)


def test_a_full_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    monkeypatch.setattr(written, "temporary_of", lambda target: tmp_path / "full")
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        written.check(of(tmp_path / "run.json"))
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_smaller_than_the_file_is_refused(tmp_path: Path) -> None:
    size = os.statvfs(tmp_path).f_blocks * os.statvfs(tmp_path).f_frsize + 1
    with pytest.raises(FileError, match=r"run\.json: not enough room: takes .*B, .*has .*B free"):
        written.check([Written("-o", tmp_path / "run.json", written.RESULTS, size)])


def test_one_command_at_a_time_writes_a_file(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("run.json")
    with written.held(of(tmp_path / "run.json")):
        for name in ("run.json", "link.json"):
            refused = pytest.raises(UsageError, match=f"-o .*{name} is being written by another")
            with refused, written.held(of(tmp_path / name)):
                pass
        with written.held(of(tmp_path / "other.json")):
            pass
    with written.held(of(tmp_path / "run.json")):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["link.json"]


def test_the_lock_of_a_killed_command_holds_nobody(tmp_path: Path) -> None:
    program = f"""
import os
from pathlib import Path
from watari.common import written
with written.held([written.Written("-o", Path({str(tmp_path / "run.json")!r}), written.RESULTS)]):
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -9
    assert [path.name for path in tmp_path.iterdir()] == [".run.json.lock"]
    with written.held(of(tmp_path / "run.json")):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_a_killed_command_left_goes(tmp_path: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path\n"
            "from watari.common.files import temporary_of\n"
            "temporary_of(Path(sys.argv[1])).touch()",
            str(tmp_path / "C.npy"),
        ],
        check=True,
    )
    assert len(list(tmp_path.iterdir())) == 1
    written.check(of(tmp_path / "C.npy", written.ARRAY))
    assert list(tmp_path.iterdir()) == []
