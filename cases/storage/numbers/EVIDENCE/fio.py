"""Beside fio, of cases/storage/EVIDENCE.md."""

from statistics import median

from recompute import Page
from result_files import data, text

EPYC, H100, H200, TWO_H200S = (
    "2-core-amd-epyc-x86_64/",
    "nvidia-h100-80gb-hbm3-x86_64/",
    "nvidia-h200-x86_64/",
    "2x-nvidia-h200-x86_64/",
)
KIB = 2**10

page = Page("cases/storage/EVIDENCE.md")


def ratios(rows, engine, keys):
    """Over fio, by block and threads, as the columns are."""
    ours = {(r["block"], r["threads"]): r for r in rows if r["engine"] == engine}
    return [ours[place][key] for place in sorted(ours) for key in keys]


# On two cores
fio = data(f"{EPYC}20261121-fio.json")["rows"]
for engine in ("uring", "queue"):
    page.says(f"| `{engine}` | {{}} | {{}} | {{}} | {{}} |", *ratios(fio, engine, ["ratio_fixed"]))

# On an H200
fio = data(f"{H200}20261121-fio.json")["rows"]
for engine in ("gpu", "uring"):
    page.says(f"| `{engine}` |" + " {}, {} |" * 4, *ratios(fio, engine, ["ratio", "ratio_fixed"]))

fio = [row for part in ("", "-64") for row in data(f"{TWO_H200S}20261128-fio{part}.json")["rows"]]
kinds = ["ratio", "ratio_fixed", "ratio_huge"]
for engine in ("gpu", "uring"):
    page.says(f"| `{engine}` to a GPU |" + " {}, {}, {} |" * 4, *ratios(fio, engine, kinds))
(one_thread,) = (
    row["requests_per_s"]
    for row in fio
    if (row["engine"], row["block"], row["threads"]) == ("gpu", 64 * KIB, 1)
)
page.says(
    "fio had {} thousand requests of 64 KiB a\n  second with one thread, with small ones {}, and "
    "without registered buffers {}",
    *(one_thread[name] / 1e3 for name in ("fio-huge", "fio-fixed", "fio")),
)
page.says(
    "`gpu` has {} to {} of fio with huge pages, `uring` {} to {}",
    *(bound(ratios(fio, engine, kinds[2:])) for engine in ("gpu", "uring") for bound in (min, max)),
)
page.given("the arithmetic of pages of 4 KiB", "up to 16 segments")
rounds = {KIB * size: [] for size in (4, 64)}  # the range of a program's rounds over their median
for row in fio:
    for runs in row["runs"].values():
        each = [run["rate"] for run in runs]
        rounds[row["block"]].append((max(each) - min(each)) / median(each))
page.says("by up to {} of their median at 4 KiB and {} at 64 KiB", *map(max, rounds.values()))
long = [row for part in ("4", "64") for row in data(f"{H100}20261128-fio-{part}.json")["rows"]]
page.says(
    "`gpu` {} at 4 KiB with\n  one thread, {} and {} at 64 KiB with one and four; `uring` {}, {} and {} (",
    *(row["ratio_huge"] for engine in ("gpu", "uring") for row in long if row["engine"] == engine),
)
variants = text(f"{H100}20261128-fio-variants.txt")


def over_fio(machine, name):
    """At 64 KiB with one thread: the last number of a line of rounds."""
    return variants.line(f"{machine:6}  64KiB 1 thread  {name:16}")[-1]


unchanged = [over_fio(machine, "uring") for machine in ("first", "second", "third")]
CHANGES = ("polls", "few slots", "first core free", "from core 5")
changed = [over_fio("first", "group 65536"), over_fio("third", "warps")]
changed += [over_fio("second", name) for name in CHANGES]
page.says(
    "it had {} to {} of\n  fio at 64 KiB with one thread on three machines, with a change on one of them each {} to {}",
    *(bound(of) for of in (unchanged, changed) for bound in (min, max)),
)
page.given("the revision of these files", "at revision d32be288. Each", "revision 58edd720 with")
page.says(
    "four threads it had {} there", variants.line(f"first   64KiB 4 threads {'uring':16}")[-1]
)
page.given("the revision of the benchmark", "the benchmark of 9d4e98da")
page.given("the benchmark at that revision", "100 times the requests")
