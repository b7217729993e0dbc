"""A model beside its disk, of cases/storage/EVIDENCE.md."""

from statistics import median

import tomllib
from recompute import Page
from result_files import path, results, text

KIB = 2**10

page = Page("cases/storage/EVIDENCE.md")
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
ssd = results(f"{H100}20261128-storage-ssd.json")
model = tomllib.loads(path(f"{H100}20261128-storage-ssd-model.txt").read_text())


def samples(m):
    """Requests per second of each sample of all trials."""
    return [m["requests"] / s for trial in m.trials for s in trial["host_s"]]


POINTS = {}  # by block and depth: the model over the disk, over its own rate, the disk's spread
for modelled in (m for m in ssd.all("storage") if m["store"] != "file"):
    at = {name: modelled[name] for name in ("block", "depth")}
    real = samples(ssd.case("storage", store="file", **at))
    rate_now = median(samples(modelled))
    POINTS[tuple(at.values())] = (
        rate_now / median(real),
        rate_now / modelled.quantity("model_requests_per_s"),
        (max(real) - min(real)) / median(real),
    )
lines = ["| block | the model over the disk | the disk's own spread |", "|---|---|---|"]
for block in sorted({block for block, _ in POINTS}):
    of = {depth: POINTS[b, depth] for b, depth in sorted(POINTS) if b == block}
    shown = ", ".join(f"{depth}: {point[0]:.2f}" for depth, point in of.items())
    apart_here = median(point[2] for point in of.values())
    lines.append(f"| {block // KIB} KiB | {shown} | {apart_here:.2f} |")
page.table("ssd", lines)
off = {at: abs(point[0] - 1) for at, point in POINTS.items()}
page.says(
    "at {} of {} points**, and {}% off in the median",
    sum(error <= POINTS[at][2] for at, error in off.items()),
    len(off),
    100 * median(off.values()),
)
page.says("samples, up to {}.", max(point[2] for point in POINTS.values()))
page.says(
    "with 8 in flight, 32 and 256 KiB with 256 ({}, {}), and 64 KiB with 8 ({})",
    *(POINTS[k * KIB, depth][0] for k, depth in ((32, 256), (256, 256), (64, 8))),
)
page.given("the points outside", "Outside are 4 KiB with 8 in flight, 32 and 256 KiB with 256 (")
page.says("too slow**, {} times the disk", POINTS[4 * KIB, 8][0])
page.says(
    "`gpu` had {} to {} of the model's own rate at 4 and 8 KiB, {} at 16 KiB with four requests a "
    "warp, {} at 32 KiB\n  with two, {} at 64 KiB with one",
    *(POINTS[k * KIB, 8][1] for k in (4, 8, 16, 32, 64)),
)
page.given("queue.cpp", "At 4 KiB with 8 in flight the")
page.says(
    "rows that were left out {}%, at worst {}%",
    *(100 * model["left_out"][f"iops_{which}"] for which in ("median", "worst")),
)
page.given("what model-ssd wrote", "at its own rows 0.3% of IOPS")
page.says("Repeated rows of this disk differ by {}%", 100 * model["spread"])
FIO = {(row["block"], row["depth"]): row["iops"] for row in model["rows"]}
alone = [median(samples(m)) / FIO[m["block"], 1] for m in ssd.all("storage", store="file", depth=1)]
page.says("has {} to {} of fio's rate** over this disk", min(alone), max(alone))
memory = text("2x-nvidia-h200-x86_64/20261128-storage-reused-memory.txt")
page.says(
    "had {} thousand requests a second where each\n  had a place of its own, {} into 64 blocks that "
    "are used again, and fio {}:",
    *(memory.line(f"median 64KiB  {how:22}")[0] for how in ("own", "reused", "fio")),
)
page.given("the depth of that run", "With 64 in flight at 64 KiB", "into 64 blocks")
page.given("its revision", "revision 9d4e98da with", "the plan of 3abcaed0")
page.given(
    "the plan of the run",
    "A model of 28 rows by fio (4 to 256 KiB; 1, 8, 64 and 256 in flight",
    "on an H100 with 16 cores",
    "at 21 points one of the model",
)
