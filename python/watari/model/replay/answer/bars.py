"""The figure of an answer: the run as a bar of shares, and below it the bar that would be left.

It is plain SVG without a script: a page contains it as it is, and a file for a paper has the legend
beside it. Text is `currentColor`, so it follows a page, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from watari.case.sentence import Cost
from watari.common.files import write_atomically
from watari.common.printable import printable
from watari.common.units import format_latency
from watari.model.replay.advice import Answer
from watari.model.replay.shares import ALLOCATION, CALLS, COPIES, CPU, KERNELS, START

COLOURS = {
    CPU: "#8c8f96",
    KERNELS: "#2c76b5",
    COPIES: "#e08a1e",
    CALLS: "#b2569b",
    ALLOCATION: "#c9a53a",
    START: "#14967c",
}
FONT = "system-ui, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
WIDTH, LEFT, RIGHT, EDGE = 760, 128, 150, 8  # pixels: labels at the left, seconds at the right
BAR, GAP, LINE, HEAD = 30, 16, 19, 34
BELOW = 20  # between bars and legend
NARROW = 38  # pixels: a narrower part has no number
LETTERS = 90  # of a title


def text(x: float, y: float, words: str, more: str = "") -> str:
    """Words; `y` is their base line."""
    return f'<text x="{x:.1f}" y="{y:.1f}"{more and " " + more}>{escape(printable(words))}</text>'


def bar(shares: Mapping[str, float], y: float, scale: float) -> Iterator[str]:
    """One run: a rectangle for each share, with its part of the run where it fits."""
    total = sum(shares.values()) or 1.0
    x = float(LEFT)
    for name, seconds in shares.items():
        width = max(seconds, 0.0) * scale
        if width <= 0:
            continue
        colour = COLOURS[name]
        words = escape(f"{name}: {format_latency(seconds)}, {seconds / total:.1%}")
        yield (
            f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{BAR}" fill="{colour}">'
            f"<title>{words}</title></rect>"
        )
        if width >= NARROW:
            middle = 'text-anchor="middle" fill="white" font-weight="600"'
            yield text(x + width / 2, y + BAR / 2 + 4, f"{seconds / total:.0%}", middle)
        x += width


def whisker(cost: Cost, y: float, scale: float) -> str:
    """The interval of a run, below its bar."""
    low, high = (LEFT + end * scale for end in (cost.low, cost.high))
    at = y + BAR + 5
    return (
        f'<path d="M{low:.1f} {at - 3}v6M{low:.1f} {at}H{high:.1f}M{high:.1f} {at - 3}v6" '
        'stroke="currentColor" fill="none"/>'
    )


def seconds_at(x: float, y: float, seconds: float, words: str = "") -> str:
    """The seconds of a run at the end of its bar."""
    more = f'<tspan opacity="0.7"> {escape(words)}</tspan>' if words else ""
    shown = f'<tspan font-weight="600">{format_latency(seconds)}</tspan>'
    return f'<text x="{x:.1f}" y="{y + BAR / 2 + 4}">{shown}{more}</text>'


def bars(answer: Answer, top: float) -> Iterator[str]:
    """Both bars, on one scale of seconds."""
    left = answer.left
    most = max(answer.seconds, left.seconds.high if left else 0.0) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / most
    yield text(EDGE, top + BAR / 2 + 4, "as it is")
    yield from bar(answer.shares, top, scale)
    yield seconds_at(LEFT + answer.seconds * scale + 8, top, answer.seconds)
    if left is None:
        return
    below = top + BAR + GAP
    count = len(left.changes)
    words = "with a change" if count == 1 else f"with {count} changes"
    yield text(EDGE, below + BAR / 2 + 4, words)
    yield from bar(left.shares, below, scale)
    yield whisker(left.seconds, below, scale)
    ends = f"{format_latency(left.seconds.low)} to {format_latency(left.seconds.high)}"
    end = max(left.seconds.middle, sum(left.shares.values())) * scale
    yield seconds_at(LEFT + end + 8, below, left.seconds.middle, f"({ends})")


def rows(answer: Answer) -> list[tuple[str, str, float, float, float | None]]:
    """The legend: colour, share, seconds, part of the run, and seconds that would be left."""
    total = sum(answer.shares.values()) or 1.0
    left = answer.left.shares if answer.left else {}
    return [
        (COLOURS[name], name, seconds, seconds / total, left.get(name))
        for name, seconds in answer.shares.items()
    ]


def legend(answer: Answer, top: float) -> Iterator[str]:
    """The legend as text."""
    for number, (colour, name, seconds, part, left) in enumerate(rows(answer)):
        y = top + number * LINE
        yield f'<rect x="{LEFT}" y="{y - 10}" width="11" height="11" fill="{colour}"/>'
        yield text(LEFT + 18, y, name)
        right = 'text-anchor="end"'
        yield text(LEFT + 260, y, format_latency(seconds), right)
        yield text(LEFT + 320, y, f"{part:.1%}", right)
        if left is not None:
            yield text(LEFT + 410, y, f"then {format_latency(left)}", right)


def height(answer: Answer) -> int:
    """Pixels of the bars."""
    return BAR + (GAP + BAR if answer.left else 0) + GAP


def document(parts: Iterator[str], pixels: int, more: str) -> str:
    """An SVG of these parts."""
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {pixels}" {more} '
        f'font-family="{FONT}" font-size="12.5" fill="currentColor" role="img" '
        f'aria-label="Where the time goes, as it is and with changes">\n{inside}\n</svg>\n'
    )


def inline(answer: Answer) -> str:
    """The bars for a page, which has the legend as a table."""
    return document(bars(answer, 4), height(answer) + 4, 'class="bars"')


def alone(answer: Answer) -> str:
    """The figure for a paper: title, bars and legend on white."""

    def parts() -> Iterator[str]:
        yield f'<rect width="{WIDTH}" height="{pixels}" fill="white"/>'
        yield text(EDGE, 20, answer.title[:LETTERS], 'font-weight="600" font-size="13.5"')
        yield from bars(answer, HEAD)
        yield from legend(answer, HEAD + height(answer) + BELOW)

    pixels = HEAD + height(answer) + BELOW + len(answer.shares) * LINE
    return document(parts(), pixels, f'width="{WIDTH}" height="{pixels}" color="#1a222c"')


def write(answer: Answer, output: Path) -> None:
    """Writes the figure; the suffix of the file is its format. Raises WatariError."""
    figure = alone(answer)
    format = output.suffix.lower().removeprefix(".")
    if format == "svg":
        write_atomically(output, figure)
        return
    from watari.charts.file import converted

    write_atomically(output, converted([figure], format)[0])
