"""Files that are written whole or not at all, and the sizes and locks of files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from watari.common import files, lock, reading, units
from watari.common.errors import FileError


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another order a power cut leaves an empty file under the name of the result."""
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def flushed(descriptor: int) -> None:
        steps.append(f"fsync {Path(os.readlink(f'/proc/self/fd/{descriptor}')).suffix}")
        fsync(descriptor)

    def renamed(old: Any, new: Any) -> None:
        steps.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", renamed)
    files.write_atomically(tmp_path / "run.json", "{}")
    assert steps == ["fsync .partial", "rename", "fsync "]
    assert (tmp_path / "run.json").read_text() == "{}"


def test_a_lock_is_of_the_file_that_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that held the lock before has removed its file meanwhile."""
    path = tmp_path / "run.json.journal"
    locked = lock.lock

    def late(file: Any, *words: Any) -> None:
        locked(file, *words)
        monkeypatch.setattr(lock, "lock", locked)
        path.unlink()

    monkeypatch.setattr(lock, "lock", late)
    with lock.taken(path):
        assert path.exists()
        with pytest.raises(lock.UsageError), lock.taken(path):
            pass
    assert not path.exists()


def test_a_pipe_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST", 3)
    for size in (3, 4):
        read, write = os.pipe()
        os.write(write, b"x" * size)
        os.close(write)
        path = f"/proc/self/fd/{read}"
        if size == 3:
            assert reading.content(path) == b"xxx"
        else:
            with pytest.raises(FileError, match="has more than 0 MiB"):
                reading.content(path)
        os.close(read)


@pytest.mark.parametrize(
    ("size", "text"), [(999, "999 B"), (1e6, "1 MB"), (999_500_000, "1 GB"), (3.22e9, "3.22 GB")]
)
def test_a_size_has_the_largest_unit_that_it_reaches(size: float, text: str) -> None:
    assert units.format_bytes(size) == text
