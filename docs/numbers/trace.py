"""Where the numbers of docs/trace.md come from."""

import re

from recompute import Page
from result_files import data, text

H200 = "nvidia-h200-x86_64/"

page = Page("docs/trace.md")


def traced(name):
    """What a trace has of its program."""
    return data(f"{H200}20261125-trace-{name}.json")["observed"]


def cost(of):
    """Seconds as it is and traced, and their ratio."""
    before, after = of["untraced_seconds"], of["traced_seconds"]
    return before, after, after / before


def launches(of, key):
    """`launches` or `sampled` of all kernels."""
    return sum(kernel[key] for kernel in of["kernels"])


# What tracing costs
programs = {name: traced(name) for name in ("stream", "gemm", "patterns", "training")}
assert not any(of["incomplete"] for of in programs.values())
for row, name in (
    ("BabelStream's loops, three arrays of 1 GiB, 400 passes", "stream"),
    ("cuBLAS, ten products of 4096", "gemm"),
    ("kernels of known touches, partly managed memory", "patterns"),
    ("PyTorch, ten steps of Adam", "training"),
):
    of = programs[name]
    page.says(
        f"| {row} | {{}} s | {{}} s | {{}} | {{}} s | {{}} of {{}}",
        *cost(of),
        of["traced_once_seconds"],
        launches(of, "sampled"),
        launches(of, "launches"),
    )
page.says("all {} kernels |", len(programs["training"]["kernels"]))
stream, gemm = cost(programs["stream"]), cost(programs["gemm"])
page.says("a program of {} s without faults took {} times as long. What", stream[0], stream[2])
page.says("takes {} times as long** in", stream[2])
page.says("A program of {} s without faults took {} times as long ([", gemm[0], gemm[2])
page.says(
    "cuBLAS takes {} times, since the program is short: {} s more, of which {} s are paid once",
    gemm[2],
    gemm[1] - gemm[0],
    programs["gemm"]["traced_once_seconds"],
)
once = [of["traced_once_seconds"] for of in programs.values()]
page.says("tracing**: {} to {} s once", min(once), max(once))
page.says("{} launches were sampled: each of the six", launches(programs["stream"], "sampled"))
page.says(
    "The whole command took {} s",
    text(f"{H200}20261125-programs-summary.txt").line("trace-training: exit code 0,")[0],
)
turns = traced("alternating")
page.says(
    "took {} s, traced {} s: {} times as long, of which {} s are paid once",
    *cost(turns),
    turns["traced_once_seconds"],
)
(moved,) = turns["allocations"]
page.says(
    "each way: {} MB by faults, in {} groups of GPU faults and {} CPU faults",
    moved["moved"]["by faults to GPU"] / 1e6,
    moved["gpu_faults"],
    moved["cpu_faults"],
)
page.says(
    "the sampled run {} GB of its transfers have no record",
    float(re.search(r"sampled run ([\d.]+) GB", turns["incomplete"][0])[1]),
)

# What kernels touch: allocation, truth, and what the trace says
lines = [line.split() for line in text(f"{H200}20261125-trace-patterns-later.txt").lines[1:-1]]
earlier = text(f"{H200}20261125-programs-patterns.txt").lines[1:-1]
assert [line.split() for line in earlier] == lines
names = ("`copy`, source", "`copy`, destination", "`half`", "`middle`", "`stride`", "`sparse`")
for name, (_, sampled, _, total, *sizes, is_, said, verdict) in zip(names, lines, strict=True):
    assert (sampled, total, verdict) == ("16", "20", "ok")
    page.says(f"| {name} | {{}} | {{}} | {{}} | {is_}, {said} |", *map(float, sizes))
later = traced("patterns-later")
page.says("was right in all {} sampled launches", launches(later, "sampled"))
page.says(
    "each kernel ran {} times, and {} launches were sampled",
    later["kernels"][0]["launches"],
    later["kernels"][0]["sampled"],
)
sizes = [row["bytes"] for row in data(f"{H200}20261125-trace-patterns-later.json")["allocations"]]
page.says("allocations of {} MB together", sum(size for size in sizes if size > 2**20) / 1e6)

