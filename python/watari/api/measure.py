"""`watari.run`: measures one case, a stored plan, or the standard plan."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watari import cases
from watari.api.shown import Figure, Shown, table, text_of
from watari.case.axis import parse_duration
from watari.common import written
from watari.common.errors import UsageError
from watari.common.progress import Silent
from watari.common.written import Written

if TYPE_CHECKING:
    import pandas

    from watari.plan.plan import Plan
    from watari.results.schema import Results


@dataclass(frozen=True)
class Progress:
    """What a `progress` function receives when a trial starts and when it ends.

    `done` of `total` trials have ended; `text` describes the trial, or how it ended; the rest
    should take `left` seconds.
    """

    done: int
    total: int
    text: str
    left: float


class Called(Silent):
    """Calls a function at the start and at the end of each trial."""

    def __init__(self, function: Callable[[Progress], object], total: int) -> None:
        self.function, self.total, self.done = function, total, 0

    def start(self, text: str, left: float) -> None:
        self.function(Progress(self.done, self.total, text, left))

    def finish(self, text: str, left: float) -> None:
        self.done += 1
        self.function(Progress(self.done, self.total, text, left))


class Run(Shown):
    """The results of a run, as of `watari run`.

    `results`: the content of the result file (docs/results.md), times in seconds, sizes in bytes.
    `path`: the result file; None where none was asked for. `interrupted`: Ctrl-C ended the run, and
    the results have the trials that were complete.
    """

    def __init__(self, results: Results, path: Path | None = None, interrupted: bool = False):
        self.results, self.path, self.interrupted = results, path, interrupted

    @property
    def ok(self) -> bool:
        """Whether no case is wrong or failed, and none is missing."""
        bad = any(case.status in ("wrong", "failed") for case in self.results.cases)
        return not (bad or self.results.missing)

    @property
    def text(self) -> str:
        """The table of cases, and where data should live, as `watari run` prints them."""
        from watari.cli import summary

        return text_of(summary.render(self.results))

    def frame(self, by: str = "trial") -> pandas.DataFrame:
        """A DataFrame with a row for each trial or, by="sample", for each sample.

        Columns: machine, case, each axis (sizes in bytes), status, the quantities of the case;
        `median_host_s` and `median_device_s`, or `host_s` and `device_s`, in seconds of a sample.
        Divide `bytes_per_sample` by them for bytes per second. Raises UsageError for another `by`,
        or without pandas.
        """
        from watari.results.table import rows

        return table(list(rows(self.results, by)))

    @property
    def figures(self) -> list[str]:
        """Names of the figures that these cases have."""
        return [drawing.name for drawing in self._drawings()]

    def plot(self, figure: str | None = None) -> Figure:
        """A figure of `watari report`, by its name in `figures`; by default the first one.

        Raises UsageError where these cases have no figure (lines need two sizes), for another name,
        and without the packages of `watari[report]`.
        """
        drawings = {drawing.name: drawing for drawing in self._drawings()}
        if not drawings:
            raise UsageError("nothing to draw: lines need cases of two sizes; frame() has them all")
        name = figure or next(iter(drawings))
        if name not in drawings:
            raise UsageError(f"no figure '{name}' of these cases; known: {', '.join(drawings)}")
        return Figure(drawings[name].spec())

    def _drawings(self) -> list[Any]:
        try:
            from watari.charts.figure import draw
            from watari.report.figures import figures
        except ImportError as error:
            text = f"a figure needs {error.name}: pip install 'watari[report]'"
            raise UsageError(text) from None
        from watari.results.measured import measurements

        return draw(figures(), measurements([self.results]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result file. Raises UsageError over a file of another kind, FileError."""
        from watari.results import schema

        written.check([Written("save", Path(path), written.RESULTS)])
        schema.write(path, self.results)

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for case in self.results.cases:
            counts[case.status] = counts.get(case.status, 0) + 1
        told = ", ".join(f"{n} {status}" for status, n in counts.items()) or "nothing measured"
        return f"<Run on {self.results.machine.name}: {told}; print() shows it>"


