"""Estimates the time of the next trial: from earlier ones of its case, or from the bytes it moves.

The bytes at typical rates give a guess. The errors of earlier guesses correct those of the cases
that have not run yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from watari.cases import find
from watari.machine.record import Machine
from watari.plan.request import Request, expected_bytes, no_sense
from watari.results.key import key

STARTING_SECONDS = 0.8  # process start, allocation, verification
REFUSED_SECONDS = 0.2  # until a trial reports why it is unsupported
TRUST_SECONDS = 5.0  # of guessed trials, until their measured time counts as much as the guess
CROSSING = {"pinned", "pageable", "explicit", "mapped", "system"}  # words of paths that stay slow
LENGTHS = (
    "size",
    "samples",
    "requests",
    "grid",
    "iterations",
)  # axes that make a trial long, not slow


def typical_rate(request: Request) -> float:
    """Bytes per second to expect of a path that has no trial yet."""
    if find(request.case).profile(request.parameters).stored:
        return 3e8 if request.parameters.get("store", "file") == "file" else 1e10
    if request.parameters.get("processor") == "cpu":
        return 3e10
    # styles are named by their start; only `pinned` crosses the link in every iteration
    words = {str(v) for k, v in request.parameters.items() if k != "style" or v == "pinned"}
    return 4e10 if CROSSING & words else 1e12


def family(request: Request) -> str:
    """The key of a path at any size and length: the time of one trial predicts the others."""
    path = {k: v for k, v in request.parameters.items() if k not in LENGTHS}
    return key(request.case, path)


def refused(request: Request, machine: Machine) -> bool:
    """Whether the trial will be refused at once: the machine does not have this kind or size of
    memory, or the values contradict each other."""
    absent = {memory.kind for memory in machine.memories if not memory.supported}
    if "device" in absent:
        absent |= {"gpu", "explicit"}
    profile = find(request.case).profile(request.parameters)
    # a style is no kind of memory: `system` on the CPU uses pageable memory
    free = {"style", *(axis.name for axis in find(request.case).axes.values() if not axis.needs)}
    values = [value for name, value in request.parameters.items() if name not in free]
    words = {str(value).partition(":")[0] for value in (*values, *profile.footprint)}
    needed = profile.memory
    largest = max([machine.memory_available_bytes, *gpu_memories(machine)])
    return bool(absent & words) or needed > 2 * largest or no_sense(request) is not None


def gpu_memories(machine: Machine) -> list[int]:
    """Bytes of memory of each GPU."""
    return [p.memory_bytes for p in machine.processors if p.kind == "gpu"]


@dataclass
class Estimate:
    """Estimates from the trials so far on this machine."""

    machine: Machine
    seconds_by_request: dict[str, list[float]] = field(default_factory=dict)
    rate_by_family: dict[str, float] = field(default_factory=dict)
    guessed: float = TRUST_SECONDS
    taken: float = TRUST_SECONDS

    def learn(self, request: Request, seconds: float, sampled: float) -> None:
        """Adds a trial of this request: its seconds, and those of its samples."""
        if sampled > 0 and family(request) not in self.rate_by_family:
            self.guessed += self.at_rate(request, typical_rate(request))
            self.taken += seconds
        self.seconds_by_request.setdefault(request.key, []).append(seconds)
        if sampled > 0:
            self.rate_by_family[family(request)] = expected_bytes(request) / sampled

    def learn_earlier(self, request: Request, sampled: float) -> None:
        """Adds a trial of an earlier run: only its samples are known."""
        self.learn(request, STARTING_SECONDS + 1.2 * sampled, sampled)

    def seconds(self, request: Request) -> float:
        """Seconds that the next trial of this request should take."""
        taken = self.seconds_by_request.get(request.key)
        if taken:
            return max(taken[-3:])
        if refused(request, self.machine):
            return REFUSED_SECONDS
        rate = self.rate_by_family.get(family(request))
        if rate:
            return self.at_rate(request, rate)
        return self.at_rate(request, typical_rate(request)) * self.taken / self.guessed

    def at_rate(self, request: Request, rate: float) -> float:
        """Seconds of a trial, from its bytes alone."""
        return STARTING_SECONDS + expected_bytes(request) / rate
