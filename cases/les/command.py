"""`watari wind`: the wind in a city, as files that other programs open."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from watari.case.axes import NO_COMPILER
from watari.case.axis import count, numbered, one_of
from watari.cases.les import axes, budgets, mist, output, trees, trial
from watari.cases.les.city import city, maps
from watari.cases.les.comfort import asked_map
from watari.cases.les.comfort.asked_map import Asked
from watari.cases.les.radiation import radiation, sun, surfaces
from watari.common import written
from watari.common.errors import FileError, UnsupportedError, UsageError, WrongResultError
from watari.common.progress import suited_share
from watari.common.units import format_duration
from watari.common.written import Written

STEPS = 1_000_000
SPEED, FASTEST = 4.0, 60.0  # m/s: of the case, and the most here
FORCE = 1e-3  # m/s2, drives the wind of SPEED


def parse_speed(text: str) -> float:
    """Metres a second. Raises UsageError."""
    value = axes.positive(text)
    if value > FASTEST:
        raise UsageError(f"'{text}' m/s is faster than {FASTEST:g}")
    return value


def parse_direction(text: str) -> float:
    """Degrees, 0 to 360. Raises UsageError."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,9})?", text, re.ASCII) or float(text) > 360:
        raise UsageError(f"'{text}' is not an angle from 0 to 360 degrees")
    return float(text)


def blowing(direction: float, speed: float) -> dict[str, tuple[float, float]]:
    """The mean of the first wind along x (east) and y (north), and the force that drives it, which
    grows as the drag of the city does: with the square of the speed. The wind comes from
    `direction`, in degrees clockwise from north."""
    angle = math.radians(direction)
    to = [round(-of(angle), 12) + 0.0 for of in (math.sin, math.cos)]
    force = FORCE * (speed / SPEED) ** 2
    return {"wind": (speed * to[0], speed * to[1]), "force": (force * to[0], force * to[1])}


def given(option: str, parse: Callable[[str], Any], text: str) -> Any:
    """The value of an option. Raises UsageError that names it."""
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"--{option}: {error}") from None


def parameters_of(
    text: str,
    grid: str,
    spacing: str,
    steps: str,
    processor: str,
    dt: str | None,
    direction: str = "270",
    speed: str = "4",
    nozzles: str = mist.NONE,
    advection: str = "central",
    leaves: str = trees.NONE,
    light: str = radiation.NONE,
    sky: str = sun.SOUTH,
    table: str = surfaces.USUAL,
) -> dict[str, Any]:
    """The parameters of a trial of case les. Raises UsageError."""
    who = given("processor", numbered("cpu", "gpu"), processor)
    length = given("spacing", axes.parse_length, spacing)
    fast = given("speed", parse_speed, speed)
    usual = 0.05 * length * min(1, SPEED / fast)
    found = {
        "processor": who,
        "style": "system" if who == "cpu" else "explicit",
        "grid": given("grid", axes.parse_grid, grid),
        "spacing": length,
        "city": city.parse(text),
        "steps": given("steps", count(1, STEPS), steps),
        "dt": given("dt", axes.positive, dt) if dt is not None else usual,
        "cpu-touch": "planes",
        "every": 10,
        "gather": "gpu",
        "cycles": 2,
        "precision": "single",
        "advection": given("advection", one_of(*axes.ADVECTIONS), advection),
        "mist": given("mist", mist.parse, nozzles),
        "trees": given("trees", trees.parse, leaves),
        "radiation": given("radiation", one_of(*radiation.PROCESSORS), light),
        "sun": given("sun", sun.parse, sky),
        "surfaces": given("surfaces", surfaces.parse, table),
        "settled": light != radiation.NONE,
        **blowing(given("direction", parse_direction, direction), fast),
        "ranks": 1,
        "split": "1x1x1",
        "halo": "none",
        "threads": len(os.sched_getaffinity(0)),
        "oversubscribe": False,
        "compiler": NO_COMPILER,
    }
    radiation.require_sense(found)
    return found


