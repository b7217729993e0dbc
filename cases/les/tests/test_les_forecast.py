"""The forecast of a touch, from made-up rates: its parts are sums that a reader can check."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from watari.cases.les import words
from watari.cases.les.charts import predicted
from watari.cases.les.forecast import forecast
from watari.cases.les.forecast.forecast import Parts, Region
from watari.cases.les.forecast.rates import Curve
from watari.results.measured import Measured

MIB = 1 << 20
CITY = "cubes:64:0.25:staggered"  # at L 524,288 facets, roofs in the 32nd plane
PLANE, ARRAY = 520 * 514 * 4, 520 * 514 * 4 * 130
PACKED, FLUX = 4 * MIB, 2 * MIB
ROW = 512 * 4
STEP = 0.01


def case(name: str, trials: list[dict[str, Any]], **parameters: Any) -> Measured:
    return Measured("run", {"name": "m"}, name, parameters, "ok", "", [], trials, 1, 1, 0, 0)


def samples(host: float, device: float) -> list[dict[str, Any]]:
    return [{"host_s": [9.0, host, host], "device_s": [9.0, device, device]}]


def copy(source: str, target: str, size: int, device: float) -> Measured:
    ends = {"from": source, "to": target, "means": "copy-engine", "processor": "gpu"}
    more = {"streams": 1, "bidirectional": False, "size": size}
    return case("copy", samples(device + 1e-5, device), **ends, **more)


def prefetch(to: str, size: int, device: float) -> Measured:
    of = {"processor": to, "memory": "managed", "operation": "prefetch", "size": size}
    return case("touch", samples(device + 1e-5, device), **of)


def migration(size: int, gpu: float) -> Measured:
    """Four phases: the first ones of each side, with new pages, take longer."""
    names = ("gpu-1", "cpu-1", "gpu-2", "cpu-2")
    phases = [{"name": name, "first": n, "last": n + 1} for n, name in enumerate(names)]
    trial = {"host_s": [7.0, 8.0, gpu, 8.0], "phases": phases}
    return case("migration", [trial], memory="managed", hint="none", size=size)


def gathered(turns: str, size: int, stride: int, host: float, **series: list[float]) -> Measured:
    """Three passes by the CPU: the first one, with new pages, takes longer."""
    at = {"processor": "cpu", "memory": "managed", "source": "gpu", "turns": turns}
    trial = {"host_s": [9.0, host, host], "series": series}
    return case("gather", [trial], size=size, stride=stride, **at)


def air(style: str, touch: str, gather: str = "gpu", **trial: Any) -> Measured:
    parameters = {
        "processor": "gpu",
        "style": style,
        "grid": "L",
        "spacing": 2.0,
        "city": CITY,
        "precision": "single",
        "cpu-touch": touch,
        "every": 1 if style == "pinned" else 4,
        "gather": gather,
        "threads": 16,
        "ranks": 1,
    }
    return case("les", [trial], **parameters)


def own_work(touch: str, seconds: float, gather: str = "gpu") -> Measured:
    """A case whose work takes the CPU `seconds`; the GPU packs over the link for 2 ms."""
    series = {"cpu_s": [seconds], "gather_s": [0.002]}
    return air("pinned", touch, gather, host_s=[1.0], series=series)


def touched(style: str, touch: str, gather: str = "gpu") -> Measured:
    """Nine steps of 10 ms: two touches of 1, 2 and 3 ms, each with 4 ms more in the next step."""

    def series(seconds: float) -> list[float]:
        return [seconds if n % 4 == 0 else 0.0 for n in range(1, 10)]

    steps = [STEP + (0.006 if n % 4 == 0 else 0.004 if n % 4 == 1 else 0) for n in range(1, 10)]
    parts = {"gather_s": series(0.001), "move_s": series(0.002), "cpu_s": series(0.003)}
    return air(style, touch, gather, host_s=steps, series=parts)


RATES = [
    copy("device", "pinned", MIB, 1e-4),
    copy("device", "pinned", 101 * MIB, 101e-4),  # 0.1 ms a MiB
    copy("pinned", "device", MIB, 2e-4),
    copy("pinned", "device", 101 * MIB, 202e-4),
    prefetch("cpu", 4096, 1e-5),
    prefetch("cpu", 4096 + 100 * MIB, 4e-2 + 1e-5),  # 0.4 ms a MiB
    prefetch("gpu", 4096, 2e-5),
    prefetch("gpu", 4096 + 100 * MIB, 2e-2 + 2e-5),
    migration(MIB // 2, 5e-4),
    migration(300 * MIB, 0.3),  # 0.5 ms a MiB
    gathered("read", MIB, 4096, 3e-4, read_s=[1e-5, 0.1, 0.1]),
    gathered("read", 600 * MIB, 4096, 0.18, read_s=[1e-4, 0.3, 0.3]),  # 0.3 ms a MiB
    gathered("read", 100 * MIB, MIB, 4e-3, read_s=[1e-3, 6e-3, 6e-3]),  # 100 rows
    gathered("prefetch", 100 * MIB, MIB, 1e-5, bring_s=[1, 1e-3, 1e-3], back_s=[1, 2e-3, 2e-3]),
    case(
        "gather",
        samples(1.1e-3, 1e-3),
        processor="gpu",
        memory="device",
        pattern="strided",
        element=4,
        size=1 << 30,
        stride=128,
    ),
    own_work("facets", 5e-4),
    own_work("planes", 7e-4),
    own_work("all", 0.03),
    own_work("facets", 6e-4, "cpu"),
]
KERNEL = 1e-4 + 5 * 524_288 * 1e-3 * 128 / (1 << 30)
TOUCHED = [
    *(
        touched(style, touch)
        for style in ("explicit", "managed", "managed-prefetch")
        for touch in ("facets", "planes", "all")
    ),
    touched("managed", "facets", "cpu"),
]


def of(style: str, touch: str, gather: str = "gpu") -> Parts:
    return forecast.predicted(touched(style, touch, gather), RATES)


def close(parts: Parts, gather: float, move: float, cpu: float, after: float) -> None:
    values = (parts.gather, parts.move, parts.cpu, parts.after)
    assert values == pytest.approx((gather, move, cpu, after), rel=1e-9)


def mib(size: float) -> float:
    return size / MIB


def test_a_curve_is_straight_between_sizes_and_goes_on_in_proportion() -> None:
    curve = Curve(((10, 1.0), (20, 2.0), (40, 3.0)))
    assert [curve(size) for size in (0, 1, 10, 15, 30, 40, 80)] == [0, 1, 1, 1.5, 2.5, 3, 6]


def test_what_a_touch_moves() -> None:
    facets = forecast.traffic(touched("explicit", "facets"))
    assert (facets.facets, facets.packed, facets.flux) == (524_288, PACKED, FLUX)
    assert facets.fields == ()
    assert forecast.traffic(touched("managed", "all")).fields == 4 * (Region(ARRAY),)
    planes = forecast.traffic(touched("managed", "planes"))
    assert (planes.whole, planes.lone) == (4 * PLANE, 4 * 128)
    picked = forecast.traffic(touched("managed", "facets", "cpu"))
    assert (picked.packed, picked.fields) == (0, 4 * (Region(34 * PLANE),))


def test_explicit_copies_down_and_flux_up() -> None:
    close(of("explicit", "facets"), KERNEL, 4e-4 + 4e-4 + 2e-5, 5e-4, 0)
    down = 4e-4 + 4 * mib(ARRAY) * 1e-4
    close(of("explicit", "all"), KERNEL, down + 4e-4 + 2e-5, 0.03, 0)
    rows = 1e-4  # 256 KiB: the smallest copy's time
    down = 4e-4 + 4 * (mib(PLANE) * 1e-4 + rows)
    close(of("explicit", "planes"), KERNEL, down + 4e-4 + 2e-5, 7e-4, 0)


def test_a_prefetch_is_a_call_a_row_and_leaves_flux_to_faults() -> None:
    def call(size: float, least: float, each: float) -> float:
        return least + mib(size - 4096) * each

    down, up = call(PACKED, 1e-5, 4e-4), call(PACKED, 2e-5, 2e-4) + call(FLUX, 2e-5, 2e-4)
    faults = 6e-4  # for 2 MiB
    close(of("managed-prefetch", "facets"), KERNEL, down + up + 2e-5, 5e-4 + faults, 0)
    rows = 4 * 128 * (1e-5 + 2e-5)
    planes = 4 * (call(PLANE, 1e-5, 4e-4) + call(PLANE, 2e-5, 2e-4)) + rows
    close(of("managed-prefetch", "planes"), KERNEL, down + up + planes + 2e-5, 7e-4 + faults, 0)


def test_managed_faults_in_each_part() -> None:
    gather = KERNEL + 4 * 5e-4
    close(of("managed", "facets"), gather, 0, 5e-4 + 6 * 3e-4, 2 * 5e-4)
    alone = 4 * 128
    cpu, after = 7e-4 + mib(4 * PLANE + 6 * MIB) * 3e-4, mib(4 * PLANE + 2 * MIB) * 5e-4
    close(of("managed", "planes"), gather, 0, cpu + alone * 4e-5, after + alone * 5e-5)
    moved = mib(34 * 4 * PLANE) + 2
    k = 4  # blocks of 2 MiB a thread
    cpu = max(6e-4, moved * 3e-4) + 6e-4 / k
    close(of("managed", "facets", "cpu"), 0, 0, cpu, moved * 5e-4)


def test_work_overlaps_with_faults_where_a_thread_has_several_blocks() -> None:
    block = forecast.BLOCK
    assert forecast.overlapped(3.0, 2.0, 4 * block, 4) == 5  # one each: all wait, then work
    assert forecast.overlapped(3.0, 2.0, 16 * block, 4) == 3.5
    assert forecast.overlapped(2.0, 3.0, 16 * block, 4) == 3.5
    assert forecast.overlapped(2.0, 3.0, block, 16) == 5


def test_parts_are_medians_of_touches_that_a_step_follows() -> None:
    parts = forecast.measured(touched("managed", "all"))
    close(parts, 0.001, 0.002, 0.003, 0.004)
    assert parts.whole == pytest.approx(0.01)
    short = touched("managed", "all")
    short.trials[0]["host_s"] = short.trials[0]["host_s"][:4]
    assert not forecast.forecast(short)  # no step follows its touch


def test_a_rate_that_is_missing_is_named() -> None:
    fewer = [m for m in RATES if m.case != "migration"]
    found = {
        m["style"]: text
        for m, text in forecast.touches([*fewer, *TOUCHED])
        if isinstance(text, str)
    }
    missing = "needs case migration memory=managed hint=none in the same run"
    assert found == {"managed": missing}
    without_rows = [m for m in RATES if m.case != "gather" or m.parameters.get("stride") != MIB]
    planes = [m for m in TOUCHED if m["cpu-touch"] == "planes"]
    assert [text for _, text in forecast.touches([*without_rows, *planes])][1:] == [
        "needs case gather turns=read stride=1MiB or so",
        "needs case gather processor=cpu memory=managed source=gpu turns=prefetch in the same run",
    ]
    elsewhere = [replace(m, run="another") for m in RATES]
    assert forecast.touches([*elsewhere, *TOUCHED]) == []
    (table,) = words.forecasts([*fewer, TOUCHED[0], TOUCHED[3]])
    assert [row[words.RATIO] for row in table.rows] == [
        f"{10 / (1e3 * of('explicit', 'facets').whole):.2f}",
        f"not predicted: {missing}",
    ]


def test_figure_and_table_have_every_touch() -> None:
    cases = [*RATES, *TOUCHED]
    ((title, chart, shown),) = predicted.drawn(cases)
    assert (title, shown) == ("Grid L", TOUCHED)
    rows = predicted.bars(forecast.pairs(cases))
    assert len(rows) == len(TOUCHED) * 2 * 4
    assert rows[4] == {
        "style": "explicit",
        "touch": "facets, N = 4, measured",
        "part": "gather",
        "order": 0,
        "ms": 1.0,
    }
    assert chart.to_dict()
    (table,) = words.forecasts(cases)
    assert len(table.rows) == len(TOUCHED)
    assert table.rows[0]["Next step"] == "0, 4"
