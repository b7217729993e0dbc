"""The worker turns whatever a case does into one trial."""

import dataclasses
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

from watari import cases
from watari.case.profile import Phase, Profile
from watari.common import errors
from watari.plan.request import Request, resolve
from watari.results.trial import Trial
from watari.run import worker
from watari.run.journal import checked_trial

PARAMETERS = {"processor": "cpu", "size": 2**20}


def profile(parameters):
    return Profile((Phase("copy", 2 * parameters["size"]),), {})


@pytest.fixture
def case(monkeypatch):
    """Makes `copy` run a given function."""

    def replace(function):
        replaced = dataclasses.replace(cases.CASES["copy"], run=function, profile=profile)
        monkeypatch.setitem(cases.CASES, "copy", replaced)

    return replace


def raising(error):
    def run(parameters):
        raise error

    return run


def run_main(tmp_path, parameters=PARAMETERS):
    case_file, result = tmp_path / "case.json", tmp_path / "result.json"
    case_file.write_text(json.dumps({"case": "copy", "parameters": parameters}))
    code = worker.main([str(case_file), str(result)])
    return code, json.loads(result.read_text()) if result.exists() else None


def test_arrays_become_lists_and_times_are_added(case, tmp_path):
    case(
        lambda parameters: {
            "host_s": numpy.array([0.5, 0.25]),
            "series": {"cpu_mapped_fraction.source": numpy.ones(2)},
            "quantities": {"threads": {"value": numpy.int64(2), "unit": "1"}},
            "verified": numpy.bool_(True),
            "first_sample_monotonic": time.clock_gettime(time.CLOCK_MONOTONIC),
        }
    )
    code, trial = run_main(tmp_path)
    assert code == 0
    assert (trial["status"], trial["host_s"], trial["ranks"]) == ("ok", [0.5, 0.25], 1)
    assert (trial["bytes_per_sample"], trial["flops_per_sample"]) == (2**21, 0)
    assert trial["verified"] is True
    assert trial["quantities"]["threads"] == {"value": 2, "unit": "1"}
    assert trial["quantities"]["peak_rss"]["value"] > 2**20
    assert 0 < trial["quantities"]["setup_s"]["value"] < 3600
    assert "first_sample_monotonic" not in trial
    checked_trial(Request("made-up", {}, 1), trial)


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (errors.UnsupportedError("no GPU driver"), "unsupported", "no GPU driver"),
        (
            errors.BeyondMemoryError("2 TiB asked for,\n 16 GiB free"),
            "unsupported",
            "asked for, 16",
        ),
        (errors.WrongResultError("element 3 is 4, not 5"), "wrong", "element 3"),
        (errors.GpuError("cudaMalloc: out of memory"), "failed", "cudaMalloc"),
        (ZeroDivisionError("division by zero"), "failed", "ZeroDivisionError: division by zero"),
        (MemoryError(), "failed", "MemoryError"),
    ],
)
def test_errors_become_statuses(case, error, status, text, tmp_path):
    case(raising(error))
    code, trial = run_main(tmp_path)
    assert (code, trial["status"], trial["host_s"]) == (0, status, [])
    assert text in trial["error"]
    assert "\n" not in trial["error"]
    checked_trial(Request("made-up", {}, 1), trial)


@pytest.mark.parametrize("variable", worker.RANK_VARIABLES)
def test_only_rank_0_writes(case, variable, tmp_path, monkeypatch):
    case(lambda parameters: {"host_s": [1.0]})
    monkeypatch.setenv(variable, "1")
    assert run_main(tmp_path) == (0, None)
    monkeypatch.setenv(variable, "0")
    assert run_main(tmp_path)[1]["status"] == "ok"


def test_failing_rank_exits_so_that_the_launcher_ends_the_others(
    case, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    case(raising(RuntimeError("lost")))
    assert run_main(tmp_path) == (1, None)
    assert "watari: RuntimeError: lost" in capsys.readouterr().err
    case(raising(errors.UnsupportedError("no GPU")))
    assert run_main(tmp_path) == (0, None)


def test_result_that_cannot_be_written_has_its_own_exit_code(case, tmp_path, capsys):
    case(lambda parameters: {"host_s": [1.0]})
    case_file = tmp_path / "case.json"
    case_file.write_text(json.dumps({"case": "copy", "parameters": PARAMETERS}))
    code = worker.main([str(case_file), str(tmp_path / "absent" / "result")])
    assert code == worker.CANNOT_WRITE
    assert "watari: " in capsys.readouterr().err


def test_nothing_heavy_is_imported():
    code = (
        "import sys, watari.run.worker, watari.cases; "
        "print([m for m in ('pydantic', 'pydantic_core', 'typer', 'rich', 'pandas', 'altair', "
        "'numpy') if m in sys.modules])"
    )
    path = str(Path(worker.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_a_size_beyond_memory_is_unsupported_with_both_numbers(tmp_path):
    machine = {"processors": [{"kind": "cpu", "cores": 1}], "memory_available_bytes": 2**34}
    request = resolve("copy", {"processor": "cpu", "size": "512TiB", "samples": 1}, machine)[0]
    _, trial = run_main(tmp_path, request.parameters)
    assert trial["status"] == "unsupported"
    assert sum(character.isdigit() for character in trial["error"]) >= 2
    Trial.model_validate({k: v for k, v in trial.items() if "per_sample" not in k})
