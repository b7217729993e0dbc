"""`watari.predict` and `watari.advise`: seconds in each memory style, and what would help."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari import cases
from watari.api.answers import Advised, Answered, Found, General, Predictions, Row
from watari.api.measure import Progress, axis_names
from watari.common.errors import UsageError

if TYPE_CHECKING:
    from watari.model.replay.advice import Answer

Paths = Sequence[str | os.PathLike[str]]


def files_of(machine: str | None, results: Paths | None) -> tuple[str | None, list[Path]]:
    """Machine and result files as the model takes them."""
    return machine, [Path(path) for path in results or ()]


def found_for(
    what: str, machine: str | None, results: Paths | None, shared_by: int, axes: Row
) -> tuple[Any, str, Found]:
    """The machine's profile, the line on its source, and the predictions."""
    from watari.cli.app import this_machine
    from watari.model import asked

    named, files = files_of(machine, results)
    asked.require_known([what])
    profile, where = asked.on_machine(named, files, this_machine)
    words = [what] if not axes else [what, *axes]
    given = axis_names(what, axes) if what in cases.CASES else {}
    if axes and not given:
        raise UsageError(f"{what} is a trace, which has no axes: leave out {next(iter(axes))}")
    found = asked.programs(words, profile, lambda _: (what, given), shared_by)
    return profile, where, found


def is_replayed(what: str) -> bool:
    """Whether this is a trace with a replay."""
    from watari.cli import answers

    return answers.is_replayed([what])


def of_trace(what: str, machine: str | None, results: Paths | None) -> tuple[Answer, str]:
    """The answer for a trace file."""
    from watari.cli import answers

    return answers.of_trace(Path(what), *files_of(machine, results))


def predict(
    what: str | os.PathLike[str],
    /,
    *,
    machine: str | None = None,
    results: Paths | None = None,
    shared_by: int = 1,
    **axes: Any,
) -> Predictions | Answered:
    """Predicts the seconds of a case, or of a traced program, in each memory style.

    `watari.predict("himeno", grid="XL", iterations=[200, 3000], machine="gh200").frame()`

    Args:
        what: a case, or a trace file of `watari trace`.
        axes: the axes of the case; a list sweeps one.
        machine: a published machine by name (`watari list machines`), a machine profile or a result
            file; by default this machine.
        results: result files that describe the machine, in place of `machine`.
        shared_by: processes that share GPU and link, each with its own data.

    Returns:
        `Predictions` of a case; `Answered` of a trace, with the styles alone.

    Raises:
        UsageError: an unknown case, axis, value or machine.
        FileError: a file that is no trace, profile or result.
    """
    name = os.fspath(what)
    if name not in cases.CASES and is_replayed(name):
        require_no_axes(name, axes, shared_by)
        answer, where = of_trace(name, machine, results)
        return Answered(where, answer, styles_alone=True)
    _, where, found = found_for(name, machine, results, shared_by, axes)
    return Predictions(where, found)


def require_no_axes(what: str, axes: Row, shared_by: int) -> None:
    """Raises UsageError for axes or `shared_by` of a traced program."""
    for name in [*axes, *(["shared_by"] if shared_by > 1 else [])]:
        raise UsageError(f"{name} is for a case: {what} is a program or its trace")


def advise(
    what: str | os.PathLike[str] | Sequence[str] | None = None,
    /,
    *,
    machine: str | None = None,
    results: Paths | None = None,
    shared_by: int = 1,
    progress: Callable[[Progress], object] | None = None,
    **axes: Any,
) -> Advised | Answered | General:
    """Says where a program's time goes and what would help; of a case, the best memory style.

    `watari.advise(["./a.out", "1000"])` runs and traces a program; `watari.advise("trace.json")`
    takes its trace; `watari.advise("himeno", grid="XL")` ranks styles; `watari.advise()` says where
    data should live on a machine.

    Args:
        what: a list of a program and its arguments, a trace file, a case, or nothing.
        machine, results, shared_by, axes: as of `predict`.
        progress: of a program, called with a `Progress` for each of its runs; `total` is 0.

    Returns:
        `Answered` of a program or a trace, `Advised` of a case, `General` of nothing.

    Raises:
        UsageError: an unknown word, or a program that is not there.
        WatariError: a program that cannot be traced.
    """
    from watari.cli.app import this_machine
    from watari.model import asked
    from watari.model.advise import advise as advice_on

    if what is None:
        if axes or shared_by > 1:
            raise UsageError(f"{next(iter(axes), 'shared_by')}: name a case")
        named, files = files_of(machine, results)
        return General(*asked.general(named, files, this_machine))
    if not isinstance(what, str | os.PathLike):
        require_no_axes("a program", axes, shared_by)
        return traced([str(word) for word in what], machine, results, progress)
    name = os.fspath(what)
    if name not in cases.CASES and is_replayed(name):
        require_no_axes(name, axes, shared_by)
        answer, where = of_trace(name, machine, results)
        return Answered(where, answer)
    profile, where, found = found_for(name, machine, results, shared_by, axes)
    advice = [(t, advice_on(p, profile, asked.statements(case))) for t, p, case in found]
    return Advised(where, found, advice)


def traced(
    words: list[str],
    machine: str | None,
    results: Paths | None,
    progress: Callable[[Progress], object] | None,
) -> Answered:
    """Runs and traces a program. Raises UsageError for one that is not there."""
    from watari.cli import answers

    if not words or not answers.is_program(words):
        raise UsageError(f"{words[0] if words else 'a list'}: no program of this name")
    runs: Iterator[int] = iter(range(10**9))

    def report(text: str) -> None:
        if progress:
            progress(Progress(next(runs), 0, text.strip(), 0.0))

    answer, where, _ = answers.of_program(words, *files_of(machine, results), report)
    return Answered(where, answer)
