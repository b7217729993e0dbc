"""Cases storage and gemm leave files of other programs alone, also under a test file's name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asked import request
from launching import HANGS
from storage_trials import STORE, trial

from watari.run import launch
from watari.run.launcher import Launcher

GEMM = {"engine": "posix", "n": 256, "tile": 128, "samples": 1, "threads": 1, "store": "file"}


def store(folder: Path, **given: Any) -> launch.Trial:
    return trial(engine="posix", folder=str(folder), **given)


def product(folder: Path) -> launch.Trial:
    return launch.trial(request("gemm", **GEMM, folder=str(folder)), Launcher(), HANGS)


def link(path: Path, mine: Path) -> None:
    path.symlink_to(mine)


def hard_link(path: Path, mine: Path) -> None:
    path.hardlink_to(mine)


def dangling(path: Path, mine: Path) -> None:
    path.symlink_to("nowhere")


def shorter(path: Path, mine: Path) -> None:
    path.write_bytes(mine.read_bytes()[:5000])


def empty_folder(path: Path, mine: Path) -> None:
    path.mkdir()


def pipe(path: Path, mine: Path) -> None:
    os.mkfifo(path)


STANDING = (link, hard_link, dangling, shorter, empty_folder, pipe)


@pytest.mark.parametrize("stand", STANDING)
@pytest.mark.parametrize("case", ["storage", "gemm"])
def test_what_is_not_ours_is_neither_written_nor_replaced(
    case: str, stand: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    folder, mine = tmp_path / "disk", tmp_path / "mine"
    made = product(folder) if case == "gemm" else store(folder)
    assert made["status"] == "ok", made["error"]
    [path] = folder.iterdir()
    data = os.urandom(path.stat().st_size)
    path.unlink()
    mine.write_bytes(data)
    stand(path, mine)
    before = os.lstat(path)
    result = product(folder) if case == "gemm" else store(folder, direction="write")
    assert result["status"] == "failed"
    assert f"{path} " in result["error"]
    assert "no test file: it is left as it is; move it away" in result["error"]
    assert mine.read_bytes() == data
    assert (os.lstat(path).st_ino, os.lstat(path).st_mtime) == (before.st_ino, before.st_mtime)
    assert list(folder.iterdir()) == [path]


def test_other_data_that_are_read_are_named(tmp_path: Path) -> None:
    (tmp_path / STORE).write_bytes(os.urandom(2**22))
    result = store(tmp_path)
    assert (result["status"], result["verified"]) == ("wrong", False)
    assert f"{tmp_path / STORE} is not a test file: it has other data" in result["error"]
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / STORE).symlink_to(tmp_path / STORE)
    assert "is a symbolic link" in store(linked)["error"]


def test_a_store_written_once_is_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        result = store(tmp_path, direction="write", size="16MiB", files=4)
        assert result["status"] == "ok", result["error"]
        assert product(tmp_path)["status"] == "ok"
    os.truncate(tmp_path / "watari-16777216-2of4.data", 2**20)  # a test file, of another size
    assert store(tmp_path, direction="write", size="16MiB", files=4)["status"] == "ok"
