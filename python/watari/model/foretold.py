"""Predictions for several ranks as a table and as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Column, Table

from watari.common import tables
from watari.model.ranks import Foretold, sample_key
from watari.model.render import spent
from watari.plan.request import describe_all

Seen = Mapping[tuple[Any, ...], float]


def measured(one: Foretold, seen: Seen) -> float | None:
    """The measured seconds of a sample of a predicted case; None where there are none."""
    return seen.get(sample_key(one.request.case, one.request.parameters))


def table(found: Sequence[Foretold], seen: Seen) -> Table:
    """A line a case: seconds of a sample, the part of perfect scaling, and the measured seconds."""
    more = ["measured", "off"] if seen else []
    titles = ("seconds", "from", "to", "work", "exchange", "of perfect", *more)
    shown = tables.table(Column("sample of"), *map(tables.number, titles))
    for one, name in zip(found, describe_all([f.request for f in found]), strict=True):
        if one.reason:
            shown.add_row(name, *["-"] * (6 + len(more)))
            continue
        cells = [spent(s) for s in (one.seconds, one.low, one.high, one.work, one.exchange)]
        value = measured(one, seen)
        beside = ["", ""] if value is None else [spent(value), f"{one.seconds / value - 1:+.1%}"]
        shown.add_row(name, *cells, f"{one.efficiency:.2f}", *(beside if seen else []))
    return shown


def notes(found: Sequence[Foretold]) -> list[str]:
    """Lines below the table: what has no prediction and why, and what was assumed."""
    names = describe_all([f.request for f in found])
    reasons: dict[str, list[str]] = {}
    for one, name in zip(found, names, strict=True):
        if one.reason:
            reasons.setdefault(one.reason, []).append(name)
    assumed = dict.fromkeys(text for one in found for text in one.assumed)
    return [
        *(f"no prediction: {reason}: {'; '.join(of)}" for reason, of in reasons.items()),
        *(f"assumed: {text}" for text in assumed),
    ]


def values(one: Foretold, seen: Seen) -> dict[str, Any]:
    """A prediction for `--json`."""
    known: dict[str, Any] = {"case": one.request.case, "parameters": one.request.parameters}
    if one.reason:
        return known | {"reason": one.reason}
    names = ("seconds", "low", "high", "perfect", "work", "exchange", "efficiency")
    found = {name: getattr(one, name) for name in names}
    return known | found | {"measured": measured(one, seen), "assumed": list(one.assumed)}