def axis_names(case: str, axes: dict[str, Any]) -> dict[str, Any]:
    """The axes by their names on the command line: `from_` is `from`, `fast_memory` is
    `fast-memory`. Values of NumPy are plain ones."""
    known = cases.find(case).axes
    named = {}
    for word, value in axes.items():
        name = word if word in known else word.rstrip("_")
        name = name if name in known else name.replace("_", "-")
        listed = [*value] if isinstance(value, tuple | list | range) else [value]
        plain = [one.item() if hasattr(one, "item") else one for one in listed]
        named[name] = plain if len(plain) > 1 else plain[0] if plain else plain
    return named


def planned(case: str | None, plan: str | None, axes: dict[str, Any], quick: bool) -> Plan:
    """The plan of these arguments. Raises UsageError."""
    from watari.cli.app import this_machine
    from watari.cli.asked import planned as by_words
    from watari.plan import plan as plans
    from watari.plan.request import resolve

    if axes and not case:
        raise UsageError(f"{next(iter(axes))}: name a case: {', '.join(cases.CASES)}")
    if case and plan:
        raise UsageError("give a case or a plan, not both")
    machine = this_machine()
    if not case:
        found: Plan = by_words([], plan, machine)
    else:
        requests = resolve(case, axis_names(case, axes), machine)
        found = plans.Plan(f"{case} from Python", tuple(requests))
    return plans.quick(found) if quick else found


def seconds_of(time: str | float | None) -> float | None:
    """A time limit in seconds, of a number or a text such as "8min". Raises UsageError."""
    return None if time is None else parse_duration(time if isinstance(time, str) else f"{time}s")


def run(
    case: str | None = None,
    /,
    *,
    plan: str | None = None,
    quick: bool = False,
    budget: str | float | None = None,
    time_limit: str | float | None = None,
    output: str | os.PathLike[str] | None = None,
    launcher: str | None = None,
    progress: Callable[[Progress], object] | None = None,
    **axes: Any,
) -> Run:
    """Measures, as `watari run` does: each trial in a process of its own.

    `watari.run("copy", from_="pinned", to="device", size=["1MiB", "1GiB"], trials=3)` measures a
    case; a list sweeps an axis, and `watari.run()` measures the standard plan of this machine.

    Args:
        case: name of a case (`watari list`).
        axes: its axes. A size is a number of bytes or a text such as "1GiB". Write `from_` for
            `from`, and `fast_memory` for `fast-memory`.
        plan: a stored plan, by name or file, in place of a case.
        quick: a first look: one trial of each case, few samples.
        budget: time limit of the run, in seconds or as "8min"; trials beyond it are missing.
        time_limit: time limit of a trial; by default from its bytes.
        output: the result file; by default none is left.
        launcher: command that starts the ranks of a trial, "mpirun -n {ranks}".
        progress: called with a `Progress` when a trial starts and when it ends.

    Returns:
        A `Run`. Ctrl-C ends the run and keeps the complete trials (`interrupted`).

    Raises:
        UsageError: an unknown case, axis or value, before anything is measured. A case that this
            machine cannot run is no error: its status is `unsupported`, with the reason.
        FileError: the output cannot be written.
    """
    from watari.cli.app import this_machine
    from watari.run import prepare, runner
    from watari.run.launcher import Launcher

    started = time.monotonic()
    wanted = planned(case, plan, axes, quick)
    options = runner.Options(
        output=Path(output) if output else Path(),
        launcher=Launcher.parse(launcher) if launcher else Launcher(),
        time_limit=seconds_of(time_limit),
        deadline=None if budget is None else started + (seconds_of(budget) or 0.0),
    )
    options.launcher.require_program()
    machine = this_machine()
    state = prepare.fresh(wanted, machine, options.launcher)
    state.program.command = f"watari.run: {wanted.name}"
    prepare.check_folders(state.requests)
    with ExitStack() as stack:
        if output:
            written.check([Written("output", options.output, written.RESULTS)])
            prepare.check_journal(options.output, None)
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watari-"))
            options.output = Path(folder) / "run.json"
        prepare.grow_memory(state, machine)
        if progress:
            options.progress = Called(progress, sum(r.trials for r in state.requests))
        results, interrupted = runner.execute(state, options)
    return Run(results, Path(output) if output else None, interrupted)