def wind(
    place: Annotated[
        str,
        typer.Argument(
            metavar="CITY",
            help=f"flat, {city.FORMS}, or the .nc of an earlier run",
            show_default=False,
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            readable=False,
            help="a .nc, .vti, .pvd or .png file; may be repeated",
        ),
    ],
    grid: Annotated[
        str, typer.Option(metavar="GRID", help="cells along x, y, z: XS to XL or XxYxZ")
    ] = "S",
    spacing: Annotated[str, typer.Option(metavar="METRES", help="distance between cells")] = "2",
    steps: Annotated[str, typer.Option(metavar="NUMBER", help="number of time steps")] = "200",
    dt: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS",
            help="length of a step; by default 0.05 for each metre of spacing, less if the wind is "
            "faster than 4 m/s",
        ),
    ] = None,
    direction: Annotated[
        str,
        typer.Option(
            metavar="DEGREES",
            help="where the wind comes from, clockwise from north: 270 is from the west, along x",
        ),
    ] = "270",
    speed: Annotated[
        str,
        typer.Option(
            metavar="M/S", help="mean of the wind at the start; the force that drives it follows"
        ),
    ] = "4",
    nozzles: Annotated[str, typer.Option("--mist", metavar="MIST", help=mist.FORMS)] = mist.NONE,
    leaves: Annotated[str, typer.Option("--trees", metavar="TREES", help=trees.FORMS)] = trees.NONE,
    light: Annotated[
        str,
        typer.Option(
            "--radiation",
            metavar="WHERE",
            help="radiation between walls, ground and leaves, for maps: none, cpu, gpu",
        ),
    ] = radiation.NONE,
    sky: Annotated[
        str,
        typer.Option("--sun", metavar="SUN", help=f"with radiation: south, or {sun.FORM} in UT"),
    ] = sun.SOUTH,
    table: Annotated[
        str, typer.Option("--surfaces", metavar="NAME", help="with radiation: usual, or file:PATH")
    ] = surfaces.USUAL,
    advection: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="flux of momentum: central, or third, which damps waves of two cells",
        ),
    ] = "central",
    processor: Annotated[str, typer.Option(metavar="NAME", help="cpu, gpu, gpu:1")] = "cpu",
    map_name: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="NAME",
            help="what people feel 1.5 m above the ground: utci, wbgt, tmrt, tair",
        ),
    ] = None,
    humidity: Annotated[
        str | None,
        typer.Option(metavar="PERCENT", help="relative humidity at 27 C, of a map: by default 54"),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            readable=False,
            help="the .nc of another run: both maps and their difference",
        ),
    ] = None,
) -> None:
    """Simulates the wind in a sunny city, for ParaView, xarray, or as a picture."""
    asked = asked_map.asked(map_name, humidity, compare, files)
    earlier = Path(place) if place.lower().endswith(".nc") else None
    of_a_run = {"mist": nozzles, "trees": leaves, "radiation": light}
    for option, text in of_a_run.items():
        if earlier and text != mist.NONE:
            raise UsageError(f"--{option} is of a run, and {place} is the result of one")
    parameters = parameters_of(
        "flat" if earlier else place,
        grid,
        spacing,
        steps,
        processor,
        dt,
        direction,
        speed,
        nozzles,
        advection,
        leaves,
        light,
        sky,
        table,
    )
    read = [compare] if compare else []
    if earlier or place.startswith("file:"):
        read.append(earlier or Path(place.removeprefix("file:")))
    read += [Path(text) for text in (nozzles, leaves) if mist.is_file(text)]
    mist.require_files(parameters)
    trees.require_files(parameters)
    shape = axes.shape(parameters["grid"])
    fields = 7 if axes.is_moist(parameters) else 4
    wanted = [
        Written("-o", file, output.FIELDS, output.least_size(file, shape, fields)) for file in files
    ]
    with written.held(wanted, read):
        for file in files:
            output.require_package(file)
        if earlier:
            blown, took = asked_map.read(earlier), None
        else:
            added = [name for name in ("mist", "trees") if parameters[name] != mist.NONE]
            if added and asked.compares(files):  # before and after
                plain, _ = simulated(parameters | dict.fromkeys(added, mist.NONE), asked)
                asked = replace(asked, other=plain, named=f"without {' and '.join(added)}")
            blown, took = simulated(parameters, asked)
        blown = asked.drawn(blown)
        done, failed = output.write_all(files, blown)
    for note in blown.map.all_notes(blown.before) if blown.map else ():
        print(note)
    if done:
        spent = "of an earlier run" if took is None else f"in {format_duration(took)}"
        print(
            f"{blown.seconds:g} s of wind {spent}; at most "
            f"{float(blown.speed.max()):.3g} m/s; {', '.join(map(str, done))}"
        )
    if failed:
        raise FileError("; ".join(failed))


def simulated(parameters: dict[str, Any], asked: Asked) -> tuple[output.Wind, float]:
    """The wind at the end, and the seconds that this took; shows the progress, and the budgets of
    water, of heat and of leaves. Raises UsageError, WrongResultError."""
    share = suited_share()

    def advance(step: int, seconds: float) -> None:
        share.advance(step / parameters["steps"], f"{seconds:.1f} s of wind")

    try:
        shape = axes.shape(parameters["grid"])
        asked.require(shape, parameters["spacing"])
        for note in city.notes(parameters["city"], shape, parameters["spacing"]):
            print(note, flush=True)
        share.start()
        found = trial.run(parameters, advance, keep=True)
    except UnsupportedError as error:
        raise UsageError(str(error)) from None
    finally:
        share.stop()
    if not found["verified"]:
        raise WrongResultError(found["error"])
    spacing, dt, every = (parameters[name] for name in ("spacing", "dt", "every"))
    blown = output.wind(found, spacing, dt, every, sun.place(parameters["sun"]))
    for line in budgets.lines(found):
        print(line)
    found_place = maps.place(parameters["city"], parameters["spacing"])
    return replace(blown, place=found_place), float(found["quantities"]["loop"]["value"])


def add_to(app: typer.Typer) -> None:
    """Adds the command `watari wind`."""
    app.command(
        epilog="Example: watari wind cubes:16:0.25:staggered --grid XS --steps 20 -o wind.vti"
    )(wind)
