"""Seconds of a program in a style on a machine: part by part, with an interval and its derivation.

    seconds = sum over parts (allocate, bring, first, moving, steady, take back, release)
              of times x sum over steps of the step's seconds

The interval adds the ends of all steps: a condition that slows one step slows others, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from watari.case import limits
from watari.case.axis import Parameters
from watari.case.sentence import NOTHING, Cost
from watari.cases import find
from watari.common.errors import UnsupportedError
from watari.common.units import format_bytes, format_duration
from watari.model.machine import MachineProfile
from watari.model.price import Prices
from watari.model.program import Program, of_profile
from watari.model.styles import NAMES, STYLES
from watari.model.walk import parts
from watari.model.work import PARTS, Part, Pass, Step, components

KERNEL = 1.4  # times that an application may take longer: its kernels need not be as fast as a copy
WAIT = 2.0  # further launches for each launch: the CPU may wait for a result before the next


@dataclass(frozen=True)
class Prediction:
    """The prediction for one style. `reason`: why there are no seconds. `assumed`: assumptions in
    place of measurements. `left_out`: steps that are in no part."""

    style: str
    parts: Mapping[str, Cost] = field(default_factory=dict)
    work: tuple[Part, ...] = ()
    reason: str = ""
    assumed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    parameters: Parameters = field(default_factory=dict)

    @property
    def total(self) -> Cost:
        """Seconds of all parts."""
        total = NOTHING
        for cost in self.parts.values():
            total = total + cost
        return total

    def only(self, names: frozenset[str] | None) -> Prediction:
        """The prediction with these parts alone; None keeps all."""
        if names is None:
            return self
        return replace(
            self,
            parts={name: cost for name, cost in self.parts.items() if name in names},
            work=tuple(part for part in self.work if part.name in names),
        )


def beyond_memory(program: Program, profile: MachineProfile) -> str:
    """Why the data do not fit; empty where they do."""
    record = profile.record()
    wanted: Counter[str] = Counter()
    for allocation in program.allocations.values():
        for kind in (allocation.kind,) if allocation.kind else STYLES[program.style].kinds:
            wanted["pinned" if program.style == "managed-mapped" else kind] += allocation.bytes
    on_gpu = sum(
        n for kind, n in wanted.items() if kind.startswith(("device", "managed", "system"))
    )
    gpu = limits.processor(record, "gpu")
    if gpu and on_gpu > gpu["memory_bytes"]:
        return (
            f"{format_bytes(on_gpu)} do not fit GPU memory ({format_bytes(gpu['memory_bytes'])}): "
            "eviction is not in the model"
        )
    on_cpu = sum(n for kind, n in wanted.items() if not kind.startswith("device"))
    if on_cpu > profile.machine.memory_bytes:
        return f"{format_bytes(on_cpu)} do not fit CPU memory"
    return ""


def lacking(program: Program, profile: MachineProfile) -> str:
    """Why the machine lacks the memory of a style; empty where it has it. Plain malloc is on every
    machine, and the walk checks whether the GPU reaches it."""
    wanted = {a.kind.partition(":")[0] for a in program.allocations.values()} - {""}
    wanted |= {STYLES[program.style].needs} - {""}
    reasons = {m.kind: m.reason for m in profile.machine.memories if not m.supported}
    missing = sorted((wanted & reasons.keys()) - {"system"})
    return f"{missing[0]} memory: {reasons[missing[0]] or 'not here'}" if missing else ""


def within_caches(program: Program, profile: MachineProfile) -> bool:
    """Whether an application's data stay in a cache, where launches count more than bytes."""
    used = {a.processor for phase in program.phases for a in phase.accesses}
    held = sum(a.bytes for a in program.allocations.values())
    caches = [limits.cache_bytes(profile.record(), who) for who in used]
    return any(phase.flops for phase in program.phases) and held <= limits.BEYOND_CACHE * max(
        caches, default=0
    )


