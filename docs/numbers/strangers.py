"""Where the numbers of docs/strangers.md come from: benchmarks/stranger_judge.py."""

import sys
from statistics import median

from recompute import ROOT, Page
from result_files import path

sys.path.append(str(ROOT / "benchmarks"))

import stranger_judge
import stranger_report
import stranger_result

page = Page("docs/strangers.md")
rows = stranger_result.read(path("nvidia-h100-80gb-hbm3-x86_64/20261126-strangers.json"))
good = [row for row in rows if row["status"] == "ok"]
found = [stranger_judge.judged(row) for row in good]
bytes_alone = [
    stranger_judge.judged(row, stranger_judge.baseline(row, one.seconds))
    for row, one in zip(good, found, strict=True)
]


def percent(part, of):
    """Of all these programs."""
    return 100 * sum(map(part, of)) / len(of)


def offs(models, group):
    """How far predictions are off, in percent, for each model."""
    pairs = [[p for one in model for p in one.pairs if p.group == group] for model in models]
    return [[100 * abs(pair.off) for pair in own] for own in pairs]


page.says(
    "the reason why it stops | {} programs | {}% | |",
    len(found),
    percent(lambda one: one.replay_right, found),
)
replays = [one for one in found if one.replayed is not None and not one.stops]
page.says(
    "| replay within 2% | {} programs | {}% | |",
    len(replays),
    percent(lambda one: abs(one.replayed) <= stranger_judge.REPLAY, replays),
)
page.says("often larger than 2% (median {}%)", 100 * median(one.traced_spread for one in found))
for title, group in (("data stay local", "local"), ("`mapped` and `pinned`", "link")):
    both = offs((found, bytes_alone), group)
    tails = [stranger_report.quantile(own, stranger_report.TAIL) for own in both]
    page.says(
        title + ": median error | {} styles | {}% | {}% |\n| 90th percentile | | {}% | {}% |",
        len(both[0]),
        *map(median, both),
        *tails,
    )
page.says(
    "said that none matters | {} programs | {}% | {}% |",
    len(found),
    *(percent(lambda one: one.named, model) for model in (found, bytes_alone)),
)
page.says(
    "the same within 2%, noise or not | | {}% | {}% |",
    *(percent(lambda one: one.strictly, model) for model in (found, bytes_alone)),
)
page.says(
    "called faster, but measured slower | | {} | {} |",
    *(sum(len(one.faster_wrong) for one in model) for model in (found, bytes_alone)),
)
page.says("are not counted: {} of them", sum(len(one.timeouts) for one in found))

changes = [change for one in found for change in one.changes]
able = [change for change in changes if change.could]
told = [change for change in changes if change.predicted is not None]
page.says("| changes that were run | {} |", len(changes))
page.says("| slower by 2% and the spread | {} |", sum(one.loses for one in changes))
page.says("act on over 5% of the run | {} |", len(able))
page.says("save at least 0.6 of what they could | {} |", sum(not one.is_short for one in able))
page.says("| changes with a predicted saving | {} |", len(told))
page.says("or within 1% of the run | {} |", sum(one.right for one in told))
page.says("within two standard errors of the measurement | {} |", sum(one.likely for one in told))
(gemver,) = (c for c in changes if (c.program, c.change) == ("polybench-gemver", "staged"))
page.says(
    "**gemver** lost {}% of its run by `staged` ({} ms, standard error {}), though its one copy should "
    "save {} ms",
    -100 * gemver.measured / gemver.run,
    -1e3 * gemver.measured,
    1e3 * gemver.error,
    1e3 * gemver.predicted,
)
page.given(
    "as measured: large_pageable_s of the first run of the pairs, over `copied` of the traces; the "
    "limits of revision ed69d3d1",
    "took 0.8 to 1.8 times as long",
    "start with a copy\n  of 32 MiB, or with 64 MiB in all",
)

unseen = stranger_result.read(path("nvidia-h100-80gb-hbm3-x86_64/20261126-strangers-unseen.json"))
good = [row for row in unseen if row["status"] == "ok"]
found = [stranger_judge.judged(row) for row in good]
bytes_alone = [
    stranger_judge.judged(row, stranger_judge.baseline(row, one.seconds))
    for row, one in zip(good, found, strict=True)
]
page.says(
    "| replays within 2%, or between the runs | {} programs | {}% | |\n| replays within 2% | | {}% | |",
    len(found),
    percent(lambda one: one.replay_right, found),
    percent(lambda one: abs(one.replayed) <= stranger_judge.REPLAY, found),
)
local, link = (offs((found, bytes_alone), group) for group in ("local", "link"))
page.says(
    "| median error where data stay local | {} styles | {}% | {}% |\n"
    "| 90th percentile | | {}% | {}% |\n"
    "| median error of `mapped`, `pinned` | {} styles | {}% | {}% |\n"
    "| 90th percentile | | {}% | {}% |\n"
    "| best style named, or none said to matter | {} programs | {}% | {}% |\n"
    "| said to be faster, and slower | | {} | {} |",
    *(
        value
        for both in (local, link)
        for value in (
            len(both[0]),
            *map(median, both),
            *(stranger_report.quantile(own, stranger_report.TAIL) for own in both),
        )
    ),
    len(found),
    *(percent(lambda one: one.named, model) for model in (found, bytes_alone)),
    *(sum(len(one.faster_wrong) for one in model) for model in (found, bytes_alone)),
)
told = [c for one in found for c in one.changes if c.predicted is not None]
page.says(
    "| savings that were predicted | {} | | |\n"
    "| measured as close as above | {} | | |\n"
    "| so close, or within two of its standard errors | {} | | |",
    len(told),
    sum(one.right for one in told),
    sum(one.likely for one in told),
)
page.says("runs is {}% in the median, and", 100 * median(one.spread for one in found))
page.given(
    "bounds and costs of benchmarks/stranger_changes.py, stranger_judge.py and stranger_noise.py",
    "replay within 2%, or between the runs",
    "right within 2% of the median",
    "faster by more than 3%",
    "differ by less\n  than 15%",
    "exact, 5%",
    "within 15% of the fastest",
    "at most seven times",
    "the same within 2%",
    "replay within 2%",
    "larger than 2%",
    "slower by 2% and the spread",
    "over 5% of the run",
    "save at least 0.6 of what they could",
    "measured within 20% of it, or within 1% of the run",
    "10 us each",
    "90th percentile",
    "copies of 4 MiB or more",
)
page.given("the machine", "16 cores")
