"""`watari advise -- ./a.out`: the answer for a program that the driver without a GPU runs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import tracing
from builds import ROOT
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


def test_a_program_is_traced_for_an_answer(tmp_path) -> None:
    program = (tracing.program("replayed"), "copies", ROUNDS)
    ended = watari(tmp_path, "advise", "--machine", "gh200", "--", *program, **TIMES, code=0)
    assert "where the time goes" in ended.stdout
    assert ("what would help" in ended.stdout) != ("nothing more is predicted" in ended.stdout)
    assert not list(tmp_path.iterdir())


def test_the_answer_has_its_parts_in_order(traced) -> None:
    ended = watari(traced, "advise", "trace.json", "--machine", "gh200")
    parts = ("where the time goes", "what would help", "memory styles")
    found = [ended.stdout.index(part) for part in parts]
    assert found == sorted(found)
    assert "copies(int) at replayed.cpp" in ended.stdout
    assert "copy once, if the CPU does not change the data: 39 of 40 copies" in ended.stdout


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
    page = (ROOT / "docs" / "advise.md").read_text()
    keys = [*found, *found["savings"][0], *found["left"], *found["styles"], "confirmed"]
    assert [key for key in keys if f"`{key}`" not in page] == []


def test_the_machine_of_the_trace_counts_unless_another_is_named(traced) -> None:
    here, there = (watari(traced, "advise", "trace.json", *on) for on in ([], ["--machine=gh200"]))
    assert here.returncode == there.returncode == 0, here.stderr + there.stderr
    assert "published values of the nearest one, pegasus" in here.stdout
    assert "machine: gh200" in there.stdout
    note = "the time of the CPU, and of calls, is that of the machine of the trace"
    assert note in there.stdout
    assert note not in here.stdout


def test_a_machine_without_measurements_of_its_link_has_no_answer(traced) -> None:
    ended = watari(traced, "advise", "trace.json", "--machine", "mi300a", code=0)
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


def test_the_graph_of_another_trace_is_refused(traced, tmp_path) -> None:
    copy_of(traced, tmp_path)
    other = (traced / "trace.graph").read_bytes()
    (tmp_path / "trace.graph").write_bytes(other[:-100])
    ended = watari(tmp_path, "advise", "trace.json")
    assert ended.returncode != 0
    assert not ended.stdout
    assert "graph of another trace, or was cut off" in ended.stderr
    copy_of(traced, tmp_path, graph_digest="", calls=7)  # of a version without digests
    ended = watari(tmp_path, "advise", "trace.json")
    assert "graph of another trace than trace.json" in ended.stderr


def copy_of(traced: Path, folder: Path, **replay: object) -> None:
    """A trace with its graph in a folder, and other values of its replay."""
    content = json.loads((traced / "trace.json").read_text())
    content["observed"]["replay"] |= replay
    (folder / "trace.json").write_text(json.dumps(content))
    (folder / "trace.graph").write_bytes((traced / "trace.graph").read_bytes())


def test_a_replay_that_is_far_off_predicts_nothing(traced, tmp_path) -> None:
    """Unless the program's own runs differ as much; then the answer says so."""
    long = 2 * json.loads((traced / "trace.json").read_text())["observed"]["replay"]["seconds"]
    copy_of(traced, tmp_path, untraced_seconds=long, untraced=[])
    off = "the replay differs from the measured time by -50.0%"
    ended = watari(tmp_path, "advise", "trace.json", "--machine", "gh200")
    assert f"nothing more is predicted: {off}" in ended.stdout
    assert "what would help" not in ended.stdout
    found = json.loads(watari(tmp_path, "advise", "trace.json", "--json").stdout)
    assert found["stops"] == [off]
    assert not [*found["savings"], *found["changes"], *found["styles"]["imposed"]]
    copy_of(traced, tmp_path, untraced_seconds=long, untraced=[long, long / 2])
    ended = watari(tmp_path, "advise", "trace.json", "--machine", "gh200")
    assert f"note: {off}, within the noise of the runs without tracing" in ended.stdout
    assert "what would help" in ended.stdout


def test_a_replay_that_is_somewhat_off_has_wider_intervals(traced, tmp_path) -> None:
    seconds = json.loads((traced / "trace.json").read_text())["observed"]["replay"]["seconds"]
    measured = 0.9 * seconds
    met = [{"word": "total", "text": "the replay differs by +11.1%", "stops": True}]
    found = []
    for folder, words in ((tmp_path / "noise", []), (tmp_path / "off", met)):
        folder.mkdir()
        copy_of(traced, folder, untraced_seconds=measured, untraced=[measured, seconds], met=words)
        found.append(json.loads(watari(folder, "advise", "trace.json", "--json").stdout))
    (noise, off), by = found, 0.1 * seconds
    assert "+11.1%: every difference is uncertain by" in " ".join(off["notes"])
    assert not off["stops"]
    styles = [
        {one["style"]: one for one in each["styles"]["imposed"] if "seconds" in one}
        for each in found
    ]
    assert styles[0].keys() == styles[1].keys()
    assert len(styles[0]) > 1
    runs = styles[0]["as-is"]["high"] / styles[0]["as-is"]["seconds"] - 1  # what runs differ by

    def difference(one: dict[str, float], end: str) -> float:
        """How far an end is from the middle, without that."""
        away, noise = one[end] - one["seconds"], runs * one["seconds"]
        return math.sqrt(max(away**2 - noise**2, 0.0))

    for name, one in styles[0].items():
        wider = styles[1][name]
        added = 0 if name == "as-is" else by
        assert wider["seconds"] == pytest.approx(one["seconds"])
        assert wider["low"] <= one["low"]
        expected = difference(one, "high") + added
        assert difference(wider, "high") == pytest.approx(expected, abs=1e-6)
    for one, wider in zip(noise["changes"], off["changes"], strict=True):
        expected = difference(one, "high") + by
        assert difference(wider, "high") == pytest.approx(expected, abs=1e-6)


