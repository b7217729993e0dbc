"""`watari compare` and `watari check`: a run against another, or against its hardware."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from watari.case.axis import parse_share
from watari.cli.app import app, show, this_machine
from watari.cli.asked import planned
from watari.cli.run import default_output
from watari.common import written
from watari.common.console import print_json
from watari.common.errors import UsageError
from watari.common.interrupts import INTERRUPTED
from watari.common.places import RESULTS
from watari.common.written import Written


@app.command(epilog="Example: watari compare before.json after.json --threshold 3%")
def compare(
    base: Annotated[Path, typer.Argument(help="result file", show_default=False)],
    new: Annotated[
        list[Path],
        typer.Argument(help="result files; of several, outliers are named", show_default=False),
    ],
    threshold: Annotated[
        str, typer.Option(metavar="PART", help="smallest change that counts: 5% or 0.05")
    ] = "5%",
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    fail_on_unsure: Annotated[
        bool, typer.Option("--fail-on-unsure", help="exit with 3 if a case is unsure")
    ] = False,
) -> None:
    """Compares runs with a base run, case by case: same, faster, slower, unsure or lost.

    Exit code: 4 if a case is lost, 3 if one is slower, 1 if one became wrong or failed, else 0.
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
        print_json(values)
    elif len(judged) == 1:
        show(verdicts.render(judged[str(new[0])]))
    else:
        show(verdicts.render_nodes(judged, deviating))
    raise typer.Exit(max(exit_code(rows, fail_on_unsure) for rows in judged.values()))


@app.command(epilog="Example: watari check run.json --baseline good.json --threshold copy=5%")
def check(
    results: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RESULTS [EARLIER...]]",
            help="result file; without one, the standard plan runs first. Further files: earlier "
            "runs of this machine, or the runs of other hosts, each of which is checked",
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="an earlier, good run of this machine")
    ] = None,
    stored: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="earlier results of the same part [results/]"),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="[CASE=]PART", help="smallest change that counts: 5%, copy=3%"),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD=VALUE,...", help="what the node must have: gpus=4,link=gen5x16"),
    ] = None,
    fail_on_unknown: Annotated[
        bool, typer.Option("--fail-on-unknown", help="exit with 3 if an item is unknown")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="as JSON, for programs")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="also write JUnit XML, for test systems")
    ] = None,
) -> None:
    """Is my number right? Compares a run with what its hardware should give, and with earlier runs.

    Each item passes, fails, is lost or unknown. Looks up likely causes of failures. Exit code: 4 if
    an item is lost, 3 if one fails, else 0.
    """
    from watari.common.files import write_atomically
    from watari.report.check import expect as expectations
    from watari.report.check import formats, items
    from watari.report.check.stored import Earlier, of_machine
    from watari.results import schema

    if stored and not stored.is_dir():
        raise UsageError(f"--stored {stored}: no such folder")
    folder = stored or (RESULTS if RESULTS.is_dir() else None)
    thresholds = items.parse_thresholds(threshold or [], parse_share)
    wanted = expectations.parse(expect or [])
    files = results or []
    good = schema.read(baseline) if baseline else None
    if junit:
        read = [*files, *([baseline] if baseline else [])]
        written.check([Written("--junit", junit, written.TEST_SUITE)], read)
    if len(files) > 1 and (nodes := several(files)):
        from watari.report.fleet import checked as fleet

        every = fleet.check(nodes, good, thresholds, stored, wanted)
        if junit:
            write_atomically(junit, fleet.junit(every))
        if as_json:
            print_json(fleet.as_values(every, fail_on_unknown))
        else:
            show(fleet.render(every, nodes.unread))
        # of a node the largest; and 3 for a file that is damaged
        worst = max(one.exit_code(fail_on_unknown) for one in every)
        raise typer.Exit(worst or 3 * bool(nodes.unread))
    given = [Earlier(str(path), schema.read(path)) for path in files[1:]]
    given += [Earlier(str(baseline), good)] if good else []
    measured, file = (schema.read(files[0]), files[0]) if files else measured_now(quiet=as_json)
    folders = {file.parent, *([stored] if stored else [])}
    earlier = given or of_machine(measured, folders)
    checked = items.check(measured, good, thresholds, folder, earlier, wanted)
    if junit:
        write_atomically(junit, formats.junit(measured, checked))
    if as_json:
        print_json(formats.as_values(measured, checked, fail_on_unknown))
    else:
        show(formats.render(measured, checked))
    raise typer.Exit(items.exit_code(checked, fail_on_unknown))


def several(files: list[Path]) -> Any:
    """The fleet, where the files are of several hosts; None where they are runs of one, or where a
    file has no host: then the first is checked, and the others are earlier runs."""
    from watari.report.fleet import judge, node

    nodes, unread = node.read_all([str(path) for path in files])
    if len(nodes) < 2 or not all(one.named for one in nodes):
        return None
    return judge.judge(nodes, [one.why for one in unread])


def measured_now(quiet: bool) -> tuple[Any, Path]:
    """Runs the standard plan; the results, and the file that they are in, as of `watari run`."""
    from watari.common import progress
    from watari.run import prepare, runner

    machine = this_machine()
    state = prepare.fresh(planned([], None, machine), machine, runner.Options(Path()).launcher)
    total = sum(request.trials for request in state.requests)
    shown = progress.Silent() if quiet else progress.suited(total, 0)
    options = runner.Options(output=default_output(machine), progress=shown)
    written.check([Written("-o", options.output, written.RESULTS)], makes=prepare.RESULTS)
    prepare.check_journal(options.output, None)
    prepare.grow_memory(state, machine)
    measured, interrupted = runner.execute(state, options)
    print(f"results: {options.output}", file=sys.stderr)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    return measured, options.output
