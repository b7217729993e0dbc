"""`watari bem`: stops, and the files beside its output."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from charging import Quiet
from command_line import refused, run_cli

from watari.cases.hmatrix import command, vtu
from watari.cases.hmatrix import mesh as meshes
from watari.cases.hmatrix.bem import Options, Stopped, charges
from watari.common import files
from watari.common.errors import FileError

pytestmark = pytest.mark.usefixtures("here")


def test_a_stopped_build_is_resumed_and_a_stopped_solve_keeps_the_matrix():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    expected = charges(made, 1.0, path, Options(), Quiet()).length
    path.unlink()
    with pytest.raises(Stopped, match=r"m\.hmatrix\.partial is kept"):
        charges(made, 1.0, path, Options(), Quiet(0))
    assert Path("m.hmatrix.partial").exists()
    with pytest.raises(Stopped, match=r"m\.hmatrix is kept"):
        charges(made, 1.0, path, Options(), Quiet(4))
    built = path.stat().st_mtime_ns
    found = charges(made, 1.0, path, Options(), Quiet())
    assert path.stat().st_mtime_ns == built
    assert found.length == expected


def test_a_journal_without_a_build_is_removed_when_its_matrix_is_used():
    made, path = meshes.load("bumpy:6"), Path("m.hmatrix")
    partial, journal = Path("m.hmatrix.partial"), Path("m.hmatrix.partial.journal")
    charges(made, 1.0, path, Options(), Quiet())
    journal.touch()
    partial.touch()  # another build has begun
    charges(made, 1.0, path, Options(), Quiet())
    assert journal.exists()
    partial.unlink()
    charges(made, 1.0, path, Options(), Quiet())
    assert not journal.exists()


OWN = ["c.vtu.hmatrix", "c.vtu.hmatrix.partial", "c.vtu.hmatrix.partial.journal"]


@pytest.mark.parametrize("name", OWN)
def test_a_file_of_the_user_beside_the_output_stays(capsys, name):
    Path(name).write_bytes(b"the notes of a user\n" * 300)
    before = Path(name).read_bytes()
    assert f"{name}: this file is none of the " in refused(capsys, "bem", "cube:2", "-o", "c.vtu")
    assert [path.name for path in Path().iterdir()] == [name]
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("name", OWN)
def test_a_link_beside_the_output_is_not_followed(capsys, name):
    Path("notes").touch()
    Path(name).symlink_to("notes")
    assert f"{name}: is a link" in refused(capsys, "bem", "cube:2", "-o", "c.vtu")
    assert Path("notes").read_bytes() == b""
    assert Path(name).is_symlink()


def test_own_files_of_a_killed_build_are_taken(capsys):
    with pytest.raises(Stopped):
        charges(meshes.load("bumpy:6"), 1.0, Path(OWN[0]), Options(), Quiet(0))
    assert sorted(path.name for path in Path().iterdir()) == OWN[1:]
    assert Path(OWN[2]).stat().st_size > 0
    for mesh in ("cube:2", "bumpy:6"):  # of another mesh, too
        assert run_cli(capsys, "bem", mesh, "-o", "c.vtu")[0] == 0
        assert [path.name for path in Path().iterdir()] == ["c.vtu"]


def test_charges_that_cannot_be_stored_leave_the_matrix(capsys, monkeypatch):
    words = ("bem", "bumpy:6", "-o", "c.vtu", "--charges", "c.npy")

    def full(*given):
        raise FileError("c.vtu: cannot be written: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(vtu, "write", full)
        code, _, err = run_cli(capsys, *words)
    assert (code, err.count("\n")) == (2, 1)
    assert "; c.vtu.hmatrix is kept: the same command solves with it" in err
    assert [path.name for path in Path().iterdir()] == ["c.vtu.hmatrix"]
    built = Path("c.vtu.hmatrix").stat()
    assert run_cli(capsys, *words, "--keep")[0] == 0
    assert Path("c.vtu.hmatrix").stat().st_ino == built.st_ino
    assert Path("c.vtu.hmatrix").stat().st_mtime_ns == built.st_mtime_ns


def test_a_folder_that_takes_no_file_is_refused_before_the_build(capsys, monkeypatch):
    monkeypatch.setattr(command, "load", lambda mesh: pytest.fail("builds"))
    monkeypatch.setattr(files.owner, "mark", lambda: "x" * 250)  # a name that no folder takes
    assert "c.vtu: cannot be written: " in refused(capsys, "bem", "cube:2", "-o", "c.vtu")


def test_two_commands_on_one_output_are_one_and_a_refusal(capsys, monkeypatch):
    ended = []

    def meanwhile(name):
        ended.append(subprocess.run(again, capture_output=True, text=True))
        return meshes.load(name)

    words = ("bem", "cube:2", "-o", "c.vtu")
    again = [sys.executable, "-m", "watari", *words]
    monkeypatch.setattr(command, "load", meanwhile)
    assert run_cli(capsys, *words)[0] == 0
    assert (ended[0].returncode, ended[0].stdout) == (2, "")
    assert ended[0].stderr == "watari: -o c.vtu is being written by another command\n"
    assert [path.name for path in Path().iterdir()] == ["c.vtu"]


@contextmanager
def short_files(size: int) -> Iterator[None]:
    """Limits files to so many bytes, as a disk that fills up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_without_room_leaves_nothing(capsys):
    with short_files(8192):
        code, out, err = run_cli(capsys, "bem", "bumpy:6", "-o", "c.vtu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "c.vtu.hmatrix" in err
    assert "cannot be written: File too large" in err
    assert "resumes" not in err
    assert not list(Path().iterdir())


def test_a_disk_that_fills_up_keeps_what_is_built(capsys):
    made, path = meshes.load("bumpy:16"), Path("c.vtu.hmatrix")
    with pytest.raises(Stopped):
        charges(made, 1.0, path, Options(threads=1), Quiet(1))
    begun = Path("c.vtu.hmatrix.partial").stat().st_size
    with short_files(begun + 2**20):
        code, out, err = run_cli(capsys, "bem", "bumpy:16", "-o", "c.vtu")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "File too large; c.vtu.hmatrix.partial is kept: the same command resumes" in err
    assert run_cli(capsys, "bem", "bumpy:16", "-o", "c.vtu")[0] == 0
    assert [each.name for each in Path().iterdir()] == ["c.vtu"]


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["cube:2", "-o", "s3://bucket/c.vtu"], "names a file on this machine, not an object"),
        (["cube:2", "-o", "c.vtu", "--picture", "s3://bucket/c.png"], "not an object"),
        (["s3://bucket/m.stl", "-o", "c.vtu"], "meshes are files on this machine"),
        (["cube:2", "-o", "c.vtu", "--charges", "q.zarr"], "exists already: remove it"),
    ],
)
def test_what_is_no_place_for_a_file(capsys, words, match):
    Path("q.zarr").mkdir()
    code, out, err = run_cli(capsys, "bem", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert match in err
    assert [each.name for each in Path().iterdir()] == ["q.zarr"]
