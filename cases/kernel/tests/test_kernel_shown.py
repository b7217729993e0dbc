"""Case kernel in the summary, the table, the figures and the answer."""

from __future__ import annotations

from typing import Any

import pytest
from asked import GPU, rows_for_vega
from kernel_sources import request

from watari.cases.kernel import words
from watari.cases.kernel.answer import answer
from watari.model import answer as answers
from watari.results.measured import Measured


def measured(
    name: str = "saxpy", first: float = 0, settled: float = 1e-3, before: float = 0, **given: Any
) -> Measured:
    """A case of three trials: seconds of the first launch, of the others, and before them."""
    parameters = request(name, **given).parameters
    times = [first or settled, *[settled] * 15]
    quantities = {"transfer_in": {"value": before, "unit": "s"}} if before else {}
    trial = {"status": "ok", "host_s": times, "device_s": times, "quantities": quantities}
    elements = int(parameters["size"]) // 4
    return Measured(
        run="a run",
        machine=GPU,
        case="kernel",
        parameters=parameters,
        status="ok",
        reason="",
        flags=[],
        trials=[trial] * 3,
        planned=3,
        bytes_per_sample=12 * elements,
        flops_per_sample=2 * elements,
        file=0,
    )


GIB = 12 * 2**28 / 1e9  # GB of a launch
DEVICE = {"memory": "device", "settled": GIB / 3000, "before": GIB / 3 / 50}
MANAGED = {"memory": "managed", "settled": GIB / 3000, "first": GIB / 10}
PINNED = {"memory": "pinned", "settled": GIB / 50}


def test_the_answer_names_the_best_memory_and_when_it_pays() -> None:
    (said,) = answer([measured(**given) for given in (PINNED, MANAGED, DEVICE)])
    assert said.text == (
        "saxpy of saxpy.cu: device memory, 3 TB/s (others: managed memory 3 TB/s, pinned memory "
        "50 GB/s)."
    )
    assert said.title == "Kernels of one's own"
    assert said.measured == "arrays of 1 GiB"
    assert said.crossover == ""  # a copy of a third of the bytes is faster than one slow launch
    slow = {**DEVICE, "before": GIB / 10}
    (said,) = answer([measured(**PINNED), measured(**slow)])
    assert said.crossover == (
        "For a single launch pinned memory is faster; device memory pays from the 6th launch on."
    )


def test_the_answer_of_a_run_has_the_sentence() -> None:
    cases = [measured(**given) for given in (PINNED, DEVICE)]
    assert any("saxpy of saxpy.cu" in said.text for said in answers.of(cases))


def test_kernels_are_not_compared_with_each_other() -> None:
    assert answer([measured(**DEVICE), measured("gather", memory="pinned")]) == []
    both = [measured(**DEVICE), measured(**PINNED)]
    both += [measured("gather", memory=memory) for memory in ("device", "pinned")]
    (said,) = answer(both)
    assert "saxpy of saxpy.cu: " in said.text
    assert "gather of gather.cu: " in said.text


def test_small_arrays_and_unusual_touches_are_left_out() -> None:
    assert answer([measured(**DEVICE), measured(**PINNED, size="1MiB")]) == []
    assert answer([measured(**DEVICE), measured(**MANAGED, outputs="gpu")]) == []


def test_the_table_has_first_and_settled_launches() -> None:
    (table,) = words.PRESENTATION.tables([measured(**MANAGED), measured(**DEVICE)])
    managed, device = table.rows
    assert managed["Rate"] == "3 TB/s"
    assert managed["First"] == "0.32 s"
    assert managed["Before"] == ""
    assert device["Before"] == "0.021 s"
    assert device["Flops"] == "500 Gflop/s"
    assert device["Verified"] == ""


def drawn(cases: list[Measured], name: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Title and rows of each chart of a figure."""
    figures = pytest.importorskip("watari.cases.kernel.figures")  # with the extra `report`
    (figure,) = (each for each in figures.FIGURES if each.name == name)
    return [(title, rows_for_vega(figure, chart)) for title, chart, _ in figure.draw(cases)]


def test_the_figure_has_a_row_for_each_memory() -> None:
    absent = measured(memory="system")
    absent.trials.clear()
    object.__setattr__(absent, "status", "unsupported")
    cases = [*(measured(**given) for given in (DEVICE, MANAGED, PINNED)), absent]
    cases.append(measured("gather", memory="device"))
    (title, rows), (other, _) = drawn(cases, "kernel")
    assert title == "Saxpy of saxpy.cu, arrays of 1 GiB"
    assert other == "Gather of gather.cu, arrays of 1 GiB"
    assert [row["memory"] for row in rows] == ["device", "managed", "pinned", "system"]
    assert rows[1]["first"] == pytest.approx(10)
    assert rows[1]["settled"] == pytest.approx(3000)
    assert rows[3]["text"] == "unsupported"


def test_sizes_are_a_line_for_each_memory() -> None:
    assert drawn([measured(**DEVICE)], "kernel-sizes") == []
    cases = [
        measured(**given, size=size) for given in (DEVICE, PINNED) for size in ("1MiB", "1GiB")
    ]
    ((_, rows),) = drawn(cases, "kernel-sizes")
    assert {(row["path"], row["at"]) for row in rows if "label" not in row} == {
        (memory, size) for memory in ("device", "pinned") for size in (2**20, 2**30)
    }
