"""Where the numbers of cases/gemm/EVIDENCE.md come from."""

from statistics import median

from recompute import Page
from result_files import results, series

H200 = "nvidia-h200-x86_64/"
EPYC = "2-core-amd-epyc-x86_64/"

page = Page("cases/gemm/EVIDENCE.md")


def seconds(m):
    """The median product."""
    return median(median(trial) for trial in series(m, "host_s"))


def over(m):
    """The time divided by the floor of its trial."""
    return median(
        median(trial["host_s"]) / trial["quantities"]["floor_s"]["value"] for trial in m.trials
    )


# In Hanawa's conditions
plan = results(f"{H200}20261121-gpu-direct-io-gemm.json")
page.given(
    "published/hanawa-2025.toml",
    "Hanawa (2025) reports 4.34 times",
    "SGEMM with N = 131,072 and tiles of 2,048",
    "reports 4.34x over",
    "an A100",
)
page.given(
    "settings of the plan",
    "tiles of 512 to 8,192",
    "N up to 65,536 if disk and memory have room (52 GB)",
    "N = 8192, 512 MiB",
    "tile of T x T float32 elements is T pieces of 4 T bytes: 2 to 8 KiB for T of 512 to 2048",
)
for tile in (512, 1024, 2048):
    gpu, uring, posix, one = (
        seconds(plan.case("gemm", schedule="naive", store="ram", tile=tile, engine=e, threads=t))
        for e, t in (("gpu", 8), ("uring", 16), ("posix", 16), ("posix", 1))
    )
    page.says(
        f"| {tile} | {{}} | {{}} | {{}} | {{}} | {{}}x | {{}}x | {{}}x |",
        gpu,
        uring,
        posix,
        one,
        uring / gpu,
        posix / gpu,
        one / gpu,
    )

# From memory, with blocks that stay
TILES = (512, 1024, 2048, 4096, 8192)
ENGINES = ("gpu", "pinned", "managed", "uring", "mmap", "posix")
memory = {engine: results(f"{H200}20261122-gemm-ram-{engine}.json") for engine in ENGINES}
for tile in TILES:
    row = [memory[engine].case("gemm", tile=tile) for engine in ENGINES]
    page.says(
        f"| {tile} |" + " {} ({}) |" * len(row), *(v for m in row for v in (seconds(m), over(m)))
    )
floors = [
    memory[engine].case("gemm", tile=tile).quantity("floor_s")
    for engine in ("gpu", "pinned")
    for tile in TILES[2:]
]
page.says("It is {} to {} s from tiles of 2048 on", min(floors), max(floors))
written = [
    memory[engine].case("gemm", tile=tile).quantity("store_floor_s")
    for engine in ("uring", "posix")
    for tile in TILES
]
page.says("file in memory ({} to {} s)", min(written), max(written))
later = results(f"{H200}20261123-gemm-ram.json")
gpu, pinned = (later.case("gemm", engine=engine) for engine in ("gpu", "pinned"))
page.says(
    "`gpu` took {} s ({}) and `pinned` {} s ({})",
    seconds(gpu),
    over(gpu),
    seconds(pinned),
    over(pinned),
)
large = results(f"{H200}20261122-gemm-65536-ram.json")
gpu, uring = (large.case("gemm", engine=engine) for engine in ("gpu", "uring"))
page.says(
    "`gpu` takes {} s ({}). `uring` takes {} s ({})",
    seconds(gpu),
    over(gpu),
    seconds(uring),
    over(uring),
)
page.says("in memory at {} GB/s", uring.quantity("store_write_bytes_per_s") / 1e9)
budgets = results(f"{H200}20261121-gemm-ram-budgets.json")
gpu, pinned = (
    budgets.case("gemm", engine=e, tile=8192, fast_memory=2**31) for e in ("gpu", "pinned")
)
page.says("`gpu` takes {} s and `pinned` {} s (`gemm-ram", seconds(gpu), seconds(pinned))

# Double precision
double = results(f"{H200}20261124-gemm-double.json")
FLOPS = 2 * 8192**3
times = {}
for engine in ("gpu", "pinned"):
    single, twice = (double.case("gemm", engine=engine, precision=p) for p in ("single", "double"))
    times[engine] = seconds(twice) / seconds(single)
    page.says(
        f"| `{engine}` | {{}}, {{}} | {{}}, {{}} | {{}}, {{}} |",
        seconds(single),
        FLOPS / seconds(single) / 1e12,
        seconds(twice),
        FLOPS / seconds(twice) / 1e12,
        over(single),
        over(twice),
    )
page.says("`pinned` takes {} times as long and `gpu` {} times", times["pinned"], times["gpu"])
calls = [
    results(f"nvidia-h100-80gb-hbm3-x86_64/20261128-gemm-double-{call}.json") for call in (1, 2, 3)
]


def of_call(number, engine, precision):
    return calls[number - 1].case("gemm", engine=engine, precision=precision)


ROWS = {
    "gpu": [(1, "single"), (2, "single"), (2, "double"), (3, "single"), (3, "double")],
    "pinned": [(1, "single"), (2, "single"), (3, "single"), (3, "double")],
}
for engine, row in ROWS.items():
    cells = [" {} ({}) |"] * len(row)
    if engine == "pinned":
        cells.insert(2, " |")
    shown = [of_call(call, engine, precision) for call, precision in row]
    page.says(
        f"| `{engine}` |" + "".join(cells),
        *(value for m in shown for value in (seconds(m), over(m))),
    )
