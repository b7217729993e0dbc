"""The tables of docs/evidence/ranks.md: samples on several GPUs, measured beside predicted.

python scripts/ranks_table.py          writes the tables of all machines into the pages

A machine of several GPUs has its table as soon as result files of plan `scaling` are there,
results/Nx-.../DATE-scaling-PIECE.json. A file is on the page of its case, if the EVIDENCE.md there
has the marks of tables, and on the shared page otherwise. Each row is predicted twice: by the file
that was written before, from other GPUs (PREDICTED), and from one and two GPUs of the same files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import same_on_ranks

import watari.cases  # noqa: F401  result files are checked by them
from watari.model import ranks
from watari.plan.request import describe
from watari.results import schema
from watari.results.measured import Measured, measurements

ROOT = Path(__file__).parents[1]
PAGE = "docs/evidence/ranks.md"
PREDICTED = "4x-nvidia-h200-x86_64/20261126-scaling-predicted.txt"
# measured before plan `scaling` was there
FOUR = "4x-nvidia-h200-x86_64/20261121-"
EARLIER = {
    "Four H200s, before plan scaling": [
        f"{FOUR}{name}.json"
        for name in ("himeno-strong", "himeno-weak-2", "himeno-weak-4", "copy-between-gpus")
    ]
}
HEAD = """\
| GPUs | case | ms | of perfect | predicted before | ms from 1 and 2 GPUs | difference, % |
|---|---|---|---|---|---|---|"""
BEGIN, END = "<!-- tables -->\n", "<!-- end -->\n"
SHORT = re.compile(r" (?:city=\S+|dt=\S+|cpu-touch=none|eps \S+|batch \d+ of \d+|store=ram)")


@dataclass(frozen=True)
class Row:
    """A row of a table with `{}` in place of its numbers, and these."""

    text: str
    values: tuple[float, ...]
    formats: tuple[str, ...]

    @property
    def filled(self) -> str:
        shown = [format(v, f) for v, f in zip(self.values, self.formats, strict=True)]
        return self.text.format(*shown)


def found() -> dict[str, list[str]]:
    """The files of each machine, below results/."""
    machines = dict(EARLIER)
    for path in sorted((ROOT / "results").glob("[0-9]x-*/*-scaling-*.json")):
        folder = path.parent.name
        machines.setdefault(folder, []).append(f"{folder}/{path.name}")
    return machines


def page_of(file: str) -> str:
    """The page of a file: that of its first case, if it has the marks of tables."""
    case = stored(file).cases[0].case
    own = f"cases/{case}/EVIDENCE.md"
    return own if (ROOT / own).exists() and BEGIN in (ROOT / own).read_text() else PAGE


def sets(page: str = PAGE) -> dict[str, list[str]]:
    """The files of each table of a page."""
    of_page = {
        title: [file for file in files if page_of(file) == page] for title, files in found().items()
    }
    return {title: files for title, files in of_page.items() if files}


def before(words: str) -> float | None:
    """The part of perfect scaling that the file of predictions has for a case; None without it."""
    lines = (ROOT / "results" / PREDICTED).read_text().splitlines()
    for number, line in enumerate(lines):
        cells = re.split(r"  +", line.strip())
        # a long name goes on in the next line
        names = {cells[0], f"{cells[0]} {lines[number + 1].strip()}" if lines[number + 1 :] else ""}
        if len(cells) > 5 and words in names:
            return float(cells[-1])
    return None


def row(m: Measured, known: ranks.Known, label: str, known_before: bool) -> Row | None:
    """The row of a case; None without a measurement of one GPU."""
    request, seconds = ranks.as_request(m), ranks.seconds(m)
    alone, words = known.alone(request), describe(request)
    if alone is None:
        return None
    values, formats = [1e3 * seconds, ranks.perfect(alone, request) / seconds], [".4g", ".2f"]
    cells = ["{}", "{}", "-", "-", "-"]
    share = before(words) if known_before else None
    if share is not None:
        cells[2] = "{}"
        values.append(share)
        formats.append(".2f")
    found = ranks.foretell(request, known) if m.ranks > 2 else None
    if found and not found.reason:
        cells[3:] = "{}", "{}"
        values += [1e3 * found.seconds, 100 * (found.seconds / seconds - 1)]
        formats += [".4g", ".1f"]
    text = f"| {label} | `{SHORT.sub('', words)}` | {' | '.join(cells)} |"
    return Row(text, tuple(values), tuple(formats))


def label_of(files: list[str]) -> str:
    """The first cell of each row: `H100`. No two tables have the same, since a page is searched for
    its rows."""
    kind = files[0].split("-")[2].upper()
    return f"{kind}, earlier" if files in EARLIER.values() else kind


@cache
def stored(file: str) -> schema.Results:
    """A result file, which several tables use."""
    return schema.read(ROOT / "results" / file)


def every(files: list[str]) -> list[Measured]:
    """All cases of a machine's files."""
    return measurements([stored(file) for file in files])


def read(files: list[str]) -> list[Measured]:
    """The cases that have valid samples."""
    return [m for m in every(files) if m.drawn]


