"""In Hanawa's conditions, from a disk, of cases/gemm/EVIDENCE.md."""

from statistics import median

from recompute import Page
from result_files import results, series

H100 = "nvidia-h100-80gb-hbm3-x86_64/"

page = Page("cases/gemm/EVIDENCE.md")
page.given("published/hanawa-2025.toml", "his SSD gave 4.34")


def seconds(m):
    """The median product."""
    return median(median(trial) for trial in series(m, "host_s"))


# In the conditions of Hanawa (2025): a block row by engine, threads and tile
naive_files = [
    results(f"{H100}20261126-gemm-naive{part}.json") for part in ("", "-posix", "-thread")
]
modelled = results(f"{H100}20261126-gemm-modelled.json").case("gemm")


def block_row(file, **parameters):
    """Seconds of a block row, and GB/s of the disk in the same trial."""
    m = naive_files[file].case("gemm", **parameters)
    return m.quantity("block_row_s"), m.quantity("store_read_bytes_per_s") / 1e9


gpu_row, gpu_rate = block_row(0, engine="gpu", tile=2048)
page.says("| 16,384 | 2048 | a disk | `gpu` | {} | {} | 1.00 |", gpu_row, gpu_rate)
for words, file, parameters in (
    ("`uring`", 0, {"engine": "uring", "tile": 2048}),
    ("`posix`, 16", 1, {"tile": 2048}),
    ("`posix`, 1", 2, {"tile": 2048}),
):
    row, rate = block_row(file, **parameters)
    page.says(f"| 2048 | a disk | {words} | {{}} | {{}} | {{}} |", row, rate, row / gpu_row)
small_row, small_rate = block_row(0, engine="gpu", tile=512)
page.says("| 16,384 | 512 | a disk | `gpu` | {} | {} | 1.00 |", small_row, small_rate)
row, rate = block_row(1, tile=512)
page.says("| 512 | a disk | `posix`, 16 | {} | {} | {} |", row, rate, row / small_row)
page.says(
    "| 131,072 | 2048 | a model of his SSD | `gpu` | {} | {} | 1.00 |",
    modelled.quantity("block_row_s"),
    modelled.quantity("store_read_bytes_per_s") / 1e9,
)
page.says(
    "threads are {} times as fast** from this disk, where his SSD gave 4.34; over 16 threads {} times",
    block_row(2, tile=2048)[0] / gpu_row,
    block_row(1, tile=2048)[0] / gpu_row,
)
page.says(
    "takes `gpu` {} times the floor, {} s for {} GB",
    modelled.quantity("block_row_s") / modelled.quantity("floor_s"),
    modelled.quantity("block_row_s"),
    modelled.quantity("bytes_read") / 1e9,
)
by_uring = results(f"{H100}20261128-gemm-modelled-uring.json").case("gemm")
longer = by_uring.quantity("block_row_s") / modelled.quantity("block_row_s")
page.says(
    "| 131,072 | 2048 | a model of his SSD | `uring` | {} | {} | {} |",
    by_uring.quantity("block_row_s"),
    by_uring.quantity("store_read_bytes_per_s") / 1e9,
    longer,
)
page.says("`uring` takes {} times as long", longer)
page.given("published/hanawa-2025.toml", "He had 4.34 over")
page.given("the limit of that command", "16\n  threads of `posix` were ended there after 260 s")
page.given("its revision", "revision 9d4e98da)")
# The plan: whole products, and a block row by tile
whole = results(f"{H100}20261127-gemm-hanawa.json")
later = results(f"{H100}20261128-gemm-whole.json")


def naive_row(n, tile, engine, run=whole):
    """Seconds, GFLOPS, GB/s of the reads, and seconds over the floor of the trial."""
    m = run.case("gemm", n=n, tile=tile, engine=engine)
    took = seconds(m)
    return (
        took,
        2 * n**3 * m.quantity("share") / took / 1e9,
        m.quantity("bytes_read") / took / 1e9,
        took / m.quantity("floor_s"),
    )


NAIVE = (
    (9728, 512, "all", "gpu", "uring", "posix"),
    (15360, 1024, "all", "gpu"),
    (11264, 1024, "all, later", "gpu", "uring"),
    (16384, 2048, "all, later", "gpu", "uring", "posix"),
    (24576, 4096, "all, later", "gpu", "uring", "posix"),
    (16384, 512, "a block row", "gpu", "uring"),
    (16384, 1024, "a block row", "gpu", "uring"),
    (16384, 2048, "a block row", "gpu"),
    (16384, 4096, "a block row", "gpu"),
)
for n, tile, part, *engines in NAIVE:
    name = f"| {n:,}" if n > 10000 else f"| {n}"
    run = later if "later" in part else whole
    for engine in engines:
        row = naive_row(n, tile, engine, run)
        threads = 4 if engine == "gpu" else 16
        words = f"{name} | {tile} | {part} | `{engine}`, {threads} |"
        page.given("the axes", words)
        over_gpu = [] if engine == "gpu" else [row[0] / naive_row(n, tile, "gpu", run)[0]]
        page.says(
            f"{words} {{}} | {{}} | {{}} | {{}} | {'{}' if over_gpu else '1.00'} |", *row, *over_gpu
        )
