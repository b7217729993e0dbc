"""Figures of Boku, Doi and Hanawa, of docs/studies.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import results, series, trials

from watari.results.statistics import seconds

page = Page("docs/studies.md")
GB, KIB, MIB, GIB = 10**9, 2**10, 2**20, 2**30
H200, H100 = "nvidia-h200-x86_64/", "nvidia-h100-80gb-hbm3-x86_64/"


def edges(values):
    """The least and the most."""
    return min(values), max(values)


# Boku: streams
miyabi = results(f"{H200}20261121-miyabi-memory.json")
one, both = (
    miyabi.case(
        "copy",
        processor="gpu",
        from_="pinned",
        to="device",
        means="copy-engine",
        size=256 * MIB,
        streams=1,
        bidirectional=bidirectional,
    ).median
    for bidirectional in (False, True)
)
page.says("the other direction, {} times", both / one)

# Doi: the lattice
lattice = results(f"{H100}20261126-lattice.json")
CLASSES = ("class2", "class3")


def solve(number, style="explicit"):
    """A solve on one GPU in double precision."""
    return lattice.case(
        "lattice", lattice=number, style=style, precision="double", links=18, rhs=1, ranks=1
    )


def over(style):
    """Rates of a style over those of explicit copies at classes 2 and 3."""
    rate = "flops_per_s"
    return [solve(c, style).quantity(rate) / solve(c).quantity(rate) for c in CLASSES]


page.says("at class 3 {} [at an earlier revision]", over("acc-data")[1])
page.says("the lattice {} at class 2 and {} at class 3; [with LLVM]", *over("omp-target"))
TWO_H100S = "2x-nvidia-h100-80gb-hbm3-x86_64/"
by_compiler = results("2x-nvidia-h200-x86_64/20261128-lattice-compilers-registers.json")
for words, style, compiler in (
    ("EVIDENCE.md#by-compiler) {} at class 2 |", "omp-target", "llvm"),
    ("has {} of CUDA's rate at class 2, at class 3", "acc-data", "gcc"),
):
    page.says(
        words,
        by_compiler.case("lattice", style=style, compiler=compiler).quantity("flops_per_s")
        / by_compiler.case("lattice", style="explicit").quantity("flops_per_s"),
    )
page.says("{} of explicit at class 2, {} at class 3;", *over("managed"))
page.says("prefetched {} and {} |", *over("managed-prefetch"))
longer = []
for c in CLASSES:
    first, *later = seconds(solve(c, "managed").trials[0])
    longer += [1e3 * (first - median(later)), solve(c, "managed").quantity("loop")]
page.says("{} ms of a solve of {} s at class 2, {} ms of {} s at class 3", *longer)
on_two = results(f"{TWO_H100S}20261127-lattice-two.json")
one, two = (
    on_two.case("lattice", style="explicit", ranks=n).quantity("flops_per_s") for n in (1, 2)
)
on_h200s = results("2x-nvidia-h200-x86_64/20261128-lattice-two.json")
newer = {n: on_h200s.case("lattice", style="explicit", ranks=n) for n in (1, 2)}
page.says(
    "(../cases/lattice/EVIDENCE.md#on-two-gpus) {} times one at class 3 on H100s and {} on H200s",
    two / one,
    newer[2].quantity("flops_per_s") / newer[1].quantity("flops_per_s"),
)
by_openacc = results(f"{TWO_H100S}20261128-lattice-host-data.json")
page.says(
    "in OpenACC {} and {} |",
    *(
        run.case("lattice", style="acc-host-data", ranks=2).quantity("flops_per_s")
        / run.case("lattice", style="acc-data", ranks=1).quantity("flops_per_s")
        for run in (
            by_openacc,
            results("2x-nvidia-h200-x86_64/20261128-lattice-two-directives.json"),
        )
    ),
)

# Hanawa: storage
storage = results(f"{H200}20261122-gpu-direct-io.json")


def disk(engine, block=4 * KIB):
    """GB/s of reads of the disk."""
    return storage.case("storage", engine=engine, block=block, store="file", cache="none").median


page.says(
    "[{} from a disk ({} against {} GB/s)]",
    disk("gpu") / disk("cufile"),
    disk("gpu"),
    disk("cufile"),
)
page.says(
    "{} times `posix` [from memory]",
    storage.case("storage", engine="gpu", block=4 * KIB, store="ram").median
    / storage.case("storage", engine="posix", block=4 * KIB, cache="warm").median,
)
blocks = sorted({m["block"] for m in storage.all("storage", engine="gpu", store="file")})
page.says(
    "[GPU threads ahead, {} to {} times]",
    *edges([disk("gpu", b) / disk("cufile", b) for b in blocks if b >= 128 * KIB]),
)
page.given(
    "cases/storage/EVIDENCE.md",
    "serves at most 0.1 million requests",
    "at 0.1 million requests a second, is",
)
ratios = {b: disk("uring", b) / disk("gpu", b) for b in blocks}
page.says("it has {} to {} times the rate of `gpu`", *edges(ratios.values()))
page.says("({}, {}, {}; medians of three", *(ratios[n * KIB] for n in (8, 64, 256)))
modelled = results(f"{H200}20261124-storage-modelled.json")
page.says(
    "[{} million of 512 B, {} of 4 KiB]",
    *(
        modelled.case("storage", store="modelled:ten-million", block=b).quantity("requests_per_s")
        / 1e6
        for b in (512, 4096)
    ),
)

on_h100s = [
    rate / 1e6
    for call in (1, 2)
    for m in [
        results(f"{H100}20261128-storage-modelled-{call}.json").case(
            "storage", store="modelled:ten-million", block=512
        )
    ]
    for rate in trials(m, "requests_per_s")
]
page.says("on H100s {} to {} of 512 B in four trials", *edges(on_h100s))
page.given("settings", "of 512 B in four")

# Hanawa: matrices
gemm = results(f"{H200}20261121-gpu-direct-io-gemm.json")


def product(tile, engine, threads):
    """Seconds of a naive product from memory."""
    m = gemm.case("gemm", schedule="naive", store="ram", tile=tile, engine=engine, threads=threads)
    return median(median(trial) for trial in series(m, "host_s"))


def times(engine, threads):
    """The time over that of GPU threads, at each tile."""
    return [product(t, engine, threads) / product(t, "gpu", 8) for t in (512, 1024, 2048)]


page.says("[{} times `uring`]", times("uring", 16)[2])
page.says("{} times `posix`, both", times("posix", 16)[2])
page.says("our reading, {} times", times("posix", 1)[2])
page.says(
    "512, 1024, 2048: {}, {}, {}; times one thread: {}, {}, {} |",
    *times("uring", 16),
    *times("posix", 1),
)
from_disk = results(f"{H100}20261127-gemm-hanawa.json")


def block_row(engine, tile):
    """Seconds of a block row of N = 16384 from a disk."""
    return from_disk.case("gemm", n=16384, engine=engine, tile=tile).quantity("block_row_s")


page.says(
    "a block row takes it {} and {} times as long",
    *(block_row("uring", tile) / block_row("gpu", tile) for tile in (512, 1024)),
)
whole = results(f"{H100}20261128-gemm-whole.json")


def whole_product(run, engine, tile):
    """Seconds of a whole product from a disk over those of GPU threads."""
    mine, by_gpu = (run.case("gemm", rows=0, engine=e, tile=tile) for e in (engine, "gpu"))
    return median(series(mine, "host_s")[0]) / median(series(by_gpu, "host_s")[0])


page.says(
    "a whole product {}, {} and {} times at",
    *(whole_product(whole, "uring", tile) for tile in (1024, 2048, 4096)),
)
page.says(
    "small tiles do not gain most: {} at 512, {} at 2048, {} at 4096",
    whole_product(from_disk, "posix", 512),
    *(whole_product(whole, "posix", tile) for tile in (2048, 4096)),
)
page.given(
    "settings",
    "at tiles of 512 and 1024 (`",
    "times at 1024, 2048 and 4096",
    "at 512, 1.48 at 2048, 1.91 at 4096 |",
)
page.given("settings", "from memory, N = 8192", "16 of his fill it")
solves = {}
for memory in (64, 256):
    for batch in (1, 8):
        for kind in ("posix", "engines"):
            file = results(f"{H200}20261124-hmatrix-ratio-{memory}-{batch}-{kind}.json")
            solves.update({(memory, batch, m["engine"]): m for m in file.all("hmatrix")})


def ahead(part):
    """`posix` over the other engines, at each point."""
    return [
        solves[memory, batch, "posix"].quantity(part) / m.quantity(part)
        for (memory, batch, engine), m in solves.items()
        if engine != "posix"
    ]


page.says(
    "[{} to {} times in all, {} to {} in reading]",
    *edges(ahead("solve_s")),
    *edges(ahead("read_s")),
)
batches = [
    solves[memory, 1, "gpu"].quantity("solve_s") / solves[memory, 8, "gpu"].quantity("solve_s")
    for memory in (64, 256)
]
page.says("8 MiB {} to {} times as fast as 1 MiB", *edges(batches))
large = results(f"{H200}20261125-hmatrix-large.json").case("hmatrix")
rates = [
    level
    for when in ("before", "after")
    for m in results(f"{H200}20261125-hmatrix-large-rate-{when}.json").all("storage")
    for level in m.summary.medians
]
read = large.quantity("products") * large.quantity("read_bytes") / large.quantity("solve_s") / 1e9
his_size = results("nvidia-h100-80gb-hbm3-x86_64/20261127-hmatrix-hanawa-large.json")
by_gpu, by_posix = (his_size.case("hmatrix", engine=engine) for engine in ("gpu", "posix"))
page.says(
    "takes {} times as long as `gpu`, in all and in reading",
    by_posix.quantity("iteration_s") / by_gpu.quantity("iteration_s"),
)
page.given(
    "the run", "(../cases/hmatrix/README.md#in-the-conditions-of-hanawa-2025), 40 GB with half"
)
model = "nvidia-h100-80gb-hbm3-x86_64/20261127-hmatrix-modelled"
from_ssd = results(f"{model}.json").case("hmatrix", engine="gpu", pinned=False)
by_calls = results(f"{model}-posix.json")
page.says("From a model of his SSD, {} GB,", from_ssd.quantity("matrix_bytes") / 1e9)
page.says(
    "`posix` takes {} times as long in all and {} in reading with 16 threads, {} and {} with one",
    *(
        by_calls.case("hmatrix", threads=threads, pinned=False).quantity(part)
        / from_ssd.quantity(part)
        for threads in (16, 1)
        for part in ("iteration_s", "iteration_read_s")
    ),
)
page.given("the run", "in reading with 16 threads")
page.says("by `uring`, at {} of the disk's median rate", read / median(rates))
sides = [
    median(
        median(t)
        for t in series(
            results(f"{H200}20261125-hmatrix-products.json").case(
                "hmatrix", mesh="bumpy:71", precision="double", rhs=rhs
            ),
            "host_s",
        )
    )
    for rhs in (1, 8)
]
page.says("{} of the time of a product each", sides[1] / 8 / sides[0])
