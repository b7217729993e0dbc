"""Cases of other packages: declared by their metadata, imported when they are named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = "watari.cases"
CASE = """
from watari.case.axes import samples
from watari.case.axis import Axis, parse_size
from watari.case.case import Case
from watari.case.profile import Access, Phase, Profile, Transfer

def profile(p):
    phase = Phase(
        "sum", p["size"], (Transfer("cpu", "pageable", "", p["size"]),),
        (Access("array", "cpu", p["size"], 0),), repeats=p["samples"],
    )
    return Profile((phase,), {"pageable": p["size"]})

def run(p):
    return {
        "host_s": [1.0] * p["samples"], "bytes_per_sample": p["size"], "flops_per_sample": 0,
        "verified": True,
    }

size = Axis("size", "bytes", parse_size, lambda machine, given: 1024, "1 KiB")
CASES = [
    Case(
        name="NAME",
        summary="a case from elsewhere",
        line="NAME of {size}",
        axes={"size": size, "samples": samples(3)},
        run=run,
        profile=profile,
    )
]
"""


def package(folder: Path, name: str, case: str, code: str = CASE, plan: str = "") -> Path:
    """A package in `folder`, as `pip` installs one, which declares `case`."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text("print('imported')\n")
    (folder / name / "case.py").write_text(code.replace("NAME", case))
    if plan:
        (folder / name / "plans").mkdir()
        (folder / name / "plans" / f"{plan}.toml").write_text(
            f'name = "{plan}"\n[[case]]\ncase = "{case}"\nsize = "2KiB"\n'
        )
    info = folder / f"{name}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\nSummary: what {name} does\n"
    )
    (info / "entry_points.txt").write_text(f"[watari.cases]\n{case} = {name}.case\n")
    return folder


def watari(*words: str, cwd: Path, path: list[Path] = ()) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": ":".join(map(str, path)), "COLUMNS": "300"}
    return subprocess.run(
        [sys.executable, "-m", "watari", *words],
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_case_of_another_package_is_listed_without_its_import(tmp_path: Path) -> None:
    site = package(tmp_path / "site", "elsewhere", "triad", plan="triads")
    ended = watari("list", cwd=tmp_path, path=[site])
    line = "triad: what elsewhere does (from elsewhere 1.5); axes: watari list triad"
    assert line in ended.stdout.splitlines()
    assert "imported" not in ended.stdout
    assert "triads: " in watari("list", "plans", cwd=tmp_path, path=[site]).stdout
    assert "size" in watari("list", "triad", cwd=tmp_path, path=[site]).stdout


def test_a_case_of_another_package_runs_sweeps_and_is_compared(tmp_path: Path) -> None:
    site = package(tmp_path / "site", "elsewhere", "triad", plan="triads")
    words = ("run", "triad", "size=1KiB,4KiB", "trials=1", "-o", "a.json")
    ended = watari(*words, cwd=tmp_path, path=[site])
    assert ended.returncode == 0, ended.stderr
    again = watari("run", "--plan", "triads", "-o", "b.json", cwd=tmp_path, path=[site])
    assert again.returncode == 0, again.stderr
    compared = watari("compare", "a.json", "a.json", cwd=tmp_path, path=[site])
    assert compared.returncode == 0, compared.stderr
    # where the package is not installed, its results can be read all the same
    assert watari("compare", "a.json", "a.json", cwd=tmp_path).returncode == 0


def test_a_package_that_fails_takes_nothing_else_down(tmp_path: Path) -> None:
    site = package(tmp_path / "site", "elsewhere", "triad", code="raise OSError('no\\ndisk')")
    listed = watari("list", cwd=tmp_path, path=[site])
    assert listed.returncode == 0
    assert "triad: what elsewhere does" in listed.stdout
    ended = watari("run", "triad", cwd=tmp_path, path=[site])
    assert ended.returncode == 2
    sentence = "watari: case 'triad' of elsewhere 1.5 cannot be imported: OSError: no\n"
    assert ended.stderr == sentence
    run = ("run", "copy", "processor=cpu", "size=1MiB", "trials=1", "-o", "c.json")
    assert watari(*run, cwd=tmp_path, path=[site]).returncode == 0


@pytest.mark.parametrize(
    ("folder", "name", "words"),
    [("deep", "deep", "case 'deep' cannot be"), ("memory", "copy", "unknown case 'copy'")],
)
def test_a_case_of_a_folder_that_fails_says_why(
    tmp_path: Path, folder: str, name: str, words: str
) -> None:
    """As after a slip in `case.py`: a case of the folder is not only unknown."""
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules['{MODULE}.{folder}.case'] = None\n"
    )
    ended = watari("run", name, cwd=tmp_path, path=[tmp_path])
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "cannot be imported: ModuleNotFoundError" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["copy", "triad"])
def test_two_cases_of_one_name_are_refused(tmp_path: Path, name: str) -> None:
    site = package(tmp_path / "site", "elsewhere", name)
    site = package(site, "another", name)
    ended = watari("run", name, cwd=tmp_path, path=[site])
    assert ended.returncode == 2
    for each in ("elsewhere 1.5", "another 1.5", *(["watari"] if name == "copy" else [])):
        assert each in ended.stderr
    assert "uninstall" in ended.stderr


def test_a_package_in_the_current_folder_is_not_looked_at(tmp_path: Path) -> None:
    package(tmp_path, "elsewhere", "triad")
    listed = watari("list", cwd=tmp_path)
    assert "triad" not in listed.stdout
    assert watari("run", "triad", cwd=tmp_path).returncode == 2
