"""The cases in each chart of `watari try`, and the summary of a run on a GPU machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from builds import ROOT

from watari.results.measured import Measured

LARGE, SITE = "size>=1073741824", "site:0a1b2c3d"


def case(
    style: str, seconds: float, only: str = "", ranks: int = 1, status: str = "ok"
) -> Measured:
    parameters = {"program": "./a.out", "style": style, "only": only, "ranks": ranks}
    trials = [{"host_s": [seconds]}] if seconds else []
    return Measured("machine", {}, "try", parameters, status, "", [], trials, 1, 0, 0, 0)


@pytest.mark.parametrize("ranks", [1, 2])
def test_each_choice_of_allocations_has_the_program_as_it_is(ranks: int) -> None:
    """A chart of two ranks has the program as it is on two ranks."""
    figure = pytest.importorskip("watari.attach.figure")
    cases = [case("as-is", 1.0), case("managed", 2.0, LARGE)]
    cases += [case("as-is", 3.0, ranks=2)] * (ranks == 2) + [case("managed", 4.0, SITE, ranks)]
    drawn = {heading: figure.times_of(styles) for heading, _, styles in figure.drawn(cases)}
    two = ", 2 ranks" if ranks == 2 else ""
    assert drawn == {
        f"./a.out, only {LARGE}, machine": {"as-is": [1.0], "managed": [2.0]},
        f"./a.out, only {SITE}{two}, machine": {
            "as-is": [3.0 if ranks == 2 else 1.0],
            "managed": [4.0],
        },
    }


def test_a_program_that_ran_as_it_is_alone_is_drawn() -> None:
    figure = pytest.importorskip("watari.attach.figure")
    ((heading, _, styles),) = figure.drawn([case("as-is", 1.0)])
    assert (heading, figure.times_of(styles)) == ("./a.out, machine", {"as-is": [1.0]})


def test_the_summary_names_a_program_that_fails_as_it_is(tmp_path) -> None:
    cases = [case("as-is", 0.0, status="failed"), case("managed", 2.0)]
    rows = [
        {"parameters": one.parameters, "status": one.status, "trials": one.trials} for one in cases
    ]
    (tmp_path / "try-large.json").write_text(json.dumps({"cases": rows}))
    summary = ROOT / "tests" / "attach" / "gpu" / "programs" / "summary.py"
    ended = subprocess.run([sys.executable, summary, tmp_path], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "large          as-is failed, managed; NOT ALL OK" in ended.stdout
