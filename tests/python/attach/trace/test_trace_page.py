"""A trace made of records as a file, a program of the model and a page."""

from __future__ import annotations

import json

import pytest
import tracing
from command_line import printed, refused
from tracing import MIB, allocation, counter, kernel, process

from watari.attach.trace.records.records import Counter
from watari.model.program import read_trace

A = 0x10000000


def test_the_file_is_a_program_of_the_model(tmp_path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(tracing.file_of(*tracing.example())))
    program = read_trace(path)
    assert [phase.name for phase in program.phases] == ["cpu-1", "gpu-2", "cpu-3"]
    assert program.allocations["aa#0"].bytes == MIB


def test_a_program_that_moved_nothing_is_a_file_too(tmp_path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(tracing.file_of(process(), [])))
    assert read_trace(path).allocations == {}
    traced = pytest.importorskip("watari.report.traced")
    assert "Nothing crossed the link." in traced.page(json.loads(path.read_text()), "watari trace")


def test_the_page_says_what_the_file_says_and_trusts_no_name() -> None:
    traced = pytest.importorskip("watari.report.traced")
    content = tracing.file_of(*tracing.example())
    content["observed"]["kernels"][0]["name"] = "<script>alert(1)</script>"
    content["observed"]["incomplete"] = ["CUPTI dropped 3 records"]
    page = traced.page(content, "watari trace -- ./a.out")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "Incomplete: CUPTI dropped 3 records" in page
    assert page.count('class="cells') == 2
    assert "(2.00 times as long)" in page


def test_the_page_shows_bytes_and_faults_of_allocations_by_phase() -> None:
    traced = pytest.importorskip("watari.report.traced")
    parts = (
        counter(Counter.CPU_FAULT, 1, A, 1),
        kernel(3, 4),
        counter(Counter.GPU_FAULT, 3.1, A, 1),
        counter(Counter.TO_GPU, 3.2, A, 4096),
    )
    content = tracing.file_of(process(*parts), [allocation(A, MIB, "aa", "managed")])
    label = content["observed"]["allocations"][0]["label"]
    labels = {"aa#0": label}
    first, second = content["observed"]["timeline"]["phases"]
    assert traced.used_text(first, labels) == f"{label}: 1 CPU faults"
    assert traced.used_text(second, labels) == f"{label}: 4.1 kB to the GPU, 1 GPU faults"
    assert f">{label}: 4.1 kB to the GPU, 1 GPU faults<" in traced.page(content, "watari trace")
    many = {"allocations": [{"name": str(i), "to_cpu": i} for i in range(1, 7)]}
    assert traced.used_text(many, {}).split("; ")[::4] == ["6: 6 B to the CPU", "and 2 more"]
    assert traced.used_text({}, {}) == ""  # a file of an earlier version


def test_report_makes_the_page_of_a_trace_from_another_machine(tmp_path, capsys) -> None:
    pytest.importorskip("watari.report.traced")
    path, page = tmp_path / "trace.json", tmp_path / "trace.html"
    path.write_text(json.dumps(tracing.file_of(*tracing.example()), indent=1))
    printed(capsys, "report", path)
    assert page.read_text().count('class="cells') == 2
    refused(capsys, "report", path, path)
    assert f"watari report {path} -o trace.html" in refused(
        capsys, "report", path, "--format", "svg"
    )
