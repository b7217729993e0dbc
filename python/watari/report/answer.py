"""The answer of a run: where data should live on its machine, in at most six sentences.

Each case says what its own numbers show (the module in `Presentation.answer`). This module collects
the sentences in the order of TOPICS, and names what was not measured. Nothing is said that the
results do not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from watari.case.axes import gpus
from watari.case.sentence import TOPICS, Sentence
from watari.cases import presentation
from watari.results.measured import Measured, measurements
from watari.results.schema import Results

MOST = 6
OF_GPU = ("again", "once", "turns", "larger", "files", "never")
OF_CPU = ("cpu-again", "cpu-once", "files", "steps")


def answer(results: Sequence[Results]) -> list[Sentence]:
    """The sentences of the results of one machine; empty where nothing can be said."""
    return of(measurements(results))


def of(cases: Sequence[Measured]) -> list[Sentence]:
    """The same of its cases."""
    modules = dict.fromkeys(presentation(m.case).answer for m in cases)
    speakers = [import_module(module).answer for module in modules if module]
    said = {sentence.topic: sentence for speak in speakers for sentence in speak(cases)}
    order = [topic for topic in TOPICS if topic in said]
    chosen = [said[topic] for topic in order][:MOST]
    return [*chosen, *missing(cases, set(said))] if chosen else []


def missing(cases: Sequence[Measured], said: set[str]) -> list[Sentence]:
    """What these results do not answer, and the command that measures it."""
    machine = cases[0].machine
    wanted = [t for t in (OF_GPU if gpus(machine) else OF_CPU) if t not in said]
    parts = []
    if wanted:
        names = "; ".join(TOPICS[topic].lower().replace("gpu", "GPU") for topic in wanted)
        parts.append(f"{names.replace('cpu', 'CPU')}. `watari run` measures these.")
    if not gpus(machine):
        reasons = [c["reason"] for c in machine["capabilities"] if c["name"] == "gpu-driver"]
        why = next((reason for reason in reasons if reason), "this machine has none")
        parts.append(f"memories of a GPU: {why}.")
    return [Sentence("Not measured here", part, "", "") for part in parts]
