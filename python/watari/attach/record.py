"""The runs of a program as a result file, which `report`, `compare` and `export` read.

A style is a case. A run is one of its trials, with one sample: the whole program.
"""

from __future__ import annotations

from dataclasses import asdict

from watari.attach.events import peak
from watari.attach.measure import Measured, Run
from watari.attach.styles import AS_IS
from watari.case.axis import Machine
from watari.machine import record
from watari.results import schema
from watari.results.trial import LEAST_SECONDS, Quantity, Scalar, Trial
from watari.run.prepare import program
from watari.run.worker import now

CASE = "try"  # in results; no case of `watari run`
WORST_FIRST = ("wrong", "failed", "unsupported", "ok")


def quantities(one: Run) -> dict[str, Quantity]:
    """Quantities of a run; `*_peak`: most bytes that were allocated at once."""
    done = one.events.allocations
    values = {"exit_code": (float(one.ending.code), "1")}
    if one.events.processes:
        moved = [a for a in done if a.got != a.kind]
        values |= {
            "allocation_s": (one.events.allocation_seconds, "s"),
            "allocations": (float(len(done)), "1"),
            "moved_allocations": (float(len(moved)), "1"),
            "moved_bytes": (float(sum(a.bytes for a in moved)), "B"),
            **{f"{kind}_peak": (float(peak(done, kind)), "B") for kind in kinds(one)},
        }
        values |= copied(one) | changed(one)
    return {name: Quantity(value=v, unit=unit) for name, (v, unit) in values.items()}


def copied(one: Run) -> dict[str, tuple[float, str]]:
    """Copies of pageable memory; `large`: of 4 MiB or more."""
    every = [c for p in one.events.processes for c in p.copies.values()]
    if not every:
        return {}
    return {
        "pageable_copies": (float(sum(c.times for c in every)), "1"),
        "pageable_bytes": (float(sum(c.bytes for c in every)), "B"),
        "pageable_s": (sum(c.seconds for c in every), "s"),
        "large_pageable_bytes": (float(sum(c.large_bytes for c in every)), "B"),
        "large_pageable_s": (sum(c.large_seconds for c in every), "s"),
    }


def changed(one: Run) -> dict[str, tuple[float, str]]:
    """What each change did, in all processes."""
    values: dict[str, tuple[float, str]] = {}
    for process in one.events.processes:
        for name, did in process.changed.items():
            more = (
                (f"{name}_times", float(did.times), "1"),
                (f"{name}_bytes", float(did.bytes), "B"),
                (f"{name}_saved_s", did.saved, "s"),
            )
            for key, value, unit in more:
                values[key] = (values.get(key, (0.0, unit))[0] + value, unit)
    return values


def kinds(one: Run) -> list[str]:
    """The kinds of memory that a run had, and `device` in any case."""
    return ["device", *sorted({a.got for a in one.events.allocations} - {"device"})]


def trial(one: Run, ranks: int) -> Trial:
    """A run as a trial; a failed one has no samples."""
    good = one.status in ("ok", "wrong")
    return Trial(
        status=one.status,  # type: ignore[arg-type]
        error=one.reason or None,
        started=one.started,
        ranks=ranks,
        host_s=[max(one.ending.seconds, LEAST_SECONDS)] if good else [],
        quantities=quantities(one),
    )


def parameters(measured: Measured, style: str) -> dict[str, Scalar]:
    """The key that `compare` matches: command line, style, selected allocations and ranks."""
    moved = [rule for rule in measured.rules if not rule.startswith("!")]
    return {
        "program": measured.start.text,
        "style": style,
        "only": " ".join(moved) if style != AS_IS else "",
        "ranks": measured.start.ranks,
    }


def counted(measured: Measured, style: str) -> dict[str, Quantity]:
    """Counts of the traced run of a style: `traced_*`."""
    counts = measured.counts.get(style)
    return {
        f"traced_{name}": Quantity(value=float(value), unit="B" if name.endswith("_bytes") else "1")
        for name, value in (asdict(counts) if counts else {}).items()
    }


def case(measured: Measured, style: str, count: int) -> schema.Case:
    """A style with its runs; the last one holds the counts of the traced run."""
    runs = measured.of(style)
    trials = [trial(one, measured.start.ranks) for one in runs]
    if trials:
        trials[-1].quantities.update(counted(measured, style))
    reason = measured.unsupported.get(style)
    statuses = {one.status for one in runs} | ({"unsupported"} if reason else set())
    status = next(word for word in WORST_FIRST if word in statuses)
    return schema.Case(
        case=CASE,
        parameters=parameters(measured, style),
        status=status,  # type: ignore[arg-type]
        reason=reason or next((one.reason for one in runs if one.status == status), None) or None,
        trials_planned=0 if reason else count,
        trials=trials,
    )


def results(measured: Measured, count: int, machine: Machine) -> schema.Results:
    """The result file's content."""
    head = program(measured.start.launcher)
    head.started = measured.learned.started
    head.finished = now()
    whole = [s for s in measured.styles if measured.of(s) or s in measured.unsupported]
    return schema.Results(
        program=head,
        plan=schema.Plan(name="try", description=f"{measured.start.text} in each memory style"),
        machine=record.Machine.model_validate(machine),
        cases=[case(measured, style, count) for style in whole],
    )
