"""What the model of bytes says of a trace, in the words of `watari try`: a baseline for the replay.

It prices the bytes of each phase, and knows nothing of the seconds that were measured. Nothing that
a user sees comes from here.
"""

from __future__ import annotations

from dataclasses import dataclass

from watari.case.sentence import Cost
from watari.model import predict, program
from watari.model.advise import advise
from watari.model.machine import MachineProfile
from watari.model.trace_file import Trace

WORDS = {"explicit": "as-is", "managed-mapped": "mapped"}  # style of the model: style of `try`


@dataclass(frozen=True)
class Today:
    """Seconds of the GPU's part in each style, and the styles that the model calls best."""

    seconds: dict[str, Cost]
    best: tuple[str, ...]
    verdict: str


def today(trace: Trace, machine: MachineProfile) -> Today:
    """The prediction and the advice for a trace."""
    found = advise(predict.of_trace(program.of_trace(trace), machine), machine)
    seconds = {word(rank.prediction.style): rank.total for rank in found.ranked}
    return Today(seconds, tuple(word(style) for style in found.best), found.verdict)


def word(style: str) -> str:
    """The word of `watari try` for a style."""
    return WORDS.get(style, style)
