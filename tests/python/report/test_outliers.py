"""The run among several that differs from the others."""

from __future__ import annotations

from functools import cache

import pytest
import synthetic
from rich.console import Console

from watari.report import verdicts
from watari.report.compare import Comparison, compare
from watari.report.outliers import outliers

BASE = synthetic.results(seed=1)


@cache
def against_base(seed: int, slower: float) -> Comparison:
    """A node against the base. Its copies take this many times as long."""
    return compare(BASE, synthetic.results(seed=seed, slower={"copy": slower}))


def compared(**slow: float) -> dict[str, Comparison]:
    """Six nodes, some of them slow."""
    nodes = [f"node{i}" for i in range(6)]
    return {name: against_base(2 + i, slow.get(name, 1.0)) for i, name in enumerate(nodes)}


def test_like_runs_have_no_outlier() -> None:
    assert outliers(compared()) == []


def test_the_slow_node_is_detected_in_its_cases_alone() -> None:
    deviating = outliers(compared(node3=1.3))
    assert {o.run for o in deviating} == {"node3"}
    assert {o.row.case for o in deviating} == {"copy"}
    measured = [row for row in compared()["node0"] if row.case == "copy" and row.new]
    assert len(deviating) == len(measured)
    assert all(0.7 < o.ratio < 0.83 for o in deviating)


def test_a_fast_node_deviates_too() -> None:
    deviating = outliers(compared(node2=0.7))
    assert {o.run for o in deviating} == {"node2"}
    assert all(1.3 < o.ratio < 1.55 for o in deviating)


def test_what_all_share_is_no_outlier() -> None:
    """All runs are slower than base: the verdicts report it."""
    assert outliers(compared(**{f"node{i}": 1.3 for i in range(6)})) == []


def test_two_runs_have_no_majority() -> None:
    both = dict(list(compared(node1=1.5).items())[:2])
    assert outliers(both) == []


def shown(nodes: dict[str, Comparison]) -> str:
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(verdicts.render_nodes(nodes, outliers(nodes)))
    return console.export_text()


def test_what_a_table_of_nodes_says() -> None:
    nodes = compared(node3=1.3)
    text = shown(nodes)
    assert "node3" in text.partition("deviates from the other runs")[2]
    assert "node2" not in text.partition("deviates from the other runs")[2]
    values = verdicts.as_values("base", nodes, outliers(nodes), 0.05, False)
    codes = {each["new"]: each["exit_code"] for each in values["comparisons"]}
    assert (codes["node3"], codes["node2"]) == (3, 0)
    assert {o["run"] for o in values["outliers"]} == {"node3"}


def test_the_worst_ratio_of_a_node_is_shown() -> None:
    """The median of a node that lost 29% in a few cases is as good as that of the others."""
    lines = shown(compared(node3=1.4)).splitlines()
    line = next(row for row in lines if row.strip().startswith("node3"))
    ratios = [float(word) for word in line.split() if word.startswith(("0.", "1."))]
    assert ratios[0] == pytest.approx(1 / 1.4, rel=0.05)
    assert ratios[1] == pytest.approx(1, rel=0.05)


def test_two_runs_are_told_that_they_are_too_few() -> None:
    both = dict(list(compared(node1=1.5).items())[:2])
    assert "outliers need 3 runs" in shown(both)


def test_of_a_run_that_deviates_everywhere_the_worst_cases_are_shown() -> None:
    nodes = compared(node3=1.3)
    deviating = outliers(nodes)
    table = shown(nodes).partition("deviates from the other runs")[2]
    assert len(deviating) > verdicts.WORST
    assert table.count("node3") == verdicts.WORST + 1
    assert f"{len(deviating) - verdicts.WORST} more case" in table
