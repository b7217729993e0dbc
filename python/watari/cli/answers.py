"""The answer for a traced program, in `watari advise` and `watari predict`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from watari.cases import CASES
from watari.cli.draw import drawing
from watari.common import written
from watari.common.console import print_json
from watari.common.errors import UsageError
from watari.common.written import Written

if TYPE_CHECKING:
    from watari.attach.start import Start
    from watari.model.replay.advice import Answer


@dataclass(frozen=True)
class Wanted:
    """The outputs of `advise` beside the text of the answer."""

    as_json: bool = False
    confirm: bool = False
    output: Path | None = None


def is_program(words: Sequence[str]) -> bool:
    """Whether words are a user's program, not a case and not a trace."""
    from watari.attach import advised

    return words[0] not in CASES and advised.is_program(words)


def is_replayed(words: Sequence[str]) -> bool:
    """Whether words are a trace that has a replay; traces of other tools have none."""
    from watari.model import trace_file
    from watari.model.kinds import TRACE, kind

    path = Path(words[0])
    if words[0] in CASES or len(words) > 1 or kind(path) != TRACE:
        return False
    observed = trace_file.read(path).observed
    return bool(observed and observed.replay)


def advise(words: Sequence[str], on: str | None, results: Sequence[Path], wanted: Wanted) -> None:
    """The answer for a program, or for its trace. Raises UsageError, WatariError."""
    from watari.machine.probe import machine
    from watari.model import asked
    from watari.model.replay.answer import bars, says, values

    program = is_program(words)
    if wanted.confirm and not program:
        raise UsageError("--confirm runs a program: watari advise --confirm -- ./a.out")
    if wanted.confirm and asked.for_trace(on, results, machine()["name"])[1]:
        raise UsageError("--confirm runs the program on this machine: --machine is another one")
    if wanted.output and wanted.as_json:
        raise UsageError("-o is a figure; --json goes to the output stream")
    figures = [Written("-o", wanted.output, written.FIGURE)] if wanted.output else []
    read: list[str | Path] = [*(words[:1] if not program else ()), *([on] if on else []), *results]
    with written.held(figures, read):
        if wanted.output and wanted.output.suffix.lower() != ".svg":
            drawing("page")  # an error in one line where a package is missing
        found, where, start = (
            of_program(words, on, results)
            if program
            else (*of_trace(Path(words[0]), on, results), None)
        )
        if wanted.as_json:
            content = {**values.of(found), "machine": where}
            if wanted.confirm and start:
                content["confirmed"] = confirmed(start, found, True)
            print_json(content)
            return
        show(where, says.whole(found))
        if wanted.confirm and start:
            confirmed(start, found, False)
        if wanted.output:
            bars.write(found, wanted.output)
            print(f"figure: {wanted.output}")


def to_errors(text: str) -> None:
    """Shows the progress of a trace."""
    typer.echo(f"  {text}", err=True)


def of_program(
    words: Sequence[str],
    on: str | None,
    results: Sequence[Path] | None,
    report: Callable[[str], None] = to_errors,
) -> tuple[Answer, str, Start]:
    """Traces a program, and answers; also a line on the machine, and how the program is started.
    Leaves no files."""
    from watari.attach import advised
    from watari.attach.start import unread_input
    from watari.model import asked
    from watari.model.replay.answer.answered import answer, recorded

    asked.for_trace(on, results, "")  # an error in a word comes before the runs
    start = advised.program(words)
    trace, graph, links = advised.trace(start, report)
    if note := unread_input():
        report(f"standard input: {note}")
    machine, here, where = asked.for_trace(on, results, recorded(trace)[0].machine)
    found = answer(trace, graph, links, machine, here)
    return found, where, advised.with_prefetches(start, trace)


def of_trace(path: Path, on: str | None, results: Sequence[Path] | None) -> tuple[Answer, str]:
    """The answer for a trace file, with the graph beside it, and a line on the machine."""
    from watari.model import asked, trace_file
    from watari.model.replay.answer.answered import answer, graph_of, recorded

    trace = trace_file.read(path)
    machine, here, where = asked.for_trace(on, results, recorded(trace)[0].machine)
    return answer(trace, *graph_of(path, trace), machine, here), where


def show(where: str, lines: Iterator[str]) -> None:
    """Prints an answer."""
    print(f"machine: {where}")
    for line in lines:
        print(line, flush=True)


def confirmed(start: Start, found: Answer, quiet: bool) -> list[dict[str, object]]:
    """Runs the best changes and styles, and prints predicted beside measured seconds, unless the
    values are for a program."""
    from watari.attach import confirmed
    from watari.common import progress

    wanted = confirmed.chosen(found)
    if not wanted:
        if not quiet:
            print("nothing to confirm: no change or style that can be imposed is predicted")
        return []
    count = confirmed.RUNS * (len(wanted) + 1)
    shown = progress.Silent() if quiet else progress.suited(count, 0)
    rows = confirmed.confirm(start, found, shown)
    for line in () if quiet else confirmed.lines(rows):
        print(line)
    return confirmed.values(rows)