wide, narrow = (of_call(2, "gpu", precision) for precision in ("double", "single"))
third = {e: [of_call(3, e, p) for p in ("double", "single")] for e in ROWS}
page.says(
    "takes `gpu` {} and {} times as long as single** in the second and third call, with twice the "
    "bytes, and `pinned` {}\n  times",
    seconds(wide) / seconds(narrow),
    *(seconds(double) / seconds(single) for double, single in third.values()),
)
page.says(
    "`gpu` took {} to {} s, `pinned` {} to\n  {}.",
    *(value for m in third.values() for s in series(m[0], "host_s") for value in (min(s), max(s))),
)
page.says(
    "cuBLAS alone had {} TFLOPS in double precision, {} in single.",
    *(m.quantity("blas_flops_per_s") / 1e12 for m in (wide, narrow)),
)
page.says(
    "took {} to {} s, in single precision\n  {} to {} s.",
    *(value for m in (wide, narrow) for s in series(m, "host_s") for value in (min(s), max(s))),
)
page.says(
    "writes had {} GB/s in the trial of the second call and {} GB/s in the single one. So {} says",
    *(m.quantity("store_write_bytes_per_s") / 1e9 for m in (wide, narrow)),
    over(wide),
)
page.given(
    "the run",
    "On H100s, N = 16384, three calls",
    "one trial each, 3 products; in",
)

# From the disk, with blocks that stay
disk = {
    e: results(f"{H200}20261122-gemm-disk-{e}.json")
    for e in ("gpu", "uring", "posix", "cufile", "mmap")
}
for tile in TILES:
    gpu, uring, *others = (disk[engine].case("gemm", tile=tile) for engine in disk)
    page.says(
        f"| {tile} | {{}} ({{}}) | {{}} ({{}}) | {{}} | {{}} | {{}} |",
        seconds(gpu),
        over(gpu),
        seconds(uring),
        over(uring),
        *map(seconds, others),
    )
gpu = disk["gpu"].case("gemm", tile=2048)
page.says(
    "is the time to read {} GB and to write {} GB",
    gpu.quantity("bytes_read") / 1e9,
    gpu.quantity("bytes_written") / 1e9,
)
pairs = results(f"{H200}20261122-gemm-disk-pairs.json")
gpu, uring = (
    [median(t) for m in pairs.all("gemm", engine=engine) for t in series(m, "host_s")]
    for engine in ("gpu", "uring")
)
page.says(
    "took `gpu` {} to {} s and `uring` {} to {} s", min(gpu), max(gpu), min(uring), max(uring)
)
more = {
    "N = 65536, 8 GiB (`gemm-65536-disk.json`)": [
        results(f"{H200}20261122-gemm-65536-disk.json").case("gemm", engine=e)
        for e in ("gpu", "uring")
    ],
    "N = 49152, 8 GiB (`gemm-large-disk-{gpu,uring}.json`)": [
        results(f"{H200}20261122-gemm-large-disk-{e}.json").case("gemm") for e in ("gpu", "uring")
    ],
    "N = 24576, 4 GiB, stored as tiles (`gemm-stored-tiles.json`)": [
        results(f"{H200}20261122-gemm-stored-tiles.json").case("gemm", engine=e, store="file")
        for e in ("gpu", "uring")
    ],
}
for row, (gpu, uring) in more.items():
    page.says(row + " | {} ({}) | {} ({}) |", seconds(gpu), over(gpu), seconds(uring), over(uring))
page.given(
    "settings",
    "N = 24576 and 4 GiB",
    "from tiles of 2048 on, whose",
    "N = 65536 with 8 GiB",
    "52 GB of matrices",
    "and tiles of 2048,",
    "eight tiles of 8192",
    "N = 8192 from memory",
    "N = 24576, 4 GiB. The floor",
    "With other sizes, tiles of 2048",
    "N = 65536, 8 GiB",
    "N = 49152, 8 GiB",
    "N = 24576, 4 GiB, stored",
    "tiles of 2048 to 8192 took",
    "with 32 requests of 128 KiB",
    "`gpu` keeps 64 requests",
)
page.given(
    "of the machine and the code",
    "virtual disk of 3.3 GB/s at best",
    "of 21 and 22 November",
    "begin at byte 128",
)

# On a CPU machine
xeon = results("2-core-intel-xeon-x86_64/20261122-gemm-8192.json")
ratios = [
    median(t["host_s"]) / t["quantities"]["floor_s"]["value"] for m in xeon.cases for t in m.trials
]
page.says("have a median of {} times the floor", median(ratios))
turns = results(f"{EPYC}20261121-gemm-turns.json")
page.says(
    "| `uring` | {} | {} | {} |\n| `queue` | {} | {} | {} |",
    *(
        seconds(turns.case("gemm", engine=engine, tile=tile))
        for engine in ("uring", "queue")
        for tile in TILES[:3]
    ),
)
page.given(
    "settings",
    "N = 8192 in single",
    "floor from 1024 on",
    "with tiles of 1024 and 2048 (",
    "tiles of 512 | 1024 | 2048 |",
    "have 128 bytes before",
)
read = turns.case("gemm", engine="uring", tile=1024).quantity("bytes_read") / 1e6
page.says("half a second for {} MB to read and {} MB to write", read, 4 * 8192**2 / 1e6)
