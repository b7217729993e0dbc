"""The answer for a traced program, in `watari advise` and `watari predict`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from watari.cases import CASES
from watari.common.console import print_json

if TYPE_CHECKING:
    from watari.attach.advised import Confirmed
    from watari.model.replay.answer import Answer

AS_IS, BEST = "as-is", 2


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


def of_program(
    words: Sequence[str], on: str | None, results: Sequence[Path] | None
) -> tuple[Answer, str]:
    """Traces a program, and answers; also a line on the machine. Leaves no files."""
    from watari.attach import advised
    from watari.model import asked
    from watari.model.replay.answered import answer, recorded

    asked.for_trace(on, results, "")  # an error in a word comes before the runs
    trace, graph, links = advised.trace(words, lambda text: typer.echo(f"  {text}", err=True))
    machine, here, where = asked.for_trace(on, results, recorded(trace)[0].machine)
    return answer(trace, graph, links, machine, here), where


def of_trace(path: Path, on: str | None, results: Sequence[Path] | None) -> tuple[Answer, str]:
    """The answer for a trace file, with the graph beside it, and a line on the machine."""
    from watari.model import asked, trace_file
    from watari.model.replay.answered import answer, graph_of, recorded

    trace = trace_file.read(path)
    machine, here, where = asked.for_trace(on, results, recorded(trace)[0].machine)
    return answer(trace, *graph_of(path, trace), machine, here), where


def show(found: Answer, where: str, as_json: bool, lines: Iterator[str]) -> None:
    """Prints an answer."""
    from watari.model.replay import values

    if as_json:
        print_json({**values.of(found), "machine": where})
        return
    print(f"machine: {where}")
    for line in lines:
        print(line)


def show_confirmed(words: Sequence[str], found: Answer) -> None:
    """Runs the best styles, and prints predicted beside measured seconds."""
    from watari.attach import advised
    from watari.common.units import format_latency

    known = [one for one in found.imposed if one.seconds and one.style != AS_IS]
    best = sorted(known, key=lambda one: one.seconds.middle if one.seconds else 0.0)[:BEST]
    if not best:
        print("nothing to confirm: no change or style that can be imposed is predicted")
        return
    measured = advised.confirm(words, [one.style for one in best])
    print(f"confirmed, in turn; as it is {spread(measured[AS_IS])}")
    for one in best:
        cost = one.seconds
        ends = f"{format_latency(cost.low)} to {format_latency(cost.high)}" if cost else ""
        print(f"  {one.style}: predicted {ends}; measured {spread(measured[one.style])}")


def spread(one: Confirmed) -> str:
    """Measured seconds with their range, in words."""
    from watari.common.units import format_latency

    if one.reason:
        return one.reason
    low, high = format_latency(one.low), format_latency(one.high)
    return f"{format_latency(one.seconds)} ({low} to {high})"
