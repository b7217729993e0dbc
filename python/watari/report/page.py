"""The report: one page that holds its data, its figures and what draws them, and works offline.

The page names what is missing as plainly as what was measured. Vega comes from vl-convert's
bundle, so that page and paper figures are drawn by the same code and nothing is fetched.
"""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import altair as alt
import jinja2
import vl_convert

from watari import cases
from watari.case.anonymous import anonymous
from watari.case.presentation import Table
from watari.cases.remarks import extras, remarks
from watari.charts.figure import Drawing, Drawn, Effort, draw
from watari.charts.style import COLOURS
from watari.common.errors import FileError, UsageError
from watari.common.files import check_not_read, reason, write_atomically
from watari.common.units import format_rate, format_size
from watari.common.variables import readable
from watari.report import answer, beside
from watari.report.doubts import doubts
from watari.report.figures import figures
from watari.report.reproduce import commands
from watari.results import published, schema, statistics
from watari.results.measured import ALL, Measured, measurements, names
from watari.results.schema import Results

TEMPLATES = Path(__file__).parent / "templates"
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
SNIPPET = "window.vegaEmbed = vegaEmbed;"  # what report.js calls
PAPER = "white"  # also since vl-convert's PNG has wrong colours where it is transparent
SCALE = 3.0  # PNG pixels per point: 216 dots an inch

# the headline: quantities of published/quantities.toml, shorter
HEADLINE = {
    "gpu-copy": "GPU copy",
    "cpu-copy": "CPU copy",
    "host-to-device": "Host to device",
    "device-to-host": "Device to host",
    "zero-copy-read": "GPU reads pinned",
    "zero-copy-write": "GPU writes pinned",
    "shared-first": "Shared memory, first pass",
    "shared-settled": "Shared memory, settled",
}
GROUPS = ("Memory", "Storage", "Applications", "Data")  # of figures, in the sidebar
STATUSES = ("ok", "wrong", "failed", "unsupported")


def write(
    paths: list[Path], output: Path, format: str | None = None, without_names: bool = False
) -> None:
    """The page at `output`, or with a format every figure as a file in the folder `output`;
    `without_names` of hosts, users, paths and files.

    Raises FileError for a file that is not a result, UsageError where no figure can be made.
    """
    read = [schema.read(path) for path in paths]
    shown = output
    if without_names:
        read = anonymous(read)
        paths, shown = [Path("RESULTS.json")], Path("report.html")
    measured = measurements(read)
    drawings = draw(figures(), measured)
    if format and not drawings:
        raise UsageError("nothing to draw: lines need cases of two sizes; the page has the numbers")
    if format:
        write_figures(drawings, folder(output), format, paths)
    else:
        write_atomically(output, page(paths, read, measured, drawings, shown))


def folder(output: Path) -> Path:
    """Where figures go: `output`, or beside it where it names a page."""
    return output.with_suffix("") if output.suffix == ".html" else output


def write_figures(
    drawings: Sequence[Drawing], where: Path, format: str, read: Sequence[Path] = ()
) -> None:
    """Each figure as a file, none over what was `read`. Raises FileError, UsageError."""
    files = {where / f"{drawing.name}.{format}": drawing for drawing in drawings}
    for path in files:
        check_not_read(path, read)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{where}: cannot be written: {reason(error)}") from error
    for path, drawing in files.items():
        write_atomically(path, converted(drawing.spec(), format))


def effort_of(program: str) -> Effort:
    """How effort stands beside speed for a program that has styles."""
    module = import_module(cases.presentation(program).figures)
    effort: Effort = module.EFFORT
    return effort


def write_effort(program: str, measured: Sequence[Measured], output: Path) -> Drawn:
    """The figure of effort beside speed as a file, its format by the name; returns its charts.

    Raises UsageError where nothing of the kind was measured, FileError.
    """
    effort = effort_of(program)
    drawn = effort.figure.draw(measured)
    if not drawn:
        raise UsageError(f"no two styles of {program} on a GPU in these results")
    figure, chart = effort.figure, effort.combined(drawn)
    cases = [m for _, _, used in drawn for m in used]
    drawing = Drawing(output.stem, figure, "", chart, cases)
    write_figures([drawing], output.parent, output.suffix[1:])
    return drawn


def converted(spec: dict[str, Any], format: str) -> bytes:
    """A Vega-Lite specification as SVG, PDF or PNG, on white."""
    options: dict[str, Any] = {"vl_version": VEGA_LITE}
    spec = {**spec, "background": PAPER}
    if format == "svg":
        return vl_convert.vegalite_to_svg(spec, **options).encode()
    if format == "pdf":
        return vl_convert.vegalite_to_pdf(spec, **options)
    return vl_convert.vegalite_to_png(spec, scale=SCALE, **options)