# Records that CUPTI loses
touches = text(f"{H200}20261124-trace-touches.txt")
summary = next(line for line in touches.lines if line.lstrip().startswith("patterns     after"))
right, sampled, *parts = map(float, re.findall(r"\d+(?:\.\d+)?", summary)[:7])
first, second, whole, third, other = parts
missing = [
    100 * (1 - found / all_) for found, all_ in ((first, whole), (second, whole), (third, other))
]
page.says("{} of {} sampled launches of one program", sampled - right, sampled)
page.says("lacked {} to {}% of their transfers", min(missing), max(missing))
stretches = [
    float(found)
    for line in touches.lines
    if re.match(r" +(before|after) \d ", line)
    for found in re.findall(r"([\d.]+) MB", line)
]
page.says(
    "were missing, in {} of {} such stretches",
    sum(found < max(stretches) for found in stretches),
    len(stretches),
)
assert 0.5 <= min(stretches) / max(stretches) < 0.51
seconds = [
    (float(end) - float(start)) / 1e3
    for start, end in re.findall(
        r"add_onePfm +([\d.]+)\.\.([\d.]+) .*faults [1-9].*measured \d", "\n".join(touches.lines)
    )
]
page.says("element of 64 MiB took {} to {} s", min(seconds), max(seconds))
page.given(
    "limits of the command: python/watari/attach/trace, src/attach/injected",
    "kernel that follows within 50 µs",
    "at most 1000 phases",
    "up to 16 of a kernel",
    "so launches 32, 64, 128, ... are `mapped`",
    "touches up to 16 launches of each kernel, then two launches at 32, 64, 128, ... |",
    "at most 4 T + 15 s",
    "1.1 times its seconds from its first context on",
    "[4 times the program, and 15 s]",
    "up to 100 ms before",
)
page.given_block("an example of the test driver", "where the time goes, of 0.21 s")
page.given(
    "limits of the replay: python/watari/attach/trace",
    "ten such gaps, 90% of those",
    "More than 1000 allocations",
)
page.given("a code of CUDA", "(error 700 and the like)")
page.given("versions of programs", "in version 52 of the UI", "in Chromium 156")
page.given(
    "limits of the fit: python/watari/model/replay/calibrate.py",
    "5 ms\nfor what is paid once",
    "calls | 15% | -15% | 40% |",
    "moves | 30% | -30% | 70% |",
    "memory | 10% | -20% | 20% |",
    "0.75 of their range",
    "1% of a single\nrun",
    "by more than 2% and by more than",
    "Above 25% (!)",
    "within 2% or the range",
)
page.given("src/attach/injected/records/activity.cpp", "three times 10 ms")
page.given("the machine", "an H200 with 32 CPU cores")

# Replays on an H100
replays = text("nvidia-h100-80gb-hbm3-x86_64/20261127-replay.txt").lines
begin = next(at for at, line in enumerate(replays) if line.startswith("change "))
changes = [re.sub(r"[\[\],]", " ", line).split() for line in replays[begin + 1 :]]
table = page.text.split("| program, change |")[1].split("\n\n")[0].splitlines()[2:]
near = 0
for found, row in zip(changes, table, strict=True):
    name, _, _, measured, error, predicted, low, high, inside, _ = found
    label = row.split(" | ")[0]
    assert label.startswith(f"| `{name}`: ")
    numbers = [float(one) for one in (measured, error, predicted, low, high)]
    page.says(f"{label} | {{}} | {{}} | {{}} | {{}} to {{}} | {inside.lower()} |", *numbers)
    off, about = abs(numbers[2] - numbers[0]), abs(numbers[0])
    near += off <= max(0.1 * about, 2 * numbers[1])
inside = sum("yes" in row for row in changes)
page.says("Of {} measured differences {} lie", len(changes), inside)
page.says("{} predictions are within 10% or two standard errors", near)
page.given("chosen here", "within 10% or two standard errors")
page.says("Of {} rows the error is above", sum(float(f[4]) > abs(float(f[3])) / 4 for f in changes))
page.given("the earlier run, whose file is no longer kept", "10 of 12 lay in their interval")
first = 1 + next(at for at, line in enumerate(replays) if line.startswith("program "))
totals = {
    line.split()[0]: (float(re.search(r"([-+][\d.]+)%", line)[1]), "total!" in line)
    for line in replays[first : begin - 1]
}
stopped = sum(stops for _, stops in totals.values())
page.says("The replays of {} of the {} programs", len(totals) - stopped, len(totals))
page.says("the replays of {} of {}", len(totals) - stopped, len(totals))
