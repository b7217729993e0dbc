"""The command line: reads words and files, calls the part that does the work, sets the exit code.

0: every case ok or unsupported; 1: some case wrong or failed (with --strict: or unsupported); 2:
usage; 3: `compare` reports something slower, `check` something that fails; 4: `compare` reports
something lost; 130: interrupted (Ctrl-C, SIGTERM), with what was measured kept.
"""

from __future__ import annotations

import io
import json
import shlex
import sys
import time
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from rich.console import Console

from watari import cases
from watari.case.axes import TRIALS
from watari.case.axis import (
    Machine,
    expanded,
    nearest,
    parse_duration,
    parse_share,
    unknown,
)
from watari.case.engines import FOLDER
from watari.case.field_words import here
from watari.cli.examples import EXAMPLES
from watari.common.errors import FileError, UsageError, WatariError
from watari.common.files import check_not_read, reason
from watari.common.interrupts import INTERRUPTED
from watari.common.output import Output
from watari.plan.request import Request, resolve

FORMATS = ("svg", "pdf", "png")

app = typer.Typer(
    name="watari",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TABLES = (".csv", ".parquet", ".xlsx", ".tsv")  # what `export` is for


def show_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        print(f"watari {version('watari')}")
        raise typer.Exit


@app.callback()
def common(
    asked: Annotated[
        bool,
        typer.Option(
            "--version", help="the version of this program", callback=show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Measures how data crosses the memories of a GPU machine."""


def this_machine() -> Machine:
    """The machine that this runs on."""
    try:
        from watari.machine.probe import machine

        return machine()
    except ImportError as error:
        raise UsageError(f"the compiled part of watari is not installed: {error}") from None


def show(renderable: Any) -> None:
    """Prints a table or text; through a pipe in lines as long as they need to be, and never so
    narrow that a column would vanish."""
    console = Console()
    Console(width=max(console.width, 80) if console.is_terminal else 160).print(renderable)


@app.command()
def probe(
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
) -> None:
    """What this machine has, and what it lacks and why."""
    from watari.machine.probe import render

    machine = this_machine()
    if as_json:
        print(json.dumps(machine, indent=1))
    else:
        show(render(machine))


def list_case(name: str) -> None:
    """One case: its axes with their choices and defaults. Raises UsageError."""
    case = cases.find(name)
    print(f"{case.name}: {case.summary}")
    for axis in [TRIALS, *case.axes.values()]:
        choices = f" ({', '.join(axis.choices)})" if axis.choices else ""
        print(f"  {axis.name:<15}{axis.summary}{choices} [{axis.default_text}]")
    print()


def example(name: str) -> str:
    """Axes of a case as a user may give them: the first one with choices, and trials."""
    axes = cases.find(name).axes.values()
    swept = next((axis for axis in axes if len(axis.choices) > 1), None)
    return f"{swept.name}={','.join(swept.choices[:2])} trials=3" if swept else "trials=3"


def list_plans() -> None:
    """Stored plans, with what each is for."""
    from watari.plan.plan import checked, stored

    for name, path in stored().items():
        description = checked(path).get("description", "")
        print(f"{name}: {' '.join(description.split())}")


@app.command("list")
def list_cases(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[CASE|plans]", help="one case, or the stored plans"),
    ] = None,
) -> None:
    """Cases, their axes, defaults and one-line descriptions; or the stored plans."""
    if name == "plans":
        list_plans()
        return
    for each in [name] if name else cases.CASES:
        list_case(each)


def given(words: list[str]) -> tuple[str, dict[str, str]]:
    """The case and its axes, of `copy from=pinned size=1GiB,4GiB`. Raises UsageError."""
    name, *rest = words
    if "=" in name:
        raise UsageError(f"'{name}': a case comes first: {', '.join(cases.CASES)}")
    axes: dict[str, str] = {}
    for word in rest:
        axis, equals, value = word.partition("=")
        if not equals:
            known = cases.find(name).axes
            hint = f"; write {word}=VALUE" if word in known else here(word) or nearest(word, known)
            raise UsageError(f"'{word}' is not axis=value{hint}")
        if axis in axes:
            raise UsageError(f"{axis} is given twice; write {axis}={axes[axis]},{value} for both")
        axes[axis] = value
    return name, axes


def planned(words: list[str], name: str | None, machine: Machine) -> Any:
    """The plan that the words, the name of a plan, or neither ask for. Raises UsageError."""
    from watari.plan.plan import Plan, find, read, standard

    if words and name:
        raise UsageError("give a case or --plan, not both")
    if words:
        case, axes = given(words)
        requests = resolve(case, axes, machine)
        return Plan(f"{case} from the command line", tuple(requests))
    if name:
        return read(find(name), machine)
    return Plan("standard", tuple(standard(machine)), "cases that every machine can measure")


@app.command()
def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE AXIS=VALUE...]", help="one case; name=a,b sweeps an axis"),
    ] = None,
    plan: Annotated[str | None, typer.Option(help="a stored plan, by file or name")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="continue this result file, or the journal of a killed run")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="end in this time, e.g. 8min")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the result file", metavar="FILE")
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(help="starts every trial: '[NAME=VALUE...] mpirun -n {ranks}'"),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="for each trial; by default from the bytes it moves"),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="leave hosts, paths and command out of the results")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 where a case is unsupported, too")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="one trial of a few samples: does all of it work?")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would run: cases, bytes, time, disk")
    ] = False,
) -> None:
    """Measures: the standard plan for this machine, a stored plan, or one case.

    `watari run CASE --help` lists the axes of a case.
    """
    from watari.cli import dry_run as dry
    from watari.cli import summary
    from watari.common import progress
    from watari.plan.plan import find
    from watari.run import hosts, launch, prepare, runner
    from watari.run.resume import continued

    started = time.monotonic()
    options = runner.Options(
        output=Path(),
        launcher=launch.Launcher.parse(launcher) if launcher else launch.Launcher(),
        time_limit=parse_duration(time_limit) if time_limit else None,
        deadline=started + parse_duration(budget) if budget else None,
    )
    machine = this_machine()
    wanted = planned(words or [], plan, machine)
    if names := hosts.of_ranks(list(wanted.requests), options.launcher):
        machine = {**machine, "hosts": names}  # on which defaults depend
        wanted = planned(words or [], plan, machine)
        print(f"{len(names)} ranks on {len(set(names))} hosts: {', '.join(dict.fromkeys(names))}")
    if quick:
        wanted = replace(wanted, requests=tuple(dry.quick(wanted.requests)))
    if dry_run:
        if resume:
            raise UsageError("--dry-run shows a plan; a resumed run continues the one it has")
        show(dry.render(wanted.requests, machine))
        return
    require_folders(wanted.requests)
    state = prepare.fresh(wanted, machine, options.launcher)
    state.program.anonymous = anonymous
    resumed = None
    if resume:
        state, resumed, options.launcher = continued(
            resume, state, bool(words or plan), options.launcher
        )
    options.launcher.require_program()
    options.output = output or resumed or default_output(machine)
    check_not_read(options.output, [find(plan)] if plan else [])
    check_not_table(options.output)
    prepare.check_output(options.output, resumed)
    forecast(state.requests, machine)
    prepare.grow_memory(state, machine)
    total, done = sum(r.trials for r in state.requests), sum(map(len, state.trials))
    options.progress = progress.suited(total, done)
    results, interrupted = runner.execute(state, options)
    show(summary.render(results))
    print(f"{'interrupted; ' if interrupted else ''}results: {options.output}")
    if results.missing:
        missing = sum(case.trials for case in results.missing)
        again = shlex.join(["watari", "run", "--resume", str(options.output)])
        print(f"{missing} trial{'s'[: missing > 1]} missing; continue with: {again}")
    refused = ("wrong", "failed", "unsupported") if strict else ("wrong", "failed")
    bad = any(case.status in refused for case in results.cases)
    raise typer.Exit(INTERRUPTED if interrupted else int(bad))


def require_folders(requests: Iterable[Request]) -> None:
    """Raises UsageError for a folder that is not there; the default one is made."""
    for request in requests:
        folder = request.parameters.get("folder", FOLDER)
        stored = cases.find(request.case).disk(request.parameters) > 0
        if stored and folder != FOLDER and not Path(expanded(folder)).is_dir():
            raise UsageError(f"{request.case}: folder={folder}: no such folder; make it first")


def forecast(requests: list[Request], machine: Machine) -> None:
    """Prints what the cases among the requests foresee."""
    for name in dict.fromkeys(request.case for request in requests):
        wanted = [request.parameters for request in requests if request.case == name]
        for text in cases.find(name).forecast(wanted, machine):
            print(text, flush=True)


def check_not_table(output: Path) -> None:
    """Raises UsageError where a run's results should become a table."""
    if output.suffix in TABLES:
        json_name = output.with_suffix(".json")
        raise UsageError(
            f"{output}: results are JSON; write {json_name}, then: "
            f"watari export {json_name} -o {output.with_suffix('.csv')}"
        )


def default_output(machine: Machine) -> Path:
    """results/<machine>-<date>-<time>.json"""
    return Path("results", f"{machine['name']}-{datetime.now():%Y%m%d-%H%M%S}.json")


def known_format(format: str) -> None:
    """Raises UsageError for a format that figures do not have."""
    if format not in FORMATS:
        known = ", ".join(FORMATS)
        hint = here(format) or nearest(format, FORMATS)
        raise UsageError(f"unknown format '{format}'{hint}; known: {known}")


def reports() -> Any:
    """The module that draws. Raises UsageError where what it needs is not installed."""
    try:
        from watari.report import page
    except ImportError as error:
        text = f"a report needs {error.name}, which is not installed: pip install 'watari[report]'"
        raise UsageError(text) from None
    return page


@app.command()
def report(
    results: Annotated[list[Path], typer.Argument(help="result files", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="page, or folder of the figures")
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="figures for a paper instead: svg, pdf, png")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="without hosts, paths and commands of the runs")
    ] = False,
) -> None:
    """Makes one self-contained page of result files (report.html), or figures for a paper."""
    if format:
        known_format(format)
    output = output or Path("figures" if format else "report.html")
    check_not_read(output, results)
    reports().write(results, output, format, anonymous)
    print(f"{'figures' if format else 'report'}: {output}")


@app.command()
def compare(
    base: Annotated[Path, typer.Argument(help="result file", show_default=False)],
    new: Annotated[
        list[Path], typer.Argument(help="result files; several: outliers too", show_default=False)
    ],
    threshold: Annotated[
        str, typer.Option(metavar="PART", help="the change that matters: 5% or 0.05")
    ] = "5%",
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    fail_on_unsure: Annotated[
        bool, typer.Option("--fail-on-unsure", help="exit with 3 where a case is unsure")
    ] = False,
) -> None:
    """Judges runs against one, case by case: same, faster, slower, unsure or lost.

    Exit code: 4 something that was ok is lost, 3 something is slower, else 0.
    """
    from watari.report import verdicts
    from watari.report.compare import compare, exit_code
    from watari.report.outliers import outliers
    from watari.results import schema

    share = parse_share(threshold)
    old = schema.read(base)
    judged = {str(path): compare(old, schema.read(path), share) for path in new}
    deviating = outliers(judged, share)
    if as_json:
        values = verdicts.as_values(str(base), judged, deviating, share, fail_on_unsure)
        print(json.dumps(values, indent=1))
    elif len(judged) == 1:
        show(verdicts.render(judged[str(new[0])]))
    else:
        show(verdicts.render_nodes(judged, deviating))
    raise typer.Exit(max(exit_code(rows, fail_on_unsure) for rows in judged.values()))


@app.command()
def check(
    results: Annotated[
        Path | None, typer.Argument(help="result file; none: runs the standard plan first")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="a run of this machine when it was well")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="[CASE=]PART", help="the change that matters: 5%, copy=3%"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JUnit XML too, for test systems")
    ] = None,
) -> None:
    """Is my number right? A run against what its hardware should give: pass, fail or unknown.

    Looks up likely causes of what fails. Exit code: 3 something fails, else 0.
    """
    from watari.common.files import write_atomically
    from watari.report.check import formats, items
    from watari.results import schema

    thresholds = items.parse_thresholds(threshold or [], parse_share)
    good = schema.read(baseline) if baseline else None
    if junit:
        check_not_read(junit, [path for path in (results, baseline) if path])
    measured = schema.read(results) if results else measured_now(quiet=as_json)
    checked = items.check(measured, good, thresholds)
    if junit:
        write_atomically(junit, formats.junit(measured, checked))
    if as_json:
        print(json.dumps(formats.as_values(measured, checked), indent=1))
    else:
        show(formats.render(measured, checked))
    raise typer.Exit(items.exit_code(checked))


def measured_now(quiet: bool) -> Any:
    """The standard plan, run now; its result file is written as that of `watari run` is."""
    from watari.common import progress
    from watari.run import prepare, runner

    machine = this_machine()
    state = prepare.fresh(planned([], None, machine), machine, runner.Options(Path()).launcher)
    total = sum(request.trials for request in state.requests)
    shown = progress.Silent() if quiet else progress.suited(total, 0)
    options = runner.Options(output=default_output(machine), progress=shown)
    prepare.check_output(options.output, None)
    prepare.grow_memory(state, machine)
    measured, interrupted = runner.execute(state, options)
    print(f"results: {options.output}", file=sys.stderr)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    return measured


@app.command()
def export(
    results: Annotated[list[Path], typer.Argument(help="result files", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="the table: .csv or .parquet", metavar="FILE")
    ],
    by: Annotated[str, typer.Option(help="a row a sample or a trial")] = "sample",
) -> None:
    """Writes result files as a table, with the axes of each case as columns."""
    from watari.results import table

    table.check_output(output)
    check_not_read(output, results)
    print(f"{table.write(results, output, by)} rows: {output}")


@app.command()
def effort(
    program: Annotated[str, typer.Argument(help="the case whose styles are counted")],
    results: Annotated[
        list[Path] | None, typer.Argument(help="result files: effort beside speed")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the figure: .svg, .pdf or .png")
    ] = None,
) -> None:
    """How much code each memory style takes: statements counted from the sources."""
    from watari.cases import effort

    counted = effort.effort(program)
    if output and not results:
        raise UsageError(f"a figure shows speed too: watari effort {program} RESULTS -o {output}")
    if not results:
        show(effort.render(counted))
        return
    output = output or Path("effort.svg")
    known_format(output.suffix[1:])
    check_not_read(output, results)
    page = reports()
    from watari.results import schema
    from watari.results.measured import measurements

    measured = measurements([schema.read(path) for path in results])
    speeds = page.effort_of(program).speeds
    for heading, _, used in page.write_effort(program, measured, output):
        show(effort.render(counted, heading, speeds(used)))
    print(f"figure: {output}")


@app.command()
def completion(
    shell: Annotated[str, typer.Argument(help="bash, zsh or fish", show_default=False)],
) -> None:
    """Prints the completion script of a shell: commands, options, cases, axes and values."""
    from watari.cli.completion import SCRIPTS

    if shell not in SCRIPTS:
        raise unknown("shell", shell, SCRIPTS)
    print(SCRIPTS[shell], end="")


@app.command("complete-words", hidden=True)
def complete_words(words: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """What may stand in place of the last word, a line each: the completion scripts ask."""
    from watari.cli.completion import candidates

    print("\n".join(candidates(words or [""], command_table())))


@app.command("man")
def man() -> None:
    """Prints the man page, watari.1."""
    from watari.cli import manual

    print(manual.page(command_table(), version("watari")), end="")


def command_table() -> dict[str, Any]:
    """The commands by name, with their options."""
    table: dict[str, Any] = cast(Any, typer.main.get_command(app)).commands
    return table


def help_of_case(arguments: list[str]) -> str | None:
    """The case of `run CASE --help`; None where that was not asked."""
    asked = arguments[:1] == ["run"] and {"-h", "--help"} & set(arguments)
    return next((word for word in arguments[1:] if word in cases.CASES), None) if asked else None


for case in cases.CASES.values():  # commands of cases' own
    if case.commands:
        import_module(case.commands).add_to(app)


for info in app.registered_commands:
    name = info.name or cast(Any, info.callback).__name__.replace("_", "-")
    info.epilog = f"Example: {EXAMPLES[name]}" if name in EXAMPLES else info.epilog


def invoked(arguments: list[str]) -> int:
    """Does what the words say. Without typer's own ending, which would take Ctrl-C and broken pipes
    for itself."""
    named = help_of_case(arguments)
    if named:
        print(f"Usage: watari run {named} [AXIS=VALUE...] [OPTIONS]; options: watari run --help")
        list_case(named)
        print(f"Example: watari run {named} {example(named)} -o {named}.json")
        return 0
    command = typer.main.get_command(app)
    try:
        with command.make_context("watari", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0


def main(arguments: list[str] | None = None) -> None:
    """One clear line for a user's error, and the exit code."""
    stream, errors = (each or io.StringIO() for each in (sys.stdout, sys.stderr))  # closed: None
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="replace")  # not every terminal has µ
    output = Output(stream)
    with redirect_stdout(cast(TextIO, output)), redirect_stderr(cast(TextIO, Output(errors))):
        code = exit_code(sys.argv[1:] if arguments is None else arguments)
        output.flush()
        if output.lost:
            print(f"watari: output cannot be written: {reason(output.lost)}", file=sys.stderr)
            code = code or WatariError.exit_code
    sys.exit(code)


def exit_code(arguments: list[str]) -> int:
    """Does what the words say, or says in one line why not."""
    try:
        return invoked(arguments)
    except WatariError as error:
        text, code = str(error), error.exit_code
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        text, code = f"{named}{reason(error)}", FileError.exit_code
    except Exception as error:
        if not hasattr(error, "format_message"):  # an error of the command line parser has it
            raise
        text, code = error.format_message(), UsageError.exit_code
    if text:  # empty after the help that a bare `watari` prints
        print(f"watari: {text}", file=sys.stderr)
    return code
