"""JSON files that no run writes are refused: one line names file and field."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import fake_cli
import numpy as np
import pytest
import synthetic
from command_line import ended, printed, refused, run_cli
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from watari.cases import find
from watari.charts.figure import Drawing
from watari.common.errors import FileError
from watari.report import compare, page, verdicts
from watari.results import schema
from watari.results.measured import measurements
from watari.run import journal

ROOT = Path(__file__).parents[3]
STORED = [
    path
    for path in sorted((ROOT / "results").rglob("*.json"))
    if json.loads(path.read_text()).get("schema") == 1
]
Step = str | int


def one_of_each() -> list[dict[str, Any]]:
    """A case of each kind, with few trials."""
    rng = np.random.default_rng(0)
    every = synthetic.plain(trials=2)["cases"]
    every += [synthetic.gemm_case(rng, "posix", tile, 2) for tile in (1024, 2048)]
    by_case = {case["case"]: case for case in reversed(every)}
    return list(by_case.values())


CASES = {case["case"]: case for case in one_of_each()}


def plain(*cases: dict[str, Any]) -> dict[str, Any]:
    """A result file of these cases."""
    return {**synthetic.plain(), "cases": copy.deepcopy(list(cases))}


def refusal(tmp_path: Path, data: Any) -> str:
    """The reason why a file of these values is refused, without the file's name."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(data))
    with pytest.raises(FileError) as caught:
        schema.read(path)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_stored_result_is_read_and_is_the_same_as_itself(path: Path) -> None:
    stored = schema.read(path)
    whole = json.loads(path.read_text())
    for case, kept in zip(stored.cases, whole["cases"], strict=True):
        assert case.case == kept["case"]
        assert kept["parameters"].items() <= case.parameters.items()  # later versions added axes
    rows = compare.compare(stored, stored)
    assert compare.exit_code(rows) == 0
    verdicts.render(rows)
    measurements([stored])


def test_there_are_stored_results() -> None:
    assert len(STORED) > 30


@pytest.mark.slow
@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_every_stored_result_is_reported(path: Path, tmp_path: Path) -> None:
    assert ended("report", str(path), "-o", str(tmp_path / "page.html")) == 0


@pytest.mark.parametrize(
    ("case", "axis", "value"),
    [
        ("copy", "size", "big"),
        ("copy", "size", "1GiB"),
        ("copy", "size", -8),
        ("copy", "size", 1e9),
        ("copy", "size", True),
        ("copy", "size", None),
        ("copy", "from", "pined"),
        ("copy", "bidirectional", 1),
        ("copy", "threads", 0),
        ("himeno", "grid", "XXXL"),
        ("himeno", "ranks", "2"),
        ("storage", "engine", 3),
        ("storage", "folder", 3),
        ("gemm", "alpha", "one"),
        ("gemm", "tile", 100),
    ],
)
def test_a_parameter_is_a_value_of_its_axis(
    case: str, axis: str, value: Any, tmp_path: Path
) -> None:
    data = synthetic.changed(plain(CASES[case]), ("cases", 0, "parameters", axis), value)
    says = refusal(tmp_path, data)
    assert says.startswith(f"cases[0].parameters.{axis}")
    assert "Traceback" not in says


@pytest.mark.parametrize("case", CASES)
def test_every_axis_is_there(case: str, tmp_path: Path) -> None:
    for axis in CASES[case]["parameters"]:
        if find(case).axes[axis].before is not None:  # results from before the axis stay readable
            continue
        data = plain(CASES[case])
        del data["cases"][0]["parameters"][axis]
        text = f"cases[0].parameters: the axis '{axis}' of {case} is missing"
        assert refusal(tmp_path, data) == text


def test_what_is_missing_has_every_axis_too(tmp_path: Path) -> None:
    data = plain() | {"missing": [{"case": "copy", "parameters": {}, "trials": 1}]}
    assert refusal(tmp_path, data).startswith("missing[0].parameters: the axis 'processor'")


TRIAL = ("cases", 0, "trials", 0)
PICTURE = {"unit": "m/s", "most": 1.0, "width": 4.0, "height": 4.0, "at": 1.0}


