"""`watari advise -- ./a.out`: a program is traced for the model, and its best styles are tried."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from watari.attach import measure
from watari.attach.measure import Measured
from watari.attach.start import Start, standard_input
from watari.attach.styles import AS_IS
from watari.attach.trace import session
from watari.common.errors import WatariError
from watari.model.kinds import kind
from watari.run import scratch

LIMIT = 3600.0  # seconds of a run
RUNS = 3
TRIED = {"explicit": AS_IS, "managed-mapped": "mapped"}  # style of the model: style of `try`


def is_program(words: Sequence[str]) -> bool:
    """Whether words are a program with its arguments, not a file of Watari."""
    return shutil.which(words[0]) is not None and not kind(Path(words[0]))


def program(words: Sequence[str]) -> Start:
    """The command to start, with the standard input of this process."""
    return Start(tuple(words), LIMIT, stdin=standard_input())


def trace(words: Sequence[str], report: session.Report) -> str:
    """The trace of a program, as JSON. Raises WatariError where it cannot be traced."""
    with scratch.folder(None) as files:
        made = session.trace(program(words), files, True, report)
    return json.dumps(made.content)


def written(content: str, folder: Path) -> Path:
    """Writes the trace to a file in the folder."""
    path = folder / "trace.json"
    path.write_text(content)
    return path


def confirm(words: Sequence[str], styles: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Seconds of the whole program in each of these styles of the model, measured in turn; 0 and
    the reason where no run succeeded. Raises WatariError where the program fails as it is."""
    start = program(words)
    learned = measure.first_run(start, [])
    if learned.status != "ok":
        raise WatariError(f"{words[0]} fails as it is: {learned.reason}")
    tried = {style: TRIED.get(style, style) for style in styles}
    measured = Measured(start, list(dict.fromkeys(tried.values())), [], learned)
    measure.learn(measured, learned.events)
    measure.all_runs(measured, RUNS, [])
    return {style: outcome(measured, name) for style, name in tried.items()}


def outcome(measured: Measured, style: str) -> tuple[float, str]:
    """The median of the runs in a style; 0 and the reason where none ended well."""
    good = [one.ending.seconds for one in measured.of(style) if one.status == "ok"]
    if good:
        return median(good), ""
    reasons = [one.reason for one in measured.of(style)]
    return 0.0, measured.unsupported.get(style) or "; ".join(reasons)
