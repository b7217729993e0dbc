"""`watari trace`: the data that an unmodified program moves, by allocation."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watari.case.axis import parse_duration
from watari.cli.app import app
from watari.cli.draw import drawing
from watari.common import written
from watari.common.errors import UsageError
from watari.common.files import write_atomically
from watari.common.places import portable
from watari.common.units import format_duration
from watari.common.variables import readable
from watari.common.written import Written

if TYPE_CHECKING:
    from watari.attach.trace.session import Traced

LIMIT = "1h"


@app.command(
    context_settings={"allow_interspersed_args": False},
    epilog="Examples: watari trace -- ./a.out 1000 · "
    "watari trace -o trace.json --perfetto timeline.json -- python train.py",
)
def trace(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM [ARGUMENTS...]", help="the program, after --"),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="the trace", metavar="FILE")
    ] = Path("trace.json"),
    page: Annotated[
        Path | None,
        typer.Option("--page", help="the page; by default beside the trace", metavar="FILE"),
    ] = None,
    perfetto: Annotated[
        Path | None,
        typer.Option("--perfetto", help="a timeline for ui.perfetto.dev", metavar="FILE"),
    ] = None,
    touches: Annotated[
        bool, typer.Option(help="one more run, to record what kernels touch")
    ] = True,
    limit: Annotated[
        str,
        typer.Option("--time-limit", "--limit", metavar="TIME", help="time limit of a run"),
    ] = LIMIT,
) -> None:
    """Records the data that a CUDA program moves: copies, faults and migrations."""
    from watari.attach.start import Start, standard_input, unread_input
    from watari.attach.trace import session
    from watari.attach.trace.observed import perfetto as timeline
    from watari.model.replay import files as graphs
    from watari.run import scratch

    if not program:
        raise UsageError("trace what? put the program after --, as in: watari trace -- ./a.out")
    written.check([Written("-o", output, written.TRACE)])  # its name gives that of the page
    page = page or output.with_suffix(".html")
    graph = output.with_suffix(".graph")
    files = [Written("-o", output, written.TRACE), Written("--page", page, written.PAGE)]
    files += [Written("the graph", graph, written.GRAPH)]
    files += [Written("--perfetto", perfetto, written.TIMELINE)] if perfetto else []
    start = Start(tuple(program), parse_duration(limit), stdin=standard_input())
    made_by = readable(f"watari trace -o {shlex.quote(str(output))} -- {shlex.join(program)}")
    with written.held(files), scratch.folder(None) as folder:
        traced = session.trace(start, folder, touches, report)
        digest = graphs.write(traced.again.measured, graph)
        traced.content["observed"]["replay"] |= {"graph": graph.name, "graph_digest": digest}
        content = portable(traced.content)
        try:
            write_atomically(output, json.dumps(content))
        except BaseException:  # a graph without its trace is of no use
            graph.unlink(missing_ok=True)
            raise
        say(content["observed"])
        if note := unread_input():
            print(f"standard input: {note}")
        print(f"trace: {output}, with its graph: {graph}")
        if perfetto:
            write_atomically(perfetto, timeline.document(traced.seen, content["name"]))
            print(f"timeline: {perfetto} (open it in ui.perfetto.dev)")
        try:
            drawing("traced").write(content, page, portable(made_by), answered_of(traced))
        except UsageError as missing:
            print(f"no page: {missing}")
        else:
            print(f"page: {page}")


def answered_of(traced: Traced) -> Any:
    """The answer of a trace, for its page."""
    from watari.model.trace_file import Trace

    trace = Trace.model_validate_json(json.dumps(traced.content))
    return drawing("answered").of_trace(trace, traced.again.graph, traced.again.links)


def report(text: str) -> None:
    """Prints a line of progress."""
    typer.echo(f"  {text}", err=True)


def say(observed: dict[str, Any]) -> None:
    """Prints the findings, and how far they can be relied on."""
    from watari.attach.trace.session import NOT_ASKED
    from watari.model.replay.answer import says

    for reason in observed["incomplete"]:
        print(f"INCOMPLETE: {reason}")
    if observed["ended"]:
        here = "" if observed["ended"] == observed["ended_untraced"] else "traced "
        print(f"the {here}program did not succeed: {observed['ended']}")
    if observed["touches"] not in ("", NOT_ASKED):
        print(f"what kernels touch: {observed['touches']}")
    if observed["processes"] > 1:
        print(f"{observed['processes']} processes used CUDA: this is the one with most records")
    for sentence in observed["findings"]:
        print(f"- {sentence}")
    plain, traced = observed["untraced_seconds"], observed["traced_seconds"]
    once = observed["traced_once_seconds"]  # unknown where the records have no end
    print(
        f"{format_duration(plain)} as it is, {format_duration(traced)} traced "
        f"({traced / plain:.2f} times as long)"
        + (f", {format_duration(once)} of it once" if once else "")
    )
    for line in says.lines(observed["replay"]):
        print(line)
