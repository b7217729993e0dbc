"""Comparisons, counts and result files of `watari try`, and the commands that read them."""

import json

import emulator
import pytest
from launching import executable
from tried import MB, attempt, driver, program, quantity, watari


def test_output_that_differs_by_itself_says_nothing(tmp_path):
    ended, styles = attempt(
        tmp_path, "device", "4096", "say", "pid", options=("--same-output", "-")
    )
    assert "differs between runs of as-is" in ended.stdout
    assert {styles[s]["status"] for s in ("as-is", "managed", "pinned")} == {"ok"}


def test_a_file_that_a_style_changes_is_named(tmp_path):
    text = f"#!/bin/sh\n{program()} kind 4096 > result\necho same > other\n"
    script = executable(tmp_path / "script.sh", text)
    output = tmp_path / "run.json"
    options = ("--no-traced", "--runs", "1", "--styles", "managed", "-o", str(output))
    files = ("--same-output", "result", "--same-output", "other", "--same-output", "never")
    watari("try", *options, *files, "--", str(script), cwd=tmp_path)
    case = json.loads(output.read_text())["cases"][1]
    assert case["reason"] == "the output differs from that of as-is: result"


def test_a_file_that_the_program_never_writes_is_not_called_the_same(tmp_path):
    ended, _ = attempt(
        tmp_path, "device", "4096", options=("--styles", "managed", "--same-output", "reslut.dat")
    )
    assert "reslut.dat: the program as it is does not write it" in ended.stdout
    assert "same" not in ended.stdout.replace("--same", "")


def test_report_compare_and_export_read_the_result(tmp_path):
    pytest.importorskip("vl_convert")
    attempt(tmp_path, "device", "4096", options=("--figure", "try.svg"))
    assert (tmp_path / "try.svg").read_text().startswith("<svg")
    assert watari("report", "run.json", "-o", "report.html", cwd=tmp_path).returncode == 0
    assert "Programs in each memory style" in (tmp_path / "report.html").read_text()
    watari("report", "run.json", "--format", "svg", "-o", "figures", cwd=tmp_path, code=0)
    assert "managed-prefetch" in (tmp_path / "figures" / "try.svg").read_text()
    assert watari("compare", "run.json", "run.json", cwd=tmp_path).returncode == 0
    assert watari("export", "run.json", "-o", "run.csv", cwd=tmp_path).returncode == 0
    assert "managed-prefetch" in (tmp_path / "run.csv").read_text()


def test_names_of_styles_fit_where_a_viewer_has_wider_letters():
    figure = pytest.importorskip("watari.attach.figure")
    spec = figure.chart("a.out", {"as-is": [1.0], "managed-prefetch": [2.0, 3.0]}).to_dict()
    axes = [layer["encoding"]["y"].get("axis", {}) for layer in spec["layer"]]
    assert axes[0]["minExtent"] == len("managed-prefetch") * figure.LETTER


def test_a_table_needs_nothing_that_draws(tmp_path):
    """The packages of the extra `report` are missing."""
    names = ("altair", "jinja2", "pygments", "vl_convert")
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({names}))\n"
    )
    environment = {**driver(), "PYTHONPATH": str(tmp_path)}
    words = ("try", "--runs", "1", "-o", "run.json", "--", program(), "device", "4096")
    ended = watari(*words, cwd=tmp_path, environment=environment, code=0)
    assert "managed-prefetch" in ended.stdout
    figure = ("try", "--figure", "a.svg", *words[1:])
    ended = watari(*figure, cwd=tmp_path, environment=environment, code=2)
    assert "pip install 'watari[report]'" in ended.stderr


def test_what_moves_is_counted_in_a_further_run(tmp_path):
    environment = emulator.environment(WATARI_CUPTI=emulator.cupti())
    options = ("--runs", "1", "--styles", "managed", "-o", "run.json")
    ended = watari(
        "try", *options, "--", program(), "device", str(MB), cwd=tmp_path, environment=environment
    )
    assert "One further run of each style, traced" in ended.stdout, ended.stderr
    as_is, managed = json.loads((tmp_path / "run.json").read_text())["cases"]
    assert quantity(as_is, "traced_kernels") == quantity(managed, "traced_kernels") == 1
    assert quantity(as_is, "traced_to_gpu_bytes") == MB
    assert quantity(as_is, "traced_to_cpu_bytes") == MB
    assert quantity(as_is, "traced_lost") == 0


def test_advice_on_a_program_comes_from_a_trace_of_it(tmp_path):
    environment = emulator.environment(WATARI_CUPTI=emulator.cupti())
    words = ("advise", "--machine", "gh200", "--", program(), "device", str(MB))
    ended = watari(*words, cwd=tmp_path, environment=environment, code=0)
    assert "where the time goes" in ended.stdout
    assert list(tmp_path.iterdir()) == []
    away = watari("advise", "--confirm", *words[1:], cwd=tmp_path, environment=environment, code=2)
    assert "--confirm runs the program on this machine" in away.stderr
    wrong = watari("advise", "--confirm", "himeno", "--machine", "gh200", cwd=tmp_path, code=2)
    assert "--confirm runs a program" in wrong.stderr


@pytest.mark.mpi
def test_ranks_are_one_result(tmp_path):
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = {**driver(), **allowed, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    options = (
        "--no-traced",
        "--runs",
        "1",
        "--ranks",
        "2",
        "--styles",
        "managed",
        "-o",
        "run.json",
    )
    watari(
        "try",
        *options,
        "--",
        program(),
        "device",
        "4096",
        cwd=tmp_path,
        environment=environment,
        code=0,
    )
    case = json.loads((tmp_path / "run.json").read_text())["cases"][1]
    assert case["parameters"]["ranks"] == 2
    assert quantity(case, "moved_allocations") == 2
