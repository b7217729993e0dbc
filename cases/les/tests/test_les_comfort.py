"""Comfort: radiation on a person, UTCI and WBGT beside published numbers, maps of a flow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from watari.cases.les.comfort import maps, onesky, radiant, utci, wbgt
from watari.cases.les.output import THETA0, Wind

KELVIN = 273.15
# Liljegren's own program (Argonne, float, ends within 0.02 K): air, humidity, hPa, m/s, W/m2, share
# of the beam, sine of the elevation; globe, natural wet bulb, wet bulb
LILJEGREN = [
    (20, 0.5, 1013.25, 1, 0, 0, 0.5, 18.307, 13.604),
    (25, 0.5, 1013.25, 1, 600, 0.6, 0.8, 39.229, 20.954),
    (30, 0.5, 1013.25, 2, 900, 0.75, 0.9, 45.615, 24.202),
    (30, 0.7, 1000, 0.5, 900, 0.75, 0.9, 55.038, 29.724),
    (35, 0.4, 1000, 0.5, 1000, 0.8, 0.95, 60.724, 28.517),
    (35, 0.65, 1000, 0.2, 300, 0.2, 0.6, 48.298, 32.617),
    (40, 0.2, 990, 1, 800, 0.8, 0.7, 58.268, 25.193),
    (40, 0.1, 1000, 3, 1000, 0.85, 0.95, 52.802, 20.125),
    (10, 0.7, 1013.25, 5, 200, 0.5, 0.3, 13.280, 8.136),
    (28, 0.6, 1000, 1, 500, 0.7, 0.25, 49.557, 25.506),
    (33, 0.55, 1005, 0.13, 700, 0.7, 0.85, 60.225, 32.796),
    (26.85, 0.5, 1000, 0.05, 100, 0, 0.70711, 30.073, 21.750),
    (0, 0.8, 1013.25, 2, 400, 0.7, 0.5, 8.562, 1.510),
    (38, 0.3, 1000, 10, 950, 0.8, 0.9, 46.380, 24.197),
]


@pytest.mark.parametrize("row", LILJEGREN)
def test_wbgt_is_that_of_liljegrens_program(row: tuple[float, ...]) -> None:
    celsius, humidity, pressure, speed, solar, direct, sine, globe, wet = row
    air = np.array(celsius + KELVIN)
    vapour = humidity * wbgt.saturation(air)
    elevation = math.degrees(math.asin(sine))
    on = wbgt.open_country(air, vapour, np.array(solar), np.array(direct), elevation)
    found = wbgt.wbgt(air, vapour, pressure, np.array(speed), on)
    assert found.globe - KELVIN == pytest.approx(globe, abs=0.03)
    assert found.wet_bulb - KELVIN == pytest.approx(wet, abs=0.03)
    whole = 0.7 * wet + 0.2 * globe + 0.1 * celsius
    assert found.wbgt - KELVIN == pytest.approx(whole, abs=0.03)


def test_wbgt_of_many_points_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wbgt, "BLOCK", 7)
    some = np.random.default_rng(1)
    air, speed = some.uniform(285, 315, (5, 6)), some.uniform(0, 5, (5, 6))
    vapour = 0.4 * wbgt.saturation(air)
    on = wbgt.open_country(air, vapour, np.full(air.shape, 500.0), np.full(air.shape, 0.6), 40)
    speed[2, 3] = np.nan  # a building
    found = wbgt.wbgt(air, vapour, 1000, speed, on).wbgt
    assert np.isnan(found).sum() == 1
    assert np.isnan(found[2, 3])
    one = wbgt.open_country(air[1, 1], vapour[1, 1], np.array(500.0), np.array(0.6), 40)
    alone = wbgt.wbgt(air[1, 1], vapour[1, 1], 1000, speed[1, 1], one).wbgt
    assert found[1, 1] == pytest.approx(float(alone), abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("air", "radiant_", "v10", "humidity", "expected"),
    [
        (25, 25, 1, 50, 24.612126),
        (30, 60, 1, 50, 37.923599),
        (35, 65, 0.5, 40, 42.949248),
        (20, 55, 2, 60, 28.745500),
        (10, 10, 5, 70, -0.042403),
        (40, 75, 1, 20, 48.407366),
    ],
)
def test_utci_is_the_published_polynomial(
    air: float, radiant_: float, v10: float, humidity: float, expected: float
) -> None:
    pytest.importorskip("pythermalcomfort")
    wind = np.array(v10 / 1.3786)
    found = utci.utci(np.array(air), np.array(radiant_), wind, np.array(humidity), np.array(20.0))
    assert found.values == pytest.approx(expected, abs=1e-6)
    assert (found.slow, found.outside) == (0, 0)


@pytest.mark.slow
def test_utci_says_what_it_left_out() -> None:
    pytest.importorskip("pythermalcomfort")
    air = np.array([25.0, 25, 25, 25, 25, 60, np.nan, 25, 25, 25])
    wind = np.array([1.0, 0, 0.5 / 1.3786, 20, 1, 1, 1, 1, 1, 0.1])
    hot = np.array([25.0, 25, 25, 25, 96, 60, 25, 25, -6, 25])
    vapour = np.array([20.0, 20, 20, 20, 20, 20, 20, 51, 20, 20])
    found = utci.utci(air, hot, wind, np.array(50.0), vapour)
    assert np.isnan(found.values).tolist() == [n in (3, 4, 5, 6, 7, 8) for n in range(10)]
    assert found.slow == pytest.approx(2 / 9)
    assert found.outside == pytest.approx(5 / 9)
    assert found.values[1] == found.values[9]


def even(short: float, long: float, beam: float, elevation: float) -> radiant.Fluxes:
    """The same from all six directions."""
    six = np.ones((6, 1))
    return radiant.Fluxes(short * six, long * six, np.array([beam]), elevation)


def test_a_person_among_equal_walls_feels_their_temperature() -> None:
    assert sum(radiant.WEIGHTS) == pytest.approx(1)
    walls = even(0, radiant.SIGMA * 310**4, 0, 0)
    assert radiant.mean_radiant(walls) == pytest.approx(310)
    # ISO 7726: the surface that a standing person shows the sun
    for elevation, share in ((0, 0.308), (45, 0.2247), (90, 0.0785)):
        assert radiant.projected(elevation) == pytest.approx(share, abs=2e-4)
    lit = even(100, 400, 800, 45)
    absorbed = 0.7 * (100 + 0.2247 * 800) + 0.97 * 400
    expected = (absorbed / (0.97 * 5.670374419e-8)) ** 0.25
    assert radiant.mean_radiant(lit) == pytest.approx(expected, abs=0.01)


def test_the_sky_over_flat_ground_is_whole() -> None:
    seen = onesky.views(np.zeros((8, 10)), 2.0, onesky.Sky())
    assert seen.sky[-1] == pytest.approx(1)
    assert seen.sky[:-1] == pytest.approx(0.5)
    assert seen.lit.all()


def test_a_street_sees_the_sky_of_a_canyon() -> None:
    metres = np.zeros((16, 200))
    metres[:8] = 20  # walls along x, a street of 16 m, cells of 2 m
    seen = onesky.views(metres, 2.0, onesky.Sky())
    for row, from_south in ((11, 7.0), (14, 13.0)):
        rise = 20 - onesky.HEIGHT
        exact = sum(0.5 * d / math.hypot(d, rise) for d in (from_south, 16 - from_south))
        assert seen.sky[-1][row, 50] == pytest.approx(exact, abs=0.03)
    assert seen.sky[0][11, 50] > 2 * seen.sky[1][11, 50]  # along the street, and at a wall


@pytest.mark.parametrize("azimuth", [180, 90, 0, 270])
def test_a_shadow_has_the_length_of_its_block(azimuth: float) -> None:
    metres = np.zeros((80, 80))
    metres[38:42, 38:42] = 20
    sky = onesky.Sky(elevation=30, azimuth=azimuth)
    dark = ~onesky.views(metres, 1.0, sky).lit & (metres == 0)
    along = {180: dark[42:, 40], 0: dark[:38, 40], 90: dark[40, :38], 270: dark[40, 42:]}[azimuth]
    length = (20 - onesky.HEIGHT) / math.tan(math.radians(30))
    assert abs(int(along.sum()) - length) <= 1.5
    assert dark.sum() == pytest.approx(4 * along.sum(), rel=0.05)  # and nothing else


def test_ground_in_the_sun_is_hot_and_steady() -> None:
    air, speed = np.array(300.0), np.array(1.0)
    long = np.array(400.0)
    lit, shade = (
        float(onesky.steady(np.array(k), long, air, speed, onesky.ASPHALT)) for k in (600, 50)
    )
    assert shade < lit
    log = math.log(20) * math.log(200)
    lost = 0.95 * 5.670374419e-8 * lit**4 + 1206 * 0.16 / log * (lit - 300)
    lost += onesky.ASPHALT / 0.215 * (lit - 293.15)
    assert lost == pytest.approx(0.9 * 600 + 0.95 * 400, rel=1e-6)


def air_of(spacing: float, more: dict[str, Any] | None = None) -> Wind:
    """Air whose wind along x grows with height, around one building."""
    solid = np.zeros((6, 8, 8), bool)
    solid[:3, 2, 3] = True
    k = np.arange(6.0)[:, None, None] + np.zeros(solid.shape)
    fields = {"u": 1 + k, "v": 0 * k, "w": 0 * k, "theta": THETA0 + k, **(more or {})}
    return Wind(fields, solid, spacing, 12.5)


def test_air_is_that_of_the_height_of_a_person() -> None:
    here = maps.near(air_of(2.0), 50)  # centres 1, 3, ... m
    assert here.speed[0, 0] == pytest.approx(1.25)
    assert here.air[0, 0] == pytest.approx(300.25)
    assert np.isnan(here.speed[2, 3])
    coarse = maps.near(air_of(5.0), 50)  # the first centre is above
    assert coarse.speed[0, 0] == pytest.approx(math.log(1.5 / 0.05) / math.log(2.5 / 0.05))
    assert coarse.air[0, 0] == 300
    fine = maps.near(air_of(0.5), 50)
    assert fine.speed[0, 0] == pytest.approx(1 + 2.5)


def test_vapour_is_assumed_only_where_the_flow_has_none() -> None:
    dry = maps.near(air_of(2.0), 50)
    assert dry.humidity[0, 0] == pytest.approx(50, rel=0.02)
    assert dry.vapour[0, 0] == pytest.approx(17.7, abs=0.1)
    q = np.full((6, 8, 8), 0.012)
    wet = air_of(2.0, {"q": q})
    assert maps.near(wet, 50).vapour[0, 0] == pytest.approx(19.15, abs=0.02)
    assert any("computed" in note for note in maps.comfort("wbgt", wet, 50).notes)
    assert any("50%" in note for note in maps.comfort("wbgt", air_of(2.0), 50).notes)


@pytest.mark.parametrize(
    "name", [pytest.param("utci", marks=pytest.mark.slow), "wbgt", "tmrt", "tair"]
)
def test_every_map_has_a_value_in_the_street_and_none_in_a_building(name: str) -> None:
    if name == "utci":
        pytest.importorskip("pythermalcomfort")
    found = maps.comfort(name, air_of(2.0), 50)
    assert np.ma.getmaskarray(found.values).sum() == 1
    assert found.values.mask[2, 3]
    assert 10 < found.values.min() <= found.values.max() < 70
    if name != "tair":
        assert found.values.max() - found.values.min() > 1  # the shade of the building
        assert any("sun" in note for note in found.notes)
