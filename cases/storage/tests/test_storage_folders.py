"""Stores that are striped over several folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import refused
from storage_trials import OPENING, request, run

from watari.case.engines import folders_of
from watari.common.errors import UsageError


@pytest.mark.parametrize("direction", ["read", "write"])
@pytest.mark.parametrize("engine", OPENING)
def test_a_store_lies_in_both_folders(engine: str, direction: str, two: tuple[Path, Path]) -> None:
    result = run(engine=engine, direction=direction, folder=f"{two[0]}:{two[1]}")
    assert [[file.name for file in folder.iterdir()] for folder in two] == [
        ["watari-4194304-1of2.data"],
        ["watari-4194304-2of2.data"],
    ]
    # the tests' folders are on one disk
    assert f"{two[0]} and {two[1]} are on one device: its rate is shared" in result["notes"]
    for number in (1, 2):
        assert result["quantities"][f"latency_p50_file_{number}"]["value"] > 0
    # each folder has its stripes: the same files in one folder are the same store
    for file in two[1].iterdir():
        file.rename(two[0] / file.name)
    run(engine="posix", files=2, folder=str(two[0]), pattern="sequential", block="64KiB")


def test_a_folder_that_is_named_twice_has_twice_the_share(two: tuple[Path, Path]) -> None:
    result = run(folder=f"{two[0]}:{two[0]}:{two[1]}", size="6MiB")
    assert [len(list(folder.iterdir())) for folder in two] == [2, 1]
    assert sum("on one device" in note for note in result["notes"]) == 1
    same = run(folder=f"{two[0]}:{two[0]}", size="6MiB")
    assert not any("on one device" in note for note in same["notes"])


def test_folders_have_as_many_files_each(two: tuple[Path, Path]) -> None:
    folders = f"{two[0]}:{two[1]}"
    assert request(folder=folders).parameters["files"] == 2
    assert request(folder=folders, files=4).parameters["files"] == 4
    with pytest.raises(UsageError, match="each of 2 folders has as many files, files=2"):
        request(folder=folders, files=3)
    assert folders_of("s3://bucket/prefix") == []


def test_a_folder_that_is_missing_is_refused_by_its_name(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"folder={two[0]}/none does not exist" in refused(
        capsys, "run", "storage", f"folder={two[0]}:{two[0]}/none", "size=4MiB"
    )
