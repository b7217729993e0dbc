"""The figures of case les, from made-up results of four styles."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import browser
import pytest

from watari.cases.les import figures
from watari.cases.les.charts import machines, predicted, scaling, touches, wind
from watari.cases.les.forecast import model
from watari.report import page
from watari.results.measured import Measured

STEP, TOUCH = 0.008, 0.02  # s
RESULTS = Path(__file__).parents[3] / "results" / "nvidia-h200-x86_64"
PICTURE: dict[str, Any] = {
    "rows": ["A.", "//"],
    "unit": "m/s",
    "most": 5.0,
    "width": 4.0,
    "height": 4.0,
    "at": 3.0,
}


def measured(style: str, touch: str, every: int) -> Measured:
    """A case of 100 steps, each of 8 ms, whose touches take 20 ms more."""
    own = TOUCH if touch != "none" else 0.0
    steps = [STEP + (own if n % every == 0 else 0.0) for n in range(1, 101)]
    parameters = {
        "processor": "gpu",
        "style": style,
        "grid": "L",
        "cpu-touch": touch,
        "every": every,
        "gather": "gpu",
        "cycles": 2,
        "precision": "single",
        "ranks": 1,
    }
    parts = [own if n % every == 0 else 0.0 for n in range(1, 101)]
    speed = {"value": 512 * 512 * 128 * 100 / sum(steps), "unit": "1/s"}
    trial: dict[str, Any] = {
        "host_s": steps,
        "series": {
            "gather_s": [0.0] * 100,
            "move_s": [0.75 * seconds for seconds in parts],
            "cpu_s": [0.25 * seconds for seconds in parts],
        },
        "quantities": {"cells_per_s": speed},
    }
    return Measured("run", {"name": "m"}, "les", parameters, "ok", "", [], [trial], 1, 10**9, 0, 0)


CASES = [
    measured(style, touch, every)
    for style in ("explicit", "managed")
    for touch, every in (("none", 10), ("all", 1), ("all", 10), ("all", 100))
]


def test_the_parts_of_a_step_sum_to_its_mean() -> None:
    for m in CASES:
        whole = sum(row["ms"] for row in figures.parts(m, CASES))
        own = 0 if m["cpu-touch"] == "none" else 1e3 * TOUCH / m["every"]
        assert whole == pytest.approx(1e3 * STEP + own, rel=1e-3)


def test_the_model_reaches_what_was_measured_at_other_n() -> None:
    points = touches.points_over_n(CASES[1:4], CASES)
    line = {row["n"]: row["model"] for row in points if "model" in row}
    dots = {row["n"]: row["measured"] for row in points if "measured" in row}
    assert set(dots) == {1, 10, 100}
    for n, speed in dots.items():
        assert line[n] == pytest.approx(speed, rel=1e-6)
    (free,) = ((row["n"], row["free"]) for row in points if "free" in row)
    assert free == (25, pytest.approx(512 * 512 * 128 / 1e6 * 25 / (25 * STEP + TOUCH)))


def test_the_measured_n_lies_between_two_that_were_measured() -> None:
    assert model.free_from(TOUCH, STEP) == 25
    assert model.measured_free_from(CASES[1:4], CASES) == "25"  # between 10 and 100
    assert model.measured_free_from(CASES[1:3], CASES) == "above 10"
    assert model.measured_free_from(CASES[3:4], CASES) == "100 or less"
    assert touches.free_words(CASES[1:4], CASES) == (
        "explicit: free from N = 25 by the model, 25 as measured"
    )


def test_the_steps_around_a_touch_show_it_where_it_is() -> None:
    found = {row["at"]: row["ms"] for row in touches.around(CASES[2])}  # N = 10
    assert found == {at: 28.0 if at == 0 else 8.0 for at in range(-3, 7)}
    assert list(touches.around(CASES[1])) == [{"style": "explicit", "at": 0, "ms": 28.0}]
    late = CASES[2].trials[0]["host_s"].copy()
    late[10::10] = [0.05] * 9  # faults of the step after
    m = replace(CASES[2], trials=[{**CASES[2].trials[0], "host_s": late}])
    assert {row["at"]: row["ms"] for row in touches.around(m)}[1] == 50.0


def test_a_panel_has_the_n_that_shows_each_touch() -> None:
    title = touches.steps_panel([m for m in CASES if m["cpu-touch"] == "all"], CASES).title
    assert title.text == "all, N = 10"
    assert title.subtitle == "ms that a touch takes: explicit 20, managed 20"
    assert touches.steps_panel([CASES[1]], CASES) is None
    assert touches.over_n_panel([CASES[1]], CASES) is None


def on(run: str, processor: str, cells_per_s: float) -> Measured:
    """A case of a machine with this speed."""
    made = measured("system" if processor == "cpu" else "explicit", "all", 10)
    speed = {"cells_per_s": {"value": cells_per_s, "unit": "1/s"}}
    parameters = {**made.parameters, "processor": processor}
    trials = [{**made.trials[0], "quantities": speed}]
    return replace(made, run=run, parameters=parameters, trials=trials)


MACHINES = [
    on("GH200", "gpu", 3e9),
    on("GH200", "cpu", 0.3e9),
    on("H100", "gpu", 1.5e9),
    on("H100", "gpu", 1e9),
    on("H100", "cpu", 0.1e9),
]


def test_machines_are_compared_by_their_fastest_style() -> None:
    ((title, _, shown),) = machines.machines(MACHINES)
    assert title == "Grid L"
    assert shown == MACHINES
    found = {row["of"]: row["low"] for row in machines.ratios(machines.bars(MACHINES))}
    assert found == pytest.approx(
        {
            "GPU over CPU, GH200": 10,
            "GPU over CPU, H100": 15,
            "GPU, GH200 over H100": 2,
            "CPU, GH200 over H100": 3,
        }
    )
    assert [(row["of"], row["low"], row["high"]) for row in machines.theirs()] == [
        ("GPU, GH200 over H100, Boku 2025", 1.5, 3),
        ("CPU, Grace over Xeon, Boku 2025", 2, 2),
        ("GPU over CPU, Boku 2025", 25, 25),
    ]
    assert machines.machines(MACHINES[:1]) == []


def test_a_picture_becomes_one_image() -> None:
    """Its first row is at the bottom; buildings are grey, level 63 is yellow."""
    head, _, text = wind.url(PICTURE).partition(",")
    assert head == "data:image/png;base64"
    data = base64.b64decode(text)
    size, colours, pixels = (data.index(word) for word in (b"IHDR", b"PLTE", b"IDAT"))
    assert struct.unpack(">II", data[size + 4 : size + 12]) == (8, 8)
    palette = data[colours + 4 : colours + 4 + 3 * 65]
    assert palette[:3] == bytes.fromhex("440154")
    assert palette[-6:-3] == bytes.fromhex("fde725")
    (length,) = struct.unpack(">I", data[pixels - 4 : pixels])
    lines = zlib.decompress(data[pixels + 4 : pixels + 4 + length])
    assert [lines[9 * n : 9 * n + 9] for n in (0, 3, 4, 7)] == [
        bytes([0, *[63] * 8]),
        bytes([0, *[63] * 8]),
        bytes([0, *[0] * 4, *[64] * 4]),
        bytes([0, *[0] * 4, *[64] * 4]),
    ]


def test_the_wind_is_drawn_once_a_flow() -> None:
    own = {"steps": 100, "city": "flat"}
    cases = [
        replace(
            m,
            parameters={**m.parameters, **own, "steps": steps},
            trials=[
                {
                    **m.trials[0],
                    "pictures": {"speed.plan": PICTURE, "speed.cut": PICTURE},
                    "quantities": {"simulated": {"value": 10.0, "unit": "s"}},
                }
            ],
        )
        for m in CASES[:2]
        for steps in (100, 200)
    ]
    drawn = wind.wind([*CASES, *cases])
    assert [title for title, _, _ in drawn] == [
        "Grid L, flat, after 10 s (100 steps)",
        "Grid L, flat, after 10 s (200 steps)",
    ]
    assert drawn[0][1].to_dict()["vconcat"][0]["layer"][0]["mark"]["type"] == "image"
    assert wind.wind(CASES) == []


def test_the_page_keeps_the_shape_of_a_picture(chromium: str, tmp_path: Path) -> None:
    """Other charts become as wide as the text."""
    data = json.loads((RESULTS / "20261125-les-fewer-launches.json").read_text())
    data["cases"] = data["cases"][:1]
    plan = {**PICTURE, "width": 40.0, "height": 20.0}
    data["cases"][0]["trials"][0]["pictures"] = {"speed.plan": plan, "speed.cut": PICTURE}
    (tmp_path / "les.json").write_text(json.dumps(data))
    page.write([tmp_path / "les.json"], tmp_path / "les.html")
    opened = browser.open_page(chromium, tmp_path / "les.html")
    images = re.findall(
        r'<image aria-label="(.*?)".*?width="(\d+)" height="(\d+)"', opened.document
    )
    assert images == [
        ("wind speed, 3 m above the ground", "380", "190"),
        ("wind speed, Cut at y = 3 m", "380", "380"),
    ]
    assert opened.drawn()[-1][0] < 560 < opened.drawn()[0][0]  # the picture's axes are not longer
    assert opened.console == []


def test_ranks_are_beside_perfect_scaling() -> None:
    def shared(ranks: int, split: str, halo: str, cells_per_s: float) -> Measured:
        made = on("run", "gpu", cells_per_s)
        own = {"ranks": ranks, "split": split, "halo": halo}
        return replace(made, parameters={**made.parameters, "city": "flat", **own})

    cases = [
        shared(2, "2x1x1", "nccl", 3.5e9),
        shared(2, "1x2x1", "peer", 3.8e9),
        shared(1, "1x1x1", "none", 2e9),
    ]
    ((title, chart, shown),) = scaling.scaling(cases)
    assert (title, shown) == ("Grid L, explicit", cases)
    assert [(row["of"], row["speed"], row["perfect"]) for row in scaling.bars(cases)] == [
        ("1 rank", 2000, 2000),
        ("2 ranks, 1x2x1, peer", 3800, 4000),
        ("2 ranks, 2x1x1, nccl", 3500, 4000),
    ]
    assert scaling.bars(cases[:1])[0]["perfect"] is None
    assert len(chart.to_dict()["layer"]) == 2
    assert scaling.scaling(cases[2:]) == []
    for figure in figures.FIGURES[:3]:  # a step's parts, a touch, N
        assert figure.draw(cases[:2]) == []


def test_every_figure_is_drawn() -> None:
    for figure in figures.FIGURES:
        if figure in (wind.WIND, scaling.RANKS, predicted.FORECAST):  # they have tests of their own
            continue
        (drawn,) = figure.draw(MACHINES if figure is machines.MACHINES else CASES)
        assert drawn[0]
        assert drawn[1].to_dict()
