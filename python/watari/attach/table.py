"""The output of `watari try`: a table of styles, why some are missing, and the conclusion."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from rich.table import Column, Table
from rich.text import Text

from watari.attach import imposed, symbols
from watari.attach.events import Allocation, Copies, Events, peak
from watari.attach.measure import BARE, Measured, Run, is_written
from watari.attach.record import kinds
from watari.attach.start import code_words
from watari.attach.styles import AS_IS
from watari.common import tables
from watari.common.units import format_bytes, format_duration
from watari.results import significance

COLUMNS = ("style", "seconds", "as it is = 1", "allocation", "allocated at most", "exit", "output")
ORDER = (significance.FASTER, significance.SAME, significance.SLOWER, significance.UNSURE)
MEANING = {
    significance.FASTER: "Faster than as it is",
    significance.SAME: "As fast as as-is, within 5%",
    significance.SLOWER: "Slower than as it is",
    significance.UNSURE: "Unsure, more --runs may decide",
}
COLOURS = {"ok": "", "wrong": "bold red", "failed": "bold red", "unsupported": "dim"}


def seconds(runs: list[Run]) -> list[float]:
    """Seconds of the successful runs."""
    return [one.ending.seconds for one in runs if one.status == "ok"]


def spread(times: list[float]) -> str:
    """`1.23 s (1.20-1.31)`: the median, and the range."""
    if not times:
        return ""
    text = f"{median(times):.4g} s"
    return f"{text} ({min(times):.4g}–{max(times):.4g})" if len(times) > 1 else text


def memory(one: Run) -> str:
    """`4.29 GB GPU, 1.07 GB managed`: the most that was allocated at once, by kind."""
    done = one.events.allocations
    parts = [(kind, peak(done, kind)) for kind in kinds(one)]
    named = {"device": "GPU"}
    return ", ".join(f"{format_bytes(n)} {named.get(kind, kind)}" for kind, n in parts if n)


def output_words(runs: list[Run]) -> str:
    """`same` or `other` for the outputs of the program; empty where none was compared."""
    if any(one.outputs and one.status == "wrong" for one in runs):
        return "other"
    return "same" if any(is_written(v) for one in runs for v in one.outputs.values()) else ""


def row(style: str, measured: Measured, reasons: list[str]) -> list[str]:
    """The cells of a style."""
    runs = measured.of(style)
    last = runs[-1]
    times, base = seconds(runs), seconds(measured.of(AS_IS))
    ratio = f"{median(times) / median(base):.3g}" if times and base and style != AS_IS else ""
    mark = ""
    if last.status != "ok":
        if last.reason not in reasons:
            reasons.append(last.reason)
        mark = f" [{reasons.index(last.reason) + 1}]"
    allocation = [one.events.allocation_seconds for one in runs if one.status == "ok"]
    return [
        style,
        spread(times) or last.status + mark,
        ratio,
        format_duration(median(allocation)) if allocation and style != BARE else "",
        memory(last),
        str(last.ending.code) if last.ending.code >= 0 else code_words(last.ending.code),
        output_words(runs) + (mark if times else ""),
    ]


def render(measured: Measured) -> list[Table | Text]:
    """The table and the lines below it."""
    first, *others = COLUMNS
    columns = (tables.word(first), *map(tables.number, others[:3]), *map(Column, others[3:]))
    table = tables.table(*columns, padding=tables.NARROW)
    reasons: list[str] = []
    for style in measured.styles:
        if measured.of(style):
            worst = measured.of(style)[-1].status
            table.add_row(*(Text(cell, COLOURS[worst]) for cell in row(style, measured, reasons)))
    lines = [f"[{number}] {reason}" for number, reason in enumerate(reasons, 1)]
    by_reason: dict[str, list[str]] = {}
    for style, reason in measured.unsupported.items():
        by_reason.setdefault(reason, []).append(style)
    lines += [f"not run: {', '.join(names)}: {reason}" for reason, names in by_reason.items()]
    lines += [*measured.notes, *conclusion(measured)]
    more = traced(measured)
    return [table, *([more] if more else []), *map(Text, lines)]


def traced(measured: Measured) -> Table | None:
    """Table of the traced run of each style: copies, bytes, faults; None where there was none."""
    if not measured.counts:
        return None
    counted = ("kernels", "copies", "to the GPU", "to the CPU", "GPU faults", "CPU faults")
    columns = (Column("style"), *map(tables.right, (*counted, "records")))
    table = tables.table(*columns, title="One further run of each style, traced")
    for style, c in measured.counts.items():
        table.add_row(
            style,
            str(c.kernels),
            str(c.copies),
            format_bytes(c.to_gpu_bytes),
            format_bytes(c.to_cpu_bytes),
            str(c.gpu_faults),
            str(c.cpu_faults),
            "INCOMPLETE" if c.lost else "all",
        )
    return table


def conclusion(measured: Measured) -> list[str]:
    """The conclusion from the seconds, as far as the spread of the runs allows one."""
    times = {s: seconds(measured.of(s)) for s in measured.styles if s != BARE}
    base = times.get(AS_IS, [])
    others = {style: t for style, t in times.items() if t and style != AS_IS}
    if not base:
        best = min(others, key=lambda style: median(others[style]), default="")
        return [f"The program fails as it is; the fastest style that works is {best}."] * bool(best)
    if not others:
        return []
    imposed_words = imposed.sentences(measured, times)
    if min(len(base), *map(len, others.values())) < 2:
        words = "With one run of each style the spread is unknown: --runs 3 shows it."
        return [*imposed_words, words]
    verdicts = judged(base, others)
    named = {word: [s for s, v in verdicts.items() if v == word] for word in verdicts.values()}
    said = [sentence(word, named[word], others, base) for word in ORDER if word in named]
    return [*said, *imposed_words]


def judged(base: list[float], others: Mapping[str, list[float]]) -> dict[str, str]:
    """For each style: faster or slower than as it is by more than 5%, the same, or unsure."""
    judgements = significance.judge_all([(base, times) for times in others.values()])
    slower = significance.discoveries([j.slower for j in judgements])
    faster = significance.discoveries([j.faster for j in judgements])
    every = zip(others, judgements, slower, faster, strict=True)
    return {style: significance.verdict(j, s, f)[0] for style, j, s, f in every}


def sentence(
    word: str, styles: list[str], others: Mapping[str, list[float]], base: list[float]
) -> str:
    """A verdict in words, with its styles, the fastest first."""
    ordered = sorted(styles, key=lambda style: median(others[style]))
    ratios = [f"{style} ({median(others[style]) / median(base):.3g})" for style in ordered]
    return f"{MEANING[word]}: {', '.join(ratios)}."


def sites(seen: Events) -> list[Table]:
    """The call sites, largest first, for `--only site:HASH` and `copy:HASH`."""
    copied = copies(seen)
    return [allocations(seen), *([copied] if copied.row_count else [])]


def copies(seen: Events) -> Table:
    """The call sites of copies of pageable memory, the longest first."""
    counted = map(tables.right, ("times", "bytes", "seconds"))
    table = tables.table(
        tables.text("copies at"),
        *counted,
        tables.text("to"),
        tables.text("in"),
        padding=tables.NARROW,
    )
    totals: dict[tuple[str, str], list[Copies]] = {}
    for process in seen.processes:
        for key, one in process.copies.items():
            totals.setdefault(key, []).append(one)
    took = {key: sum(one.seconds for one in totals[key]) for key in totals}
    for key in sorted(totals, key=lambda each: -took[each]):
        table.add_row(
            key[0],
            str(sum(one.times for one in totals[key])),
            format_bytes(sum(one.bytes for one in totals[key])),
            format_duration(took[key]),
            key[1].upper(),
            symbols.name(seen.sites.get(key[0], ())),
        )
    return table


def allocations(seen: Events) -> Table:
    """The call sites of allocations, largest first."""
    counted = map(tables.right, ("allocations", "bytes"))
    table = tables.table(
        tables.text("site"),
        *counted,
        *map(tables.text, ("kind", "by", "in")),
        padding=tables.NARROW,
    )
    groups: dict[str, list[int]] = {}
    first: dict[str, Allocation] = {}
    for one in seen.allocations:
        groups.setdefault(one.site, []).append(one.bytes)
        first.setdefault(one.site, one)
    for site in sorted(groups, key=lambda key: -sum(groups[key])):
        one = first[site]
        shared = f", kept: {one.shared}" if one.shared else ""
        table.add_row(
            site,
            str(len(groups[site])),
            format_bytes(sum(groups[site])),
            one.kind + shared,
            one.api,
            symbols.name(seen.sites.get(site, ())),
        )
    return table
