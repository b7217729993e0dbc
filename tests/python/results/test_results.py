"""The result file: a written file can be read; a bad file is refused with file and field."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from watari.common import files
from watari.common.errors import FileError
from watari.results import schema
from watari.results.schema import Case, Results
from watari.results.trial import Trial

ROOT = Path(__file__).parents[3]
plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def refused(path: Path, data: Any) -> str:
    """The message with which a file of these contents is refused."""
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    with pytest.raises(FileError) as caught:
        schema.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


@pytest.mark.parametrize("machine", [synthetic.gpu_machine(), synthetic.cpu_machine()])
def test_what_is_written_is_read(tmp_path: Path, machine: dict[str, Any]) -> None:
    made = synthetic.results(machine)
    schema.write(tmp_path / "run.json", made)
    assert schema.read(tmp_path / "run.json") == made
    assert os.listdir(tmp_path) == ["run.json"]


def test_every_key_is_written(tmp_path: Path) -> None:
    schema.write(tmp_path / "run.json", synthetic.results())
    data = json.loads((tmp_path / "run.json").read_text())
    assert data["schema"] == 1
    assert data["machine"]["links"][0]["from"] == "cpu"
    assert {frozenset(case["trials"][0]) for case in data["cases"]} == {
        frozenset(Trial.model_fields)
    }


def test_a_series_is_on_one_line(tmp_path: Path) -> None:
    schema.write(tmp_path / "run.json", synthetic.results())
    lines = (tmp_path / "run.json").read_text().splitlines()
    assert sum(line.strip().startswith('"host_s": [') for line in lines) == sum(
        len(case["trials"]) for case in synthetic.plain()["cases"]
    )


@given(plain_values)
def test_formatting_keeps_the_value(value: Any) -> None:
    assert json.loads(schema.format_json(value)) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON, or cut short"),
        ("not json", "not JSON, or cut short"),
        ("[1, 2]", "an object is expected"),
        ("{}", "not a result file of Watari: it has no key 'schema'"),
        ('{"schema": "1"}', 'schema: must be a whole number, is "1"'),
        ('{"schema": true}', "schema: must be a whole number, is true"),
        ('{"schema": 1.0}', "schema: must be a whole number, is 1.0"),
        ('{"schema": 0}', "schema: "),
        ('{"schema": 1}', "program: Field required"),
        (
            '{"schema": 2, "new": {}}',
            "written by a newer Watari: schema 2, this one reads 1",
        ),
    ],
)
def test_what_is_no_result_file(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path / "run.json", text)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.999])
def test_a_truncated_file(tmp_path: Path, part: float) -> None:
    text = json.dumps(synthetic.plain())
    assert "cut short" in refused(tmp_path / "run.json", text[: int(part * len(text))])


@pytest.mark.parametrize(
    ("value", "steps", "says"),
    [
        ("fast", ("cases", 3, "trials", 0, "host_s", 12), "cases[3].trials[0].host_s[12]: "),
        (-1.0, ("cases", 0, "trials", 1, "host_s", 0), "cases[0].trials[1].host_s[0]: "),
        ("1", ("cases", 1, "bytes_per_sample"), "cases[1].bytes_per_sample: "),
        ("good", ("cases", 2, "status"), "cases[2].status: "),
        ([1], ("cases", 2, "parameters", "size"), "cases[2].parameters.size"),
        ("x", ("machine", "colour"), "machine.colour: Extra inputs"),
        ("yes", ("machine", "memories", 0, "supported"), "machine.memories[0].supported: "),
        (None, ("machine", "kernel"), "machine.kernel: "),
    ],
)
def test_a_wrong_field_is_named(
    tmp_path: Path, value: Any, steps: tuple[str | int, ...], says: str
) -> None:
    assert says in refused(
        tmp_path / "run.json", synthetic.changed(synthetic.plain(), steps, value)
    )


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_not_a_number(tmp_path: Path, word: str) -> None:
    text = json.dumps(
        synthetic.changed(synthetic.plain(), ("cases", 0, "trials", 0, "host_s", 0), 12345.5)
    )
    refused(tmp_path / "run.json", text.replace("12345.5", word))


def test_absent_keys_are_null_or_empty() -> None:
    trial = Trial.model_validate({"status": "failed", "error": "hang", "started": "2025"})
    assert (trial.host_s, trial.device_s, trial.series, trial.verified) == ([], None, {}, None)


def test_the_key_is_that_of_the_request() -> None:
    from watari.plan.request import Request

    case = synthetic.results().cases[0]
    assert case.key == Request(case.case, case.parameters, 5).key


@given(st.permutations(list(synthetic.plain()["cases"][0]["parameters"].items())))
def test_the_key_does_not_depend_on_order(items: list[tuple[str, Any]]) -> None:
    case = synthetic.plain()["cases"][0]
    other = Case.model_validate(case | {"parameters": dict(items)})
    assert other.key == Case.model_validate(case).key


def test_a_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"absent\.json: cannot be read: No such file"):
        schema.read(tmp_path / "absent.json")
    with pytest.raises(FileError, match="cannot be read: a folder: name the files in it"):
        schema.read(tmp_path)
    with pytest.raises(FileError, match="cannot be written: No such file"):
        schema.write(tmp_path / "absent" / "run.json", synthetic.results())


def test_a_device_is_not_replaced() -> None:
    with pytest.raises(FileError, match="not a regular file"):
        schema.write("/dev/null", synthetic.results())
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "latest.json").symlink_to("run.json")
    schema.write(tmp_path / "latest.json", synthetic.results())
    assert (tmp_path / "latest.json").is_symlink()
    assert schema.read(tmp_path / "run.json").cases


def no_space(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    monkeypatch.setattr(files.os, call, no_space)
    with pytest.raises(FileError, match="No space left on device; the file that was there is un"):
        schema.write(path, synthetic.results())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.json"]


@pytest.mark.parametrize("size", [0, 5, 2**20, 2**21 + 1])
def test_a_temporary_file_that_another_process_changes_is_not_put_in_place(
    tmp_path: Path, size: int
) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    with pytest.raises(FileError, match=r"another process changed it.*is unchanged"):
        files.write_atomically(path, "x" * 2**21, lambda temporary: os.truncate(temporary, size))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.json"]


def spoil_with_nan(made: Results) -> None:
    made.cases[0].trials[0].host_s[0] = float("nan")


def spoil_with_text(made: Results) -> None:
    made.cases[0].trials[0].host_s.append("late")  # type: ignore[arg-type]


@pytest.mark.parametrize("spoil", [spoil_with_nan, spoil_with_text])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_could_not_be_read_is_not_written(
    tmp_path: Path, spoil: Callable[[Results], None]
) -> None:
    made = synthetic.results()
    spoil(made)
    with pytest.raises(FileError, match=r"cases\[0\]\.trials\[0\]\.host_s"):
        schema.write(tmp_path / "run.json", made)
    assert os.listdir(tmp_path) == []


def test_many_long_series_are_read_quickly(tmp_path: Path) -> None:
    data = synthetic.plain()
    trial = synthetic.trial([0.001234567890123 + i * 1e-7 for i in range(300)])
    data["cases"] = [
        synthetic.case("later", {"size": size, "bytes": 2 * size}, [trial] * 10)
        for size in range(1, 41)
    ]
    schema.write(tmp_path / "run.json", Results.model_validate(data))
    start = time.process_time()
    assert len(schema.read(tmp_path / "run.json").cases) == 40
    assert time.process_time() - start < 2.0  # 30 ms where this was written


def test_the_published_schema_is_current() -> None:
    published = json.loads((ROOT / "docs" / "results.schema.json").read_text())
    assert published == schema.json_schema(), (
        "run: python -m watari.results.schema > docs/results.schema.json"
    )


@pytest.mark.parametrize("machine", [synthetic.gpu_machine(), synthetic.cpu_machine()])
def test_the_published_schema_judges_as_the_program(machine: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    published = schema.json_schema()
    jsonschema.validate(synthetic.results(machine).as_dict(), published)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            synthetic.changed(synthetic.plain(machine), ("machine", "colour"), "x"), published
        )
