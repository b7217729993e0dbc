"""Where the numbers of docs/machines.md come from."""

from itertools import chain
from statistics import median

from recompute import Page
from result_files import path, results, series, trials

from watari.cases.himeno import speed
from watari.report.compare import compare
from watari.results import schema

GIB, MIB = 2**30, 2**20
H200, H100 = "nvidia-h200-x86_64/", "nvidia-h100-80gb-hbm3-x86_64/"

page = Page("docs/machines.md")
ours = results(f"{H200}20261121-standard.json")
other = results(f"{H100}20261124-standard.json")


def row(label, h200, h100):
    """A row of the table, with the ratio H100 over H200."""
    page.says(f"| {label} | {{}} | {{}} | {{}} |", h200, h100, h100 / h200)


def copies(from_, to, means, size=GIB, bidirectional=False):
    """GB/s of a copy, on the H200 and on the H100."""
    given = {"from_": from_, "to": to, "means": means, "size": size, "streams": 1}
    return [
        run.case("copy", processor="gpu", bidirectional=bidirectional, **given).median
        for run in (ours, other)
    ]


device = copies("device", "device", "kernel")
to_device, back = (
    copies("pinned", "device", "copy-engine"),
    copies("device", "pinned", "copy-engine"),
)
row("GPU memory, a copy of 1 GiB, GB/s", *device)
row("the same, managed memory that is there already", *copies("managed", "managed", "kernel"))
row("16 MiB, within the L2 cache of each", *copies("device", "device", "kernel", 16 * MIB))
row("link, host to device", *to_device)
row("link, device to host", *back)
row("both directions", *copies("pinned", "device", "copy-engine", bidirectional=True))

# access
PATTERNS = [(source, destination) for source in ("cpu", "gpu") for destination in ("cpu", "gpu")]
sam, other_sam = (
    results(f"{folder}{date}-gh200-sam.json")
    for folder, date in ((H200, 20261121), (H100, 20261125))
)
access = [
    [
        run.case(
            "access",
            processor="gpu",
            memory="managed",
            hint="none",
            size=4_000_000_000,
            source=source,
            destination=destination,
        )
        for source, destination in PATTERNS
    ]
    for run in (sam, other_sam)
]
levels = [[m.median for m in machine] for machine in access]
ratios = [h100 / h200 for h200, h100 in zip(*levels, strict=True)]
page.says(
    "four patterns, GB/s | {} to {} | {} to {} | {} to {} |",
    *(edge(values) for values in (*levels, ratios) for edge in (min, max)),
)
faults = [[samples[0] for samples in series(machine[0], "host_s")] for machine in access]
page.says("pattern (5): faults, s | {} to {} | {} |", min(faults[0]), max(faults[0]), *faults[1])
page.says("pages of 4 GB took {} times as long", faults[1][0] / median(faults[0]))

# Programs
himeno, short, long = (
    results(file)
    for file in (
        f"{H200}20261121-himeno-sam.json",
        f"{H100}20261126-himeno-200.json",
        f"{H100}20261126-himeno-3000.json",
    )
)
for words, form, run in (("fused", "fused", long), ("two kernels", "two-kernel", short)):
    pair = [
        speed.of(one.case("himeno", style="explicit", grid="XL", form=form)).steady
        for one in (himeno, run)
    ]
    row(f"Himeno XL, {words}, `explicit`, GFLOPS steady", *pair)
lattice = [
    run.case("lattice", lattice="class2", style="explicit", precision="double", links=18, rhs=1)
    for run in (
        results(f"{H200}20261125-lattice-step-now.json"),
        results(f"{H100}20261126-lattice.json"),
    )
]
row(
    "CCS QCD class 2, `explicit`, GFLOPS",
    *(median(trials(m, "flops_per_s")) / 1e9 for m in lattice),
)


# All rows of the two plans, as `watari compare` judges them
def compared(h200, h100):
    """Its rows."""
    return compare(*(schema.read(path(file)) for file in (h200, h100)))


