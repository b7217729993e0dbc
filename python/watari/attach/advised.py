"""`watari advise -- ./a.out`: a program is traced for the model."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from watari.attach import advised_changes
from watari.attach.start import Start, standard_input
from watari.attach.trace import session
from watari.model.kinds import kind
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.trace_file import Trace
from watari.run import scratch

LIMIT = 3600.0  # seconds of a run


def is_program(words: Sequence[str]) -> bool:
    """Whether words are a program with its arguments, not a file of Watari."""
    return shutil.which(words[0]) is not None and not kind(Path(words[0]))


def program(words: Sequence[str]) -> Start:
    """The command to start, with the standard input of this process."""
    return Start(tuple(words), LIMIT, stdin=standard_input())


def trace(start: Start, report: session.Report) -> tuple[Trace, Graph, Links]:
    """The trace of a program, its graph without tracing, and the links of that. Raises WatariError
    where it cannot be traced."""
    with scratch.folder(None) as files:
        made = session.trace(start, files, True, report)
    content = Trace.model_validate_json(json.dumps(made.content))
    return content, made.again.graph, made.again.links


def with_prefetches(start: Start, trace: Trace) -> Start:
    """The program, with what the change `prefetched` needs of its trace."""
    return replace(start, prefetches=advised_changes.prefetches(trace.model_dump(by_alias=True)))
