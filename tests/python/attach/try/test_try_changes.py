"""Changes as rows of `watari try`, on a driver without a GPU."""

import pytest
from tried import MB, attempt, program, quantity, watari

from watari.attach import imposed
from watari.attach.changes import CHANGES
from watari.attach.events import Allocation, Process
from watari.common.errors import UsageError

SLOW = 20_000_000  # ns of an allocation: what `pooled` saves is more than the spread
ONLY = ("--styles", "as-is", "--runs", "2")


def test_a_change_that_can_matter_is_run_beside_the_styles(tmp_path):
    ended, rows = attempt(
        tmp_path, "again", str(MB), options=ONLY, changes=None, delay_ns=SLOW, code=0
    )
    assert "pooled" in rows
    assert rows["pooled"]["status"] == "ok"
    assert quantity(rows["pooled"], "pooled_times") == 9
    assert quantity(rows["pooled"], "pooled_bytes") == 9 * MB
    assert quantity(rows["pooled"], "pooled_saved_s") > 9 * SLOW * 1e-9
    assert "pooled_times" not in rows["as-is"]["trials"][-1]["quantities"]
    assert "pooled: saves " in ended.stdout
    assert "9 allocations, 9 MB" in ended.stdout


def test_a_program_without_repeated_sizes_has_nothing_to_pool(tmp_path):
    _, rows = attempt(tmp_path, "device", str(MB), options=ONLY, changes=None, delay_ns=SLOW)
    assert "pooled" not in rows


def test_changes_are_run_alone_and_together(tmp_path):
    chosen = "pooled,staged,near"
    ended, rows = attempt(tmp_path, "again", str(MB), options=ONLY, changes=chosen)
    assert {"pooled", "staged", "pooled+staged"} <= set(rows)
    _, _, after = " ".join(ended.stdout.split()).partition(" pooled+staged: ")
    saved, _, acted = after.partition("; 9 allocations, 9 MB; ")
    assert acted.startswith("staged changed nothing (it acts on cudaMemcpy of pageable memory)")
    assert "(-" not in saved  # the verb says it
    assert rows["near"]["status"] in ("unsupported", "ok")
    assert rows["near"]["status"] == "ok" or "near: " in ended.stdout


def test_none_and_unknown_changes(tmp_path):
    _, rows = attempt(tmp_path, "again", str(MB), options=ONLY, delay_ns=SLOW)
    assert set(rows) == {"as-is"}
    ended = watari("try", "--changes", "fast", "--", "true", cwd=tmp_path, code=2)
    assert "unknown change 'fast'; known: staged, pooled" in ended.stderr


def test_changes_of_a_shell_do_not_act_in_the_rows(tmp_path, monkeypatch):
    monkeypatch.setenv("WATARI_CHANGES", "pooled")
    monkeypatch.setenv("WATARI_CHANGES_VERBOSE", "1")
    _, rows = attempt(tmp_path, "again", str(MB), options=ONLY)
    assert "pooled_times" not in rows["as-is"]["trials"][-1]["quantities"]


def test_a_rule_chooses_the_allocations_of_a_change(tmp_path):
    options = (*ONLY, "--only", "size>=2000000")
    _, rows = attempt(tmp_path, "again", str(MB), options=options, changes="pooled")
    assert "pooled_times" not in rows["pooled"]["trials"][-1]["quantities"]


def test_a_report_draws_the_rows(tmp_path):
    attempt(tmp_path, "again", str(MB), options=ONLY, changes="pooled")
    figure = tmp_path / "try.svg"
    ended = watari("report", "run.json", "--format", "svg", "-o", str(tmp_path), cwd=tmp_path)
    if "pip install" in ended.stderr:
        pytest.skip("no packages for figures")
    assert ended.returncode == 0, ended.stderr
    drawn = [path.read_text() for path in tmp_path.glob("*.svg")]
    assert any("pooled" in text for text in drawn), figure


def test_words_of_changes():
    assert imposed.chosen(None) is None
    assert imposed.chosen("all") == list(CHANGES)
    assert imposed.chosen("none") == []
    assert imposed.chosen("pooled, staged,pooled") == ["pooled", "staged"]
    for words in ("", "fast", "all,pooled"):
        with pytest.raises(UsageError):
            imposed.chosen(words)


def allocation(begun, ended, bytes_, context=1, shared="", api="cuMemAlloc"):
    return Allocation(
        *(1, "0", 0, api, 0, bytes_, "device", "device", 0, begun, 0.5, 0),
        ended=ended,
        shared=shared,
        context=context,
    )


@pytest.mark.parametrize(
    ("rows", "seconds"),
    [
        ([(0, 1, 8), (2, 3, 8), (4, None, 8)], 2.0),
        ([(0, 2, 8), (1, 3, 8)], 0.0),  # both at once
        ([(0, 1, 8), (2, 3, 9)], 0.0),
        ([(0, 1, 8), (2, 3, 8, 2)], 0.0),  # another context
        ([(0, 1, 8, 1, "cuIpcGetMemHandle"), (2, 3, 8)], 0.0),
        ([(0, 1, 8, 1, "", "cuMemAllocAsync"), (2, 3, 8)], 0.0),
    ],
)
def test_seconds_of_sizes_that_return(rows, seconds):
    process = Process(1, "a.out", "as-is", 0.0)
    process.allocations = [allocation(*row) for row in rows]
    assert imposed.repeated(process) == seconds


def test_copies_have_sites_and_rules(tmp_path):
    words = ("--", program(), "again", str(8 * MB))
    ended = watari("try", "--sites", *words, cwd=tmp_path)
    rows = [line.split() for line in ended.stdout.partition("copies at")[2].splitlines()]
    copies = [row for row in rows if row[-2:-1] in (["GPU"], ["CPU"])]
    assert [(row[1], row[-2]) for row in copies].count(("10", "GPU")) == 1
    rule = ("--changes", "staged", "--only", f"copy:{copies[0][0]}", "--styles", "as-is")
    ended = watari(
        "try", *rule, "--no-traced", "--runs", "1", "-o", "run.json", *words, cwd=tmp_path, code=0
    )
    assert "staged" in ended.stdout
    ended = watari("try", "--only", "copy:1", *words, cwd=tmp_path, code=2)
    assert "site:HASH or copy:HASH" in ended.stderr
