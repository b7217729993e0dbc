"""The head of a run on the page: its machine, its key numbers, its cases by status."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from watari.case.sentence import Sentence
from watari.cases.notes import limit
from watari.common.units import format_rate, format_size
from watari.machine.hosts import apart
from watari.model import answer
from watari.report import beside
from watari.report.doubts import count, doubts
from watari.results import published
from watari.results.measured import ALL, Measured
from watari.results.schema import Results

# the headline: quantities of published/quantities.toml with shorter titles
HEADLINE = {
    "gpu-copy": "GPU copy",
    "cpu-copy": "CPU copy",
    "host-to-device": "Host to device",
    "device-to-host": "Device to host",
    "zero-copy-read": "GPU reads pinned",
    "zero-copy-write": "GPU writes pinned",
    "shared-first": "Shared memory, first pass",
    "shared-settled": "Shared memory, settled",
}
TYPED = " from the command line"  # of a run that was given a case, and no plan
STATUSES = ("ok", "wrong", "failed", "unsupported")


def occasion(result: Results) -> str:
    """The time of a file and its plan."""
    when = f"{result.program.started[:16].replace('T', ' ')} UTC"
    if not result.plan:
        return when
    typed = result.plan.name.endswith(TYPED)
    return f"{when}, {result.plan.name}" if typed else f"{when}, plan {result.plan.name}"


def run(name: str, same: Sequence[Results], measured: Sequence[Measured]) -> dict[str, Any]:
    """One run: its machine, program, headline and the number of cases by status."""
    mine = [m for m in measured if m.run == name]
    first = same[0].model_dump(mode="json", by_alias=True)
    gpus = Counter(p["name"] for p in first["machine"]["processors"] if p["kind"] == "gpu")
    hardware = [p["name"] for p in first["machine"]["processors"] if p["kind"] == "cpu"]
    hardware += [f"{count} x {gpu}" if count > 1 else gpu for gpu, count in gpus.items()]
    machines = (result.machine.model_dump(mode="json", by_alias=True) for result in same)
    unreached = sum(case.trials for result in same for case in result.missing)
    hosts = list(dict.fromkeys(row for machine in machines for row in apart(machine)))
    return {
        "name": name,
        "hosts": hosts,
        "hardware": " and ".join(hardware),
        "machine": first["machine"],
        "program": first["program"],
        "occasions": [occasion(result) for result in same],
        "commands": [c for result in same if (c := result.program.command)],
        "counts": {s: n for s in STATUSES if (n := sum(m.status == s for m in mine))},
        "trials": sum(len(m.trials) for m in mine),
        "headline": headline(mine),
        "answer": [row(sentence) for sentence in answer.of(mine)],
        "doubts": doubts(mine, unreached, hosts),
        "lacks": lacks(first["machine"], mine),
    }


def lacks(machine: dict[str, Any], mine: Sequence[Measured]) -> dict[str, Any]:
    """What the machine has not: one line, and a row for each thing with the reason."""
    kinds = {
        m["kind"]: m["reason"] or m["needs"] for m in machine["memories"] if not m["supported"]
    }
    parts = {c["name"]: c["reason"] or "" for c in machine["capabilities"] if not c["available"]}
    absent = [m for m in mine if m.status == "unsupported"]
    reasons = Counter(m.reason for m in absent)
    rows = [(f"{kind} memory", why) for kind, why in kinds.items()]
    rows += list(parts.items())
    rows += [(count(number), why) for why, number in reasons.most_common()]
    names = [f"memory {', '.join(kinds)}"] * bool(kinds) + list(parts)
    cases = f"{count(len(absent))} unsupported" if absent else ""
    line = "; ".join(filter(None, (", ".join(names), cases)))
    return (
        {"line": line, "rows": [(what, why.replace("`", "")) for what, why in rows]} if rows else {}
    )


def row(one: Sentence) -> dict[str, Any]:
    """A sentence of the answer, with its numbers in columns."""
    sure = re.fullmatch(r"(?:95%: (.+), )?(a single trial|\d+ trials)(.*)", one.confidence)
    within, trials, more = sure.groups("") if sure else ("", "", one.confidence)
    single = trials == "a single trial"
    return {
        "title": one.title,
        "answer": plain(one.answer),
        "rest": plain(one.rest.removeprefix(f"{one.figure};").lstrip()),
        "crossover": plain(one.crossover),
        "figure": one.figure,
        "within": within or more.strip(),
        "trials": "1" if single else trials.removesuffix(" trials"),
        "sizes": one.measured,
        "bar": one.bar,
    }


def plain(text: str) -> str:
    """A text that begins a sentence, without the marks of code."""
    return (text[:1].upper() + text[1:]).replace("`", "")


def headline(mine: Sequence[Measured]) -> list[dict[str, Any]]:
    """The key numbers that this machine has: each from the case with most trials, then with the
    largest array."""
    tiles = []
    quantities = published.quantities()
    for name, title in HEADLINE.items():
        quantity = quantities[name]
        like = [
            (m.case == quantity.case, beside.alike(m)) for m in mine if beside.is_of(m, quantity)
        ]
        if like:
            # as in the answer: a case of this name before one that only counts as it
            _, best = max(like, key=lambda c: (len(c[1].trials), c[1]["size"], c[0], c[1].median))
            tiles.append(tile(title, best, quantity.sample))
    return tiles


def tile(title: str, m: Measured, sample: str) -> dict[str, Any]:
    """One key number with its memory and size, its interval, and its part of the limit."""
    value = m.part(sample)
    number, unit = scaled(value)
    scale = 1000 if unit == "TB/s" else 1
    interval = m.summary.interval if sample == ALL else None
    bound = limit(m) if sample == ALL else None
    trials = f"{len(m.trials)} trial{'s'[: len(m.trials) > 1]}"
    return {
        "title": title,
        "number": number,
        "unit": unit,
        "sure": f"{interval_text(interval, scale)} in {trials}" if interval else trials,
        "what": f"{m['memory'] or m['from'] + ' → ' + m['to']}, {format_size(m['size'])}",
        "part": round(100 * value / bound) if bound else None,
        "bound": " ".join(scaled(bound)) if bound else None,
        "flagged": m.flagged,
    }


def scaled(gigabytes: float) -> tuple[str, str]:
    """A rate as text in GB/s or TB/s, and the unit."""
    if gigabytes >= 1000:
        return f"{gigabytes / 1000:.2f}", "TB/s"
    return format_rate(gigabytes), "GB/s"


def interval_text(interval: tuple[float, float] | None, scale: float = 1) -> str:
    """A confidence interval of GB/s, divided by `scale`."""
    return f"{interval[0] / scale:.4g}–{interval[1] / scale:.4g}" if interval else ""
