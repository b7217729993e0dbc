"""Case gather as it is run: small trials on this machine, sweeps, words and its figure."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from asked import CPU, GPU, request, rows_for_vega

from watari import cases
from watari.case import limits
from watari.cases.gather import case as row
from watari.cases.gather import words
from watari.cases.gather.answer import answer
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe, no_sense, resolve
from watari.results.measured import Measured

native = pytest.importorskip("watari._native")

one = partial(request, "gather", samples=3)


def run(**given: Any) -> dict[str, Any]:
    trial = cases.CASES["gather"].run(one(**given).parameters)
    assert trial["verified"] is True
    assert len(trial["host_s"]) == 3
    assert np.all(np.asarray(trial["host_s"]) > 0)
    return trial


@pytest.mark.parametrize("pattern", ["random", "strided"])
@pytest.mark.parametrize(("element", "stride"), [("4", "4"), ("8", "200"), ("4KiB", "4100")])
def test_a_gather_on_the_cpu(pattern: str, element: str, stride: str) -> None:
    trial = run(size="1MiB", element=element, stride=stride, pattern=pattern, thp="never")
    assert trial["device_s"] is None
    assert trial["residency_before"]["source"]["bytes"] == 2**20
    elements = 2**20 // int(stride)
    each = trial["quantities"]["element_s"]["value"]
    assert each == pytest.approx(np.median(trial["host_s"]) / elements)
    first = trial["quantities"]["first_element_s"]["value"]
    assert first * elements == pytest.approx(trial["host_s"][0])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"memory": "device"}, "the CPU cannot address device memory"),
        ({"source": "gpu"}, "stays in one place: the other processor cannot touch it first"),
        ({"hint": "mapped"}, "takes no advice|no advice|hint|GPU|CUDA"),
    ],
)
def test_what_cannot_be_is_unsupported_with_its_reason(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError, match=says):
        run(processor="cpu", size="64KiB", **given)


@pytest.mark.skipif(bool(native.gpus()["gpus"]), reason="there is a GPU")
@pytest.mark.parametrize("memory", ["device", "managed", "pinned", "system"])
def test_without_a_gpu_its_gathers_are_unsupported(memory: str) -> None:
    with pytest.raises(UnsupportedError, match=r"GPU|CUDA"):
        run(processor="gpu", memory=memory, size="64KiB")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"element": "12"}, "'12' is not a power of two from 4 to 4096"),
        ({"element": "8KiB"}, "is not a power of two"),
        ({"element": "2"}, "is not a power of two"),
        ({"stride": "6"}, "not a multiple of 4 bytes"),
        ({"stride": "4"}, "less than an element of 8 bytes"),
        ({"size": "32"}, "holds no stride of 64 bytes"),
        ({"pattern": "randm"}, "did you mean 'random'"),
        ({"turns": "read", "source": "cpu"}, "turns=read needs source=gpu, the other processor"),
        ({"turns": "prefetch", "source": "gpu", "hint": "prefetch"}, "takes no hint"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        one(**given)


def test_a_sweep_keeps_elements_that_overlap_as_unsupported() -> None:
    requests = resolve("gather", {"element": "8,4KiB", "stride": "64,4KiB"}, CPU)
    senseless = [r.parameters for r in requests if no_sense(r)]
    assert [(p["element"], p["stride"]) for p in senseless] == [(4096, 64)]


def test_defaults_suit_processor_and_element() -> None:
    assert one().parameters["stride"] == 64
    assert one(GPU).parameters["stride"] == 128
    assert one(GPU, element="4KiB").parameters["stride"] == 4096
    assert one(GPU).parameters["source"] == one(GPU, memory="managed").parameters["source"] == "gpu"
    assert one(GPU, memory="pinned").parameters["source"] == "cpu"
    assert describe(one(size="1MiB")) == "gather cpu pageable random 8B of 1MiB"
    assert describe(one(size="1MiB", stride="4KiB")).endswith("stride=4KiB")


def test_the_profile_knows_what_is_sparse_and_what_is_a_limit() -> None:
    parameters = one(GPU, memory="pinned", element="128", size="4GiB").parameters
    profile = row.profile(parameters)
    assert profile.footprint == {"pinned": 2**32, "device": 2**32}
    assert [a.pattern for a in profile.phases[0].accesses] == ["sparse", "regular"]
    link = limits.link_bandwidth(GPU, "cpu", "gpu")
    assert link
    assert limits.flags(profile, parameters, 1.01 * link, GPU) == [limits.ABOVE]
    assert limits.flags(profile, parameters, 0.99 * link, GPU) == []


def measured(machine: dict[str, Any], gbs: float, first: float = 1.0, **given: Any) -> Measured:
    """A case that gathers `gbs` GB/s; its first pass is `first` times slower."""
    parameters = one(machine, size="1MiB", **given).parameters
    moved = row.profile(parameters).bytes_per_sample
    second = moved / gbs / 1e9
    return Measured(
        run="here",
        machine=machine,
        case="gather",
        parameters=parameters,
        status="ok",
        reason="",
        flags=[],
        trials=[{"host_s": [first * second, second, second], "device_s": None}] * 2,
        planned=2,
        bytes_per_sample=moved,
        flops_per_sample=0,
        file=0,
    )


def test_the_answer_prices_an_element_beside_a_line_and_a_page() -> None:
    cpu = [measured(CPU, gbs, element=e) for e, gbs in (("4", 0.5), ("64", 8), ("4KiB", 10))]
    (said,) = answer(cpu)
    assert said.title == "Small elements that lie apart"
    assert said.text == (
        "elements of 4 B at random in pageable memory within the caches cost the CPU 8 ns each; "
        "elements of 64 B 8 ns, of 4 KiB 410 ns."
    )
    assert said.crossover == ("Elements of 4 B reach less than half of the rate of 4 KiB.")
    assert (said.figure, said.confidence) == ("8 ns", "95%: 8–8 ns, 2 trials")
    gpu = [measured(GPU, 100, element="8"), measured(GPU, 90, element="4KiB")]
    (said,) = answer([*cpu, *gpu])
    assert said.text == (
        "elements of 8 B at random in device memory within the caches cost the GPU 0.08 ns each; "
        "elements of 4 KiB 45.5 ns."
    )
    assert said.crossover == ""  # small elements are as fast, byte for byte


def test_the_answer_compares_nothing_but_elements() -> None:
    small = measured(CPU, 0.5, element="4")
    assert answer([small]) == []
    for other in (
        measured(CPU, 8, element="64", pattern="strided"),
        measured(CPU, 8, element="64", stride="4KiB"),
        measured(CPU, 8, element="64", threads="1"),
        measured(CPU, 8, element="32"),  # less than a line
        measured(GPU, 8, element="4KiB"),
    ):
        assert answer([small, other]) == []


@pytest.fixture
def gathered() -> list[Measured]:
    gpu = {"memory": "managed", "source": "cpu"}
    return [
        measured(CPU, 1, element="8"),
        measured(CPU, 6, element="64"),
        measured(CPU, 8, element="64", pattern="strided"),
        measured(GPU, 200, first=5000, element="8", **gpu),
        measured(GPU, 2000, first=900, element="128", **gpu),
    ]


def drawn(gathered: list[Measured]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Title and rows of each chart."""
    figures = pytest.importorskip("watari.cases.gather.figures")  # with the extra `report`
    figure = figures.FIGURES[0]
    charts = figures.over_element(gathered)
    return [(title, rows_for_vega(figure, chart)) for title, chart, _ in charts]


