"""`watari wind`: the wind in a city, as files that other programs open."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from watari.case.axes import NO_COMPILER
from watari.case.axis import count, numbered
from watari.cases.les import asked_map, axes, city, maps, output, trial
from watari.cases.les.asked_map import Asked
from watari.common import written
from watari.common.errors import FileError, UnsupportedError, UsageError, WrongResultError
from watari.common.progress import suited_share
from watari.common.units import format_duration
from watari.common.written import Written

STEPS = 1_000_000


def given(option: str, parse: Callable[[str], Any], text: str) -> Any:
    """The value of an option. Raises UsageError that names it."""
    try:
        return parse(text)
    except UsageError as error:
        raise UsageError(f"--{option}: {error}") from None


def parameters_of(
    text: str, grid: str, spacing: str, steps: str, processor: str, dt: str | None
) -> dict[str, Any]:
    """The parameters of a trial of case les. Raises UsageError."""
    who = given("processor", numbered("cpu", "gpu"), processor)
    length = given("spacing", axes.parse_length, spacing)
    return {
        "processor": who,
        "style": "system" if who == "cpu" else "explicit",
        "grid": given("grid", axes.parse_grid, grid),
        "spacing": length,
        "city": city.parse(text),
        "steps": given("steps", count(1, STEPS), steps),
        "dt": given("dt", axes.positive, dt) if dt is not None else 0.05 * length,
        "cpu-touch": "planes",
        "every": 10,
        "gather": "gpu",
        "cycles": 2,
        "precision": "single",
        "ranks": 1,
        "split": "1x1x1",
        "halo": "none",
        "threads": len(os.sched_getaffinity(0)),
        "oversubscribe": False,
        "compiler": NO_COMPILER,
    }


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
    grid: Annotated[str, typer.Option(help="cells along x, y, z: XS to XL or XxYxZ")] = "S",
    spacing: Annotated[str, typer.Option(metavar="METRES", help="distance between cells")] = "2",
    steps: Annotated[str, typer.Option(metavar="NUMBER", help="number of time steps")] = "200",
    dt: Annotated[
        str | None,
        typer.Option(
            metavar="SECONDS", help="length of a step; by default 0.05 for each metre of spacing"
        ),
    ] = None,
    processor: Annotated[str, typer.Option(help="cpu, gpu, gpu:1")] = "cpu",
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
        typer.Option(metavar="PERCENT", help="relative humidity at 27 C, of a map: by default 50"),
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
    parameters = parameters_of("flat" if earlier else place, grid, spacing, steps, processor, dt)
    read = [compare] if compare else []
    if earlier or place.startswith("file:"):
        read.append(earlier or Path(place.removeprefix("file:")))
    wanted = [
        Written("-o", file, output.FIELDS, output.least_size(file, axes.shape(parameters["grid"])))
        for file in files
    ]
    with written.held(wanted, read):
        for file in files:
            output.require_package(file)
        if earlier:
            blown, took = asked_map.read(earlier), None
        else:
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
    """The wind at the end, and the seconds that this took; shows the progress. Raises UsageError,
    WrongResultError."""
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
    blown = output.wind(found, *(parameters[name] for name in ("spacing", "dt", "every")))
    found_place = maps.place(parameters["city"], parameters["spacing"])
    return replace(blown, place=found_place), float(found["quantities"]["loop"]["value"])


def add_to(app: typer.Typer) -> None:
    """Adds the command `watari wind`."""
    app.command(
        epilog="Example: watari wind cubes:16:0.25:staggered --grid XS --steps 20 -o wind.vti"
    )(wind)
