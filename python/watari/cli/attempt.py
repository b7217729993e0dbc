"""`watari try`: a user's program, in each memory style that can be given from outside."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from watari.case.axis import parse_duration, parse_size
from watari.cli.app import app, show, this_machine
from watari.cli.draw import drawing
from watari.common import written
from watari.common.errors import UsageError, WatariError
from watari.common.written import Written, require_name

if TYPE_CHECKING:
    from watari.attach.measure import Measured, Run
    from watari.attach.start import Start

FIRST_LIMIT = 3600.0  # seconds


@app.command(
    "try",
    context_settings={"allow_interspersed_args": False},
    epilog="Examples: watari try -- ./a.out 1000 · watari try --only 'size>=1GiB' -- python3 "
    "train.py · watari try --fit 40GiB --same-output result.dat -- ./a.out",
)
def attempt(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM [ARGUMENTS...]", help="the program, unmodified"),
    ] = None,
    styles: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="run only these styles, and as-is")
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="changes of watari exec: all, none, names; by default those that can matter",
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="runs of each style, in turn")
    ] = 3,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="change only these: 'size>=1GiB', site:HASH, copy:HASH"),
    ] = None,
    fit: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="change allocations until the rest fits in SIZE"),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="a trace of the program, for --fit and prefetched"),
    ] = None,
    same_output: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="a file that must not change; - is standard output"),
    ] = None,
    ranks: Annotated[
        int, typer.Option(min=1, max=4096, metavar="N", help="processes, started by the launcher")
    ] = 1,
    launcher: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="command that starts the ranks: '[NAME=VALUE...] mpirun -n {ranks}'",
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="time limit of a run; by default 20 x the first run"),
    ] = None,
    overhead: Annotated[
        bool, typer.Option("--overhead", help="also run without Watari's library")
    ] = False,
    traced: Annotated[
        bool, typer.Option(help="trace one more run of each style, and count what moves")
    ] = True,
    sites: Annotated[
        bool, typer.Option("--sites", help="only list the call sites, from one run as-is")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="the result file", metavar="FILE")
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="a figure: .svg, .pdf or .png")
    ] = None,
) -> None:
    """Runs an unmodified CUDA program in each memory style, and compares the times."""
    from watari.attach import advised_changes, imposed, measure, record, rules
    from watari.attach import fit as fitting
    from watari.attach import styles as table_of_styles
    from watari.attach import table as tables
    from watari.attach.start import Start, require_program, standard_input
    from watari.results import schema
    from watari.run import prepare
    from watari.run.launcher import Launcher

    asked = table_of_styles.chosen(styles)
    wanted = imposed.chosen(changes)
    chosen = rules.parse(only or [])
    limit = parse_size(fit) if fit else None
    if limit and only:
        raise UsageError("--fit chooses the allocations itself: omit --only")
    if trace and not limit and "prefetched" not in (wanted or []):
        raise UsageError("--trace is for --fit, and for --changes prefetched")
    require_name("--trace", trace)
    for name in same_output or []:
        require_name("--same-output", name)
    read: list[str | Path] = [*(same_output or []), *([trace] if trace else [])]
    figures = [Written("--figure", figure, written.FIGURE)] if figure else []
    results = [Written("-o", output, written.RESULTS)] if output else []
    written.check([*figures, *results], read, prepare.RESULTS)
    require_program(words or [])
    if figure:
        drawing("page")  # an error in one line where a package is missing
    touched = fitting.touched(trace) if trace and limit else {}
    table = advised_changes.table_of(str(trace)) if trace and not limit else ""
    starter = Launcher.parse(launcher) if launcher else Launcher()
    starter.require_program()
    start = Start(
        tuple(words or ()),
        parse_duration(time_limit) if time_limit else FIRST_LIMIT,
        ranks,
        starter,
        standard_input(),
        prefetches=table,
    )
    if sites:
        list_sites(start)
        return
    machine = this_machine()
    output = output or prepare.RESULTS / (
        f"{machine['name']}-try-{datetime.now():%Y%m%d-%H%M%S}.json"
    )
    results = [Written("-o", output, written.RESULTS)]
    with written.held([*figures, *results], read, prepare.RESULTS):
        prepare.check_journal(output, None)
        learned = first(start, same_output or [])
        asked += [measure.BARE] * overhead
        measured = measure.Measured(start, asked, chosen, learned, time_limit is not None)
        ended = run_all(measured, runs, same_output or [], limit, touched, traced, wanted)
        if measured.runs:
            for part in tables.render(measured):
                show(part)
            output.parent.mkdir(parents=True, exist_ok=True)
            schema.write(output, record.results(measured, runs, machine))
            print(f"{'ended early; ' if ended else ''}results: {output}", flush=True)
            if figure:
                from watari.attach import figure as drawn

                drawn.write(measured, figure)
    if ended:
        raise ended


def first(start: Start, same: list[str]) -> Run:
    """The first run, as it is. Raises WatariError where there is nothing to compare."""
    from watari.attach import measure

    one = measure.first_run(start, same)
    if not one.events.uses_cuda:
        raise WatariError(f"{start.command[0]}{unseen(start, one)}")
    if one.status != "ok" and not one.events.failed:
        raise WatariError(f"{start.command[0]} fails as it is: {one.reason}")
    return one


def unseen(start: Start, one: Run) -> str:
    """Why a run shows no use of CUDA."""
    from watari.attach.entry import obstacle

    if one.events.cut:
        return f": its event log cannot be written: {one.events.cut[0]}"
    if why := obstacle(start.command):
        return f" {why}"
    ended = f" ({one.ended})" if one.ended else ""
    return f" never loads CUDA: there is nothing to try{ended}"


def list_sites(start: Start) -> None:
    """Prints the call sites of one run."""
    from watari.attach import table

    found = first(start, [])
    for part in table.sites(found.events):
        show(part)
    if found.ended:
        print(f"the program: {found.ended}")


def run_all(
    measured: Measured,
    runs: int,
    same: list[str],
    limit: int | None,
    touched: dict[str, int],
    traced: bool,
    changes: list[str] | None,
) -> BaseException | None:
    """Adds the runs. Returns the error or interrupt that ended them early, if any: completed runs
    stay."""
    from watari.attach import counted, imposed, measure
    from watari.attach.start import unread_input
    from watari.common import progress

    one = measured.learned
    measure.learn(measured, one.events)
    imposed.add_rows(measured, [] if limit and changes is None else changes)
    print(f"first run, as it is: {how_it_ran(one)}", flush=True)
    if note := unread_input():
        print(f"standard input: {note}", flush=True)
    try:
        if limit:
            fit_into(measured, limit, touched)
        possible = len(measured.styles) - len(measured.unsupported)
        measure.all_runs(measured, runs, same, progress.suited(runs * possible, 0))
        if traced:
            counted.count(measured)
    except (KeyboardInterrupt, Exception) as error:
        return error
    return None


def how_it_ran(one: Run) -> str:
    """The seconds of a run, and how it ended where that may be a failure."""
    words = f"{one.ending.seconds:.4g} s"
    return one.reason or (f"{words}, {one.ended}" if one.ended else words)


def fit_into(measured: Measured, limit: int, touched: dict[str, int]) -> None:
    """Adds the rules that make the program fit. If the program fails as it is, a run in managed
    memory shows its allocations."""
    from watari.attach import fit

    seen = measured.learned.events
    if measured.learned.status != "ok":
        seen = fit.in_managed(measured)
    fit.add_rules(measured, seen, limit, touched)