small_tile, large_tile = (naive_row(16384, tile, "gpu") for tile in (512, 4096))
page.says(
    "a block row has {} GFLOPS with tiles of 512 and {} with tiles of 4096, {} times as many",
    small_tile[1],
    large_tile[1],
    large_tile[1] / small_tile[1],
)
page.says("the disk gives {} times the bytes", large_tile[2] / small_tile[2])
short = [
    1e3 * naive_row(n, tile, engine, run)[2] / (4 * tile)
    for n, tile, part, *engines in NAIVE
    for run in [later if "later" in part else whole]
    for engine in engines
    if tile <= 1024 and engine != "posix"
]
disk_rates = [
    m.quantity("store_read_bytes_per_s") / 1e9
    for m in whole.all("gemm") + later.all("gemm")
    if m["tile"] <= 1024 and m["engine"] != "posix"
]
page.says("`gpu` and `uring` read {} to {} million rows of tiles a second", min(short), max(short))
page.says("{} to {} GB/s in the same trials", min(disk_rates), max(disk_rates))
WHOLE = ((9728, 512, whole), (11264, 1024, later), (16384, 2048, later), (24576, 4096, later))


def over_gpu_threads(engine, products):
    """Seconds over those of `gpu`, for each product."""
    return [
        naive_row(n, tile, engine, run)[0] / naive_row(n, tile, "gpu", run)[0]
        for n, tile, run in products
    ]


page.says(
    "whole products take it {}, {}, {} and {} times as long with tiles of 512, 1024, 2048 and\n  4096, block rows {} and {}.",
    *over_gpu_threads("uring", WHOLE),
    *over_gpu_threads("uring", [(16384, tile, whole) for tile in (512, 1024)]),
)
page.says(
    "16 threads of `posix` take {}, {} and {} times as long as `gpu` with tiles of 512, 2048 and 4096",
    *over_gpu_threads("posix", [WHOLE[0], *WHOLE[2:]]),
)
shared = [later.case("gemm", tile=2048, engine=engine) for engine in ("gpu", "uring")]
beside, alone = (
    sorted(m.quantity("store_read_bytes_per_s") / 1e9 for m in cases)
    for cases in (shared, [m for m in later.all("gemm") if m not in shared])
)
page.says("large reads had {} and {} GB/s in the two beside the other job", *beside)
page.says("other job, {} to {} in the", alone[0], alone[-1])
page.says(
    "of 100 s by `posix` the product took {} s, of 50 s in the later call {} and {} s",
    naive_row(9728, 512, "posix")[0],
    *(naive_row(n, tile, "posix", later)[0] for n, tile, _ in WHOLE[2:]),
)
page.given(
    "the formulas and axes of the plan",
    "`fast-memory` is 512 MiB for whole products, whose N is `n=auto:100s`, else 2 GiB",
    "512 MiB, 1 GiB and 2 GiB for tiles of 1024, 2048 and 4096",
    "in its first 68 s:",
    "`gpu` with tiles of 2048, and most",
    "`posix` with tiles of 2048. With",
    "with tiles of 512 and 824",
    "with tiles of 4096,",
    "T / 4 flops for each byte, which is 8 times as many",
    "a request of 4 T bytes",
    "with tiles of 512 and 1024**",
    "16 threads of `posix` take",
    "tiles of 512, 1024, 2048 and\n  4096, block rows",
    "with tiles of 512, 2048 and 4096.",
    "of 100 s by `posix`",
    "of 50 s in the later call",
    "with tiles of 1024; block rows by `uring` with 4096, by 16 threads of `posix` with 1024\n  and 4096, by one thread with 512 and 1024",
)
paths = results(f"{H100}20261126-gemm-modelled-paths.json")
rows = {engine: paths.case("gemm", engine=engine) for engine in ("gpu", "uring")}
for engine, m in rows.items():
    page.says(
        f"| 65,536 | 2048 | a model of his SSD | `{engine}` | {{}} | {{}} | {{}} |",
        m.quantity("block_row_s"),
        m.quantity("store_read_bytes_per_s") / 1e9,
        m.quantity("block_row_s") / rows["gpu"].quantity("block_row_s"),
    )
page.given(
    "the case, and a row over itself",
    "| 16,384 | 2048 | a disk |",
    "| 16,384 | 512 | a disk |",
    "| 65,536 | 2048 |",
    "| 131,072 | 2048 | a model of his SSD |",
    "| 1.00 |",
    "`posix`, 16 |",
)
