"""An iteration in the conditions of Hanawa (2025), of cases/hmatrix/README.md."""

from __future__ import annotations

from recompute import Page
from result_files import middle, results

H100 = "nvidia-h100-80gb-hbm3-x86_64/"
page = Page("cases/hmatrix/README.md")

# In the conditions of Hanawa (2025): an iteration by engine
hanawa = results(f"{H100}20261126-hmatrix-hanawa.json")
posix = results(f"{H100}20261126-hmatrix-hanawa-posix.json")


def iteration(m):
    """Seconds of an iteration, and of its reads."""
    return m.quantity("iteration_s"), m.quantity("iteration_read_s")


by_gpu = hanawa.case("hmatrix", engine="gpu", pinned=False)
whole, reading = iteration(by_gpu)
page.says("a matrix of {} GB on a disk", by_gpu.quantity("matrix_bytes") / 1e9)
for words, m in (
    ("`gpu`", by_gpu),
    ("`uring`", hanawa.case("hmatrix", engine="uring")),
    ("`posix`, 16", posix.case("hmatrix", threads=16)),
    ("`posix`, 1", posix.case("hmatrix", threads=1)),
):
    one, read = iteration(m)
    page.says(
        f"| {words} | no | {{}} | {{}} | {{}} | {{}} |", one, read, one / whole, read / reading
    )
pinned = hanawa.case("hmatrix", engine="gpu", pinned=True)
page.says("| `gpu` | yes, {} GB | {} | {} | | |", 2, *iteration(pinned))
page.says(
    "**{} GB that stay** spare {}% of the bytes, and {}% of the time",
    2,
    100 * (1 - pinned.quantity("read_bytes") / by_gpu.quantity("read_bytes")),
    100 * (1 - iteration(pinned)[0] / whole),
)
small, ten_million = (
    results(f"{H100}20261128-hmatrix-{name}.json") for name in ("small", "small-ssd")
)
page.says(
    "A matrix of {} MB in batches",
    small.case("hmatrix", engine="gpu", batch=1024).quantity("matrix_bytes") / 1e6,
)
for batch in (1, 4, 16, 64):
    rows = [
        *(small.case("hmatrix", engine=e, batch=1024 * batch) for e in ("gpu", "uring")),
        ten_million.case("hmatrix", batch=1024 * batch),
    ]
    page.says(
        f"| {batch} KiB | {{}} ({{}}) | {{}} ({{}}) | {{}} ({{}}) |",
        *(value for row in rows for value in iteration(row)),
    )
page.given("the axis", "| 1 KiB |", "| 4 KiB |", "| 16 KiB |", "| 64 KiB |")
inner = results(f"{H100}20261128-hmatrix-small-inner.json")
without, within = (inner.case("hmatrix", inner=steps) for steps in (0, 5))
page.says(
    "cut the products from {} to {}, but took {} s",
    without.quantity("products"),
    within.quantity("products"),
    within.quantity("solve_s"),
)
page.says("\n  instead of {} s: most", without.quantity("solve_s"))
sides = results(f"{H100}20261128-hmatrix-small-sides.json")
eight, alone = (sides.case("hmatrix", rhs=rhs) for rhs in (8, 1))
solved, solved_alone = (m.quantity("solve_s") for m in (eight, alone))
page.says("take {} times as long as one**: `gpu`, batches", solved / solved_alone)
page.says("recompressed to {} MB, none of which stays", alone.quantity("matrix_bytes") / 1e6)
page.says(
    "A product takes {} s instead of {} s, a solve by GMRES {} s instead of {} s, with\n  {} products instead of {}.",
    middle(eight, "host_s"),
    middle(alone, "host_s"),
    solved,
    solved_alone,
    eight.quantity("products"),
    alone.quantity("products"),
)
page.says(
    "{}% of a solve waits for data, with one {}%",
    100 * eight.quantity("read_s") / solved,
    100 * alone.quantity("read_s") / solved_alone,
)
model_s, model_read_s = iteration(ten_million.case("hmatrix", batch=1024))
page.says("it is\n  {} s of {} s at 1 KiB", model_s - model_read_s, model_s)


def iterations(run, batch):
    """Seconds of an iteration by `gpu` and by `uring`."""
    return [
        run.case("hmatrix", engine=e, batch=1024 * batch).quantity("iteration_s")
        for e in ("gpu", "uring")
    ]


ahead = [a / b for a, b in (iterations(small, batch) for batch in (1, 4, 16, 64))]
page.says("is faster than `gpu`** from the disk, {} to {} times", min(ahead), max(ahead))
before = results(f"{H100}20261126-hmatrix-small.json")
earlier = [
    then / now
    for batch in (1, 4)
    for then, now in zip(iterations(before, batch), iterations(small, batch), strict=True)
]
page.says("both took {} to {} of these seconds", min(earlier), max(earlier))
page.given(
    "the runs",
    "seconds at 1 and 4 KiB",
    "s at 1 KiB. The cause",
    "`gpu`, batches of 16 KiB, the same",
)


