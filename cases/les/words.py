"""Case les in words and in its own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from statistics import median

from watari.case.axis import Parameters
from watari.case.presentation import Presentation, Table, in_numbers, plain_columns
from watari.cases.les.forecast.forecast import Parts, measured, touches
from watari.cases.les.forecast.model import of_touches
from watari.cases.les.radiation import radiation
from watari.common.units import format_duration
from watari.results.measured import Measured

SAYS = (
    "Medians over trials. Cells a second: the mean over whole periods of N steps, with the touches "
    "of the CPU. TB/s: the bytes of the algorithm over the time of a step. CPU, move and gather: "
    "seconds of one touch; if pages move by faults, the time of a fault counts where it occurs. "
    "Radiation: between facets, a part of CPU. "
    "Exchange: the share of halos and sums over ranks in a step, with the waits for other ranks."
)


def words(case: str, parameters: Parameters) -> str:
    """`explicit, facets every 10 steps`."""
    touch = parameters["cpu-touch"]
    ranks = parameters.get("ranks", 1)
    by = "" if parameters["gather"] == "gpu" or touch == "none" else " picked by the CPU"
    parts = [
        parameters["style"],
        "no touch" if touch == "none" else f"{touch}{by} every {parameters['every']} steps",
        radiation.words(parameters),
        "" if parameters["cycles"] == 2 else f"{parameters['cycles']} cycles",
        "" if parameters["precision"] == "single" else "double",
        "" if parameters.get("advection", "central") == "central" else "third-order advection",
        "" if parameters.get("mist", "none") == "none" else f"mist {parameters['mist']}",
        "" if parameters.get("trees", "none") == "none" else f"trees {parameters['trees']}",
        "on the CPU" if parameters["processor"] == "cpu" else "",
        "" if ranks == 1 else f"{ranks} ranks as {parameters['split']} by {parameters['halo']}",
    ]
    return ", ".join(part for part in parts if part)


def touch_name(m: Measured) -> str:
    """`facets, CPU picks, radiation on the gpu`."""
    picks = "CPU picks" if m["gather"] == "cpu" else ""
    return ", ".join(filter(None, (m["cpu-touch"], picks, radiation.words(m.parameters))))


def touch_words(m: Measured) -> str:
    """`facets, CPU picks, N = 10`."""
    return "none" if m["cpu-touch"] == "none" else f"{touch_name(m)}, N = {m['every']}"


def last(m: Measured, series: str) -> float:
    """The median over trials of the last value of a series."""
    return float(median(trial["series"][series][-1] for trial in m.trials))


def columns(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Cells a second over whole periods: the median of a step would hide every touch."""
    if not m.drawn:
        return plain_columns(m, cases)
    spread = plain_columns(m, cases)["spread"]
    return {"median": f"{m.quantity('cells_per_s') / 1e6:.4g} Mcells/s", "spread": spread}


def exchange(m: Measured) -> str:
    """`12%`: the share of halos and sums over ranks in a step."""
    known = all("exchange_share" in trial["quantities"] for trial in m.trials)
    return f"{m.quantity('exchange_share'):.1%}" if m.ranks > 1 and known else ""


def exchanges(m: Measured) -> bool:
    """Whether facets exchange radiation."""
    return radiation.is_on(m.parameters)


def radiated(m: Measured) -> str:
    """Seconds of a touch's radiation between facets."""
    return format_duration(of_touches(m, "radiation_s")) if exchanges(m) else ""


def row(m: Measured, cases: Sequence[Measured]) -> dict[str, str]:
    """Every number of a case that ran, as text."""
    steps = [seconds for trial in m.trials for seconds in trial["host_s"]]
    several = any(other.ranks > 1 for other in cases)
    return {
        "Case": words(m.case, m.parameters),
        "Grid": m["grid"],
        "Mcells/s": f"{m.quantity('cells_per_s') / 1e6:.4g}",
        "TB/s": f"{m.quantity('step_bytes_per_s') / 1e12:.4g}",
        "Step": format_duration(median(steps)),
        "CPU": format_duration(of_touches(m, "cpu_s")),
        "Move": format_duration(of_touches(m, "move_s")),
        "Gather": format_duration(of_touches(m, "gather_s")),
        **({"Radiation": radiated(m)} if any(map(exchanges, cases)) else {}),
        **({"Exchange": exchange(m)} if several else {}),
        "Courant": f"{last(m, 'courant'):.3g}",
        "Divergence": f"{last(m, 'divergence'):.2g}",
        "Fingerprint": f"{m.quantity('fingerprint'):.0f}",
    }


PARTS, RATIO = ("Gather", "Move", "CPU", "Next step"), "Measured over predicted"
FORECAST = (
    "Milliseconds of a touch and of its parts: predicted from copies, prefetches and faults of the "
    "same run, and measured (the median over touches). Next step: what the step after a touch "
    "takes longer."
)


def milliseconds(seconds: float) -> str:
    """`0.061`: three digits, none below a microsecond."""
    return f"{round(1e3 * seconds, 3):.3g}"


def forecast_row(m: Measured, predicted: Parts | str) -> dict[str, str]:
    """`0.061, 0.072`: milliseconds predicted and measured, and the ratio of the sums."""
    seen = measured(m)
    of = {"run": m.run, "Touch": f"{m['style']}, {touch_words(m)}", "Grid": m["grid"]}
    names = (*PARTS, "In all")
    values = (*astuple(seen), seen.whole)
    if isinstance(predicted, str):
        cells = {name: milliseconds(b) for name, b in zip(names, values, strict=True)}
        return {**of, **cells, RATIO: f"not predicted: {predicted}"}
    both = zip(names, (*astuple(predicted), predicted.whole), values, strict=True)
    cells = {name: f"{milliseconds(a)}, {milliseconds(b)}" for name, a, b in both}
    return {**of, **cells, RATIO: f"{seen.whole / predicted.whole:.2f}"}


def forecasts(cases: Sequence[Measured]) -> list[Table]:
    """The table below the figure of the same name: the touches of runs that have rates."""
    texts = [forecast_row(*of) for of in touches(cases)]
    if not texts:
        return []
    columns = tuple(name for name in texts[0] if name != "run")
    name, title = "les-forecast", "A touch, predicted and measured"
    return [Table(name, title, FORECAST, columns, texts, under=name)]


def tables(cases: Sequence[Measured]) -> list[Table]:
    """Every case, then the touches that are predicted."""
    return in_numbers("les", "The city in numbers", SAYS, row)(cases) + forecasts(cases)


PRESENTATION = Presentation(
    words=words,
    extent=lambda parameters: str(parameters["grid"]),
    columns=columns,
    tables=tables,
    figures="watari.cases.les.figures",
)
