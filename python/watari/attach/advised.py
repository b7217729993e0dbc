"""`watari advise -- ./a.out`: a program is traced for the model, and its best styles are tried."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from watari.attach import measure
from watari.attach.measure import Measured
from watari.attach.start import Start, standard_input
from watari.attach.styles import AS_IS
from watari.attach.trace import session
from watari.common.errors import WatariError
from watari.model.kinds import kind
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.trace_file import Trace
from watari.run import scratch

LIMIT = 3600.0  # seconds of a run
RUNS = 3


def is_program(words: Sequence[str]) -> bool:
    """Whether words are a program with its arguments, not a file of Watari."""
    return shutil.which(words[0]) is not None and not kind(Path(words[0]))


def program(words: Sequence[str]) -> Start:
    """The command to start, with the standard input of this process."""
    return Start(tuple(words), LIMIT, stdin=standard_input())


def trace(words: Sequence[str], report: session.Report) -> tuple[Trace, Graph, Links]:
    """The trace of a program, its graph without tracing, and the links of that. Raises WatariError
    where it cannot be traced."""
    with scratch.folder(None) as files:
        made = session.trace(program(words), files, True, report)
    content = Trace.model_validate_json(json.dumps(made.content))
    return content, made.again.graph, made.again.links


@dataclass(frozen=True)
class Confirmed:
    """Measured seconds of the whole program: median and range of its runs. `reason`: why no run
    succeeded."""

    seconds: float
    low: float
    high: float
    reason: str = ""


def confirm(words: Sequence[str], styles: Sequence[str]) -> dict[str, Confirmed]:
    """Runs the program as it is and in each of these styles, in turn. Raises WatariError where it
    fails as it is."""
    start = program(words)
    learned = measure.first_run(start, [])
    if learned.status != "ok":
        raise WatariError(f"{words[0]} fails as it is: {learned.reason}")
    measured = Measured(start, [AS_IS, *styles], [], learned)
    measure.learn(measured, learned.events)
    measure.all_runs(measured, RUNS, [])
    return {style: outcome(measured, style) for style in measured.styles}


def outcome(measured: Measured, style: str) -> Confirmed:
    """The runs in a style."""
    good = [one.ending.seconds for one in measured.of(style) if one.status == "ok"]
    if good:
        return Confirmed(median(good), min(good), max(good))
    reasons = [one.reason for one in measured.of(style)]
    return Confirmed(0.0, 0.0, 0.0, measured.unsupported.get(style) or "; ".join(reasons))
