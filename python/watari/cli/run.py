"""`watari run`: measures, and writes the result file."""

from __future__ import annotations

import shlex
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from watari import cases
from watari.case.axis import Machine, parse_duration
from watari.cli import case_help
from watari.cli.app import app, show, this_machine
from watari.cli.asked import planned
from watari.common import written
from watari.common.insecure import Insecure
from watari.common.interrupts import INTERRUPTED
from watari.common.written import Written
from watari.plan.request import Request

if TYPE_CHECKING:
    from watari.results.schema import Results


@app.command(
    cls=case_help.RunCommand,
    epilog=f"Examples: watari run · {case_help.example(next(iter(cases.CASES.values())))} · "
    "watari run --plan gh200-sam --budget 8min -o run.json · watari run CASE --help: its axes",
)
def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CASE AXIS=VALUE...]", help="one case; AXIS=a,b sweeps an axis"),
    ] = None,
    plan: Annotated[
        str | None, typer.Option(metavar="NAME|FILE", help="a stored plan, by file or name")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="resume this result file, or the journal of a killed run"
        ),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="time limit of the run, e.g. 8min")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the result file", metavar="FILE")
    ] = None,
    launcher: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="command that starts a trial: '[NAME=VALUE...] mpirun -n {ranks}'",
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="time limit of a trial; by default from its bytes"),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="omit hosts, paths and command from the results")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 also if a case is unsupported")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="a first look: one trial of each case, few samples")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="measure nothing; show cases, bytes, disk and time")
    ] = False,
    insecure: Insecure = False,
) -> None:
    """Measures the standard plan for this machine, a stored plan, or one case."""
    from watari.cli import summary
    from watari.common import progress
    from watari.machine.hosts import apart
    from watari.plan.plan import find
    from watari.plan.request import earlier_values
    from watari.run import hosts, prepare, runner
    from watari.run.launcher import Launcher
    from watari.run.resume import continued, earlier

    started = time.monotonic()
    options = runner.Options(
        output=Path(),
        launcher=Launcher.parse(launcher) if launcher else Launcher(),
        time_limit=parse_duration(time_limit) if time_limit else None,
        deadline=started + parse_duration(budget) if budget else None,
    )
    before, resumed = None, None
    if resume:
        before, resumed, options.launcher = earlier(resume, options.launcher)
    here = this_machine()
    with earlier_values(before.requests if before else ()):
        wanted = planned(words or [], plan, here, quick)
    asked = before.requests if before else list(wanted.requests)
    machine = hosts.described(here, asked, options.launcher)
    if machine is not here:  # defaults depend on the machine
        with earlier_values(before.requests if before else ()):
            wanted = planned(words or [], plan, machine, quick)
        print(hosts.summary(machine["hosts"]))
        for name, text in apart(machine):
            print(f"{name}: {text}")
    state = prepare.fresh(wanted, machine, options.launcher)
    state.program.anonymous = anonymous
    if resume and before:
        state = continued(resume, before, state, bool(words or plan), options.launcher)
    prepare.check_folders(state.requests)
    options.output = output or resumed or default_output(machine)
    read = [find(plan)] if plan else []
    read += [resume] if resume and resume != resumed else []
    if output or not dry_run:
        written.check([Written("-o", options.output, written.RESULTS)], read, prepare.RESULTS)
    if dry_run:
        from watari.cli import dry_run as dry

        show(dry.render(runner.remaining(state), machine))
        return
    options.launcher.require_program()
    prepare.check_journal(options.output, resumed)
    forecast(state.requests, machine)
    if machine is here:  # memory of other hosts is out of reach
        prepare.grow_memory(state, machine)
    total, done = sum(r.trials for r in state.requests), sum(map(len, state.trials))
    options.progress = progress.suited(total, done)
    results, interrupted = runner.execute(state, options)
    show(summary.render(results))
    print(f"{'interrupted; ' if interrupted else ''}results: {options.output}")
    code = ending(results, options.output, strict)
    raise typer.Exit(INTERRUPTED if interrupted else code)


def ending(results: Results, output: Path, strict: bool) -> int:
    """The exit code of a run; prints how to continue one that misses trials."""
    if results.missing:
        missing = sum(case.trials for case in results.missing)
        again = shlex.join(["watari", "run", "--resume", str(output)])
        print(f"{missing} trial{'s'[: missing > 1]} missing; resume with: {again}")
    refused = ("wrong", "failed", "unsupported") if strict else ("wrong", "failed")
    return int(any(case.status in refused for case in results.cases))


def forecast(requests: list[Request], machine: Machine) -> None:
    """Prints the forecasts of the cases among the requests."""
    for name in dict.fromkeys(request.case for request in requests):
        wanted = [request.parameters for request in requests if request.case == name]
        for text in cases.find(name).forecast(wanted, machine):
            print(text, flush=True)


def default_output(machine: Machine) -> Path:
    """results/<machine>-<date>-<time>.json"""
    from watari.run import prepare

    return prepare.RESULTS / f"{machine['name']}-{datetime.now():%Y%m%d-%H%M%S}.json"
