"""Result files for figures and report: one `Measured` per case and machine.

A rate is bytes_per_sample over the time of a sample, in GB/s (1e9 bytes per second). Several files
of one machine are merged; when they hold the same case twice they are shown as separate runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from watari.results import statistics
from watari.results.change_point import settle
from watari.results.schema import Results
from watari.results.statistics import Summary

FIRST, SETTLED, ALL = "first", "settled", "all"


@dataclass(frozen=True)
class Measured:
    """One case of one run. `trials` has the successful ones, in the order in which they ran."""

    run: str
    machine: dict[str, Any]
    case: str
    parameters: dict[str, Any]
    status: str
    reason: str
    flags: list[str]
    trials: list[dict[str, Any]]
    planned: int
    bytes_per_sample: int
    flops_per_sample: int
    file: int  # index of its result file

    @cached_property
    def rates(self) -> list[list[float]]:
        """GB/s of every sample, a list for each trial; the whole series."""
        return [
            [self.bytes_per_sample / s / 1e9 for s in statistics.seconds(trial)]
            for trial in self.trials
        ]

    @cached_property
    def summary(self) -> Summary:
        """The summary of the rates, in GB/s, over trials."""
        return statistics.summary(self.rates)

    @property
    def median(self) -> float:
        """The rate of the median over trials of each trial's median time, GB/s: that of tables.
        The median of the rates is another number where two trials or samples are in the middle."""
        times = [median(statistics.seconds(trial)) for trial in self.trials]
        return self.bytes_per_sample / median(times) / 1e9

    def quantity(self, name: str) -> float:
        """The median over trials of a quantity that each of them has."""
        return float(median(trial["quantities"][name]["value"] for trial in self.trials))

    @property
    def drawn(self) -> bool:
        """Whether it has valid samples to draw: wrong results are named, never drawn."""
        return bool(self.trials) and self.status != "wrong"

    @property
    def flagged(self) -> bool:
        """Whether its rate is above a physical limit, so that it is not drawn as if true."""
        return bool(self.flags)

    @property
    def ranks(self) -> int:
        """Ranks; 1 where the case has no such axis."""
        ranks = self.parameters.get("ranks", 1)
        return ranks if isinstance(ranks, int) else 1

    def part(self, which: str) -> float:
        """The median over trials of the first sample, of the last quarter (settled), of all, or of
        the last quarter of the phase of this name."""
        if which == ALL:
            return self.median
        if which == FIRST:
            return median(rates[0] for rates in self.rates)
        parts = self.rates if which == SETTLED else self.phase(which)
        return median(median(rates[-max(1, len(rates) // 4) :]) for rates in parts)

    def phase(self, name: str) -> list[list[float]]:
        """GB/s of every sample of the phase of this name, a list for each trial."""
        return [
            rates[phase["first"] : phase["last"]]
            for rates, trial in zip(self.rates, self.trials, strict=True)
            for phase in trial.get("phases") or []
            if phase["name"] == name
        ]

    def __getitem__(self, name: str) -> Any:
        """A parameter, or the run; None where the case has no such axis."""
        return self.run if name == "run" else self.parameters.get(name)


def names(results: Sequence[Results]) -> list[str]:
    """The displayed name of each file: its machine's, with the date if files of the machine have
    the same case, and with a number if the date is not enough."""
    shown: list[str] = []
    for result in results:
        name = result.machine.name
        keys = [{c.key for c in other.cases} for other in results if other.machine.name == name]
        once = sum(map(len, keys)) == len(set().union(*keys))
        date = result.program.started[:16].replace("T", " ")
        dated = name if once else f"{name}, {date}"
        earlier = 0 if once else sum(other.startswith(dated) for other in shown)
        shown.append(f"{dated} ({earlier + 1})" if earlier else dated)
    return shown


def measurements(results: Sequence[Results]) -> list[Measured]:
    """Every case of every run."""
    cases = []
    for file, (run, result) in enumerate(zip(names(results), results, strict=True)):
        plain = result.model_dump(mode="json", by_alias=True)
        for c in plain["cases"]:
            errors = [t["error"] for t in c["trials"] if t["error"]]
            cases.append(
                Measured(
                    run=run,
                    machine=plain["machine"],
                    case=c["case"],
                    parameters=c["parameters"],
                    status=c["status"],
                    reason=c["reason"] or (errors or [""])[0],
                    flags=c["flags"],
                    trials=[dict(t) for t in statistics.good(c["trials"])],
                    planned=c["trials_planned"],
                    bytes_per_sample=c["bytes_per_sample"],
                    flops_per_sample=c["flops_per_sample"],
                    file=file,
                )
            )
    return cases


@dataclass(frozen=True)
class Settled:
    """The change of a phase: it ends after `end` samples, from one rate (GB/s) to another."""

    phase: str
    first: int
    end: int
    before: float
    after: float
    seconds: float


def settled(m: Measured) -> list[Settled]:
    """The phases in which most trials change their level, by the median trial: two trials that
    settle early and late do not settle in between."""
    phases = []
    whole: list[dict[str, Any]] = [{"name": "", "first": 0, "last": None}]
    for phase in (m.trials[0].get("phases") or whole) if m.trials else []:
        parts = [statistics.seconds(t)[phase["first"] : phase["last"]] for t in m.trials]
        ends = [
            (change.end, change.before, change.after, sum(part[: change.end]))
            for part in parts
            if (change := settle(part)) and change.end is not None
        ]
        if 2 * len(ends) <= len(parts):
            continue
        end, before, after, seconds = sorted(ends)[(len(ends) - 1) // 2]
        gigabytes = m.bytes_per_sample / 1e9
        name = str(phase["name"]).split("-")[0].upper()
        first = int(phase["first"])
        phases.append(Settled(name, first, end, gigabytes / before, gigabytes / after, seconds))
    return phases


def drawable(cases: Sequence[Measured], *wanted: str) -> list[Measured]:
    """The cases of these names that have something to draw."""
    return [m for m in cases if m.case in wanted and m.drawn]


def runs(cases: Sequence[Measured]) -> list[str]:
    """The runs, in the order of the files."""
    return list(dict.fromkeys(m.run for m in cases))
