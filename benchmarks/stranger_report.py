"""The table of all programs, and its statistics, beside those of the model of bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import stranger_floor
import stranger_judge
from rich.console import Console
from rich.table import Column, Table
from stranger_changes import Change
from stranger_judge import Judged, Pair
from stranger_table import Row

from watari.attach.styles import AS_IS
from watari.common import tables
from watari.common.errors import UsageError
from watari.common.tables import right

STYLES = ("managed", "managed-prefetch", "mapped", "pinned")
GROUPS = {"local": "data stay local", "link": "mapped, pinned"}
TAIL = 0.9  # the percentile
WORST = 6  # predictions of each style


def quantile(values: Sequence[float], part: float) -> float:
    """The smallest value that this part of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]


def percent(value: float | None, sign: str = "+") -> str:
    """`+1.5%`; empty for none."""
    return "" if value is None else f"{value:{sign}.1%}"


def line(row: Row) -> str:
    """A row in a line, for progress."""
    if row["status"] != "ok":
        return f"{row['name']}: {row['status']}: {row.get('reason', '')}"
    one = stranger_judge.judged(row)
    ratios = [f"{style} {seconds / one.seconds:.3g}" for style, seconds in one.styles.items()]
    ratios += [f"{c.change} saves {c.measured:.3g} +- {c.error:.2g} s" for c in one.changes]
    return (
        f"{one.name}: {one.seconds:.4g} s ({percent(one.spread, '')}), replay "
        f"{percent(one.replayed) or row['trace'].get('error', 'none')}; {', '.join(ratios)}; "
        f"{row['spent']:.1f} s"
    )


def cell(one: Judged, style: str) -> str:
    """`3.2 -5.0%`: measured over as it is, and how far the prediction is off."""
    if style in one.timeouts:
        return "timeout"
    if style not in one.styles:
        return ""
    off = next((pair.off for pair in one.pairs if pair.style == style), None)
    return f"{one.styles[style] / one.seconds:.3g} {percent(off) or '-'}"


def table(found: Sequence[Judged], failed: Sequence[Row]) -> Table:
    """A line a program."""
    numbers = map(right, ("as it is", "spread", "replay", *STYLES))
    last = (Column("best"), right("said"), right("changes"))
    shown = tables.table(Column("program"), *numbers, *last, padding=tables.NARROW)
    for one in found:
        fastest = min({AS_IS: one.seconds, **one.styles}.items(), key=lambda pair: pair[1])[0]
        saved = [
            f"{c.change} {percent(c.measured / c.run)}/"
            + ("-" if c.predicted is None else percent(c.predicted / c.run))
            for c in one.changes
        ]
        shown.add_row(
            one.name + ("*" if one.is_edited else ""),
            f"{one.seconds:.4g} s",
            percent(one.spread, ""),
            "stops" if one.stops else percent(one.replayed),
            *(cell(one, style) for style in STYLES),
            fastest,
            one.said + ("" if one.named else " (wrong)") if one.is_compared else "not compared",
            ", ".join(saved),
        )
    for row in failed:
        shown.add_row(row["name"], f"{row['status']}: {row.get('reason', '')}"[:60])
    return shown


def worst(pairs: Sequence[Pair]) -> Table:
    """The WORST predictions of each style, in seconds."""
    numbers = map(right, ("predicted", "measured", "off"))
    shown = tables.table(Column("style"), Column("program"), *numbers)
    for style in dict.fromkeys(pair.style for pair in pairs):
        own = sorted((p for p in pairs if p.style == style), key=lambda pair: -abs(pair.off))
        for pair in own[:WORST]:
            shown.add_row(
                style,
                pair.program,
                f"{pair.predicted:.4g}",
                f"{pair.measured:.4g}",
                percent(pair.off),
            )
    return shown


def share(right: int, of: int) -> str:
    """`57 of 60 (95%)`."""
    return f"{right} of {of}" + (f" ({right / of:.0%})" if of else "")


def errors(pairs: Sequence[Pair], group: str) -> str:
    """Median and 90th percentile of how far predictions are off."""
    offs = [abs(pair.off) for pair in pairs if pair.group == group]
    if not offs:
        return "no prediction"
    return f"{percents(offs)} ({len(offs)} styles)"


def percents(offs: Sequence[float]) -> str:
    """Median and 90th percentile."""
    return f"{median(offs):.1%}, {quantile(offs, TAIL):.1%}" if offs else "none"


def numbers(compared: Sequence[Judged]) -> str:
    """`40 programs, 5 programs`: those whose answer names one style, or none; and several."""
    several = sum(len(one.group) > 1 for one in compared)
    return f"{len(compared) - several} programs, {several} programs"


