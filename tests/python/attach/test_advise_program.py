"""`watari advise -- ./a.out`: the answer for a program that the driver without a GPU runs."""

from __future__ import annotations

import json

import pytest
import tracing
from tracing import trace, watari

TIMES = {"FAKE_CUDA_KERNEL_US": "100", "FAKE_CUDA_COPY_NS": "200"}
ROUNDS = "40"
TRIES = 6


def calm(run):
    """Runs a command until its replay agrees with the runs of the program: on a busy machine these
    may differ by more than they did."""
    for _ in range(TRIES):
        ended = run()
        if "is predicted" not in ended.stdout:
            break
    return ended


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A traced program of copies: its folder."""
    folder = tmp_path_factory.mktemp("copies")

    def run():
        return trace(folder, "replayed", "copies", ROUNDS, options=["--no-touches"], **TIMES)[0]

    ended = calm(run)
    assert ended.returncode == 0, ended.stderr
    return folder


def test_the_answer_has_its_parts_in_order(tmp_path) -> None:
    program = (tracing.program("replayed"), "copies", ROUNDS)
    ended = calm(lambda: watari(tmp_path, "advise", "--machine", "gh200", "--", *program, **TIMES))
    assert ended.returncode == 0, ended.stderr
    found = [ended.stdout.index(part) for part in ("where the time goes", "what would help")]
    assert found == sorted(found)
    assert found[-1] < ended.stdout.index("memory styles")
    assert "copies(int) at replayed.cpp" in ended.stdout
    assert "copy once, if the CPU does not change the data: 39 of 40 copies" in ended.stdout
    assert not list(tmp_path.iterdir())


def test_the_answer_of_a_trace_as_json(traced) -> None:
    ended = watari(traced, "advise", "trace.json", "--machine", "gh200", "--json")
    found = json.loads(ended.stdout)
    assert found["schema"] == "watari-advice-1"
    assert sum(found["shares"].values()) == pytest.approx(found["replayed"])
    pinned = [one for one in found["savings"] if one["change"] == "pin"]
    assert {one["times"] for one in pinned} == {int(ROUNDS)}
    assert all(one["saves"]["low"] <= one["saves"]["seconds"] for one in found["savings"])
    assert all(not one["imposed"] for one in found["savings"])  # of 1 MiB: nothing to stage
    assert found["left"]["seconds"] < found["replayed"]


def test_the_machine_of_the_trace_counts_unless_another_is_named(traced) -> None:
    here, there = (watari(traced, "advise", "trace.json", *on) for on in ([], ["--machine=gh200"]))
    assert here.returncode == there.returncode == 0, here.stderr + there.stderr
    assert "published values of the nearest one, pegasus" in here.stdout
    assert "machine: gh200" in there.stdout
    note = "the time of the CPU, and of calls, is that of the machine of the trace"
    assert note in there.stdout
    assert note not in here.stdout


def test_a_machine_without_measurements_of_its_link_has_no_answer(traced) -> None:
    ended = watari(traced, "advise", "trace.json", "--machine", "mi300a")
    assert ended.returncode == 0, ended.stderr
    assert "nothing more is predicted: mi300a has no measurement of" in ended.stdout
    assert "what would help" not in ended.stdout


def test_styles_are_imposed_or_rewritten(traced) -> None:
    ended = watari(traced, "predict", "trace.json", "--json")
    found = json.loads(ended.stdout)
    for part in ("imposed", "rewritten"):
        names = {one["style"] for one in found["styles"][part]}
        assert {"as-is", "managed", "managed-prefetch", "mapped", "pinned"} <= names
        assert found["groups"][part][0][0] in names
    words = watari(traced, "predict", "trace.json").stdout
    assert "memory styles, imposed from outside (watari try): " in words
    assert "memory styles, if the source were rewritten: " in words
    assert "what would help" not in words


def test_a_trace_without_its_graph_is_refused(traced, tmp_path) -> None:
    (tmp_path / "alone.json").write_text((traced / "trace.json").read_text())
    ended = watari(tmp_path, "advise", "alone.json")
    assert ended.returncode != 0
    assert "trace.graph is missing" in ended.stderr


def test_what_stops_a_replay_is_said_and_nothing_more(traced, tmp_path) -> None:
    content = json.loads((traced / "trace.json").read_text())
    seen = content["observed"]["replay"]
    seen["met"] = [{"word": "processes", "text": "2 processes use CUDA", "stops": True}]
    seen["stops"] = True
    (tmp_path / "trace.json").write_text(json.dumps(content))
    (tmp_path / "trace.graph").write_bytes((traced / "trace.graph").read_bytes())
    ended = watari(tmp_path, "advise", "trace.json", "--machine", "gh200")
    assert "where the time goes" in ended.stdout
    assert "nothing more is predicted: 2 processes use CUDA" in ended.stdout
    assert "what would help" not in ended.stdout
    assert "memory styles" not in ended.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["advise", "trace.json", "--confirm"], "--confirm runs a program"),
        (["advise", "trace.json", "--processes", "4"], "--processes is for a case"),
        (["predict", "trace.json", "--why"], "are for a case"),
    ],
)
def test_what_a_trace_cannot_have_is_refused(traced, words: list[str], says: str) -> None:
    ended = watari(traced, *words)
    assert ended.returncode == 2
    assert says in ended.stderr
