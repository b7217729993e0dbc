"""What the model that knows only the bytes of a trace predicts, in the words of `watari try`: a
baseline for the replay. It prices the bytes of each phase, without the measured seconds."""

from __future__ import annotations

from dataclasses import dataclass

from watari.case.sentence import Cost
from watari.model import predict, program
from watari.model.advise import advise
from watari.model.machine import MachineProfile
from watari.model.trace_file import Trace

WORDS = {"explicit": "as-is", "managed-mapped": "mapped"}  # style of the model: style of `try`


@dataclass(frozen=True)
class Priced:
    """Seconds of the GPU's part in each style, and the styles that the model calls best."""

    seconds: dict[str, Cost]
    best: tuple[str, ...]


def priced(trace: Trace, machine: MachineProfile) -> Priced:
    """The prediction for a trace."""
    found = advise(predict.of_trace(program.of_trace(trace), machine), machine)
    seconds = {word(rank.prediction.style): rank.total for rank in found.ranked}
    return Priced(seconds, tuple(word(style) for style in found.best))


def word(style: str) -> str:
    """The word of `watari try` for a style."""
    return WORDS.get(style, style)
