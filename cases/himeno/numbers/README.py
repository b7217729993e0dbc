"""Where the numbers of cases/himeno/README.md come from. Rates are those of himeno/speed.py."""

from himeno_rates import FOUR, FUSED, H200, SHARED, rates, ratio
from recompute import Page
from result_files import middle, results, series

from watari.cases import effort
from watari.cases.himeno import speed

H100 = "nvidia-h100-80gb-hbm3-x86_64/"
XL = {"grid": "XL"}

page = Page("cases/himeno/README.md")
short = results(f"{H100}20261126-himeno-200.json")
long = results(f"{H100}20261126-himeno-3000.json")
sam = results(f"{H200}20261121-himeno-sam.json")
first_writer = results(f"{H200}20261124-himeno-styles.json")
openacc = results(f"{FOUR}nvlink-openacc.json")
strong, weak = (results(f"{FOUR}{name}.json") for name in ("himeno-strong", "himeno-weak-4"))
device = results(f"{FOUR}himeno-device.json")
statements = {one.style: one.total for one in effort.effort("himeno")}


# Conclusions 1 to 3
prefetch, explicit = (rates(long, style, **FUSED) for style in ("managed-prefetch", "explicit"))
page.says(
    "{} times the rate of explicit copies with 200 iterations, {} times after 3000. The whole run of "
    "3000 is {}% shorter: {} s against {} s",
    *(ratio(run, "managed-prefetch", "explicit", **XL, **FUSED) for run in (short, long)),
    100 * (1 - prefetch.total / explicit.total),
    prefetch.total,
    explicit.total,
)
page.given("iterations", "times after 3000", "The whole run of 3000")
PROGRAMS = (("managed", "explicit", FUSED), ("managed", "explicit", SHARED))
STRUCTS = ("managed-struct", "explicit-struct", SHARED)
migrations = [
    seconds[0]
    for run in (short, long)
    for style in ("managed", "managed-struct", "acc-managed")
    for m in run.all("himeno", style=style, grid="XL")
    for seconds in series(m, "device_s" if style != "acc-managed" else "host_s")
]
page.given("14 arrays of 4 bytes a point", "The first iteration moves 15 GB", "over 14 arrays")
page.says("iteration moves 15 GB in {} to {} s", min(migrations), max(migrations))
levels = [ratio(short, m, e, "steady", **XL, **form) for m, e, form in (*PROGRAMS, STRUCTS)]
page.says("have {} to {} of the rate of explicit copies", min(levels), max(levels))
ahead = [ratio(short, m, e, **XL, **form) for m, e, form in (*PROGRAMS, STRUCTS)]
later = [ratio(long, m, e, **form) for m, e, form in (PROGRAMS[0], STRUCTS)]
page.says(
    "ahead at XL: {} to {} times with 200 iterations, {} to {} times after 3000",
    *(edge(values) for values in (ahead, later) for edge in (min, max)),
)
page.says(
    "{} against {} GFLOPS at L, {} against {} at XL",
    *(rates(short, s, grid=g).benchmark for g in ("L", "XL") for s in ("acc-managed", "acc-data")),
)
page.says(
    "~{} against ~{} at L, ~{} against ~{} at XL, ~{} against ~{} at XL on four",
    *(
        rates(openacc, style, grid=g, ranks=n).benchmark
        for g, n in (("L", 1), ("XL", 1), ("XL", 4))
        for style in ("acc-managed", "acc-data")
    ),
)

# Conclusions 4 to 6
page.says("on an H200 {} GFLOPS, a hundredth of the rate", rates(sam, "pinned").steady)
alone = strong.case("himeno", ranks=1)
one = alone.flops_per_sample / middle(alone, "host_s") / 1e9


def scaling(run, path, overlap):
    """The part of perfect scaling on four GPUs."""
    return rates(run, "explicit", halo=path, overlap=overlap, ranks=4).steady / 4 / one


for path in ("nccl", "peer"):
    page.says("| between GPUs | {} | {} |", *(scaling(run, path, False) for run in (weak, strong)))
overlapped = [scaling(strong, path, True) for path in ("nccl", "peer")]
overlapped.append(scaling(device, "device", True))
for path in ("nccl", "peer"):
    page.says(
        "| between GPUs, with overlap | {} | {} to {} |",
        scaling(weak, path, True),
        min(overlapped),
        max(overlapped),
    )
for words, overlap in (("through the host", False), ("through the host, with overlap", True)):
    page.says(
        f"| {words} | {{}} | {{}} |", *(scaling(run, "staged", overlap) for run in (weak, strong))
    )
acc, omp, cuda = (
    rates(openacc, style, grid="XL", ranks=1).steady
    for style in ("acc-data", "omp-target", "explicit")
)
page.says("OpenACC has {} of CUDA's rate at XL", acc / cuda)
page.says("OpenMP target has {}.", omp / cuda)
page.given("published/yoshida-2024.toml", "it is 100 GFLOPS behind explicit copies (Yoshida 2024)")

# Tables of styles and statements
for style, words, form in (
    ("managed-prefetch", "fused", FUSED),
    ("managed", "fused", FUSED),
    ("explicit", "fused", FUSED),
    ("managed-struct", "two kernels", SHARED),
    ("explicit-struct", "two kernels", SHARED),
):
    few, many = rates(short, style, **XL, **form), rates(long, style, **form)
    page.says(
        f"| `{style}`, {words} | {{}} | {{}}, {{}} | {{}}, {{}}, {{}} |",
        statements[style],
        few.benchmark,
        few.whole,
        many.benchmark,
        many.steady,
        many.whole,
    )
page.says("link both | `explicit-struct` | {} |", statements["explicit-struct"])
page.says("`explicit`: struct by value | {} |", statements["explicit"])
page.says("only the struct | `managed-struct` | {} |", statements["managed-struct"])
page.says("`managed`: struct by value | {} |", statements["managed"])
page.says("| system | nothing | `system` | {}, as", statements["system"])
faster = [
    ratio(run, f"{style}-struct", style, "steady", **SHARED, **which)
    for style in ("explicit", "managed")
    for run, which in ((short, XL), (first_writer, {"init": "cpu"}))
]
page.says("they are {} to {}% faster", *(100 * (edge(faster) - 1) for edge in (min, max)))
page.says(
    "on an H200 it takes {} ms in place of {} s",
    1e3 * rates(first_writer, "managed", init="gpu").first,
    rates(first_writer, "managed", init="cpu").first,
)
page.given("the number of styles", "is written here with 22 ways")

# How it works
page.says("The score is MFLOPS / {}", speed.PENTIUM_III)
page.given("numbers of listings", "listings 4.8 to 4.10", "listings 4.9 and 4.10")
page.given(
    "the algorithm",
    "An iteration reads 13 of them",
    "all 13 inputs",
    "34 flops for each inner point",
    "An iteration has 56 bytes a point if the field is swapped (`fused`), 64",
    "less time than the floor (above 100%)",
)
page.given("cases/himeno/known.py", "and some up to 1000", "3, 5, 60, 100, 200, 1000 and 3000")