def bad(files: list[str]) -> list[str]:
    """A line for each case that is wrong or failed, with the reason."""
    return [
        f"- `{SHORT.sub('', describe(ranks.as_request(m)))}` is `{m.status}`: `{m.reason}`"
        for m in every(files)
        if m.status in ("wrong", "failed")
    ]


def known(files: list[str]) -> ranks.Known:
    """What predicts the cases of these files: one and two GPUs and the links of their machine."""
    of_machine = files if files in EARLIER.values() else found()[files[0].partition("/")[0]]
    return ranks.Known(read(of_machine))


def rows(files: list[str]) -> Iterator[Row]:
    """The rows of a machine by case. The earlier ones were measured before there was a model."""
    measured, known_before = read(files), files not in EARLIER.values()
    by, label = known(files), label_of(files)
    several = sorted((m for m in measured if "ranks" in m.parameters), key=lambda m: m.case)
    yield from filter(None, (row(m, by, label, known_before) for m in several))


def between(files: list[str]) -> dict[tuple[int, int], Measured]:
    """Copies from each GPU to each other one, if every pair was measured."""
    ways = {
        ends: m
        for m in read(files)
        if "ranks" not in m.parameters and not m["bidirectional"] and (ends := ends_of(m))
    }
    gpus = {end for ends in ways for end in ends}
    return ways if len(gpus) > 2 and len(ways) == len(gpus) * (len(gpus) - 1) else {}


def ends_of(m: Measured) -> tuple[int, int] | None:
    """The GPUs of a copy from one to another."""
    ends = [re.fullmatch(r"device(?::(\d+))?", m[end]) for end in ("from", "to")]
    numbers = [int(end.group(1) or 0) for end in ends if end]
    return (numbers[0], numbers[1]) if len(set(numbers)) == 2 else None


def matrix(files: list[str]) -> Iterator[Row]:
    """GB/s of a copy between all pairs: a row for each GPU that sends."""
    ways = between(files)
    gpus = sorted({gpu for gpu, _ in ways})
    for one in gpus:
        cells = ("-" if one == other else "{}" for other in gpus)
        rates = tuple(ways[one, other].median for other in gpus if one != other)
        text = f"| {label_of(files)} {one} | {' | '.join(cells)} |"
        yield Row(text, rates, (".1f",) * len(rates))


def links(files: list[str]) -> Iterator[Row]:
    """The rates of other copies between GPUs, and over the links of hosts at once."""
    pairs = [m.parameters for m in between(files).values()]
    for m in read(files):
        if "ranks" not in m.parameters and m.parameters not in pairs:
            text = f"| {label_of(files)} | `{describe(ranks.as_request(m))}` | {{}} |"
            yield Row(text, (m.median,), (".1f",))


def tables(page: str = PAGE) -> str:
    """The tables of all machines on a page."""
    parts = []
    for title, files in sets(page).items():
        names = ", ".join(f"`{file.partition('/')[2]}`" for file in files)
        lines = [f"### {title}", HEAD, *(each.filled for each in rows(files)), ""]
        rates = [each.filled for each in links(files)]
        lines += ["| GPUs | copy | GB/s |", "|---|---|---|", *rates, ""] if rates else []
        pairs = [each.filled for each in matrix(files)]
        heads = " | ".join(f"to {gpu}" for gpu in range(len(pairs)))
        pair_head = [f"| GB/s from | {heads} |", f"|---|{'---|' * len(pairs)}"]
        lines += [*pair_head, *pairs, ""] if pairs else []
        lines += [*wrong, ""] if (wrong := bad(files)) else []
        same, _ = same_on_ranks.lines([str(ROOT / "results" / file) for file in files])
        lines += ["One rank beside several:", *(f"- `{one}`" for one in same), ""]
        parts.append("\n".join([*lines, f"Files: {names}."]))
    return "\n\n".join(parts) + "\n"


def perfect(files: list[str], m: Measured) -> float:
    """The part of perfect scaling."""
    request = ranks.as_request(m)
    alone = known(files).alone(request)
    assert alone is not None
    return ranks.perfect(alone, request) / ranks.seconds(m)


def off(files: list[str], m: Measured) -> float:
    """The difference of the prediction from one and two GPUs, in percent."""
    foretold = ranks.foretell(ranks.as_request(m), known(files))
    return 100 * (foretold.seconds / ranks.seconds(m) - 1)


def off_before(files: list[str], m: Measured) -> float | None:
    """The difference of the prediction by the file that was written before, in percent."""
    share = before(describe(ranks.as_request(m)))
    return None if share is None else 100 * (perfect(files, m) / share - 1)


def worst(files: list[str], cases: list[Measured]) -> float:
    """The largest difference on four GPUs, from one and two."""
    return max(abs(off(files, m)) for m in cases if m.ranks == 4 and m.drawn)


def worst_before(files: list[str], cases: list[Measured]) -> float:
    """The largest difference on four GPUs, before."""
    differences = (off_before(files, m) for m in cases if m.ranks == 4 and m.drawn)
    return max(abs(each) for each in differences if each is not None)


def main() -> None:
    for page in sorted({page_of(file) for files in found().values() for file in files}):
        head, _, rest = (ROOT / page).read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        (ROOT / page).write_text(f"{head}{BEGIN}{tables(page)}{END}{after}")


if __name__ == "__main__":
    main()
