"""H-matrices that are striped over several folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asked import GPU, quantities, request
from command_line import refused

from watari.cases.hmatrix import trial

STRIPE = MIB = 2**20


def run(folder: str, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "cpu", "engine": "posix", "mesh": "bumpy:8", "samples": 1}
    wanted |= {"folder": folder, "batch": 2**14, "fast_memory": 6 * MIB, **given}
    measured = trial.run(request("hmatrix", GPU, **wanted).parameters)
    assert measured["verified"]
    return {**quantities(measured), "notes": measured["notes"]}


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "queue"])
def test_a_matrix_in_two_folders_is_that_of_one(engine: str, two: tuple[Path, Path]) -> None:
    alone = run(str(two[0]), engine=engine)
    (whole,) = two[0].iterdir()
    both = run(f"{two[0]}:{two[1]}", engine=engine)
    for name in ("capacitance", "residual", "products"):
        assert both[name] == alone[name]
    assert f"{two[0]} and {two[1]} are on one device: its rate is shared" in both["notes"]
    parts = [next(folder.glob("*of2.data")) for folder in two]
    assert [part.name[-9:] for part in parts] == ["1of2.data", "2of2.data"]
    data = [part.read_bytes() for part in parts]
    together = b"".join(
        part[at : at + STRIPE] for at in range(0, len(data[0]), STRIPE) for part in data
    )
    # the head has the number of files
    assert together[4096 : whole.stat().st_size] == whole.read_bytes()[4096:]
    assert "build_s" not in run(f"{two[0]}:{two[1]}", engine=engine)  # as it is


def test_a_folder_that_is_named_twice_has_twice_the_share(two: tuple[Path, Path]) -> None:
    run(f"{two[0]}:{two[0]}:{two[1]}")
    assert sorted(len(list(folder.iterdir())) for folder in two) == [1, 2]


def test_a_file_that_is_missing_or_damaged_is_built_again(two: tuple[Path, Path]) -> None:
    folders = f"{two[0]}:{two[1]}"
    first = run(folders)
    (second,) = two[1].iterdir()
    content = second.read_bytes()
    second.unlink()
    assert run(folders)["build_s"] > 0
    assert second.read_bytes() == content
    second.write_bytes(content[: len(content) // 2])  # a torn write
    again = run(folders)
    assert again["build_s"] > 0
    assert second.read_bytes() == content
    assert again["capacitance"] == first["capacitance"]


def test_a_folder_that_does_not_exist_is_refused_by_its_name(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"folder={two[0]}:{two[0]}/none"
    assert f"folder={two[0]}/none does not exist" in refused(
        capsys, "run", "hmatrix", "mesh=cube:2", folder
    )