def test_a_line_is_a_memory_and_an_order(gathered: list[Measured]) -> None:
    (cpu_title, cpu), (gpu_title, gpu) = drawn(gathered)
    assert (cpu_title, gpu_title) == ("By CPU, from 1 MiB", "By GPU, from 1 MiB")
    assert {r["path"] for r in cpu} == {"pageable, random", "pageable, in order"}
    assert {r["path"] for r in gpu} == {
        "managed, random, CPU touched it",
        "managed, random, CPU touched it: first pass",
    }
    (slow,) = {r["rate"] for r in gpu if r["at"] == 8 and "first" in r["path"]}
    assert slow == pytest.approx(200 / 5000)


def test_numbers_are_elements_lines_and_passes(gathered: list[Measured]) -> None:
    (table,) = words.PRESENTATION.tables(gathered)
    small, large = table.rows[0], table.rows[1]
    assert small["Gathered"] == "1 GB/s"
    assert small["Lines"] == "8 GB/s"  # 8 of 64 bytes
    assert large["Lines"] == large["Gathered"] == "6 GB/s"
    assert small["Elements a second"] == "125M"
    assert small["Before a pass"] == ""
    assert words.words("gather", gathered[2].parameters) == (
        "64 B elements of pageable memory in order by CPU"
    )
    assert words.special(gathered[3].parameters) == "CPU touched it"


