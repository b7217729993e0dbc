"""Paths, disks and the cache, of cases/storage/EVIDENCE.md."""

from recompute import Page
from result_files import results, text, trials

EPYC, H100, H200 = (
    "2-core-amd-epyc-x86_64/",
    "nvidia-h100-80gb-hbm3-x86_64/",
    "nvidia-h200-x86_64/",
)
KIB, MIB, GIB = 2**10, 2**20, 2**30
BLOCKS = (4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
COLD = {"mmap": "cold"}  # other engines read files with cache=none

page = Page("cases/storage/EVIDENCE.md")


def million(m):
    """Requests per second."""
    return m.quantity("requests_per_s") / 1e6


def cpu(m):
    return m.quantity("cpu_s_per_GB")


def row(name, cases):
    """A row of rates with CPU s/GB."""
    cases = list(cases)
    page.says(
        f"| {name} |" + " {} ({}) |" * len(cases), *(v for m in cases for v in (m.median, cpu(m)))
    )


def apart(m):
    """The distance of the trials, in percent of their median."""
    return 100 * (max(m.summary.medians) - min(m.summary.medians)) / m.median


def disk(run, engine, block):
    return run.case(
        "storage", engine=engine, block=block, store="file", cache=COLD.get(engine, "none")
    )


# On a CPU machine
epyc = results(f"{EPYC}20261121-gpu-direct-io.json")
for engine, name in {
    "posix": "`posix`, depth 1",
    "mmap": "`mmap`, cold, depth 1",
    "uring": "`uring`, depth 32",
    "queue": "`queue`, depth 32",
}.items():
    row(name, (disk(epyc, engine, block) for block in BLOCKS))
queue = epyc.case("storage", engine="queue", block=4096, store="ram")
page.says(
    "| `queue` (`store=ram`), {} µs of CPU time a request on both sides | {} | {} |",
    cpu(queue) * 4096 / 1e3,
    million(queue),
    queue.median,
)
for engine, name in {"mmap": "`mmap`", "posix": "`pread` from the page cache"}.items():
    warm = epyc.case("storage", engine=engine, block=4096, cache="warm")
    page.says(f"| {name} | {{}} | {{}} |", million(warm), warm.median)

# From memory
plan = results(f"{H200}20261122-gpu-direct-io.json")
first, rest = results(f"{H100}20261125-storage.json"), results(f"{H100}20261125-storage-warm.json")


def memory(run, engine, block):
    if engine == "gpu":
        return run.case("storage", engine="gpu", block=block, store="ram")
    return run.case("storage", engine=engine, block=block, cache="warm")


def on_h100(engine, block):
    """The plan was measured in two parts."""
    second = engine != "gpu" and block >= 16 * KIB
    return memory(rest if second else first, engine, block)


for engine, name in {
    "gpu": "`gpu`, behind queues (`store=ram`)",
    "uring": "`uring`, page cache, depth 32",
    "posix": "`posix`, page cache",
}.items():
    row(name, (memory(plan, engine, block) for block in BLOCKS))
    short = name.replace(", behind queues (`store=ram`)", "").replace(", depth 32", "")
    row(f"H100: {short}", (on_h100(engine, block) for block in BLOCKS))
standard = results(f"{H200}20261121-standard.json")
link, loads = (
    standard.case(
        "copy",
        processor="gpu",
        from_="pinned",
        to="device",
        means=means,
        size=GIB,
        streams=1,
        bidirectional=False,
    ).median
    for means in ("copy-engine", "kernel")
)
page.says("the copy engine reaches {} GB/s, loads of a kernel {}", link, loads)

# Threads
ratio = {}
for name, names, count in (
    ("", ("`gpu`, M/s", "over `uring`", "over `posix`"), (2, 4, 6, 8, 12, 14)),
    (
        "again-",
        ("another machine: `gpu`, M/s", "over `uring` there", "over `posix` there"),
        (2, 8, 14),
    ),
):
    gpu = results(f"{H200}20261121-storage-threads-{name}gpu.json")
    cpus = results(f"{H200}20261121-storage-threads-{name}cpu.json")
    cells = " {} |" * 6 if not name else " {} | | | {} | | {} |"
    rates = [million(gpu.case("storage", threads=n)) for n in count]
    page.says(f"| {names[0]} |" + cells, *rates)
    for engine, label in zip(("uring", "posix"), names[1:], strict=True):
        ratio[name + engine] = [
            rate / million(cpus.case("storage", engine=engine, threads=n))
            for n, rate in zip(count, rates, strict=True)
        ]
        page.says(f"| {label} |" + cells, *ratio[name + engine])
    if not name:
        page.says(
            "up to {}% apart with fewer than 12 threads",
            max(apart(gpu.case("storage", threads=n)) for n in (2, 4, 6, 8)),
        )
        page.given("columns of the table above it", "fewer than 12 threads")

blocks = [
    results(f"{H200}20261121-storage-blocks-again.json").case("storage", block=block)
    for block in (512, 4 * KIB, 64 * KIB, MIB)
]
page.says("| M requests/s | {} | {} | {} | {} |", *(million(m) for m in blocks))
page.says("| GB/s | {} | {} | {} | {} |", *(m.median for m in blocks))
explored = text(f"{H200}20261121-explored.txt")
_, served, copied = explored.line("4096 B:")
page.says(
    "a command of 4 KiB costs such a thread {} ns, and the copy of the block into its slot alone {}",
    served,
    copied,
)
few = [explored.line(f"gpu    ram   read b=   4096 d={n:4} t= 1:")[1] for n in (1, 8, 64)]
page.says("| requests/s, M | {} | {} | {} |", *few)
page.says("a single request takes {} µs", 1 / few[0])
rate = text(f"{H200}20261122-array-rate.txt")
ranges = [rate.line(f"ranges of 16777216 B by {n:3} warps:") for n in (1, 16, 64, 256)]
page.says("| the copy engine | {} | {} | {} | {} |", *(engine for _, engine in ranges))
page.says("| the warps | {} | {} | {} | {} |", *(warps for warps, _ in ranges))

# From a disk
NAMES = {
    "gpu": "`gpu`, 4 threads",
    "uring": "`uring`, 4 threads",
    "cufile": "`cufile`, compatibility mode",
    "posix": "`posix`",
    "mmap": "`mmap`, cold",
}
for engine, name in NAMES.items():
    row(name, (disk(plan, engine, block) for block in BLOCKS))
    if engine in ("gpu", "uring", "posix"):
        row(f"H100: {name}", (disk(first, engine, block) for block in BLOCKS))
page.says(
    "with {} M requests per second at 4 KiB",
    max(million(disk(plan, engine, 4096)) for engine in NAMES),
)
page.says(
    "Trials of one case are up to {}% apart",
    max(apart(disk(plan, engine, block)) for engine in NAMES for block in BLOCKS),
)

# Writes, order and several files
write, order, files = (
    results(f"{H200}20261124-storage-{name}.json") for name in ("write", "order", "files")
)
for engine, cells in {
    "`gpu`": " {} ({}; one trial) | {} ({}) |",
    "`uring`": " {} ({}) | {} ({}) |",
    "`posix`, 16 threads": " {} ({}) | {} ({}) |",
}.items():
    found = [
        write.case("storage", engine=engine.split("`")[1], block=block) for block in (4096, MIB)
    ]
    page.says(f"| {engine} |{cells}", *(v for m in found for v in (m.median, cpu(m))))
for engine, cells in {
    "gpu": "{} (trials {}% apart)",
    "uring": "{} ({}% apart)",
}.items():
    random = [
        order.case("storage", engine=engine, pattern="random").median,
        files.case("storage", engine=engine, files=1).median,
    ]
    four = files.case("storage", engine=engine, files=4)
    page.says(
        f"| `{engine}` | {{}} to {{}} | {{}} | {cells} |",
        min(random),
        max(random),
        order.case("storage", engine=engine, pattern="sequential").median,
        four.median,
        apart(four),
    )

# Another program on the same GPU
beside = text(f"{H200}20261124-gpu-beside-reads.txt")
steps = [float(line.split()[2]) for line in beside.lines if line.startswith("512x512x128  step")]
page.says("took {} to {} ms,", min(steps), max(steps))
page.says("Alone it takes {} ms", beside.line("The same step takes")[0])
page.given("the matrix of that command", "a matrix of 40 GB")

# Modelled SSDs
models = results(f"{H200}20261124-storage-modelled.json")
for name, cells in {
    "kioxia-cm6-v": "1.4 M/s, 6.9 GB/s",
    "samsung-pm1743": "2.5 M/s, 13 GB/s",
    "ten-million": "10 M/s, 28 GB/s, no product",
}.items():
    found = [models.case("storage", store=f"modelled:{name}", block=block) for block in (512, 4096)]
    page.says(
        f"| `modelled:{name}` | {{}} ({{}}) | {{}} ({{}}) |",
        *(v for m in found for v in (million(m), m.median)),
    )
    page.given("src/watari/storage/backends/modelled.cpp", cells)
page.given("src/watari/storage/backends/modelled.cpp", "the 28 GB/s of that\nmodel")
calls = [
    results(f"nvidia-h100-80gb-hbm3-x86_64/20261128-storage-modelled-{call}.json")
    for call in (1, 2)
]


def short_requests(name):
    """Million requests of 512 B a second, of each trial of each call."""
    cases = [call.case("storage", store=f"modelled:{name}", block=512) for call in calls]
    return [rate / 1e6 for m in cases for rate in trials(m, "requests_per_s")]


(slower, faster), (one, other) = (
    sorted(short_requests(name)) for name in ("kioxia-cm6-v", "samsung-pm1743")
)
page.says(
    "512 B came at {} and {} M/s from the CM6-V, at {} M/s", slower, faster, (one + other) / 2
)
page.says("at {}, {}, {} and {} M/s from the model of ten", *short_requests("ten-million"))
page.given("the run", "512 B came", "14 threads too")

# Beside Hanawa (2025)
page.given("published/hanawa-2025.toml", "10.7 times the bandwidth", "an A100 and one SSD")
page.says(
    "{} times the bandwidth of `cufile` at 4 KiB, {} times at 128 KiB and {} times at 256 KiB",
    *(
        disk(plan, "gpu", block).median / disk(plan, "cufile", block).median
        for block in (4 * KIB, 128 * KIB, 256 * KIB)
    ),
)
page.says("Our disk serves {} million requests per second", million(disk(plan, "gpu", 4 * KIB)))
whole = memory(plan, "gpu", 4096).median / memory(plan, "posix", 4096).median
of_posix = [*ratio["posix"], *ratio["again-posix"], whole]
page.says(
    "is {} to {} times as fast as `posix`, the path with a call for each block (on the H100 {} times)",
    min(of_posix),
    max(of_posix),
    on_h100("gpu", 4096).median / on_h100("posix", 4096).median,
)

# The cache of array<T>
caches = [text(f"{EPYC}20261121-array-rate.txt"), rate]
for pages, ranges, order in (
    (4, 4, "sequential"),
    (4, 4, "random    "),
    (4, 1024, "random    "),
    (64, 64, "random    "),
    (64, 1024, "sequential"),
):
    key = f"{order} pages of {pages * KIB:6} B, ranges of {ranges * KIB:7} B: past"
    lines = [file.line(key) for file in caches]
    name = "random" if order.startswith("random") else "in order"
    sizes = f"| {pages} KiB | " + ("1 MiB" if ranges == 1024 else f"{ranges} KiB")
    page.says(
        f"{sizes} | {name} |" + " {} | {} | {} |" * 2,
        *(v for past, _, miss, hit, _ in lines for v in (hit, miss, past)),
    )
page.given("benchmarks/array_rate.cpp", "14 controller threads serve up to 4096 warps")
