"""Where the numbers of docs/strangers.md come from: benchmarks/stranger_judge.py."""

import sys
from statistics import median

from recompute import ROOT, Page
from result_files import path

sys.path.append(str(ROOT / "benchmarks"))

import stranger_changes
import stranger_floor
import stranger_judge
import stranger_report
import stranger_result

page = Page("docs/strangers.md")
FILE = "nvidia-h100-80gb-hbm3-x86_64/20261126-strangers{}.json"


def read(what):
    """The programs of a file that ran."""
    rows = stranger_result.read(path(FILE.format(what)))
    return [row for row in rows if row["status"] == "ok"]


def judged(rows):
    """By `watari advise`, and by bytes alone."""
    found = [stranger_judge.judged(row) for row in rows]
    seconds = [one.seconds for one in found]
    return found, [
        stranger_judge.judged(row, stranger_judge.baseline(row, run))
        for row, run in zip(rows, seconds, strict=True)
    ]


def percent(part, of):
    """Of all these programs."""
    return 100 * sum(map(part, of)) / len(of)


def compared(found):
    """The programs of which a style was measured."""
    return [one for one in found if one.is_compared]


def pairs(model, group):
    """Predicted and measured styles."""
    return [p for one in model for p in one.pairs if p.group == group]


def errors(model, group):
    """Median and 90th percentile, in percent."""
    offs = [100 * abs(pair.off) for pair in pairs(model, group)]
    return median(offs), stranger_report.quantile(offs, stranger_report.TAIL)


def inside(model, group):
    """Of the styles: in the interval, and in its middle, in percent."""
    known = pairs(model, group)
    parts = (1.0, stranger_floor.MIDDLE)
    return [100 * stranger_floor.inside(known, part) / len(known) for part in parts]


def predicted(found):
    """Changes with a predicted saving."""
    return [one for each in found for one in each.changes if one.predicted is not None]


rows = read("")
found, bytes_alone = judged(rows)
page.says(
    "the reason why it stops | {} programs | {}% | | |",
    len(found),
    percent(lambda one: one.replay_right, found),
)
replays = [one for one in found if one.replayed is not None and not one.stops]
page.says(
    "| replay within 2% | {} programs | {}% | | |",
    len(replays),
    percent(lambda one: abs(one.replayed) <= stranger_judge.REPLAY, replays),
)
page.says("often larger than 2% (median {}%)", 100 * median(one.traced_spread for one in found))
for title, group in (("data stay local", "local"), ("`mapped` and `pinned`", "link")):
    (middle, tail), (other, of_other) = (errors(model, group) for model in (found, bytes_alone))
    page.says(
        title + ": median error | {} styles | {}% | {}% | |\n| 90th percentile | | {}% | {}% | |\n"
        "| measured seconds in the 95% interval | | {}% | | 95% |\n"
        "| in the middle of it, of half the width | | {}% | | 68% |",
        len(pairs(found, group)),
        middle,
        other,
        tail,
        of_other,
        *inside(found, group),
    )
page.says(
    "said that none matters | {} programs | {}% | {}% | {}% |",
    len(compared(found)),
    *(percent(lambda one: one.named, compared(model)) for model in (found, bytes_alone)),
    100 * stranger_floor.best_style(rows),
)
page.says(
    "the answer calls possible | | {}% | | |", percent(lambda one: one.grouped, compared(found))
)
page.says("{} answers name several styles", sum(len(one.group) > 1 for one in compared(found)))
page.says(
    "the same within 2%, noise or not | | {}% | {}% | |",
    *(percent(lambda one: one.strictly, compared(model)) for model in (found, bytes_alone)),
)
page.says(
    "called faster, but measured slower | | {} | {} | |",
    *(sum(len(one.faster_wrong) for one in model) for model in (found, bytes_alone)),
)
page.says("are not counted: {} of them", sum(len(one.timeouts) for one in found))

