"""The machine and the programs that the words of `predict` and `advise` name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from watari import cases
from watari.case.axes import gpus
from watari.case.sentence import Sentence
from watari.cases import effort
from watari.common.errors import FileError, UsageError, WatariError
from watari.common.places import RESULTS as FOLDER
from watari.model import answer, predict, program, trace_file
from watari.model.kinds import PROBE, PROFILE, RESULTS, TRACE, begins_an_object, kind
from watari.model.machine import MachineProfile
from watari.model.predict import Prediction
from watari.model.profiles import choose, fit, known, scaled
from watari.plan.request import Request, describe, resolve

# steps that a result must have to describe a machine, by whether the machine has a GPU
NEEDED = {True: {"pass gpu", "transfer pinned device"}, False: {"pass cpu"}}


def machines() -> list[str]:
    """Published machines, a line each."""
    profiles = {name: known.machine(name) for name in known.files()}
    return [f"{name}: {p.title} ({p.kind} rates: {len(p.curves)})" for name, p in profiles.items()]


def values_of(name: str) -> str:
    """`published values of the nearest one, gh200`."""
    return f"{known.machine(name).kind} values of the nearest one, {name}"


def machine_files(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """The words without result files, and these: they describe the machine, as --results does."""
    files = [word for word in words if word not in cases.CASES and kind(Path(word)) == RESULTS]
    return [word for word in words if word not in files], [Path(word) for word in files]


def on_ranks(words: Sequence[str]) -> bool:
    """Whether the words are a case on several ranks."""
    axes = [word.partition("=") for word in words[1:]]
    return any(
        (name == "ranks" and value != "1") or (name == "split" and value.strip("1x"))
        for name, _, value in axes
        if words[0] in cases.CASES
    )


def require_known(words: list[str]) -> None:
    """Raises UsageError where the first word is neither a case nor a trace, before the machine is
    read."""
    first = words[0]
    named = [word for word in words if word in known.files()]
    if named:
        raise UsageError(f"{named[0]} is a machine: leave it out, and write --machine {named[0]}")
    if first in cases.CASES:
        return
    path = Path(first)
    found = kind(path)
    if found in (PROFILE, PROBE):
        raise UsageError(
            f"{first} is {found}, which describes a machine: name a case or a trace, and "
            f"--machine {first}"
        )
    if path.is_file():
        if path.suffix != ".json" and not begins_an_object(path):
            if os.access(path, os.X_OK):
                raise UsageError(
                    f"{first} is a program; a trace of it is predicted: watari trace -o trace.json "
                    f"-- {first}, then watari predict trace.json"
                )
            raise UsageError(f"{first} is no trace (watari trace), and no program with chmod +x")
        if len(words) > 1:
            raise UsageError(f"{first} is a trace, which has no axes: leave out '{words[1]}'")
        if found != TRACE:
            trace_file.read(path)  # says what is wrong with it
        return
    if "/" in first or first.endswith(".json"):
        names = ", ".join(cases.CASES)
        raise UsageError(f"{first}: no such file or program; a trace, or a case: {names}")
    if "=" not in first:
        cases.find(first)


def on_machine(
    text: str | None, results: Sequence[Path] | None, here: Callable[[], Any]
) -> tuple[MachineProfile, str]:
    """The profile of the machine that is named, and a line on the source of its numbers.

    Raises UsageError, FileError.
    """
    if text and results:
        raise UsageError("give --machine or --results, not both")
    if text:
        profile = choose.by_text(text)
        more = f"; {scaled.says(profile)}" if profile.scaled else ""
        if profile.kind == "measured":
            more = f", measured: {', '.join(profile.sources)}"
        return profile, f"{profile.name}: {profile.title}{more}"
    if results:
        profile = fit.fit(choose.read(results), [path.name for path in results])
        return profile, f"{profile.name}, from {', '.join(profile.sources)}"
    machine_here = here()
    if found := newest(machine_here["name"], bool(gpus(machine_here))):
        return found[0], f"this machine, from its newest result of memory paths, {found[1]}"
    name = choose.nearest(machine_here)
    return known.machine(name), (
        f"no result of this machine's memory paths in {FOLDER}/: {values_of(name)}; "
        "`watari run` measures this one"
    )


def newest(name: str, has_gpu: bool) -> tuple[MachineProfile, Path] | None:
    """The profile of a machine by its newest result of memory paths, and that result."""
    for path, result in choose.newest(name):
        with suppress(UsageError):  # a result of storage alone, say
            profile = fit.fit([result], [str(path)])
            if profile.curves.keys() >= NEEDED[has_gpu]:
                return profile, path
    return None


def of_trace(name: str) -> tuple[MachineProfile, str]:
    """The profile of the machine where a trace was made, and a line on its source."""
    if found := newest(name, has_gpu=True):
        return found[0], f"{name}, where it was traced, from {found[1]}"
    like = choose.nearest_by_name(name)
    return known.machine(like), (
        f"no result of {name or 'the machine of the trace'} in {FOLDER}/: "
        f"{values_of(like)}; `watari run` measures a machine"
    )


def for_trace(
    text: str | None, results: Sequence[Path] | None, name: str
) -> tuple[MachineProfile, MachineProfile | None, str]:
    """The machine to answer for, that of the trace (`name`) where it is another one, and a line on
    the source of the numbers. Raises UsageError, FileError."""
    own, where = of_trace(name)
    if not (text or results):
        return own, None, where
    other, line = on_machine(text, results, dict)
    if other.name == name:
        return other, None, line
    return other, own, f"{line}; the trace: {where}"


def programs(
    words: list[str], profile: MachineProfile, given: Callable[[list[str]], Any], processes: int
) -> list[tuple[str, list[Prediction], str]]:
    """The programs that the words name: title, predictions, and the case that has its styles.
    Raises UsageError, FileError."""
    if len(words) == 1 and words[0] not in cases.CASES and Path(words[0]).is_file():
        trace = program.read_trace(Path(words[0]))
        if not any(a.read or a.written for phase in trace.phases for a in phase.accesses):
            raise FileError(f"{words[0]}: nothing is read or written in it: nothing to predict")
        return [(trace.name, predict.of_trace(trace, profile, processes), "")]
    name, axes = given(words)
    found = []
    seen: set[str] = set()
    for request in resolve(name, dict(axes), profile.record()):
        predictions = predict.of_case(name, request.parameters, profile, tuple(axes), processes)
        key = json.dumps([p.parameters for p in predictions], sort_keys=True)
        if key not in seen:
            seen.add(key)
            found.append((title(name, predictions), predictions, name))
    return found


def title(name: str, predictions: Sequence[Prediction]) -> str:
    """The words that the descriptions of all styles of a case have in common."""
    texts = [describe(Request(name, p.parameters, 1)).split() for p in predictions]
    return " ".join(word for word in texts[0] if all(word in text for text in texts))


def statements(case: str) -> dict[str, int]:
    """Statements that each style of a case needs; empty where it has no styles."""
    if not case or not cases.CASES[case].styles:
        return {}
    try:
        return {one.style: one.total for one in effort.effort(case)}
    except WatariError:
        return {}


def general(
    on: str | None, results: Sequence[Path] | None, here: Callable[[], Any]
) -> tuple[str, list[Sentence]]:
    """The answer of a machine without a program, and its source: results if there are some, else
    the profile. Raises UsageError, FileError."""
    if on and results:
        raise UsageError("give --machine or --results, not both")
    if results:
        read = choose.read(results)
        where = f"{read[0].machine.name}, from {', '.join(map(str, results))}"
        sentences = answer.answer(read)
        if not sentences:
            raise UsageError(
                f"{where}: no measurement that an answer needs; `watari run` makes them"
            )
        return where, sentences
    for path, result in () if on else choose.newest(here()["name"]):
        sentences = answer.answer([result])
        if sentences:
            return f"{result.machine.name}, from its newest result {path}", sentences
    profile, where = on_machine(on, None, here)
    sentences = answer.of_profile(profile)
    if not sentences:
        raise UsageError(f"{where}: too little to say where data should live; `watari run`")
    return where, sentences
