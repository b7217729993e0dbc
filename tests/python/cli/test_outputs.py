"""Every command that writes a file, with an output that it must not write: one line, exit code 2,
before any work, and every file as it was."""

from __future__ import annotations

import os
from pathlib import Path

import fake_cli
import pytest
import synthetic
from command_line import run_cli
from files_of_cases import READS, WRITES, reading

from watari.results import schema

assert fake_cli  # puts the made-up machine in place

# words before the output, its option, the output, and what comes after it
COMMANDS: dict[str, tuple[list[str], str, str, list[str]]] = {
    "run": (["run", "copy", "processor=cpu", "size=8"], "-o", "o.json", []),
    "try": (["try"], "-o", "o.json", ["--", "true"]),
    "try --figure": (["try"], "--figure", "o.svg", ["--", "true"]),
    "trace": (["trace"], "-o", "o.json", ["--", "true"]),
    "trace --page": (["trace"], "--page", "o.html", ["--", "true"]),
    "trace --perfetto": (["trace"], "--perfetto", "o.json", ["--", "true"]),
    "report": (["report", "in.json"], "-o", "o.html", []),
    "effort": (["effort", "himeno", "in.json"], "-o", "o.svg", []),
    "export": (["export", "in.json"], "-o", "o.csv", []),
    "profile": (["profile", "in.json"], "-o", "o.json", []),
    "predict": (["predict", "himeno", "--machine", "gh200"], "-o", "o.svg", []),
    "check": (["check", "in.json"], "--junit", "o.xml", []),
    "fleet": (["fleet", "in.json"], "-o", "o.csv", []),
    "fleet metrics": (["fleet", "in.json"], "-o", "o.prom", []),
    "fleet --junit": (["fleet", "in.json"], "--junit", "o.xml", []),
    "gemm": (["gemm", "in.json", "in.json"], "-o", "o.npy", []),
    "bem": (["bem", "cube:2"], "-o", "o.vtu", []),
    "bem --charges": (["bem", "cube:2", "-o", "c.vtu"], "--charges", "o.npy", []),
} | {words[0]: (words, option, output, []) for words, option, output in WRITES}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    schema.write("in.json", synthetic.results(synthetic.cpu_machine()))
    return tmp_path


def contents() -> dict[str, bytes]:
    """Every file here."""
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def refused(capsys: pytest.CaptureFixture[str], command: str, output: str | None = None) -> str:
    """The line that refuses a command; all files are as they were."""
    before = contents()
    words, option, usual, more = COMMANDS[command]
    code, out, err = run_cli(capsys, *words, option, output or usual, *more)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert contents() == before
    return err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_another_kind_stays(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(COMMANDS[command][2])
    path.write_bytes(b"the notes of a user\n")
    assert "so it is not replaced: remove it, or name another" in refused(capsys, command)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output", [".", ".."])
def test_a_folder_is_no_output(
    command: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    says = refused(capsys, command, output)
    assert "is a folder" in says or "names of" in says


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_folder_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = f"none/{COMMANDS[command][2]}"
    assert "that folder does not exist; make it (mkdir -p none)" in refused(capsys, command, output)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_another_command_promises_is_refused(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "run.json" if COMMANDS[command][2].endswith(".toml") else "plan.toml"
    assert "names of " in refused(capsys, command, other)


def test_a_page_is_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    says = refused(capsys, "report", "x.pdf")
    assert "for figures: watari report RESULTS --format pdf -o FOLDER" in says
    code, _, err = run_cli(capsys, "report", "in.json", "--format", "pdf", "-o", "x.pdf")
    assert (code, err.count("\n")) == (2, 1)
    assert "with --format, -o names the folder of the figures" in err
    assert not Path("x.pdf").exists()


PLAN = "name = 'x'\n[[case]]\ncase = 'copy'\nprocessor = 'cpu'\nsize = 8\ntrials = 1\n"


def aliases(path: Path) -> list[str]:
    """Names of a file."""
    links = [f"symbolic{path.suffix}", f"hard{path.suffix}"]
    Path(links[0]).symlink_to(path)
    os.link(path, links[1])
    Path("sub").mkdir()
    return [str(path), f"./{path}", f"sub/../{path}", str(path.absolute()), *links]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("m.svg", ["predict", "himeno", "m.svg", "-o"]),
        ("m.svg", ["predict", "himeno", "--machine", "m.svg", "-o"]),
        ("m.svg", ["predict", "himeno", "--results", "m.svg", "-o"]),
        ("m.svg", ["predict", "himeno", "--machine", "gh200", "--beside", "m.svg", "-o"]),
        ("m.json", ["profile", "m.json", "-o"]),
        ("m.json", ["profile", "in.json", "--for", "m.json", "-o"]),
        ("m.csv", ["export", "in.json", "m.csv", "-o"]),
        ("m.html", ["report", "m.html", "-o"]),
        ("m.html", ["report", "in.json", "m.html", "-o"]),
        ("m.svg", ["effort", "himeno", "m.svg", "-o"]),
        ("m.toml", ["run", "--plan", "m.toml", "-o"]),
        ("m.xml", ["check", "m.xml", "--junit"]),
        ("m.xml", ["check", "in.json", "--baseline", "m.xml", "--junit"]),
        ("m.npy", ["gemm", "m.npy", "other.npy", "-o"]),
        ("m.npy", ["gemm", "other.npy", "m.npy", "-o"]),
        ("m.vtu", ["bem", "m.vtu", "-o"]),
        ("m.npy", ["bem", "m.npy", "-o", "c.vtu", "--charges"]),
        ("m.json", ["try", "--fit", "1GiB", "--trace", "m.json", "-o"]),
        ("m.json", ["try", "--same-output", "m.json", "-o"]),
        ("m.json.journal", ["run", "--resume", "m.json.journal", "-o"]),
        *(
            (name := f"m{Path(output).suffix}", reading(words, name))
            for words, _, _, output in READS
            if "--trees" not in words  # a .npy, which wind does not write
        ),
    ],
)
def test_an_input_is_never_the_output(
    name: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(PLAN if name.endswith(".toml") else Path("in.json").read_text())
    before = contents()
    for alias in aliases(Path(name)):
        code, _, err = run_cli(capsys, *words, alias)
        assert (code, err.count("\n")) == (2, 1), err
        assert "would write over" in err or ".journal" in err
    assert {name: content for name, content in contents().items() if name in before} == before


def test_a_figure_takes_the_place_of_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        words = ("predict", "himeno", "--machine", "gh200", "-o", "figure.svg")
        assert run_cli(capsys, *words)[0] == 0
    assert Path("figure.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("name", "begins"), [("f.SVG", b"<svg"), ("f.Pdf", b"%PDF-"), ("f.PNG", b"\x89PNG")]
)
def test_a_suffix_in_capitals_is_the_same_format(
    name: str, begins: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(capsys, "predict", "himeno", "--machine", "gh200", "-o", name)[0] == 0
    assert Path(name).read_bytes().startswith(begins)


def test_a_table_in_capitals_is_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(capsys, "export", "in.json", "-o", "T.CSV")[0] == 0
    assert Path("T.CSV").read_text().startswith("file,")