def page(
    paths: Sequence[Path],
    read: Sequence[Results],
    measured: Sequence[Measured],
    drawings: Sequence[Drawing],
    output: Path,
) -> str:
    """The whole page as text."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"size": format_size, "json": inline_json, "rate": format_rate}
    files = readable(shlex.join(str(path) for path in paths))
    return environment.get_template("report.html.j2").render(
        runs=[run(name, same, measured) for name, same in by_name(read).items()],
        figures=(shown := sections(drawings, files)),
        groups=grouped(shown),
        cases=tables(measured),
        numbers=numbers(measured),
        troubles=troubles(measured),
        missing=[missing(result, name) for name, result in zip(names(read), read, strict=True)],
        published=published.values(),
        quantities=published.quantities(),
        colours=COLOURS,
        command=f"watari report {files} -o {readable(shlex.quote(str(output)))}",
        bundle=vl_convert.javascript_bundle(SNIPPET, VEGA_LITE).replace("</script", r"<\/script"),
    )


def grouped(figures: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The figures that have charts, by the parts of the page."""
    return {name: [f for f in figures if f["charts"] and f["group"] == name] for name in GROUPS}


def inline_json(value: Any) -> str:
    """JSON that may stand in a script element: no `<` can end it."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def by_name(read: Sequence[Results]) -> dict[str, list[Results]]:
    """The files of each run that is shown: several of one machine are merged."""
    grouped: dict[str, list[Results]] = {}
    for name, result in zip(names(read), read, strict=True):
        grouped.setdefault(name, []).append(result)
    return grouped


def occasion(result: Results) -> str:
    """When a file was made, and by which plan."""
    when = f"{result.program.started[:16].replace('T', ' ')} UTC"
    return f"{when}, plan {result.plan.name}" if result.plan else when


def run(name: str, same: Sequence[Results], measured: Sequence[Measured]) -> dict[str, Any]:
    """One run: its machine, program, headline and how many cases ended how."""
    mine = [m for m in measured if m.run == name]
    plain = same[0].model_dump(mode="json", by_alias=True)
    gpus = Counter(p["name"] for p in plain["machine"]["processors"] if p["kind"] == "gpu")
    hardware = [p["name"] for p in plain["machine"]["processors"] if p["kind"] == "cpu"]
    hardware += [f"{count} x {gpu}" if count > 1 else gpu for gpu, count in gpus.items()]
    return {
        "name": name,
        "hardware": " and ".join(hardware),
        "machine": plain["machine"],
        "program": plain["program"],
        "occasions": [occasion(result) for result in same],
        "commands": [c for result in same if (c := result.program.command)],
        "counts": {s: n for s in STATUSES if (n := sum(m.status == s for m in mine))},
        "trials": sum(len(m.trials) for m in mine),
        "headline": headline(mine),
        "answer": answer.of(mine),
        "doubts": doubts(mine, sum(case.trials for result in same for case in result.missing)),
    }


def headline(mine: Sequence[Measured]) -> list[dict[str, Any]]:
    """Key numbers: those that this machine has, each of most trials, then of its largest array."""
    tiles = []
    quantities = published.quantities()
    for name, title in HEADLINE.items():
        like = [beside.alike(m) for m in mine if beside.is_of(m, quantities[name])]
        if like:
            tiles.append(
                tile(
                    title,
                    max(like, key=lambda m: (len(m.trials), m["size"], m.median)),
                    quantities[name].sample,
                )
            )
    return tiles


def tile(title: str, m: Measured, sample: str) -> dict[str, Any]:
    """One key number with what it is, how sure it is, and how near to the limit."""
    value = m.part(sample)
    number, unit = scaled(value)
    scale = 1000 if unit == "TB/s" else 1
    interval = m.summary.interval if sample == ALL else None
    bound = beside.limit(m) if sample == ALL else None
    trials = f"{len(m.trials)} trial{'s'[: len(m.trials) > 1]}"
    return {
        "title": title,
        "number": number,
        "unit": unit,
        "sure": f"{interval_text(interval, scale)} in {trials}" if interval else trials,
        "what": f"{m['memory'] or m['from'] + ' → ' + m['to']}, {format_size(m['size'])}",
        "part": round(100 * value / bound) if bound else None,
        "bound": " ".join(scaled(bound)) if bound else None,
        "flagged": m.flagged,
    }


def scaled(gigabytes: float) -> tuple[str, str]:
    """A rate in the unit that reads best."""
    if gigabytes >= 1000:
        return f"{gigabytes / 1000:.2f}", "TB/s"
    return format_rate(gigabytes), "GB/s"


def interval_text(interval: tuple[float, float] | None, scale: float = 1) -> str:
    """A confidence interval of GB/s, divided by `scale`."""
    return f"{interval[0] / scale:.4g}–{interval[1] / scale:.4g}" if interval else ""


def sections(drawings: Sequence[Drawing], files: str) -> list[dict[str, Any]]:
    """The figures with their charts, in the order of the table; those without any are named."""
    content = []
    for figure in figures():
        charts = [
            {
                "name": d.name,
                "heading": d.heading,
                "spec": {**d.spec(), "description": f"{figure.title}. {d.heading}"},
                "commands": commands(d.cases),
            }
            for d in drawings
            if d.figure is figure
        ]
        content.append(
            {
                "name": figure.name,
                "title": figure.title,
                "says": figure.says,
                "group": figure.group,
                "folded": figure.folded,
                "charts": charts,
                "of": figure.of,
                "files": f"watari report {files} --format svg -o figures",
            }
        )
    return content


def numbers(measured: Sequence[Measured]) -> list[Table]:
    """Tables that are cases' own; of cases that share them once."""
    shown = {cases.presentation(m.case).tables for m in measured}
    order = [cases.presentation(name).tables for name in cases.CASES]
    chosen = [make for make in dict.fromkeys(order) if make in shown]
    return [table for make in chosen for table in make(measured)]


