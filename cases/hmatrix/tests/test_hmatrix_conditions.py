"""The conditions of Hanawa (2025): resident batches or none, a number of iterations, small batches,
several right-hand sides, inner iterations, modelled SSDs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import ssd_files
from asked import GPU, quantities, request
from command_line import refused

from watari.cases.hmatrix import _native as native
from watari.cases.hmatrix import axes, trial
from watari.cases.hmatrix.case import profile
from watari.common.errors import UnsupportedError, UsageError

MIB = 2**20


def parameters(folder: Path, **given: Any) -> dict[str, Any]:
    wanted = {"processor": "cpu", "engine": "posix", "mesh": "scan:6", "samples": 1}
    wanted |= {"folder": str(folder), "batch": 2**14, "fast_memory": 3 * MIB, **given}
    return request("hmatrix", GPU, **wanted).parameters


def run(folder: Path, **given: Any) -> tuple[dict[str, float], list[str]]:
    measured = trial.run(parameters(folder, **given))
    assert measured["verified"]
    return quantities(measured), measured["notes"]


def test_without_pinned_batches_each_product_reads_all_and_the_bits_are_the_same(
    tmp_path: Path,
) -> None:
    pinned, _ = run(tmp_path)
    assert 0 < pinned["resident_fraction"] < 1
    for budget in (3 * MIB, 0, 2**30):
        none, _ = run(tmp_path, pinned=False, fast_memory=budget)
        assert none["resident_fraction"] == 0
        assert none["read_bytes"] >= none["matrix_bytes"] > pinned["read_bytes"]
        for name in ("capacitance", "residual", "products"):
            assert none[name] == pinned[name]


def test_a_number_of_iterations_ends_the_solve_and_each_has_its_seconds(tmp_path: Path) -> None:
    given = {"solver": "bicgstab", "preconditioner": "none"}
    whole, notes = run(tmp_path, **given)
    assert notes == []
    assert whole["iterations"] > 8
    three, notes = run(tmp_path, **given, steps=3)
    assert three["iterations"] == 3
    assert three["products"] == 2 * 3 + 1  # two a step, and one for the true residual
    assert "stopped after 3 iterations" in notes[0]
    assert three["residual"] > 1e-6
    assert 0 <= three["iteration_read_s"] <= three["iteration_s"]
    assert 3 * three["iteration_s"] < three["solve_s"]
    for at in (1, 2):
        assert three[f"residual_{at}"] == whole[f"residual_{at}"]
    assert whole["residual_8"] < whole["residual_1"]


@pytest.fixture(scope="module")
def three_sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Three right-hand sides with usual batches."""
    return run(tmp_path_factory.mktemp("three_sides"), rhs=3)[0]


@pytest.mark.parametrize("engine", ["posix", "uring", "queue"])
@pytest.mark.parametrize(
    "batch", [*(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2**10)), 2**12, 2**16]
)
def test_small_batches_and_several_sides_have_the_same_charges(
    engine: str, batch: int, three_sides: dict[str, float], tmp_path: Path
) -> None:
    found, _ = run(tmp_path, rhs=3, engine=engine, batch=batch, pinned=False)
    assert found["capacitance"] == three_sides["capacitance"]
    assert found["products"] == three_sides["products"]


def test_inner_steps_take_fewer_products_with_what_stays(tmp_path: Path) -> None:
    given = {"solver": "fgmres", "mesh": "bumpy:12", "fast_memory": 26 * MIB, "batch": 2**16}
    plain, _ = run(tmp_path, **given)
    nested, _ = run(tmp_path, **given, inner=5)
    assert nested["products"] < plain["products"]
    assert nested["capacitance"] == pytest.approx(plain["capacitance"], rel=3e-6)


def test_inner_steps_need_their_solver_and_batches_that_stay(tmp_path: Path) -> None:
    for given, says in (
        ({}, "inner=5 needs solver=fgmres, not gmres"),
        ({"solver": "fgmres", "pinned": False}, "inner=5 needs resident batches: pinned=yes"),
    ):
        with pytest.raises(UsageError, match=says):
            axes.require_sense(parameters(tmp_path, inner=5, **given))


def test_engines_of_files_and_queues_take_the_time_of_modelled_ssds(tmp_path: Path) -> None:
    expected, _ = run(tmp_path)
    for engine, ssds in (("queue", 1), ("posix", 1), ("uring", 1), ("uring", 3)):
        found, notes = run(tmp_path, engine=engine, store="modelled:ten-million", files=ssds)
        assert found["capacitance"] == expected["capacitance"]
        many = f"{ssds} of " if ssds > 1 else ""
        assert any(note.startswith(f"modelled: {many}no product") for note in notes)
        assert found["solve_s"] > found["products"] * found["read_bytes"] / (ssds * 28e9)
    with pytest.raises(UnsupportedError, match="cannot hold a request back"):
        run(tmp_path, engine="mmap", store="modelled:ten-million")
    with pytest.raises(UsageError, match="files=2 is a number of modelled SSDs"):
        axes.require_sense(parameters(tmp_path, files=2))
    faulty, _ = run(tmp_path, engine="queue", store="modelled:ten-million", fault="delayed")
    assert faulty["capacitance"] == expected["capacitance"]


def test_a_model_in_a_file_carries_its_error_and_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ssd_files.store(tmp_path, directions=("read",))
    found, notes = run(tmp_path, engine="uring", store=store)
    assert found["model_latency_worst"] == 0
    assert any("error at rows left out" in note for note in notes)
    words = ["run", "hmatrix", "mesh=cube:2", "engine=uring"]
    said = refused(capsys, *words, f"store={store}", "depth=4096")
    assert "the model has no range for" in said
    assert "none.toml: cannot be read" in refused(capsys, *words, "store=modelled:none.toml")


def test_a_disk_without_room_is_unsupported_before_anything_is_written(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    asked = parameters(tmp_path, mesh="bumpy:6") | {"eta": 2.5}  # a file of its own
    given = trial.native_parameters(asked) | {"expected_bytes": 2 * free}
    surface = native.HmatrixSurface(*native.hmatrix_shape("bumpy:6"), False)
    with pytest.raises(UnsupportedError, match="the matrix takes about"):
        native.hmatrix(surface, given)
    assert list(tmp_path.iterdir()) == []


def test_memory_of_a_case_is_that_of_its_batches(tmp_path: Path) -> None:
    def held(**given: Any) -> int:
        asked = parameters(tmp_path, mesh="bumpy:100", batch=MIB, fast_memory=0, **given)
        return profile(asked).memory

    size = axes.matrix_bytes(parameters(tmp_path, mesh="bumpy:100"))
    assert held() > size
    assert held(pinned=False) < size / 20
    assert held(pinned=False, store="ram") > size
