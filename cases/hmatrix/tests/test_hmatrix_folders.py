"""H-matrices that are striped over several folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import synthetic
from command_line import refused

from watari.cases.hmatrix import trial
from watari.plan.request import resolve

MIB = 2**20
STRIPE = MIB


def run(folder: str, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "cpu", "engine": "posix", "mesh": "bumpy:8", "samples": 1}
    wanted |= {"folder": folder, "batch": 2**14, "fast-memory": 6 * MIB}
    wanted |= {name.replace("_", "-"): value for name, value in given.items()}
    measured = trial.run(resolve("hmatrix", wanted, synthetic.gpu_machine())[0].parameters)
    assert measured["verified"]
    return measured


def value(measured: dict[str, Any], name: str) -> float:
    return float(measured["quantities"][name]["value"])


@pytest.mark.parametrize("engine", ["posix", "uring", "mmap", "queue"])
def test_a_matrix_in_two_folders_is_that_of_one(engine: str, two: tuple[Path, Path]) -> None:
    alone = run(str(two[0]), engine=engine)
    (whole,) = two[0].iterdir()
    both = run(f"{two[0]}:{two[1]}", engine=engine)
    for name in ("capacitance", "residual", "products"):
        assert value(both, name) == value(alone, name)
    assert f"{two[0]} and {two[1]} are on one device: its rate is shared" in both["notes"]
    parts = [next(folder.glob("*of2.data")) for folder in two]
    assert [part.name[-9:] for part in parts] == ["1of2.data", "2of2.data"]
    data = [part.read_bytes() for part in parts]
    together = b"".join(
        part[at : at + STRIPE] for at in range(0, len(data[0]), STRIPE) for part in data
    )
    # the head has the number of files
    assert together[4096 : whole.stat().st_size] == whole.read_bytes()[4096:]
    assert "build_s" not in run(f"{two[0]}:{two[1]}", engine=engine)["quantities"]  # as it is


def test_a_folder_that_is_named_twice_has_twice_the_share(two: tuple[Path, Path]) -> None:
    run(f"{two[0]}:{two[0]}:{two[1]}")
    assert sorted(len(list(folder.iterdir())) for folder in two) == [1, 2]


def test_a_file_that_is_missing_or_damaged_is_built_again(two: tuple[Path, Path]) -> None:
    folders = f"{two[0]}:{two[1]}"
    first = run(folders)
    (second,) = two[1].iterdir()
    content = second.read_bytes()
    second.unlink()
    assert value(run(folders), "build_s") > 0
    assert second.read_bytes() == content
    second.write_bytes(content[: len(content) // 2])  # a torn write
    again = run(folders)
    assert value(again, "build_s") > 0
    assert second.read_bytes() == content
    assert value(again, "capacitance") == value(first, "capacitance")


def test_a_folder_that_does_not_exist_is_refused_by_its_name(
    two: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"folder={two[0]}:{two[0]}/none"
    assert f"folder={two[0]}/none does not exist" in refused(
        capsys, "run", "hmatrix", "mesh=cube:2", folder
    )
