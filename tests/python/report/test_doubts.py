"""Doubts, notes and labels: remarks beside the numbers in a row or in the head of a report."""

from __future__ import annotations

from typing import Any

import synthetic

from watari.cases.notes import extras, notes
from watari.cli import summary
from watari.common.units import format_speed
from watari.plan.request import resolve
from watari.report.doubts import doubts
from watari.results.measured import Measured, measurements
from watari.results.schema import Results
from watari.run.runner import line


def cpu(**changes: Any) -> Results:
    """The CPU machine's copies, with 2 threads unless `changes` has another number."""
    made = synthetic.plain(synthetic.cpu_machine())
    for case in made["cases"]:
        case["parameters"] |= {"threads": 2} | changes
    return Results.model_validate(made)


def of(results: Results) -> list[Measured]:
    return measurements([results])


def titles(results: Results, unreached: int = 0) -> dict[str, list[str]]:
    return {doubt.title: doubt.cases for doubt in doubts(of(results), unreached)}


def test_a_sweep_over_threads_has_different_rows() -> None:
    made = cpu().as_dict()
    one = made["cases"][-1]
    two = {**one, "parameters": one["parameters"] | {"threads": 1}}
    made["cases"] = [one, two]
    rows = extras(of(Results.model_validate(made)))
    assert rows == ["threads=2", "threads=1"]


def test_an_axis_away_from_its_default_stands_in_its_row() -> None:
    assert extras(of(cpu())) == ["", "", ""]
    assert extras(of(cpu(threads=1))) == ["threads=1"] * 3
    assert extras(of(cpu(oversubscribe=True))) == ["oversubscribe=yes"] * 3
    assert extras(of(cpu(thp="always"))) == ["", "", ""]  # the words say it


def test_the_summary_shows_swept_threads() -> None:
    made = cpu().as_dict()
    one = made["cases"][-1]
    made["cases"] = [one, {**one, "parameters": one["parameters"] | {"threads": 1}}]
    table = summary.render(Results.model_validate(made)).renderables[0]
    cells = [str(cell) for cell in table.columns[0].cells]
    assert [cell.split()[-1] for cell in cells] == ["threads=2", "threads=1"]


def test_sizes_within_a_cache_and_shared_cores_are_remarked() -> None:
    found = {m["size"]: notes(m) for m in of(cpu())}
    assert found == {2**20: ["within cache"], 2**26: [], 2**30: []}
    assert notes(of(cpu(threads=8))[-1]) == ["8 threads on 2 cores"]
    two_ranks = cpu(ranks=2).as_dict()
    assert notes(of(Results.model_validate(two_ranks))[-1]) == ["4 threads on 2 cores"]
    two_ranks["machine"]["hosts"] = ["a", "b"]
    assert notes(of(Results.model_validate(two_ranks))[-1]) == [], "a rank on each host"
    gpu = {m["size"]: notes(m) for m in of(synthetic.results()) if m["from"] == "pinned"}
    assert gpu[2**20] == []  # crosses the link, whatever caches hold


def test_what_lies_in_a_store_is_in_no_cache_and_one_rank_has_no_halo() -> None:
    machine = synthetic.cpu_machine()
    for name, given in (("himeno", {"grid": "XS"}), ("gemm", {"n": "512", "tile": "128"})):
        (wanted,) = resolve(name, {"processor": "cpu", **given}, machine)
        made = synthetic.plain(machine)
        made["cases"] = [made["cases"][0] | {"case": name, "parameters": wanted.parameters}]
        made["cases"][0]["flops_per_sample"] = 34
        (m,) = of(Results.model_validate(made))
        assert notes(m) == (["within cache"] if name == "himeno" else [])
        assert extras([m]) == [""]


def test_a_clean_run_has_no_doubts() -> None:
    assert titles(cpu()) == {}


def test_doubts_name_their_cases() -> None:
    made = cpu(threads=8).as_dict()
    wide, single, flagged = made["cases"]
    for i, trial in enumerate(wide["trials"]):
        trial["host_s"] = [(1 + i) * s for s in trial["host_s"]]
    single["trials"] = single["trials"][:1]
    flagged["flags"] = ["above-limit"]
    found = titles(Results.model_validate(made), 4)
    assert list(found) == [
        "Above a limit",
        "Threads share cores",
        "Wide spread",
        "Single trials",
        "Fewer trials than planned",
    ]
    assert "1 MiB" in found["Wide spread"][0]
    assert found["Fewer trials than planned"] == [f"{found['Single trials'][0]}: 1 of 5"]
    assert found["Above a limit"][0].endswith("1 GiB: above-limit")


def test_wrong_and_failed_come_first_and_hm_is_explained_once() -> None:
    made = synthetic.results().as_dict()
    for case in made["cases"]:  # of one trial each, so that a doubt names them
        case["trials"] = case["trials"][:1]
    found = doubts(of(Results.model_validate(made)))
    assert found[0].title == "Wrong or failed"
    assert found[0].serious
    texts = [text for doubt in found for text in doubt.cases]
    assert sum("HM: host memory" in text for text in texts) == 1
    first = next(text for text in texts if "HM Read" in text)
    assert "HM: host memory, DM: device memory" in first


def test_progress_tells_latency_in_nanoseconds() -> None:
    machine = synthetic.cpu_machine()
    trial = {"status": "ok", "host_s": [1e-3], "bytes_per_sample": 8 * 10**5}
    (load,) = resolve("latency", {"processor": "cpu", "size": "4KiB"}, machine)
    assert "ok 10 ns (" in line("", load, 1, trial, 0.1)
    (copy,) = resolve("copy", {"processor": "cpu", "size": "1MiB"}, machine)
    assert "ok 0.8 GB/s (" in line("", copy, 1, trial, 0.1)
    assert "ok  (" in line("", copy, 1, trial | {"host_s": []}, 0.1)


def test_speeds_have_the_unit_that_reads_best() -> None:
    assert format_speed(4253) == "4.25 TB/s"
    assert format_speed(54.2, 56) == "54.2–56 GB/s"
    assert format_speed(2.11, 1280) == "2.11–1.28e+03 GB/s"
