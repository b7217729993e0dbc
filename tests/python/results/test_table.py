"""Results as tables, by the library and by `watari export`."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from command_line import refused

import watari
from watari.cli.commands import exit_code
from watari.common.errors import FileError, UsageError
from watari.results import schema, table
from watari.results.measured import measurements

FIXTURES = Path(__file__).parents[2] / "fixtures" / "results"
FILES = sorted(FIXTURES.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_sample_is_a_row_with_the_axes_of_its_case(path: Path) -> None:
    results = schema.read(path)
    rows = list(table.rows(results))
    assert len(rows) == sum(len(trial.host_s) for case in results.cases for trial in case.trials)
    at = 0
    for case in results.cases:
        for number, trial in enumerate(case.trials, 1):
            for index, host in enumerate(trial.host_s):
                row = rows[at]
                assert (row["case"], row["trial"], row["sample"]) == (case.case, number, index)
                assert row["host_s"] == host
                assert case.parameters.items() <= row.items()
                device = trial.device_s[index] if trial.device_s else None
                assert row["device_s"] == device
                at += 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_row_a_trial_has_its_quantities(path: Path) -> None:
    results = schema.read(path)
    rows = list(table.rows(results, "trial"))
    trials = [trial for case in results.cases for trial in case.trials]
    assert len(rows) == len(trials)
    for row, trial in zip(rows, trials, strict=True):
        assert row["samples"] == len(trial.host_s)
        for name, quantity in trial.quantities.items():
            assert row[name] == quantity.value


def test_the_library_loads_a_frame() -> None:
    pytest.importorskip("pandas")
    frame = watari.load(FILES[0])
    assert {"case", "trial", "sample", "host_s"} <= set(frame.columns)
    assert len(frame) == len(list(table.rows(schema.read(FILES[0]))))
    assert len(watari.load(FILES[0], by="trial")) < len(frame)
    assert len(watari.load(FILES[0], by="case")) < len(watari.load(FILES[0], by="trial"))
    with pytest.raises(UsageError, match="by sample, by trial or by case"):
        watari.load(FILES[0], by="run")
    with pytest.raises(FileError, match="no-such-file"):
        watari.load("no-such-file.json")


def test_export_writes_every_row_of_every_file(tmp_path: Path) -> None:
    output = tmp_path / "all.csv"
    assert exit_code(["export", *map(str, FILES), "-o", str(output)]) == 0
    with output.open(newline="") as stream:
        written = list(csv.DictReader(stream))
    wanted = [row for path in FILES for row in table.rows(schema.read(path), file=path.name)]
    assert len(written) == len(wanted)
    assert [float(row["host_s"]) for row in written] == [row["host_s"] for row in wanted]
    assert list(written[0]) == table.columns(wanted)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("by", table.BY)
def test_a_row_has_file_host_and_rate(path: Path, by: str) -> None:
    results = schema.read(path)
    for row in table.rows(results, by, path.name):
        assert row["file"] == path.name
        assert row["host"] == " ".join(dict.fromkeys(results.machine.hosts))
        names = {"sample": ("device_s", "host_s"), "case": ("median_s",)}
        seconds = [row.get(n) for n in names.get(by, ("median_device_s", "median_host_s"))]
        if row.get("bytes_per_sample") and any(seconds):
            first = next(filter(None, seconds))
            assert row["GB/s"] == pytest.approx(row["bytes_per_sample"] / first / 1e9)


def test_a_row_a_case_has_the_median_of_the_report() -> None:
    results = schema.read(FIXTURES / "memory.json")
    rows = [row for row in table.rows(results, "case") if not row.get("phase") and "GB/s" in row]
    for m in measurements([results]):
        if not m.drawn or any(trial.get("phases") for trial in m.trials):
            continue
        row = next(r for r in rows if r["case"] == m.case and m.parameters.items() <= r.items())
        assert row["GB/s"] == pytest.approx(m.median, rel=0.05)
        assert row["trials"] == len(m.trials)
        assert row["low"] is None or row["low"] <= row["GB/s"] <= row["high"]


def test_a_table_in_markdown_has_a_row_a_case(tmp_path: Path) -> None:
    output = tmp_path / "run.md"
    file = FIXTURES / "memory.json"
    assert exit_code(["export", str(file), "--export-markdown", str(output)]) == 0
    assert exit_code(["export", str(file), str(file), "-o", str(output)]) == 0  # replaces it
    head, rule, *lines = output.read_text().splitlines()
    assert head.startswith("| Case | Run | Size | Median |")
    assert set(rule) <= set("|:- ")
    count = len(head.split(" | "))
    assert all(len(re.split(r"(?<!\\) \| ", line)) == count for line in lines)
    assert {line[2:].partition(":")[0] for line in lines} == {
        case.case for case in schema.read(file).cases
    }


def test_export_writes_parquet_or_says_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "all.parquet"
    code = exit_code(["export", str(FILES[0]), "-o", str(output)])
    if code == 0:
        pandas = pytest.importorskip("pandas")
        assert len(pandas.read_parquet(output)) == len(watari.load(FILES[0]))
    else:
        assert "parquet needs pandas and pyarrow" in capsys.readouterr().err
        assert not output.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["export", str(FILES[0]), "-o", "x.txt"], "names of tables end in .csv, .parquet"),
        (
            ["export", str(FILES[0]), "-o", "x.csv", "--by", "run"],
            "rows are by sample, by trial or by case",
        ),
        (["export", str(FILES[0])], f"watari export {FILES[0]} -o {FILES[0].stem}.csv"),
        (["export", str(FILES[0]), "-o", "x.md", "--by", "trial"], "has a row for each case"),
        (["export", str(FILES[0]), "--export-markdown", "x.csv"], "a name that ends in .md"),
        (
            ["export", str(FILES[0]), "-o", "a.md", "--export-markdown", "b.md"],
            "one table in Markdown: -o a.md or --export-markdown b.md",
        ),
        (["run", "copy", "-o", "x.csv"], "watari export x.json -o x.csv"),
    ],
)
def test_what_cannot_be_is_refused_with_advice(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert says in refused(capsys, *words)
    assert list(tmp_path.iterdir()) == []