rows = list(
    chain(
        compared(f"{H200}20261121-standard.json", f"{H100}20261124-standard.json"),
        compared(f"{H200}20261121-standard.json", f"{H100}20261125-standard.json"),
        compared(f"{H200}20261121-gh200-sam.json", f"{H100}20261125-gh200-sam.json"),
    )
)
rows = [one for one in rows if one.ratio and one.parameters["size"] >= 128 * MIB]
IN_GPU = {"device", "managed"}


def place(one):
    """`gpu` for arrays in GPU memory, `link` for pinned arrays that the GPU uses over the link."""
    at = one.parameters
    if one.case == "copy" and at["processor"] == "gpu":
        outside = {at["from"], at["to"]} - IN_GPU
        pinned = outside == {"pinned"} and at["from"] != at["to"]
        return "link" if pinned else "rest" if outside else "gpu"
    if one.case == "access" and at["processor"] == "gpu":
        pinned = at["memory"] == "explicit" and "cpu" in (at["source"], at["destination"])
        return "link" if pinned or at["hint"] == "mapped" else "gpu"
    if one.case == "migration" and one.part.startswith("gpu"):
        return "link" if at["hint"] == "mapped" else "gpu"
    return "rest"


for where, words in (
    ("gpu", "the {} rows in GPU memory have {} to {}"),
    ("link", "the {} rows over the link have {} to {}"),
):
    found = [one.ratio for one in rows if place(one) == where]
    page.says(words, len(found), min(found), max(found))
cpu = compared(f"{H200}20261121-standard.json", f"{H100}20261124-standard.json")
page.says(
    "by a factor of two** ({} at 1 MiB)",
    next(
        one.ratio
        for one in cpu
        if one.case == "copy"
        and one.parameters["processor"] == "cpu"
        and one.parameters["size"] == MIB
    ),
)

# Data sheets
DATA_SHEET = 3350 / 4800
page.says("| {} (3350 over 4800) |", DATA_SHEET)
page.says("follow the data sheets**, which have {}.", DATA_SHEET)
page.given("data sheets, as in the first row", "| 0.698 |")
page.says("GPU memory, data sheet | 2000 | 4022 | {} |", 4022 / 2000)
page.says("link each way, data sheet | 64 | 450 | {} |", 450 / 64)
page.says("CPU memory, data sheet | 282 | 512 | {} |", 512 / 282)
page.says("the ratio of the GPU memories, {}.", 4022 / 2000)
page.says("in every step** gains up to {}.", 450 / 64)
page.says("gains {} if memory limits it", 512 / 282)
page.says("a GH200 reaches {} (Yoshida 2024), an H200 {}.", 3200 / 4000, device[0] / 4800)
page.says("3400 (Boku 2025) | | {} | {} |", device[0], device[0] / 4800)
page.says("410, 400 | | {} | {} |", to_device[0], to_device[0] / 64)
page.says("300, 300 | | {} | {} |", back[0], back[0] / 64)
stores = [
    m.median
    for name in ("1", "1-2", "2", "2-2", "3")
    for m in results(f"{H200}20261125-alone-copy-{name}.json").all("copy", size=GIB)
]
page.says("{} to {} past the caches", min(stores), max(stores))
ordinary = [m.median for m in ours.all("copy", processor="cpu", size=GIB)]
page.says("{} to {} by ordinary stores", min(ordinary), max(ordinary))
PUBLISHED = "published/yoshida-2024.toml, published/boku-2025.toml"
page.given("data sheets", "(3350 over 4800)", "| 4800 |", "64 | 450 |", "| 64 | |", "2000 | 4022 |")
page.given(
    PUBLISHED, "282 | 512 |", "3200 (Yoshida 2024), 3400 (Boku 2025)", "410, 400", "300, 300"
)
page.given(PUBLISHED, "310 to 360, 400 to 420")
page.given("limits of the machine", "4814 GB/s, from width", "and 63 GB/s, the rate")
page.given("settings", "in place of 200)")