def intervals(pairs: Sequence[Pair], group: str) -> str:
    """How many measured seconds lie in the 95% interval, and in the 68% one."""
    known = [one for one in pairs if one.group == group and one.low == one.low]
    both = [stranger_floor.inside(known, part) for part in (1.0, stranger_floor.MIDDLE)]
    return ", ".join(share(one, len(known)) for one in both)


def allowed(good: Sequence[Row], told: Sequence[Change]) -> dict[str, str]:
    """What the same measurements would say of right predictions."""
    return {
        "a right best style would be judged so": f"{stranger_floor.best_style(good):.0%}",
        "right savings of changes would be judged so": f"{stranger_floor.savings(told):.1f} of "
        f"{len(told)}",
    }


def statistics(found: Sequence[Judged]) -> dict[str, str]:
    """The figures of all programs."""
    pairs = [pair for one in found for pair in one.pairs]
    compared = [one for one in found if one.is_compared]
    replays = [one.replayed for one in found if one.replayed is not None and not one.stops]
    changes = [change for one in found for change in one.changes]
    told = [change for change in changes if change.predicted is not None]
    wrong = [f"{one.name}: {style}" for one in found for style in one.faster_wrong]
    losing = [f"{one.program}: {one.change}" for one in changes if one.loses]
    able = [one for one in changes if one.could]
    short = [f"{one.program}: {one.change}" for one in able if one.is_short]
    return {
        "replay within 2% or between the runs, or stopped": share(
            sum(one.replay_right for one in found), len(found)
        ),
        "replay within 2%": share(
            sum(abs(off) <= stranger_judge.REPLAY for off in replays), len(replays)
        ),
        "replay off, median and 90%": percents(list(map(abs, replays))),
        "replays stopped": str(sum(bool(one.stops) for one in found)),
        **{
            f"seconds off, median and 90%: {text}": errors(pairs, group)
            for group, text in GROUPS.items()
        },
        **{f"in 95%, in 68% interval: {text}": intervals(pairs, g) for g, text in GROUPS.items()},
        "best style named, or none matters": share(sum(o.named for o in compared), len(compared)),
        "one of those that may be the best, by the answer": share(
            sum(o.grouped for o in compared), len(compared)
        ),
        "styles that may be the best: one, more": numbers(compared),
        "the same without noise, within 2%": share(
            sum(o.strictly for o in compared), len(compared)
        ),
        "said to be faster, and slower": ", ".join(wrong) or "none",
        "styles ended by their time limit": str(sum(len(one.timeouts) for one in found)),
        "changes that make a program slower": ", ".join(losing) or "none",
        "changes that save 0.6 of what they could": share(len(able) - len(short), len(able))
        + (f"; not {', '.join(short)}" if short else ""),
        "savings of changes within 20% or 1% of the run": share(
            sum(change.right for change in told), len(told)
        ),
        "savings of changes so close, or within two standard errors": share(
            sum(change.likely for change in told), len(told)
        ),
    }


def require_one_card(rows: Sequence[Row]) -> None:
    """Raises UsageError where rows are from several kinds of GPU."""
    cards = sorted({row["gpu"] for row in rows})
    if len(cards) > 1:
        raise UsageError(f"rows of several cards cannot be merged: {', '.join(cards)}")


def report(rows: Sequence[Row], figure: Path | None) -> None:
    """Prints table and statistics, and draws the figure. Raises UsageError."""
    require_one_card(rows)
    good = [row for row in rows if row["status"] == "ok"]
    found = [stranger_judge.judged(row) for row in good]
    baseline = [
        stranger_judge.judged(row, stranger_judge.baseline(row, one.seconds))
        for row, one in zip(good, found, strict=True)
    ]
    has_baseline = any(one.pairs for one in baseline)
    console = Console(width=200)
    console.print(table(found, [row for row in rows if row["status"] != "ok"]))
    revisions = sorted({str(row.get("advised") or row["watari"]) for row in rows})
    console.print(f"{rows[0]['gpu']}; watari {', '.join(revisions)}; {len(good)} programs")
    for row in good:
        if row.get("edited"):
            console.print(f"* {row['name']}: source edited: {row['edited']}")
    console.print(worst([pair for one in found for pair in one.pairs]))
    shown = tables.table(*map(Column, ("", "watari", "the model of bytes")))
    before = statistics(baseline)
    for title, text in statistics(found).items():
        is_same = "replay" in title or "stopped" in title or "limit" in title or "change" in title
        other = before[title] if has_baseline else "unsupported"
        shown.add_row(title, text, "" if is_same else other)
    told = [c for one in found for c in one.changes if c.predicted is not None]
    for title, text in allowed(good, told).items():
        shown.add_row(title, text, "")
    console.print(shown)
    if figure:
        import stranger_figure

        pairs, before_pairs = ([p for o in each for p in o.pairs] for each in (found, baseline))
        stranger_figure.write(pairs, before_pairs, figure)
        print(f"figure: {figure}")
