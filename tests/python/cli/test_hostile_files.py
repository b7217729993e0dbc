"""Damaged files, devices and endless files: one line, exit code 2, in bounded memory."""

from __future__ import annotations

import copy
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import synthetic
from held_out import FITTED

from watari.cli import commands

ROOT = Path(__file__).parents[3]
TRACE = ROOT / "results" / "nvidia-h200-x86_64" / "20261125-trace-patterns-later.json"
DEEP = "[" * 100_000
WIND = ["--grid", "32x32x32", "--steps", "1", "-o", "wind.vti"]


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    with pytest.raises(SystemExit) as ended:
        commands.main(list(map(str, words)))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which a command is refused."""
    code, _, err = answer(capsys, *words)
    assert (code, err.count("\n")) == (2, 1), err
    assert err.startswith("watari: ")
    return err


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def keys(part: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of each key of a document; of a list, those of its first item."""
    items = part.items() if isinstance(part, dict) else list(enumerate(part))[:1]
    for key, value in items:
        if isinstance(part, dict):
            yield (*path, key)
        if isinstance(value, dict | list):
            yield from keys(value, (*path, key))


def without(document: Any, path: tuple[str | int, ...]) -> Any:
    """The document without one key."""
    left = part = copy.deepcopy(document)
    for step in path[:-1]:
        part = part[step]
    del part[path[-1]]
    return left


def test_a_trace_with_a_key_missing_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace = json.loads(TRACE.read_text())
    kernels = {"kernels", "moved"}  # their keys are names, and none is required
    optional = {"to_gpu", "to_cpu", "gpu_faults", "cpu_faults", "thrashing", "allocations"}
    tried = 0
    for path in keys(trace["observed"]):
        if set(path[:-1]) & kernels and path[-1] not in ("name", "launches", "touched"):
            continue
        if path[:2] == ("timeline", "phases") and path[-1] in optional:
            continue
        Path("trace.json").write_text(json.dumps(without(trace, ("observed", *path))))
        for command in (["report"], ["predict", "--machine", "gh200"]):
            assert str(path[-1]) in refused(capsys, *command, "trace.json"), path
        tried += 1
    assert tried > 40


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("timeline", "columns"), 0),
        (("timeline", "rows"), []),
        (("untraced_seconds",), 0.0),
        (("allocations", 0, "moved"), {"copied to GPU": "x"}),
        (("kernels", 0, "touched"), [{"allocation": "a", "launches": 1, "bytes": 1,
                                      "reads": False, "writes": False}]),
    ],
)  # fmt: skip
def test_a_trace_with_a_wrong_value_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], path: tuple[str | int, ...], value: Any
) -> None:
    part = trace = json.loads(TRACE.read_text())
    for step in ("observed", *path[:-1]):
        part = part[step]
    part[path[-1]] = value
    Path("trace.json").write_text(json.dumps(trace))
    refused(capsys, "report", "trace.json")


def test_every_stored_trace_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    traces = sorted((ROOT / "results").rglob("*-trace-*.json"))
    assert len(traces) > 4
    for path in traces:
        assert answer(capsys, "report", path, "-o", "page.html")[0] == 0, path


def test_a_trace_for_the_model_alone_has_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    trace = json.loads(TRACE.read_text())
    del trace["observed"]
    Path("trace.json").write_text(json.dumps(trace))
    assert "no page" in refused(capsys, "report", "trace.json")


@pytest.mark.parametrize("cpus", ["x", "0-9999999999", "3-1", "0--1", "٣", "-1", [0, -1], [2**40]])
def test_a_wrong_list_of_cpus_is_refused(capsys: pytest.CaptureFixture[str], cpus: Any) -> None:
    results = synthetic.plain()
    results["machine"]["processors"][0]["numa_nodes"] = [{"node": 0, "cpus": cpus, "bytes": 1}]
    Path("run.json").write_text(json.dumps(results))
    assert "cpus" in refused(capsys, "check", "run.json")


