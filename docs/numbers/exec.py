"""Where the numbers of docs/exec.md come from."""

from statistics import median

from recompute import Page
from result_files import data, text

page = Page("docs/exec.md")
measured = text("nvidia-h100-80gb-hbm3-x86_64/20261126-changes.txt")
for line in measured.lines[1:10]:
    size, *times = line.split()
    if size in ("4096", "8388608", "67108864", "1073741824", "4294967296"):
        page.says(
            f"| {int(size) if size == '4096' else f'{int(size):,}'} |" + " {} |" * 4,
            *map(float, times),
        )
staged = text("nvidia-h100-80gb-hbm3-x86_64/20261126-staged.txt")
rates = {
    (way, int(size)): (float(driver), float(by_threads))
    for way, size, _, driver, by_threads, *_ in (
        line.split() for line in staged.lines if line.startswith("to-")
    )
}
for size in (1, 4, 16, 64, 256, 1024):
    page.says(f"| {size} |" + " {} |" * 4, *rates["to-gpu", size], *rates["to-cpu", size])
whole = {
    line.split(":")[0]: line.replace("(", " ").split() for line in staged.lines if "added" in line
}
many, few = whole["whole 40 16"], whole["whole 5 17"]
page.says(
    "A program with 40 copies of 16 MiB took {} s; `staged` saved {} s of it ({}%)",
    float(many[4]),
    -float(many[7]),
    -float(many[9].strip("%),")),
)
page.says("took {} s less in the median of 9 pairs", -float(few[7]))
same = [int(line.split()[1]) for line in staged.lines if line.endswith("are the same")]
page.says(
    "same results and bytes in {} random sequences, {} of four threads, {} with large copies and {} with copies of rows",
    *same,
)
first = text("nvidia-h100-80gb-hbm3-x86_64/20261126-first.txt")
for case, title in (
    ("1 32 in", "| one of 32 MiB to the GPU |"),
    ("1 64 in", "| one of 64 MiB to the GPU |"),
    ("1 32 out", "| one of 32 MiB to the CPU |"),
    ("1 64 out", "| one of 64 MiB to the CPU |"),
    ("1 4 fresh", "| one of 4 MiB to memory that nobody has touched |"),
    ("1 64 fresh", "| one of 64 MiB to such memory |"),
):
    (row,) = (line.split()[3:5] for line in first.lines if line.startswith(f"{case} "))
    page.says(title + " {} | {} |", *map(float, row))
begin = measured.lines.index("facts with pooled: the same") + 1
facts = measured.lines[begin : measured.lines.index("", begin)]
page.says("a lack of memory: {} lines", len(facts))
assert not any("WITH POOLED" in line for line in facts)
ways = [line.split() for line in measured.lines if " loop " in line]
loops = [words[words.index("loop") + 1 :] for words in ways]
ends = [[float(words[i].strip("()")) for words in loops] for i in (1, 3)]
page.says(
    "The shortest took {} s as it is, {} s with the library and {} s by `watari exec`; the longest {}, {} and {} s",
    *ends[0],
    *ends[1],
)
page.says("A start by `watari exec` took {} ms", float(measured.line("a start by watari exec:")[0]))
page.given(
    "limits and rates of src/attach/preload and python/watari/attach",
    "acts on take 1% of the first run",
    "assumes 15 GB/s by faults and 50 GB/s by a prefetch",
    "as long for its release, and 0.3 us a MiB more",
    "at most 256 blocks",
    "looks at 16 pages",
    "with 40 copies of 16 MiB",
    "medians of two processes each",
    "start when such copies reach 96 MiB together",
    "a single copy of\n64 MiB gains nothing: that would be some 6 ms",
    "five copies of 17 MiB",
    "`changes steps 20`, `changes sorts 4000` and `alternating 64 4`",
    "allocates 64 MiB on both sides, fills, copies, computes and copies back, 20 times",
    "launches 4000 kernels",
    "glibc 2.35 or later",
    "20,000 rounds of a launch",
)


def part_saved(name: str, change: str) -> float:
    """Percent of the program as it is that a change saves, by medians."""
    cases = data(f"nvidia-h100-80gb-hbm3-x86_64/20261126-try-{name}.json")["cases"]
    seconds = {
        case["parameters"]["style"]: median(trial["host_s"][0] for trial in case["trials"])
        for case in cases
        if case["trials"]
    }
    return 100 * (1 - seconds[change] / seconds["as-is"])


page.says("together save {}% of the run", part_saved("steps", "staged+pooled+huge"))
page.says("`pooled` saves {}% of the run", part_saved("sorts", "pooled"))
page.given(
    "the line of `watari try` in 20261126-try-alternating.txt: 4 prefetches", "makes 4 prefetches"
)
