"""The files that a traced process writes, and the names of its functions."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tracing import kernel, process, record

from watari.attach.events import Frame
from watari.attach.trace.records import lines, records
from watari.attach.trace.records.records import Kind
from watari.common.errors import FileError


def test_kernels_have_the_names_of_their_source() -> None:
    if not shutil.which("c++filt"):
        pytest.skip("no c++filt: install binutils")
    names = {1: "_Z7add_onePfm", 2: "plain"}
    assert lines.demangled(names) == {1: "add_one(float*, unsigned long)", 2: "plain"}


def test_a_tool_that_does_not_answer_costs_the_words_alone(monkeypatch, tmp_path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(lines, "SECONDS", 0.1)
    monkeypatch.setattr(shutil, "which", lambda name: str(slow))
    names = {1: "_Z7add_onePfm", 2: "plain"}
    assert lines.demangled(names) == names
    assert lines.of([Frame(str(slow), 0x10)]) == {}


def test_a_file_that_is_cut_off_counts_as_far_as_it_is_whole(tmp_path) -> None:
    of = process(kernel(1, 2))
    (tmp_path / "records-12.bin").write_bytes(of.records.tobytes()[:-1])
    (tmp_path / "notes-12.txt").write_text(
        "name 1 first\nsite 77 /a b/c.so+0x1f\t/d+0x2\nname 2 se"
    )
    read = records.read(tmp_path)[0]
    assert (read.pid, len(read.records), read.ended) == (12, 2, False)
    assert read.names == {1: "first"}
    assert read.sites == {77: (Frame("/a b/c.so", 0x1F), Frame("/d", 2))}


def test_calls_have_their_function_names(tmp_path) -> None:
    (tmp_path / "records-12.bin").write_bytes(process(kernel(1, 2)).records.tobytes())
    calls = np.zeros(2, records.CALL)
    calls["function"], calls["thread"] = [0x20001, 0x20002], 12
    (tmp_path / "calls-12.bin").write_bytes(calls.tobytes()[:-1])
    (tmp_path / "notes-12.txt").write_text("call 131073 cuInit\n")
    read = records.read(tmp_path)[0]
    assert [(read.functions[int(c["function"])], int(c["thread"])) for c in read.calls] == [
        ("cuInit", 12)
    ]


def test_lines_that_were_torn_are_left_out(tmp_path) -> None:
    (tmp_path / "records-12.bin").write_bytes(process(kernel(1, 2)).records.tobytes())
    (tmp_path / "notes-12.txt").write_text("na\nname 1\n\nname one first\nname 2 second\n")
    assert records.read(tmp_path)[0].names == {1: "", 2: "second"}


def test_records_of_another_format_are_refused(tmp_path) -> None:
    begun = record(Kind.BEGIN, 0, detail=99)
    (tmp_path / "records-1.bin").write_bytes(begun.tobytes())
    with pytest.raises(FileError, match="format 99"):
        records.read(tmp_path)
