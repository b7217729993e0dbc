"""Case deep as it is run: small trees on this machine, words, statements and its figure."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from asked import CPU, GPU, request, rows_for_vega

from watari import cases
from watari.cases import effort
from watari.cases.deep import case as row
from watari.cases.deep import words
from watari.cases.deep.answer import answer
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe
from watari.results.measured import Measured

native = pytest.importorskip("watari._native")

one = partial(request, "deep", samples=3, size="1MiB")


@pytest.mark.parametrize("depth", ["1", "2", "10", "16"])
def test_a_tree_on_the_cpu(depth: str) -> None:
    trial = cases.CASES["deep"].run(one(depth=depth).parameters)
    assert trial["verified"] is True
    assert trial["quantities"]["nodes"]["value"] == 2 ** int(depth) - 1
    assert {"build", "transfer_out", "release"} <= set(trial["quantities"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"depth": "0"}, "not a whole number from 1 to 20"),
        ({"depth": "21"}, "not a whole number from 1 to 20"),
        ({"depth": "18"}, "less than 8 bytes for each of 262143 nodes"),
        ({"style": "explict"}, "did you mean 'explicit'"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        one(**given)


@pytest.mark.parametrize("style", ["explicit", "packed", "managed"])
def test_styles_of_a_gpu_are_unsupported_on_the_cpu(style: str) -> None:
    with pytest.raises(UnsupportedError, match="style"):
        cases.CASES["deep"].run(one(style=style).parameters)


@pytest.mark.skipif(bool(native.gpus()["gpus"]), reason="there is a GPU")
@pytest.mark.parametrize("style", row.STYLES)
def test_without_a_gpu_its_styles_are_unsupported(style: str) -> None:
    with pytest.raises(UnsupportedError, match=r"GPU|CUDA|build"):
        cases.CASES["deep"].run(one(GPU, style=style, size="64KiB").parameters)


def test_defaults_and_footprints() -> None:
    assert one(CPU).parameters["style"] == "system"
    assert one(GPU).parameters["style"] == "explicit"
    assert describe(one(depth="3")) == "deep cpu system depth=3 1MiB"
    whole = 7 * (2**20 // 8 // 7) * 8 + 7 * 32
    assert row.kinds(one(depth="3").parameters) == {"pageable": whole}
    explicit = one(GPU, depth="3", processor="gpu:1").parameters
    assert row.kinds(explicit) == {"pageable": whole, "device:1": whole}
    assert row.kinds({**explicit, "style": "managed"}) == {"managed": whole}


def test_the_deep_copy_takes_the_most_statements() -> None:
    total = {one.style: one.total for one in effort.effort("deep")}
    assert total["explicit"] > total["managed"] > 0
    assert total["packed"] > total["managed"]
    assert total["managed"] == total["system"]  # each allocates and frees in one place
    kinds = {one.style: one.statements for one in effort.effort("deep")}
    assert kinds["explicit"]["copy"] == 5
    assert kinds["managed"]["copy"] == kinds["system"]["copy"] == 0


def measured(style: str, copy_in: float, **given: Any) -> Measured:
    parameters = one(GPU, style=style, **given).parameters
    parts = {"build": 0.2, "transfer_out": 0.1, "release": 0.05}
    parts |= {"transfer_in": copy_in} if copy_in else {}
    trial = {
        "host_s": [0.5, 0.01, 0.01],
        "device_s": None,
        "quantities": {name: {"value": v, "unit": "s"} for name, v in parts.items()},
    }
    return Measured(
        run="here",
        machine=GPU,
        case="deep",
        parameters=parameters,
        status="ok",
        reason="",
        flags=[],
        trials=[trial] * 2,
        planned=2,
        bytes_per_sample=row.profile(parameters).bytes_per_sample,
        flops_per_sample=0,
        file=0,
    )


def test_a_bar_is_a_program_and_its_parts() -> None:
    figures = pytest.importorskip("watari.cases.deep.figures")  # with the extra `report`
    trees = [
        measured("explicit", 3, depth="10"),
        measured("explicit", 0.1, depth="1"),
        measured("managed", 0, depth="10"),
    ]
    ((title, chart, _),) = figures.by_style(trees)
    assert title == "1 MiB in a tree, 3 passes"
    rows = rows_for_vega(figures.FIGURES[0], chart)
    assert next(r["depth"] for r in rows) == "1 node"
    deep = {r["part"]: r["s"] for r in rows if r["style"] == "explicit" and "1023" in r["depth"]}
    assert deep["copy in"] == 3
    assert deep["first pass"] == 0.5
    assert deep["other passes"] == pytest.approx(0.02)
    (table,) = words.PRESENTATION.tables(trees)
    assert [r["In"] for r in table.rows] == ["3 s", "0.1 s", ""]
    assert table.rows[0]["Nodes"] == "1023"
    assert words.words("deep", trees[0].parameters) == "explicit tree of 10 levels by GPU"


def test_the_answer_is_the_style_of_the_shortest_program() -> None:
    many = [measured("explicit", 3, depth="10"), measured("managed", 0, depth="10")]
    few = [measured("explicit", -0.4, depth="1"), measured("managed", 0, depth="1")]
    (said,) = answer([*many, *few])
    assert said.line() == (
        "A tree of pointers: style managed: a program with 1023 nodes of 1 MiB in all and 3 passes "
        "of the GPU takes 0.87 s (explicit 3.9 s). With 1 node style explicit is faster. "
        "(95%: 0.87 s–0.87 s, 2 trials)"
    )
    assert said.figure == "0.87 s"


def test_the_answer_names_each_style_that_is_faster_with_fewer_nodes_once() -> None:
    cases = [measured("explicit", 3, depth="10"), measured("managed", 0, depth="10")]
    for depth in ("1", "2", "3"):
        cases += [measured("explicit", -0.4, depth=depth), measured("managed", 0, depth=depth)]
    (said,) = answer(cases)
    assert "With 1 node, 3 nodes and 7 nodes style explicit is faster." in said.line()


def test_the_answer_compares_copies_with_shared_memory_of_the_same_tree() -> None:
    explicit = measured("explicit", 3, depth="10")
    for other in (
        measured("packed", 1, depth="10"),
        measured("managed", 0, depth="9"),
        measured("managed", 0, depth="10", size="2MiB"),
        measured("managed", 0, depth="10", samples=4),
    ):
        assert answer([explicit, other]) == []


@pytest.mark.gpu
@pytest.mark.parametrize("style", row.STYLES)
@pytest.mark.parametrize("depth", ["1", "3", "8"])
def test_on_a_gpu(style: str, depth: str) -> None:
    try:
        trial = cases.CASES["deep"].run(one(GPU, style=style, depth=depth).parameters)
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert trial["verified"] is True
    assert len(trial["device_s"]) == 3
    assert ("transfer_in" in trial["quantities"]) is (style in ("explicit", "packed"))