# The same from a model of his SSD
fast = results(f"{H100}20261127-hmatrix-modelled.json")
calls = results(f"{H100}20261127-hmatrix-modelled-posix.json")


def from_model(stays):
    """Seconds of an iteration by `gpu`, `uring`, and `posix` with 16 threads and one."""
    return [
        *(fast.case("hmatrix", engine=e, pinned=stays) for e in ("gpu", "uring")),
        *(calls.case("hmatrix", threads=n, pinned=stays) for n in (16, 1)),
    ]


page.says("his SSD, with {} GB", from_model(False)[0].quantity("matrix_bytes") / 1e9)
for words, stays in (("none stays", False), ("512 MiB stay", True)):
    page.says(
        f"| {words} | {{}} | {{}} | {{}} | {{}} |",
        *(1e3 * m.quantity("iteration_s") for m in from_model(stays)),
    )
waits = [m.quantity("iteration_read_s") for m in from_model(False)]
page.says("In reading they are {} and {}.", waits[2] / waits[0], waits[3] / waits[0])
gpu_s, _, many, one = (m.quantity("iteration_s") for m in from_model(False))
page.says(
    "his ratio in all is\n{} with nothing that stays, over one thread {}", many / gpu_s, one / gpu_s
)
page.given("the case", "| 512 MiB stay", "`posix`, 16 threads", "over `posix` with 16 threads")

# 40 GB
at_his_size = results(f"{H100}20261127-hmatrix-hanawa-large.json")
by_gpu, by_posix = (at_his_size.case("hmatrix", engine=engine) for engine in ("gpu", "posix"))
read_bytes = 2 * by_gpu.quantity("read_bytes")  # an iteration has two products
page.says(
    "**{} GB, {}% of them in GPU memory**",
    by_gpu.quantity("matrix_bytes") / 1e9,
    100 * by_gpu.quantity("resident_fraction"),
)
page.says("built them into the file in {} s", by_gpu.quantity("build_s"))
page.says("An iteration reads {} GB:", read_bytes / 1e9)
whole, reading = iteration(by_gpu)
for m in (by_gpu, by_posix):
    one, read = iteration(m)
    page.says(
        f"| `{m['engine']}`, {m['threads']} | {{}} | {{}} | {{}} | {{}} | {{}} |",
        one,
        read,
        read_bytes / one / 1e9,
        one / whole,
        read / reading,
    )
in_flight = by_posix["threads"], by_gpu["threads"] * by_gpu["depth"]
page.says("`posix` has {} requests in flight, `gpu` {};", *in_flight)
page.says("{}% of an iteration waits for data, so both", 100 * reading / whole)
page.says("(1.71 - 1) = {}% of his iteration", 100 * (1.31 - 1) / (1.71 - 1))
large = results("nvidia-h200-x86_64/20261125-hmatrix-large.json").case("hmatrix").quantity
page.says(
    "with this matrix on another machine, {} GB/s",
    large("products") * large("read_bytes") / large("solve_s") / 1e9,
)
page.given(
    "Hanawa (2025)", "at most about | | | | 1.31 | 1.71 |", "reading is (1.31 - 1) / (1.71 - 1)"
)
none_stays = results(f"{H100}20261127-hmatrix-hanawa-large-none-stays.json")
gpu, uring = (none_stays.case("hmatrix", engine=engine) for engine in ("gpu", "uring"))
all_bytes = 2 * gpu.quantity("read_bytes")
(gpu_s, gpu_read), (uring_s, uring_read) = iteration(gpu), iteration(uring)
page.says(
    "reads\n  {} GB: `gpu` takes {} s, {} GB/s, and `uring` {} s, {} GB/s, {} times as long in all and {} in",
    all_bytes / 1e9,
    gpu_s,
    all_bytes / gpu_s / 1e9,
    uring_s,
    all_bytes / uring_s / 1e9,
    uring_s / gpu_s,
    uring_read / gpu_read,
)
assert {m["threads"] * m["depth"] for m in (gpu, uring)} == {in_flight[1]}
page.says("Both have {}\n  requests in flight", in_flight[1])
page.given("posix: threads of one request", "So the 2 of `posix`")
page.given("the runs", "| `gpu`, 2 |", "| `posix`, 2 |", "revision a2a37d3b", "revision 33e789cc")
for engine, words in (
    ("posix", "`posix` takes {} s, {} GB/s"),
    ("uring", "`uring` takes {} s, {}\n  GB/s"),
):
    m = results(f"{H100}20261128-hmatrix-hanawa-large-{engine}.json").case("hmatrix")
    seconds, _ = iteration(m)
    page.says(words, seconds, 2 * m.quantity("read_bytes") / seconds / 1e9)