def test_what_stops_a_replay_is_said_and_nothing_more(traced, tmp_path) -> None:
    met = [{"word": "processes", "text": "2 processes use CUDA", "stops": True}]
    copy_of(traced, tmp_path, met=met, stops=True)
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
        (["advise", "trace.json", "--machine", "nowhere"], "unknown machine 'nowhere'"),
        (["advise", "trace.json", "--json", "-o", "a.svg"], "-o is a figure; --json goes to"),
        (["advise", "trace.json", "-o", "trace.json"], "write over trace.json"),
        (["advise", "trace.json", "-o", "a.txt"], "names of figures end in .svg"),
        (["advise", "himeno", "-o", "a.svg"], "-o draws the answer for a program"),
        (["advise", "--confirm", "--machine", "gh200", "--", "true"], "--machine is another one"),
        (["predict", "trace.json", "--why"], "are for a case"),
    ],
)
def test_what_a_trace_cannot_have_is_refused(traced, words: list[str], says: str) -> None:
    ended = watari(traced, *words, code=2)
    assert says in ended.stderr


def test_the_figure_is_written_beside_the_words(traced) -> None:
    ended = watari(traced, "advise", "trace.json", "--machine", "gh200", "-o", "figure.svg", code=0)
    assert ended.stdout.endswith("figure: figure.svg\n")
    assert (traced / "figure.svg").read_text().startswith("<svg")


def test_the_page_begins_with_the_answer(traced) -> None:
    pytest.importorskip("jinja2")
    watari(traced, "report", "trace.json", "-o", "page.html", code=0)
    page = (traced / "page.html").read_text()
    parts = (
        'class="bars"',
        "What would help</h3>",
        ">Memory styles, imposed",
        "What the trace says",
    )
    found = [page.index(part) for part in parts]
    assert found == sorted(found)
    assert "39 of 40 copies" in page


def test_the_page_of_a_trace_without_its_graph_has_the_shares_alone(traced, tmp_path) -> None:
    pytest.importorskip("jinja2")
    (tmp_path / "trace.json").write_text((traced / "trace.json").read_text())
    watari(tmp_path, "report", "trace.json", "-o", "page.html", code=0)
    page = (tmp_path / "page.html").read_text()
    assert 'class="bars"' in page
    assert "What would help" not in page
    assert "trace.graph is missing" in page


def test_words_of_the_program_stay_out_of_the_json(tmp_path) -> None:
    words = f"echo '{{'; echo oops >&2; exec {tracing.program('replayed')} copies 10"
    ended = watari(
        tmp_path, "advise", "--json", "--confirm", "--", "sh", "-c", words, **TIMES, code=0
    )
    found = json.loads(ended.stdout)
    names = [one["name"] for one in found["confirmed"]]
    assert names[:1] == ["as-is"] * bool(names)
    assert "oops" not in ended.stderr


@pytest.mark.parametrize("words", [["true"], ["false"]])
def test_a_program_without_cuda_has_no_answer(tmp_path, words: list[str]) -> None:
    ended = watari(tmp_path, "advise", "--", *words)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "never initialised CUDA" in ended.stderr


def test_predictions_stand_beside_runs(tmp_path) -> None:
    program = (tracing.program("replayed"), "copies", ROUNDS)
    ended = watari(
        tmp_path, "advise", "--confirm", "-o", "figure.svg", "--", *program, **TIMES, code=0
    )
    if "nothing more is predicted" in ended.stdout:
        assert "nothing to confirm" in ended.stdout
        return
    lines = ended.stdout.partition("confirmed, ")[2].splitlines()
    rows = [line.split()[0] for line in lines[2:] if line.startswith("  ")]
    assert rows[0] == "as-is"
    assert len(rows) == 3
    assert set(rows[1:]) <= {"managed", "managed-prefetch", "mapped", "pinned"}


@pytest.mark.slow
def test_changes_from_outside_are_predicted_for_the_whole_program(tmp_path) -> None:
    """The program copies 4 MiB from one site, into memory that it allocates and frees. A copy takes
    long: on a busy machine a short one would be less than the least part of a run that counts. The
    first 23 copies stay with the driver."""
    options, times = ["--no-touches"], {**TIMES, "FAKE_CUDA_COPY_NS": "4000"}
    ended, content = trace(tmp_path, "replayed", "large", "60", options=options, **times, code=0)
    content["observed"]["replay"] |= {"met": [], "stops": False}
    (tmp_path / "trace.json").write_text(json.dumps(content))
    ended = watari(tmp_path, "advise", "trace.json", "--machine", "gh200", "--json")
    found = json.loads(ended.stdout)
    (staged,) = [one for one in found["savings"] if one["change"] == "staged"]
    assert (staged["times"], staged["imposed"], staged["sure"]) == (37, "staged", True)
    assert staged["site"].startswith("large(int) at replayed.cpp")
    run = {one["style"]: one["seconds"] for one in found["changes"]}
    here = found["measured"] + found["replayed"] - content["observed"]["replay"]["seconds"]
    assert run["staged"] == pytest.approx(here - staged["saves"]["seconds"], rel=0.01)