ENDLESS = ["/dev/zero", "."]
READERS: list[list[str]] = [
    ["compare", "FILE", "FILE"],
    ["check", "FILE"],
    ["fleet", "FILE"],
    ["report", "FILE"],
    ["export", "FILE", "-o", "table.csv"],
    ["effort", "himeno", "FILE"],
    ["predict", "himeno", "--machine", "FILE"],
    ["predict", "himeno", "--results", "FILE"],
    ["predict", "FILE", "--machine", "gh200"],
    ["advise", "--results", "FILE"],
    ["profile", "FILE", "-o", "machine.json"],
    ["profile", "FILE", "--for", "FILE", "-o", "machine.json"],
    ["run", "--resume", "FILE"],
    ["run", "--plan", "FILE"],
    ["try", "--fit", "1GiB", "--trace", "FILE", "--", "true"],
    ["try", "--changes", "prefetched", "--trace", "FILE", "--", "true"],
    ["exec", "--from", "FILE", "--", "true"],
]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("file", ENDLESS)
def test_a_device_or_folder_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], file: str
) -> None:
    """A device without an end would be read for ever."""
    refused(capsys, *(file if word == "FILE" else word for word in words))


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_file_larger_than_any_result_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with open("large.json", "wb") as file:
        file.truncate(2**40)
    refused(capsys, *("large.json" if word == "FILE" else word for word in words))


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("content", [DEEP, '{"a":' * 100_000, "", "nan", "\ufeff{}", "\udcff"])
def test_what_is_no_json_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], content: str
) -> None:
    Path("x.json").write_bytes(content.encode(errors="surrogateescape"))
    refused(capsys, *("x.json" if word == "FILE" else word for word in words))


def test_results_may_come_through_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    results = synthetic.plain(trials=1)
    results["cases"] = results["cases"][:1]
    content = json.dumps(results)
    Path("run.json").write_text(content)
    for words in (["compare", "PIPE", "run.json"], ["report", "PIPE"], ["check", "PIPE"]):
        assert through_pipe(capsys, content, *words) == 0, words


def test_a_probe_may_come_through_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    machine = json.loads(FITTED.read_text())["machine"]
    probe = json.dumps({**machine, "name": "another"})
    words = ["profile", str(FITTED), "--for", "PIPE", "-o", "scaled.json"]
    assert through_pipe(capsys, probe, *words) == 0


def through_pipe(capsys: pytest.CaptureFixture[str], content: str, *words: str) -> int:
    """The exit code of a command, with a pipe that holds the content in place of PIPE."""
    end, start = os.pipe()
    os.write(start, content.encode())  # fits into the pipe
    os.close(start)
    named = [f"/dev/fd/{end}" if word == "PIPE" else word for word in words]
    code, _, _ = answer(capsys, *named)
    os.close(end)
    return code


def npy(values: Any) -> bytes:
    made = io.BytesIO()
    np.save(made, values)
    return made.getvalue()


def damaged_maps() -> dict[str, bytes]:
    whole = npy(np.zeros((4, 4)))
    zipped = io.BytesIO()
    np.savez(zipped, np.zeros((4, 4)))
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    claims = whole[:8] + len(header).to_bytes(2, "little") + header
    return {
        "zip": zipped.getvalue(),
        "no zip": b"PK\x05\x06" + b"\0" * 30,
        "begins as a zip": b"PK\x03\x04" + b"\0" * 30,
        "header cut": whole[:10] + whole[10:90].replace(b"}", b"("),
        "brackets": whole[:10] + whole[10:].replace(b"'shape'", b"((((((("),
        "claims terabytes": claims,
        "empty": b"",
        "not whole": whole[:-1],
    }


@pytest.mark.parametrize("name", damaged_maps())
def test_a_damaged_map_of_heights_is_refused(capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path("map.npy").write_bytes(damaged_maps()[name])
    assert "map.npy" in refused(capsys, "wind", "file:map.npy", *WIND)


@pytest.mark.parametrize("file", ENDLESS)
def test_a_map_of_heights_is_a_regular_file(capsys: pytest.CaptureFixture[str], file: str) -> None:
    refused(capsys, "wind", f"file:{file}", *WIND)
