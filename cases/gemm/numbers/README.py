"""Where the numbers of cases/gemm/README.md come from."""

from statistics import median

from recompute import Page
from result_files import results, series, text

H200 = "nvidia-h200-x86_64/"

page = Page("cases/gemm/README.md")


def seconds(m):
    """The median product."""
    return median(median(trial) for trial in series(m, "host_s"))


LARGE = (2048, 4096, 8192)
memory = {e: results(f"{H200}20261122-gemm-ram-{e}.json") for e in ("gpu", "pinned", "managed")}
cases = {e: [run.case("gemm", tile=tile) for tile in LARGE] for e, run in memory.items()}
over = [seconds(m) / m.quantity("floor_s") for e in ("gpu", "pinned") for m in cases[e]]
page.says("of 2048 and more: {} to {} times the floor on an H200", min(over), max(over))
slower = [seconds(m) / seconds(n) for m, n in zip(cases["managed"], cases["pinned"], strict=True)]
page.says("`managed` takes about {} times as long", median(slower))
page.given("tiles", "with tiles of 2048 and more")
page.given("side.py", "reads take 100 s**", "for each core and 16 at most")
plan = results(f"{H200}20261121-gpu-direct-io-gemm.json")
naive = {
    (engine, threads): [
        seconds(plan.case("gemm", schedule="naive", tile=t, engine=engine, threads=threads))
        for t in (512, 1024, 2048)
    ]
    for engine, threads in (("gpu", 8), ("uring", 16), ("posix", 16))
}


def ratios(engine):
    """The least and the greatest ratio to `gpu` over tiles."""
    found = [a / b for a, b in zip(naive[engine, 16], naive["gpu", 8], strict=True)]
    return min(found), max(found)


page.says(
    "from memory {} to {} times as fast as `uring`, and {} to {} times as 16",
    *ratios("uring"),
    *ratios("posix"),
)
page.given(
    "defaults of the code", "less than 32 such tiles", "units of 512 bytes", "units of 4096 bytes"
)
page.given("dates and names", "of 21 and 22 November", "arXiv:1702.02017")
page.given("the disks of cases/storage/EVIDENCE.md", "0.1 to 0.2 million")
page.given("the code: src/watari/gemm", "sample is 66 blocks", "and 64 spread evenly")
runs = text("2-core-intel-xeon-x86_64/20261126-gemm-read-back.txt").lines
products, backs = zip(
    *((float(w[1]), float(w[2])) for w in map(str.split, runs) if w[:1] == ["now"]), strict=True
)
page.says(
    "{} MB beside 281 MB in a product of 4096, and {} to {} s beside {} to {} s",
    4 * 4096**2 / 1e6, min(backs), max(backs), min(products), max(products),
)  # fmt: skip
page.given("bytes read and written, as the file states", "beside 281 MB in a product of 4096")
page.given("the smallest tile", "which is at least 128, or have")
side, tile = 131072, 2048  # a block row: its rows of A and C, and all of B
page.says(
    "needs {} GB of CPU memory instead of {} GB",
    4 * side * (side + 2 * tile) / 1e9,
    3 * 4 * side**2 / 1e9,
)
page.given("Hanawa (2025)", "So his N = 131,072", "beside his 4.34")
page.given("the plan", "for tiles of 512 to 4096")
