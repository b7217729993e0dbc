"""The answer: where data should live on a machine, in at most nine sentences.

It opens the report, ends `watari run`, and is the output of `watari advise` without a program. For
results each case makes sentences from its own numbers (the module in `Presentation.answer`). This
module collects the sentences in the order of TOPICS, and names the topics that were not measured.
For a machine that only a profile describes, the model makes them (`of_profile`), with programs of
one allocation.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from watari.case.axes import gpus
from watari.case.profile import Access, Allocation, Phase
from watari.case.sentence import TOPICS, Sentence
from watari.cases import presentation
from watari.common.units import format_bytes, format_speed
from watari.model import predict
from watari.model.advise import advise
from watari.model.machine import MachineProfile
from watari.model.predict import Prediction
from watari.model.program import Program
from watari.model.work import components
from watari.results.measured import Measured, measurements
from watari.results.schema import Results

MOST = 9
OF_GPU = ("again", "once", "turns", "larger", "files", "slow")
SIZE = 4_000_000_000  # bytes of the data that the model is asked about
PASSES, TURNS = 1000, 10  # numbers for "again and again" and "in turn"
WHERE = {
    "measured": "its profile",
    "published": "published values",
    "scaled": "another machine's times",
    "imaginary": "times of the machine that it is like",
}
OF_CPU = ("cpu-again", "cpu-once", "files", "steps")


def answer(results: Sequence[Results]) -> list[Sentence]:
    """The sentences of the results of one machine; empty where nothing can be said."""
    return of(measurements(results))


def of(cases: Sequence[Measured]) -> list[Sentence]:
    """The sentences of the cases of one machine."""
    modules = dict.fromkeys(presentation(m.case).answer for m in cases)
    speakers = [import_module(module).answer for module in modules if module]
    sentences = {sentence.topic: sentence for speak in speakers for sentence in speak(cases)}
    known = [topic for topic in TOPICS if topic in sentences]
    order = [*known, *(topic for topic in sentences if topic not in TOPICS)]
    chosen = [sentences[topic] for topic in order][:MOST]
    return [*chosen, *missing(cases, set(sentences))] if chosen else []


def missing(cases: Sequence[Measured], answered: set[str]) -> list[Sentence]:
    """The topics that these results do not answer, and the command that measures them."""
    machine = cases[0].machine
    wanted = [t for t in (OF_GPU if gpus(machine) else OF_CPU) if t not in answered]
    parts = []
    if wanted:
        names = "; ".join(TOPICS[topic].lower().replace("gpu", "GPU") for topic in wanted)
        few = {1: "One more use", 2: "Two more uses", 3: "Three more uses"}
        count = few.get(len(wanted), f"{len(wanted)} more uses")
        names = names[:1].upper() + names[1:].replace("cpu", "CPU")
        parts.append(f"{count}. {names}: `watari run` measures them.")
    if not gpus(machine):
        reasons = [c["reason"] for c in machine["capabilities"] if c["name"] == "gpu-driver"]
        why = next((reason for reason in reasons if reason), "this machine has none")
        parts.append(f"memories of a GPU: {why}.")
    return [Sentence("Not measured here", part, "", "") for part in parts]


def program(topic: str, size: int) -> Program:
    """The program of a topic: the CPU writes data of this size, and the data are used."""
    data = {"data": Allocation("data", size)}
    made = Phase("made", size, accesses=(Access("data", "cpu", 0, size),))
    read = Phase("used", size, accesses=(Access("data", "gpu", size, 0),))
    changed = Phase("changed", 2 * size, accesses=(Access("data", "gpu", size, size),))
    again = Phase("again", 2 * size, accesses=(Access("data", "cpu", size, size),))
    phases = {
        "again": (made, Phase("used", size, accesses=read.accesses, repeats=PASSES)),
        "once": (made, read),
        "turns": (made, *(changed, again) * TURNS),
    }
    return Program(topic, "", data, phases[topic])


def of_profile(profile: MachineProfile) -> list[Sentence]:
    """The sentences of a machine that only its profile describes, for data of a measured size."""
    sentences = []
    link = profile.curves.get("transfer pinned device")
    size = min(SIZE, int(link.points[-1].bytes)) if link else SIZE
    where = WHERE[profile.kind]
    for topic in ("again", "once", "turns"):
        predictions = predict.of_trace(program(topic, size), profile)
        found = advise(predictions, profile)
        if not found.ranked:
            continue
        first = found.ranked[0]
        speed = format_speed(size / first.total.middle / 1e9)
        text = f"{found.verdict[:1].upper()}{found.verdict[1:]} for {format_bytes(size)}."
        because = f"{found.because}." if found.because else ""
        worst = found.ranked[-1]
        if len(found.ranked) > len(found.best):
            text += f" Slowest: {worst.prediction.style}, {worst.total.within}."
        sure = f"by the model, from {where}"
        sentences.append(Sentence(topic, text, speed, sure, because, beyond(predictions, profile)))
    if link:
        speed = format_speed(size / link.cost(size).middle / 1e9)
        text = f"pinned CPU memory: copy parts to the GPU, at {speed}, while the GPU works."
        shown = f"copies of {format_bytes(size)}"
        sentences.append(Sentence("larger", text, speed, link.source, measured=shown))
    return sentences


def beyond(predictions: Sequence[Prediction], profile: MachineProfile) -> str:
    """The steps for which the predictions need more bytes than were measured, by these bytes."""
    parts = [part for one in predictions for part in one.work]
    needed = [row for part in parts for item in part.work for row in components([item]).items()]
    most = {key: curve.points[-1].bytes for key, curve in profile.curves.items()}
    over = {key: most[key] for key, size in needed if size > most.get(key, size)}
    if not over:
        return ""
    sizes = [format_bytes(size) for size in sorted({*over.values()})]
    span = " to ".join(dict.fromkeys((sizes[0], sizes[-1])))
    return f"at the rates of the largest measured sizes, {span}"