changes = [change for one in found for change in one.changes]
able = [change for change in changes if change.could]
told = predicted(found)
known = [c for c in told if 0 < c.error <= stranger_changes.allowed(c.measured, c.run)]
page.says("| changes that were run | {} | |", len(changes))
page.says("| slower by 2% and the spread | {} | |", sum(one.loses for one in changes))
page.says("act on over 5% of the run | {} | |", len(able))
page.says("save at least 0.6 of what they could | {} | |", sum(not one.is_short for one in able))
page.says("| changes with a predicted saving | {} | |", len(told))
page.says(
    "or within 1% of the run | {} | {} |",
    sum(one.right for one in told),
    stranger_floor.savings(told),
)
page.says("two standard errors of the measurement | {} | |", sum(one.likely for one in told))
page.says(
    "than what a prediction may be off | {} | |\n| of these, measured so close | {} | |",
    len(known),
    sum(one.right for one in known),
)
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
    "limits of revision ed69d3d1, and those of the model that predicted",
    "took 0.8 to 1.8 times as long",
    "threads start with a copy of 32 MiB, or with 64 MiB in all; the predictions are for 24 MiB, or "
    "32 MiB in all",
)

unseen = read("-unseen")
(found, bytes_alone), (now, _) = judged(unseen), judged(read("-unseen-again"))
page.says(
    "| replays within 2%, or between the runs | {} programs | {}% | {}% | | |\n"
    "| replays within 2% | | {}% | {}% | | |",
    len(found),
    *(percent(lambda one: one.replay_right, model) for model in (found, now)),
    *(
        percent(lambda one: abs(one.replayed) <= stranger_judge.REPLAY, model)
        for model in (found, now)
    ),
)
for title, group in (("where data stay local", "local"), ("of `mapped`, `pinned`", "link")):
    middles, tails = zip(*(errors(m, group) for m in (found, now, bytes_alone)), strict=True)
    wide, half = zip(*(inside(model, group) for model in (found, now)), strict=True)
    page.says(
        f"| median error {title} " + "| {} styles | {}% | {}% | {}% | |\n"
        "| 90th percentile | | {}% | {}% | {}% | |\n"
        "| in the 95% interval | | {}% | {}% | | 95% |\n"
        "| in the middle of it, of half the width | | {}% | {}% | | 68% |",
        len(pairs(found, group)),
        *middles,
        *tails,
        *wide,
        *half,
    )
page.says(
    "| best style named, or none said to matter | {} programs | {}% | {}% | {}% | {}% |\n"
    "| said to be faster, and slower | | {} | {} | {} | |",
    len(found),
    *(percent(lambda one: one.named, model) for model in (found, now, bytes_alone)),
    100 * stranger_floor.best_style(unseen),
    *(sum(len(one.faster_wrong) for one in model) for model in (found, now, bytes_alone)),
)
both = [predicted(model) for model in (found, now)]
page.says(
    "| savings that were predicted | | {} | {} | | |\n"
    "| measured as close as above | | {} | {} | | {} |\n"
    "| so close, or within two of its standard errors | | {} | {} | | |",
    *map(len, both),
    *(sum(one.right for one in told) for told in both),
    stranger_floor.savings(both[1]),
    *(sum(one.likely for one in told) for told in both),
)
page.says("runs is {}% in the median, and", 100 * median(one.spread for one in found))

PARTS = ("kernels", "copies that nothing hides", "allocation")
SMALL = 5.0  # percent of the run
by_name = {row["name"]: (row, one) for row, one in zip(unseen, found, strict=True)}


def acted_on(name):
    """What a style can change, in percent of the run."""
    answer = by_name[name][0]["advice"]
    return 100 * sum(answer["shares"][part] for part in PARTS) / answer["measured"]


def times(name):
    """Seconds of each style over those as it is."""
    one = by_name[name][1]
    return {style: seconds / one.seconds for style, seconds in one.styles.items()}