def priced(work: Sequence[Part], prices: Prices, computing: Set[str]) -> dict[str, Cost]:
    """Seconds by part, in the order of PARTS. `computing`: phases of an application's kernels."""
    found: dict[str, Cost] = {}
    for part in work:
        cost = NOTHING
        for item in part.work:
            one = prices.work([item])
            if part.phase in computing and isinstance(item, Pass):
                waits = WAIT * item.launches * prices.launch(item.processor)
                one = Cost(one.middle, one.low, KERNEL * one.high + waits)
            cost = cost + one
        cost = cost.times(part.times)
        found[part.name] = found.get(part.name, NOTHING) + cost
    return {name: found[name] for name in PARTS if name in found}


def of_program(program: Program, profile: MachineProfile, processes: int = 1) -> Prediction:
    """The prediction for a program in the program's own style."""
    try:
        known = program.style in STYLES
        reason = known and (lacking(program, profile) or beyond_memory(program, profile))
        if reason:
            raise UnsupportedError(reason)
        work = tuple(parts(program, profile.traits))
        prices = Prices(profile, processes)
        small = within_caches(program, profile)
        seconds = priced(work, prices, {p.name for p in program.phases if p.flops})
    except UnsupportedError as error:
        return Prediction(program.style, reason=str(error))
    assumed = list(prices.assumed.values())
    if small:
        assumed.append("its data stay in a cache, and the model has no waits of the host")
    found = Prediction(
        program.style,
        seconds,
        work,
        assumed=tuple(assumed),
        left_out=tuple(prices.left_out),
    )
    return found.only(program.measured)


def of_parameters(
    name: str, parameters: Parameters, profile: MachineProfile, processes: int = 1
) -> Prediction:
    """The prediction for a case with these parameters."""
    case = find(name)
    try:
        case.require_sense(parameters)
        program = of_profile(name, case.profile(parameters), case.outside)
    except UnsupportedError as error:
        return Prediction("", reason=str(error), parameters=parameters)
    return replace(of_program(program, profile, processes), parameters=parameters)


def of_case(
    name: str,
    parameters: Parameters,
    profile: MachineProfile,
    fixed: Sequence[str] = (),
    processes: int = 1,
) -> list[Prediction]:
    """A case in each style that it has; axes in `fixed` keep their values."""
    given = find(name).alternatives(parameters) or {"": parameters}
    found = []
    for style, changed in given.items():
        if any(changed.get(axis) != parameters.get(axis) for axis in fixed):
            continue
        one = of_parameters(name, changed, profile, processes)
        found.append(replace(one, style=style or one.style))
    return found


def of_trace(program: Program, profile: MachineProfile, processes: int = 1) -> list[Prediction]:
    """A trace in each style that the model knows; in none if accesses of kernels are guesses."""
    if program.assumed:
        return [Prediction(style, reason=program.assumed) for style in NAMES]
    return [of_program(program.with_style(style), profile, processes) for style in NAMES]


def derivation(one: Prediction, profile: MachineProfile) -> list[str]:
    """Lines that derive the seconds of each step."""
    lines = []
    prices = Prices(profile)
    for part in one.work:
        times = f"{part.times:.6g} x " if part.times != 1 else ""
        for item in part.work:
            cost = prices.work([item]).times(part.times)
            if not cost.middle:
                continue
            used = " and ".join(
                f"{format_bytes(n)} of '{key}'" for key, n in components([item]).items()
            )
            if isinstance(item, Pass) and item.launches > 1:
                used += f" in {item.launches} launches"
            where = f"{part.name} {part.phase}".strip()
            seconds = format_duration(cost.middle)
            lines.append(f"{where}: {times}{used} = {seconds}{of_curve(item, profile)}")
    return lines


def of_curve(item: Step | Pass, profile: MachineProfile) -> str:
    """The sources of a step's curves, in brackets."""
    curves = [profile.curves.get(key) for key in components([item])]
    sources = dict.fromkeys(curve.source for curve in curves if curve)
    return f" ({'; '.join(sources)})" if sources else ""