@pytest.mark.parametrize(
    ("case", "steps", "value", "says"),
    [
        ("copy", ("cases", 0, "bytes_per_sample"), 0, "bytes_per_sample: must be more than 0"),
        ("copy", ("cases", 0, "bytes_per_sample"), 10**400, "bytes_per_sample: "),
        ("himeno", ("cases", 0, "flops_per_sample"), 0, "flops_per_sample: must be more"),
        ("copy", ("cases", 0, "trials_planned"), 10**9, "trials_planned: "),
        ("copy", (*TRIAL, "host_s", 3), 0.0, "host_s[3]: "),
        ("copy", (*TRIAL, "host_s", 3), 1e308, "host_s[3]: "),
        ("copy", (*TRIAL, "host_s", 3), 5e-324, "host_s[3]: "),
        ("copy", (*TRIAL, "host_s"), [], "trials[0].host_s: is empty in a trial that is ok"),
        ("copy", (*TRIAL, "device_s"), [0.1], "device_s: has 1 values, and host_s 50"),
        ("copy", (*TRIAL, "series", "return_s"), [], "series.return_s: has 0 values, and host"),
        ("himeno", (*TRIAL, "series", "gosa", 3), 1e300, "series.gosa[3]: "),
        ("himeno", (*TRIAL, "series", "halo_s"), [-1.0] * 60, "series.halo_s[0]: must be from 0"),
        ("himeno", (*TRIAL, "quantities", "allocate", "value"), -1.0, "quantities.allocate.value"),
        ("migration", (*TRIAL, "phases", 2, "last"), 301, "phases[2]: must lie in order within"),
        ("migration", (*TRIAL, "phases", 1, "first"), 50, "phases[1]: must lie in order within"),
        ("migration", (*TRIAL, "phases", 1, "name"), "gpu-1", "phases[1].name: comes twice"),
        (
            "storage",
            (*TRIAL, "histograms"),
            {"latency": {"unit": "s", "low": [0.0], "high": [], "count": [1]}},
            "histograms.latency.high: has 0 values, and count 1",
        ),
        (
            "copy",
            (*TRIAL, "pictures"),
            {"speed": {**PICTURE, "rows": ["A.", "B"]}},
            "pictures.speed.rows: are not of one length",
        ),
        (
            "copy",
            (*TRIAL, "pictures"),
            {"speed": {**PICTURE, "rows": ["A-"]}},
            "pictures.speed.rows[0]: ",
        ),
        ("copy", ("machine", "processors"), [], "machine.processors: must begin with the CPU"),
        ("copy", ("machine", "links", 0, "bandwidth"), -1.0, "machine.links[0].bandwidth: "),
    ],
)
def test_a_field_that_contradicts_others_is_named(
    case: str, steps: tuple[Step, ...], value: Any, says: str, tmp_path: Path
) -> None:
    data = plain(CASES[case])
    data["cases"][0]["trials"][0].setdefault("series", {})
    assert says in refusal(tmp_path, synthetic.changed(data, steps, value))


def newer() -> dict[str, Any]:
    """A file with a case and an axis that this version does not have."""
    case, axis = copy.deepcopy(CASES["copy"]), copy.deepcopy(CASES["copy"])
    case |= {"case": "teleport", "parameters": {"size": "big", "ranks": "many", "beam": True}}
    axis["parameters"]["beam"] = "wide"
    return plain(case, axis)


def test_a_case_and_an_axis_of_a_newer_version_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(newer()))
    table = " ".join(printed(capsys, "compare", str(path), str(path)).split())
    assert "teleport size=big ranks=many beam=yes" in table
    assert "beam=wide" in table
    assert ended("report", str(path), "-o", str(tmp_path / "page.html")) == 0
    page = (tmp_path / "page.html").read_text()
    assert "size=big, ranks=many, beam=yes" in page
    assert ", beam=wide" in page
    assert "watari run teleport size=big ranks=many beam=yes trials=2" in page


def test_what_a_newer_version_measured_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = newer() | {"machine": fake_cli.machine()}
    data["program"] = fake_cli.program(None).model_dump()
    Path("run.json").write_text(json.dumps(data))
    assert "cannot be resumed: unknown case 'teleport'" in refused(
        capsys, "run", "--resume", "run.json"
    )


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"schema": ' + "9" * 5000])
@pytest.mark.parametrize("name", ["run.json", "run.json.journal"])
def test_nesting_and_digits_without_end(text: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text + "\n")
    with pytest.raises(FileError, match="not JSON"):
        (journal if name.endswith("journal") else schema).read(path)


ODD: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 3, 2**63, 10**400, 0.0, 0.5, -1.5, 1e-12, 1e9, 1e30, 1e308, 5e-324),
    *("", "x", "cpu", "gpu:1", "gpu:²", "none", "ram", "mmap", "managed", "wrong", "failed"),
    *([], {}, [1.0], [[]], {"a": 1}, "3x3x3", "[/b]", "{0}"),
)
MUTATIONS = st.sampled_from(["drop", "place", "repeat", "shorten"])


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A file with one or two cases, in which a few values were changed."""
    names = draw(st.lists(st.sampled_from(sorted(CASES)), min_size=1, max_size=2))
    data = plain(*(CASES[name] for name in names))
    for _ in range(draw(st.integers(1, 3))):
        inner: Any = data["cases"] if draw(st.integers(0, 4)) else data
        while inner:
            step = draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else [0, -1]))
            if not isinstance(inner[step], dict | list) or not draw(st.integers(0, 4)):
                break
            inner = inner[step]
        else:
            continue
        mutation = draw(MUTATIONS)
        if mutation == "drop":
            del inner[step]
        elif mutation == "repeat" and isinstance(inner, list):
            inner.append(inner[step])
        elif mutation == "shorten" and isinstance(inner[step], list):
            inner[step] = inner[step][: len(inner[step]) // 2]
        else:
            inner[step] = copy.deepcopy(draw(st.sampled_from(ODD)))
    return data


@seed(1)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=mutated())
def test_any_file_is_read_or_refused_by_all_commands(
    data: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "bundle", lambda: "")
    monkeypatch.setattr(Drawing, "spec", lambda drawing: {})  # drawn, not converted
    Path("run.json").write_text(json.dumps(data))
    lines = [["report", "run.json"], ["compare", "run.json", "run.json"]]
    lines += [["run", "--resume", "run.json", "--budget", "1s"]]
    lines += [["effort", "himeno", "run.json", "-o", "effort.png"]]
    for words in lines:
        code, _, err = run_cli(capsys, *words)
        assert code in (0, 1, 2, 3)
        if code == 2:
            assert err.count("\n") == 1
