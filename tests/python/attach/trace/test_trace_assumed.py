"""Traces without the sampled run: what kernels access is a guess, which the model does not rank."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracing import trace

from watari.attach import fit
from watari.common.errors import UsageError
from watari.model import predict, program, trace_file
from watari.model.advise import advise
from watari.model.profiles import choose

PEGASUS = choose.by_text("pegasus")
REASON = "what its kernels touch was not recorded (not asked for)"


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """The same program traced without and with the sampled run."""
    made = {}
    for name, options in (("without", ["--no-touches"]), ("with", [])):
        made[name] = tmp_path_factory.mktemp(name)
        trace(made[name], "alternating", "4", options=options, code=0)
    return made


def test_phases_of_kernels_say_that_their_accesses_are_guesses(folders) -> None:
    marks = {}
    for name, folder in folders.items():
        of = trace_file.read(folder / "trace.json")
        marks[name] = {(p.name.partition("-")[0], p.assumed) for p in of.phases}
    assert marks["without"] == {("gpu", True), ("cpu", False)}
    assert marks["with"] == {("gpu", False), ("cpu", False)}


def test_kernels_without_copies_have_an_assumed_phase(tmp_path) -> None:
    trace(tmp_path, "replayed", "launches", "10", options=["--no-touches"])
    (phase,) = trace_file.read(tmp_path / "trace.json").phases
    assert (phase.accesses, phase.assumed) == ([], True)


def test_no_style_is_ranked_by_a_guess(folders) -> None:
    for name, folder in folders.items():
        found = predict.of_trace(program.read_trace(folder / "trace.json"), PEGASUS)
        reasons = {one.reason for one in found}
        if name == "with":
            assert "" in reasons
        else:
            assert reasons == {REASON}
            assert advise(found, PEGASUS).verdict == "no style can be predicted"


def test_traces_of_before_are_read_as_they_are(folders, tmp_path) -> None:
    """Nothing in their phases says that accesses are guesses."""
    text = (folders["without"] / "trace.json").read_text()
    (tmp_path / "old.json").write_text(text.replace(', "assumed": true', ""))
    old = program.read_trace(tmp_path / "old.json")
    assert {one.reason for one in predict.of_trace(old, PEGASUS)} == {REASON}


def test_nothing_is_moved_by_a_guess(folders) -> None:
    assert fit.touched(folders["with"] / "trace.json")
    with pytest.raises(UsageError, match="trace the program with touches"):
        fit.touched(folders["without"] / "trace.json")
