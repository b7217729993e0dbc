"""A model beside its disk, of cases/storage/EVIDENCE.md."""

from statistics import median

from recompute import Page
from result_files import results, text

KIB = 2**10

page = Page("cases/storage/EVIDENCE.md")
ssd = results("2x-nvidia-h200-x86_64/20261128-storage-ssd.json")


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
own = [abs(point[1] - 1) for point in POINTS.values()]
page.says("to {}% in the median, {}% at worst", 100 * median(own), 100 * max(own))
small = [point for (block, _), point in POINTS.items() if block <= 32 * KIB]
off = [abs(point[0] - 1) for point in small]
page.says(
    "own spread at {} of {} points**, and {}% off in the median",
    sum(error <= point[2] for error, point in zip(off, small, strict=True)),
    len(small),
    100 * median(off),
)
page.says(
    "faster than the disk**: {} times",
    median(point[0] for (block, _), point in POINTS.items() if block > 32 * KIB),
)
page.given("the model's file", "is 0.3% of IOPS", "left out 10.7%")
memory = text("2x-nvidia-h200-x86_64/20261128-storage-reused-memory.txt")
page.says(
    "the engine has {} thousand requests a second into memory of their own, {} into 64 blocks that "
    "are used again, and fio {}:",
    *(memory.line(f"median 64KiB  {how:22}")[0] for how in ("own", "reused", "fio")),
)
page.given("the depth of that run", "with 64 in flight", "into 64 blocks")
page.given("the times in these files", "in the first 70 s")
page.given("its revision", "revision 32414221 with uncommitted")
page.given(
    "the plan of the run",
    "A model of 20 rows",
    "(4, 16, 64, 256 KiB; 1 to 256",
    "12 points",
    "on 12 of 32 cores",
)