def test_lines_side_by_side_are_not_counted_twice() -> None:
    dense = one(element="8", stride="16", size="1MiB").parameters
    assert words.line_bytes_moved(dense) == 2**20
    across = one(element="64", stride="80", size="8000").parameters
    assert words.line_bytes_moved(across) == 100 * 64


def test_faults_of_every_pass_are_allowed_for() -> None:
    given = {"memory": "managed", "source": "cpu", "size": "64MiB"}
    once, turns = (
        row.extra_seconds(one(GPU, **given, turns=value).parameters) for value in ("none", "read")
    )
    assert turns - once == pytest.approx(5 * 2**14 * row.SLOWEST_PAGE)  # 3 there, 3 back
    words_of = words.words("gather", one(GPU, **given, turns="read").parameters)
    assert words_of.endswith("by GPU, CPU touched it, read by it before each pass")


def test_the_way_back_is_the_median_of_later_turns() -> None:
    given = {"memory": "managed", "source": "cpu", "turns": "prefetch"}
    m = measured(GPU, 100, **given)
    for trial in m.trials:
        trial["series"] = {"bring_s": [9.0, 1e-3, 3e-3], "back_s": [9.0, 4e-3, 4e-3]}
    assert words.row(m, [m])["Before a pass"] == "6 ms"


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("turns", "timed"), [("read", {"read_s"}), ("prefetch", {"read_s", "bring_s", "back_s"})]
)
@pytest.mark.parametrize(("processor", "source"), [("cpu", "gpu"), ("gpu", "cpu")])
def test_a_source_that_changes_sides(
    processor: str, source: str, turns: str, timed: set[str]
) -> None:
    pages = {"size": "64MiB", "stride": "1028KiB", "element": "2KiB"}
    given = {"processor": processor, "source": source, "memory": "managed", **pages}
    trial = run(**given, turns=turns)
    assert {name for name in trial["series"] if name.endswith("_s")} == timed
    assert all(len(trial["series"][name]) == 3 for name in timed)
    if turns == "read" and source == "gpu":  # rows come back from the second pass on
        in_place, *back = trial["series"]["read_s"]
        assert min(back) > in_place


@pytest.mark.gpu
@pytest.mark.parametrize("pattern", ["random", "strided"])
@pytest.mark.parametrize(
    ("memory", "source"),
    [
        ("device", "gpu"),
        ("pinned", "cpu"),
        ("managed", "cpu"),
        ("managed", "gpu"),
        ("system", "cpu"),
    ],
)
def test_on_a_gpu(memory: str, source: str, pattern: str) -> None:
    for element in ("4", "8", "128", "4KiB"):
        given = {"memory": memory, "source": source, "pattern": pattern, "element": element}
        try:
            trial = run(processor="gpu", size="4MiB", **given)
        except UnsupportedError as error:
            pytest.skip(str(error))
        assert len(trial["device_s"]) == 3