def tables(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Every case, in one table for each kind of case."""
    content = []
    for name in dict.fromkeys(m.case for m in measured):
        same = [m for m in measured if m.case == name]
        summary = cases.CASES[name].summary if name in cases.CASES else ""
        rows = [
            row for m, axes in zip(same, extras(same), strict=True) for row in table_rows(m, axes)
        ]
        unit = cases.presentation(name).unit
        content.append(
            {"name": name, "summary": summary, "rows": rows, "count": len(same), "unit": unit}
        )
    return content


def table_rows(m: Measured, axes: str = "") -> list[dict[str, Any]]:
    """A case as rows: one, or one for each phase of its series. `axes` are those that its words do
    not show."""
    base = {
        "run": m.run,
        "what": ", ".join(filter(None, [cases.words(m.case, m.parameters), axes])),
        "size": cases.presentation(m.case).extent(m.parameters),
        "status": m.status,
        "reason": m.reason,
        "flags": [*m.flags, *remarks(m)],
        "phase": "",
        "trials": f"{len(m.trials)} of {m.planned}" if len(m.trials) < m.planned else m.planned,
        "before": residency(m, "residency_before"),
        "after": residency(m, "residency_after"),
        "command": commands([m])[0],
    }
    if not m.drawn:
        return [{**base, "median": "", "interval": "", "spread": ""}]
    rows = []
    for phase, times in statistics.summaries(m.trials).items():
        named = "" if phase == statistics.WHOLE else phase.split("-")[0].upper()
        rows.append(
            {
                **base,
                "phase": named,
                **numbers_of(m, times),
            }
        )
    return rows


def numbers_of(m: Measured, times: statistics.Summary) -> dict[str, str]:
    """Median, interval and spread in the unit of the case."""
    shown = cases.presentation(m.case)

    def text(seconds: float) -> str:
        return f"{shown.value(seconds, m.bytes_per_sample):.4g}"

    ends = sorted(shown.value(end, m.bytes_per_sample) for end in times.interval or ())
    return {
        "median": text(times.median),
        "interval": "–".join(f"{end:.4g}" for end in ends),
        "spread": f"{100 * times.spread:.1f}%" if times.trials > 1 else "",
    }


def residency(m: Measured, when: str) -> str:
    """How much of each array lies on the CPU side, by the first trial: `source 100%, ...`."""
    arrays = (m.trials[0].get(when) or {}) if m.trials else {}
    parts = {
        array: f"{100 * r['cpu'] / r['bytes']:.0f}%"
        for array, r in sorted(arrays.items(), reverse=True)  # source before destination
        if r["bytes"]
    }
    if len(parts) > 1 and len(set(parts.values())) == 1:
        return f"both {next(iter(parts.values()))}"
    return ", ".join(f"{array} {part}" for array, part in parts.items())


def troubles(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Cases that did not run well, grouped by reason."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for m in measured:
        if m.status != "ok":
            extent = cases.presentation(m.case).extent(m.parameters)
            text = f"{m.case}: {cases.words(m.case, m.parameters)}, {extent}"
            grouped.setdefault((m.run, m.status, m.reason), []).append(text)
    order = sorted(grouped, key=lambda k: (STATUSES.index(k[1]), k[0]))
    return [{"run": k[0], "status": k[1], "reason": k[2], "cases": grouped[k]} for k in order]


def missing(result: Results, name: str) -> dict[str, Any]:
    """Cases of a plan that its run did not reach."""
    rows = [
        f"{m.case}: {cases.words(m.case, m.parameters)}, {m.trials} trials" for m in result.missing
    ]
    return {"run": name, "rows": rows}
