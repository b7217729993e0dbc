"""Radiation between facets: the sun, surfaces, the folder of view factors, a trial, a forecast."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import les_trials
import pytest
from les_trials import value

from watari.cases.les.forecast import forecast
from watari.cases.les.forecast.rates import Rates
from watari.cases.les.radiation import radiation, sun, surfaces
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import Request
from watari.results.measured import Measured

SHINING = {"every": 2, "radiation": "cpu"}
# elevation and azimuth by Meeus's formulas, 2026
MEEUS = {
    "0:0:2026-03-20:9": (43.127, 90.127),
    "35.68:139.77:2026-03-20:3": (54.029, 184.904),
    "60:25:2026-03-20:9": (27.555, 155.151),
    "0:0:2026-06-21:9": (40.064, 58.686),
    "35.68:139.77:2026-06-21:3": (77.195, 198.228),
    "60:25:2026-06-21:9": (50.742, 149.564),
    "0:0:2026-12-22:9": (40.768, 121.679),
    "35.68:139.77:2026-12-22:3": (30.680, 185.522),
    "60:25:2026-12-22:9": (5.028, 161.980),
}


pytestmark = pytest.mark.usefixtures("own_cache")


def requests(**given: Any) -> list[Request]:
    return les_trials.requests(**{**SHINING, **given})


def run(**given: Any) -> dict[str, Any]:
    return les_trials.run(**{**SHINING, **given})


@pytest.mark.parametrize("text", MEEUS)
def test_the_sun_stands_where_meeus_says(text: str) -> None:
    assert sun.place(text) == pytest.approx(MEEUS[text], abs=0.005)


def test_the_sun_of_no_place_is_in_the_south_at_45_degrees() -> None:
    assert sun.place("south") == (45, 180)
    assert sun.place("0:0:2026-03-20:0")[0] < -80  # midnight


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sun": "noon"}, "is not a sun; write south or LATITUDE:LONGITUDE:YYYY-MM-DD:HOUR"),
        ({"sun": "91:0:2026-03-20:9"}, "a latitude is from -90 to 90"),
        ({"sun": "0:0:2026-02-30:9"}, "2026-02-30 is not a day"),
        ({"sun": "0:0:2126-02-20:9"}, "the formula is for 1950 to 2050"),
        ({"sun": "0:0:2026-02-20:24"}, "an hour is from 0 to below 24"),
        ({"surfaces": "mine.toml"}, "write usual or file:PATH"),
        ({"surfaces": "file:/none.toml"}, "surfaces file:/none.toml: "),
        ({"cpu-touch": "none"}, "radiation=cpu is a part of the touch of facets"),
        ({"ranks": 2, "split": "1x2x1"}, "radiation=cpu is for one rank"),
        ({"radiation": "none", "sun": "0:0:2026-03-20:9"}, "needs radiation=cpu"),
        ({"radiation": "none", "surfaces": "file:x.toml"}, "needs radiation=cpu"),
        ({"radiation": "on"}, "radiation"),
    ],
    ids=str,
)
def test_nonsense_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        requests(**given)


def test_the_usual_surfaces_are_those_of_the_table() -> None:
    ground, roof, wall = surfaces.rows("usual")
    assert (ground[:2], roof[:2], wall[:2]) == ((0.12, 0.95), (0.2, 0.92), (0.3, 0.92))


def table(folder: Path, old: str = "", new: str = "") -> str:
    """The usual table with another text in it."""
    path = folder / "surfaces.toml"
    path.write_text(surfaces.TABLE.read_text().replace(old, new, 1))
    return f"file:{path}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('ground = "asphalt"', 'ground = "lava"', "ground = 'lava' is no kind; kinds: asphalt, "),
        ('ground = "asphalt"', "", r"\[parts\] has no ground"),
        ("albedo = 0.12", "albedo = 1.2", "albedo = 1.2, which is from 0 to 0.999"),
        ("albedo = 0.12", 'albedo = "low"', "kind 'asphalt': albedo is not a number"),
        ("albedo = 0.12, ", "", "kind 'asphalt' needs albedo, emissivity, "),
        ("[kinds]", "[others]", r"it has no table \[kinds\]"),
        ("[kinds]", "[kinds", "surfaces file:.*surfaces.toml: "),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert surfaces.rows(table(tmp_path))
    with pytest.raises(UsageError, match=message):
        surfaces.rows(table(tmp_path, old, new))


def test_a_trial_records_its_radiation_and_keeps_the_view_factors(own_cache: Path) -> None:
    first, again = run(), run()
    assert first["verified"] is True, first
    assert value(first, "view_from_file") == 0
    assert value(again, "view_from_file") == 1
    assert value(first, "fingerprint") == value(again, "fingerprint")
    assert len(list(own_cache.iterdir())) == 1
    assert 0 <= value(first, "radiation_imbalance") < 1e-6
    assert 0 < value(first, "radiation_residual") < 1e-4
    assert value(first, "least_sky") > -1e-4
    spent = first["series"]["radiation_s"]
    assert [seconds > 0 for seconds in spent] == [False, True] * 3
    assert all(r <= c for r, c in zip(spent, first["series"]["cpu_s"], strict=True))


def test_a_damaged_file_is_traced_again(own_cache: Path) -> None:
    first = run()
    [kept] = own_cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    again = run()
    assert value(again, "view_from_file") == 0
    assert value(first, "fingerprint") == value(again, "fingerprint")
    assert kept.read_bytes() == whole


def test_radiation_sun_surfaces_and_threads(tmp_path: Path) -> None:
    usual = value(run(), "fingerprint")
    white = table(tmp_path, 'ground = "asphalt"', 'ground = "cool pavement"')
    others = {
        "one sky": run(radiation="none"),
        "a low sun": run(sun="60:25:2026-12-22:9"),
        "white ground": run(surfaces=white),
    }
    prints = {name: value(made, "fingerprint") for name, made in others.items()}
    assert len({usual, *prints.values()}) == 4
    assert usual == value(run(threads=2), "fingerprint")
    assert usual == value(run(radiation="gpu"), "fingerprint")  # here the CPU computes it
    assert value(others["white ground"], "heat_to_air") < value(run(), "heat_to_air")
    assert "radiation_residual" not in others["one sky"]["quantities"]


@pytest.mark.gpu
@pytest.mark.parametrize("style", ["explicit", "managed"])
def test_a_gpu_has_the_bits_of_the_cpu(style: str) -> None:
    given = {"processor": "gpu", "style": style, "grid": "64x64x32"}
    on_gpu, on_cpu = (run(**given, radiation=who) for who in ("gpu", "cpu"))
    assert on_gpu["verified"] is True, on_gpu
    for name in ("fingerprint", "radiation_residual", "radiation_imbalance", "heat_to_air"):
        assert value(on_gpu, name) == value(on_cpu, name), name


def test_the_bytes_of_an_update() -> None:
    assert radiation.update_bytes(207e6, 1e6) == 5 * 8 * 207e6 + (6 * 68 + 8) * 1e6


def measured(case: str, trial: dict[str, Any], **parameters: Any) -> Measured:
    return Measured("run", {"name": "m"}, case, parameters, "ok", "", [], [trial], 1, 1, 0, 0)


def touched(**more: Any) -> Measured:
    """A touch of a flat city of 32 x 32 facets, with 50,000 pairs."""
    parameters = requests(city="flat", **more)[0].parameters
    return measured(
        "les", {"quantities": {"view_nonzeros": {"value": 5e4, "unit": "1"}}}, **parameters
    )


def test_the_forecast_of_radiation_follows_from_pairs_and_the_rate_of_reads() -> None:
    gather = {"processor": "cpu", "memory": "pageable", "pattern": "strided"}
    read = measured(
        "gather", {"host_s": [9.0, 0.1, 0.1]}, **gather, element=4, stride=64, size=10**9
    )
    seconds = forecast.radiated(touched(), Rates([read]))
    assert seconds == pytest.approx((40 * 5e4 + (6 * 68 + 8) * 1024) / 1e10)
    assert forecast.radiated(touched(radiation="none"), Rates([])) == 0
    with pytest.raises(UnsupportedError, match="needs case gather processor=cpu memory=pageable"):
        forecast.radiated(touched(), Rates([]))
    with pytest.raises(UnsupportedError, match="no formula for radiation=gpu"):
        forecast.radiated(touched(radiation="gpu"), Rates([read]))