page.says(
    "none matters | `managed` {} of the run | noise: copies, kernels and allocations take {}% of it",
    times("rodinia-b+tree")["managed"],
    acted_on("rodinia-b+tree"),
)
page.says(
    "none matters | `managed` {} of the run | noise: these take {}% of it |\n| CUDA's histogram",
    times("dxtc")["managed"],
    acted_on("dxtc"),
)
page.says(
    "each style {} to {} of the run | noise: these take {}% of it",
    min(times("histogram").values()),
    max(times("histogram").values()),
    acted_on("histogram"),
)
page.says("`pinned` {} of the run", times("rodinia-myocyte")["pinned"])
four = [
    row
    for row in stranger_result.read(
        path("nvidia-h100-80gb-hbm3-x86_64/20261127-strangers-four.json")
    )
    if row["status"] == "ok"
]
found, _ = judged(four)
page.says("### {} more, four at a time", len(found))
page.says("differ by {}% in the median there", 100 * median(one.spread for one in found))
replays = [one for one in found if one.replayed is not None and not one.stops]
page.says(
    "the reason why they stop | {} programs | {}% | |\n| replays within 2% | {} programs | {}% | |",
    len(found),
    percent(lambda one: one.replay_right, found),
    len(replays),
    percent(lambda one: abs(one.replayed) <= stranger_judge.REPLAY, replays),
)
for title, group in (("where data stay local", "local"), ("of `mapped`, `pinned`", "link")):
    page.says(
        f"| median error {title} " + "| {} styles | {}% | |\n| 90th percentile | | {}% | |\n"
        "| in the 95% interval | | {}% | 95% |\n| in the middle of it, of half the width | | {}% | 68% |",
        len(pairs(found, group)),
        *errors(found, group),
        *inside(found, group),
    )
told = predicted(found)
page.says(
    "| best style named, or none said to matter | {} programs | {}% | {}% |\n"
    "| said to be faster, and slower | | {} | |\n"
    "| savings that were predicted | | {} | |\n"
    "| measured as close as above | | {} | {} |\n"
    "| so close, or within two of its standard errors | | {} | |",
    len(compared(found)),
    percent(lambda one: one.named, compared(found)),
    100 * stranger_floor.best_style(four),
    sum(len(one.faster_wrong) for one in found),
    len(told),
    sum(one.right for one in told),
    stranger_floor.savings(told),
    sum(one.likely for one in told),
)
by_name = {row["name"]: (row, one) for row, one in zip(four, found, strict=True)}
missed = [one for one in compared(found) if not one.named]
page.says("**Of the {} wrong best styles**", len(missed))
page.says(
    "{} are of programs of which kernels",
    sum(acted_on(one.name) < SMALL for one in missed if not one.stops),
)
assert sum(bool(one.stops) for one in missed) == 1  # "one trace was cut"
page.given("chosen here", "take under 5%", "replays within 2%, between")
page.says(
    "and one run took {} s longer than another",
    max(max(r["as_is"]) - min(r["as_is"]) for r in four),
)
row, one = by_name["mingpt-adder"]
page.says(
    "60 steps, takes {} s, of which {}% are",
    one.seconds,
    100 * row["advice"]["shares"]["CPU alone"] / row["advice"]["measured"],
)
page.says(
    "is {}% above the one run beside its trace; runs differ by {}%",
    100 * one.replayed,
    100 * one.spread,
)
page.given(
    "medians of a few runs: the same rows without `pairs`, which have six of these programs",
    "were 3 of 12 by medians of two to five runs. Six of these",
)
page.given(
    "bounds and costs of benchmarks/stranger_changes.py, stranger_judge.py, stranger_noise.py and "
    "stranger_floor.py",
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
page.given(
    "what intervals are said to hold, of a normal distribution",
    "in the 95% interval",
    "| 95% |",
    "| 68% |",
)
page.given("the machine", "16 cores")
