"""Where the numbers of cases/storage/README.md come from."""

from recompute import Page
from result_files import results, text

H200 = "nvidia-h200-x86_64/"

page = Page("cases/storage/README.md")
page.given("wait_until of engines.cpp", "until 0.1 ms before", "has up to 0.1 ms a request")
plan = results(f"{H200}20261122-gpu-direct-io.json")


def cpu(engine):
    """CPU s/GB of blocks of 4 KiB from the disk."""
    return plan.case("storage", engine=engine, block=4096, store="file", cache="none").quantity(
        "cpu_s_per_GB"
    )


def rates(name, engine):
    """Requests per second by the number of threads; `gpu` as its files have it."""
    run = results(
        f"{H200}20261121-storage-threads{name}-{'gpu' if engine == 'gpu' else 'cpu'}.json"
    )
    return {m["threads"]: m.median for m in run.all("storage", engine=engine)}


def over(engine):
    """`gpu` from memory over another engine, as many threads; and in the plan."""
    whole = plan.case("storage", engine="gpu", block=4096, store="ram").median
    same = plan.case("storage", engine=engine, block=4096, cache="warm").median
    threads = [
        rate / rates(name, engine)[count]
        for name in ("", "-again")
        for count, rate in rates(name, "gpu").items()
    ]
    return [*threads, whole / same]


def beside_posix(run, words, cases):
    """A row of the table: `uring` and `gpu` over `posix`, in rate and in CPU time."""
    own = {engine: run.case("storage", **given) for engine, given in cases.items()}
    rate = [own[name].median / own["posix"].median for name in ("uring", "gpu")]
    time = [
        own[name].quantity("cpu_s_per_GB") / own["posix"].quantity("cpu_s_per_GB")
        for name in ("uring", "gpu")
    ]
    page.says(f"{words} | {{}} | {{}} | {{}} | {{}} |", *rate, *time)


def engines(**given):
    return {name: {"engine": name, **given} for name in ("posix", "uring", "gpu")}


KIB = 2**10
for block, words in (
    (4 * KIB, "from a disk, at random | 4 KiB | `uring`"),
    (64 * KIB, "| 64 KiB | `gpu` for its rate, `uring` for its CPU time"),
    (256 * KIB, "| 256 KiB | as before"),
):
    beside_posix(plan, words, engines(block=block, store="file", cache="none"))
written = results(f"{H200}20261124-storage-write.json")
for block, words in (
    (4 * KIB, "to a disk, at random | 4 KiB | `uring`"),
    (KIB * KIB, "| 1 MiB | `uring`"),
):
    beside_posix(written, words, engines(block=block))
for block, words in (
    (4 * KIB, "not the limit | 4 KiB | `gpu`"),
    (64 * KIB, "| 64 KiB | `gpu`"),
    (256 * KIB, "| 256 KiB | `gpu`"),
):
    cached = engines(block=block, cache="warm")
    beside_posix(plan, words, {**cached, "gpu": {"engine": "gpu", "block": block, "store": "ram"}})
array = text(f"{H200}20261122-array-rate.txt")
_, _, miss, hit, _ = array.line("random     pages of   4096 B, ranges of    4096 B: past")
page.says("is read {} times as fast as one that is not", hit / miss)
page.given("the pages of case gather: random, one page each", "(random pages of 4 KiB)")
page.given("cases/storage/native/storage.cpp", "a note where one takes 1.5 times as")
page.given("SwarmIO, arXiv 2604.06668", "(arXiv 2604.06668)", "2.8% of latency and 7.4% of IOPS")
page.given(
    "cases/storage/kv_cache.py",
    "64 KiB for 16 tokens in one of 32 layers (8 heads of 128, 2 bytes, keys and values)",
    "`block=4KiB` is 16 requests, and one of 512 bytes",
)
page.given("counted in the machine's description", "an H200 with 16 cores")
order = results(f"{H200}20261124-storage-order.json")
in_order = [
    order.case("storage", engine=name, pattern="sequential").median
    / order.case("storage", engine=name, pattern="random").median
    for name in ("uring", "gpu")
]
page.says("are {} to {} times as fast as random ones", min(in_order), max(in_order))

posix, uring = over("posix"), over("uring")
page.says("it costs {} s of CPU time a GB; `gpu` costs {} s", cpu("uring"), cpu("gpu"))
page.says(
    "it is {} to {} times as fast as `posix` and {} to {} times as fast as `uring`",
    min(posix),
    max(posix),
    min(uring),
    max(uring),
)
explored = text(f"{H200}20261121-explored.txt")
single = explored.line("gpu    ram   read b=   4096 d=   1 t= 1:")[1]
page.says("a request by the GPU takes {} µs", 1 / single)
beside = text(f"{H200}20261124-gpu-beside-reads.txt")
steps = [float(line.split()[2]) for line in beside.lines if line.startswith("512x512x128  step")]
page.says(
    "took {} to {} ms in place of {}",
    min(steps),
    max(steps),
    beside.line("The same step takes")[0],
)
page.given("counted: a submission and a completion", "adds 80 bytes of queue entries")
page.given("NVMe specification 1.4", "1.4, bit for bit. A submission has 64 bytes, a completion 16")
page.given("src/watari/storage/", "The timeout is 10 s, with `fault` 0.2 s", "sector of 512 bytes")

# Workloads of today, and modelled SSDs until the link is the limit
today = results("nvidia-h100-80gb-hbm3-x86_64/20261126-storage-today.json")


def rate(**given):
    """GB/s of a case on the GPU."""
    return today.case("storage", processor="gpu", **given).median


PATHS = ("posix", "mmap", "cufile", "uring", "gpu")
for words, pattern in (
    ("pages of a KV cache, 64 KiB", "kv-cache"),
    ("tensors of a checkpoint, 1 MiB", "checkpoint"),
):
    page.says(
        f"| {words}, read | {{}} | {{}} | {{}} | {{}} | {{}} |",
        *(rate(pattern=pattern, direction="read", engine=engine) for engine in PATHS),
    )
for words, pattern in (("pages", "kv-cache"), ("tensors", "checkpoint")):
    page.says(
        f"| the {words}, written | {{}} | | | {{}} | {{}} |",
        *(
            rate(pattern=pattern, direction="write", engine=engine)
            for engine in ("posix", "uring", "gpu")
        ),
    )


def modelled(ssd, block):
    """GB/s by the number of SSDs."""
    return [rate(store=f"modelled:{ssd}", block=block, files=count) for count in (1, 2, 4, 8, 16)]


page.says(
    "of his SSD give {}, {}, {}, {}\n  and {}; of one with twice the rate {}, {}, {}, {} and {}",
    *modelled("kioxia-cm6-v", 64 * KIB),
    *modelled("samsung-pm1743", 64 * KIB),
)
small = modelled("kioxia-cm6-v", 4 * KIB)[-1]
page.says("16 of the first give {}, or {} million", small, small * 1e3 / 4096)
page.given(
    "the case",
    "H100 with 16 cores",
    "Blocks of 64 KiB by `gpu` from",
    "1, 2, 4, 8 and 16 of",
    "At 4 KiB 16 of",
    "and 16 of his",
)
