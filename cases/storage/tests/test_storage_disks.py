"""Case storage on unsuitable disks and folders: full, of other users, read-only, limited."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from storage_trials import STORE, trial

from watari.run import launch


def in_a_small_world(command: str) -> str:
    """A launcher that gives the trial other mounts. Skips the test if mounts are not allowed."""
    allowed = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"])
    if allowed.returncode:
        pytest.skip("no mounts of one's own here")
    return f"unshare -rm sh -c '{command} && exec \"$@\"' sh"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A folder on which a small world mounts a disk."""
    in_a_small_world("true")
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def test_a_full_disk_is_reported_before_anything_is_written(disk: Path) -> None:
    small = in_a_small_world(f"mount -t tmpfs -o size=1M none {disk}")
    result = trial(small, engine="posix", cache="warm", folder=str(disk))
    assert result["status"] == "unsupported"
    says = r" takes 4 MiB .*, and its disk has 1 MiB .* free; choose a smaller size or another f"
    assert re.search(says, result["error"])


def leaving(
    disk: Path, room: str, fill: str = "true", around: str = "", **given: Any
) -> tuple[launch.Trial, list[str]]:
    """A trial on a new disk with this room, and the names of the files that it leaves there."""
    left = disk.with_name("left")
    begin = f"mount -t tmpfs -o size={room} none {disk} && {fill}"
    world = f'{begin} && {around} "$@"; code=$?; ls {disk} > {left}; exit $code'
    given = {"engine": "posix", "folder": str(disk), **given}
    return trial(f"unshare -rm sh -c '{world}' sh", **given), left.read_text().split()


def test_files_of_other_runs_make_room_unless_they_are_in_use(disk: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    trial(engine="posix", cache="warm", folder=str(other), size="2MiB", requests=1)
    made = "watari-gemm-1x1x1-single-rows-512.data watari-2.data mine.data"
    ours = f"tee <{other}/watari-2097152.data {made} >/dev/null"
    fill = f"(cd {disk} && {ours} && touch -d @9 *gemm*)"
    in_use = f"flock -s {disk}/watari-2.data"
    for room, around, status, left in (
        ("9M", "", "ok", ["mine.data", "watari-2.data", STORE]),
        ("7M", "", "ok", ["mine.data", STORE]),
        ("7M", in_use, "unsupported", sorted(made.split())),
    ):
        result, names = leaving(disk, room, fill, around, cache="warm", size="4MiB")
        assert (result["status"], names) == (status, left)
    assert "its disk has 1 MiB" in result["error"]


def test_files_of_others_never_make_room(disk: Path) -> None:
    fill = f"head -c 2M /dev/urandom | tee {disk}/watari-2097152.data >{disk}/watari-2.data"
    result, left = leaving(disk, "7M", fill, cache="warm", size="4MiB")
    assert result["status"] == "unsupported"
    assert sorted(left) == ["watari-2.data", "watari-2097152.data"]


def test_some_of_several_files_are_not_left(disk: Path) -> None:
    result, left = leaving(disk, "7M", cache="warm", size="16MiB", files=4)
    assert (result["status"], left) == ("unsupported", [])


def test_what_is_written_is_written_by_one_run(folder: str) -> None:
    file = f"{folder}/{STORE}"
    for direction, how, status in (
        ("read", "shared", "ok"),
        ("read", "exclusive", "failed"),
        ("write", "shared", "failed"),
    ):
        result = trial(f"flock --{how} {file}", engine="posix", folder=folder, direction=direction)
        assert result["status"] == status, (direction, how)
        assert status == "ok" or "another run has it in use" in result["error"]
    assert trial(engine="posix", folder=folder, direction="write")["status"] == "ok"


def test_a_read_only_folder_is_reported(folder: str) -> None:
    fixed = in_a_small_world(f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}")
    for more in ({"direction": "write"}, {"size": "8MiB"}):
        result = trial(fixed, engine="posix", folder=folder, **more)
        assert result["status"] == "failed", more
        assert "read-only" in result["error"]
    assert trial(fixed, engine="posix", folder=folder)["status"] == "ok"  # reading needs no more


def test_a_folder_of_others_is_reported(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    powerless = "setpriv --bounding-set=-all" if os.geteuid() == 0 else ""
    result = trial(powerless, engine="posix", folder=str(closed / "mine"))
    assert result["status"] == "failed"
    assert "no permission; name a folder of your own" in result["error"]


def test_a_limit_on_files_is_reported_and_nothing_is_left(tmp_path: Path) -> None:
    result = trial("prlimit --fsize=1048576", engine="posix", folder=str(tmp_path / "disk"))
    assert result["status"] == "failed"
    assert "larger than a file may be here" in result["error"]
    assert list((tmp_path / "disk").iterdir()) == []
