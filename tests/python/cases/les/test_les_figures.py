"""The figures of case les, from made-up results of four styles."""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import replace
from typing import Any

import pytest

from watari.cases.les import figures, machines, model, wind
from watari.results.measured import Measured

STEP, TOUCH = 0.008, 0.02  # s


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
    points = figures.points_over_n(CASES[1:4], CASES)
    line = {row["n"]: row["model"] for row in points if "model" in row}
    dots = {row["n"]: row["measured"] for row in points if "measured" in row}
    assert set(dots) == {1, 10, 100}
    for n, speed in dots.items():
        assert line[n] == pytest.approx(speed, rel=1e-6)
    assert {row["free"] for row in points} == {model.free_from(TOUCH, STEP)} == {25}


def on(run: str, processor: str, cells_per_s: float) -> Measured:
    """A case of a machine that has this speed."""
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
    assert shown == MACHINES
    for ratio in ("GH200: GPU 10x CPU", "H100: GPU 15x CPU", "GPU: GH200 2x H100"):
        assert ratio in title
    assert "CPU: GH200 3x H100" in title
    theirs = "Boku 2025: GH200 over Xeon and H100 1.5–3x, their CPUs alone 2x, GPU over CPU 25x"
    assert theirs in title
    assert machines.machines(MACHINES[:1]) == []


def test_a_picture_becomes_one_image() -> None:
    """Its first row is at the bottom; buildings are grey, level 63 is yellow."""
    made = {"rows": ["A.", "//"], "unit": "m/s", "most": 5.0, "width": 4.0, "height": 4.0, "at": 3}
    head, _, text = wind.url(made).partition(",")
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
    made = {"rows": ["A.", "//"], "unit": "m/s", "most": 5.0, "width": 4.0, "height": 4.0, "at": 3}
    own = {"steps": 100, "city": "flat"}
    cases = [
        replace(
            m,
            parameters={**m.parameters, **own, "steps": steps},
            trials=[
                {
                    **m.trials[0],
                    "pictures": {"speed.plan": made, "speed.cut": made},
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


def test_every_figure_is_drawn() -> None:
    for figure in figures.FIGURES:
        if figure is wind.WIND:
            continue
        (drawn,) = figure.draw(MACHINES if figure is machines.MACHINES else CASES)
        assert drawn[0]
        assert drawn[1].to_dict()
