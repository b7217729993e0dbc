"""Copies, between two GPUs and over size, and those of other programs, of cases/memory/EVIDENCE.md."""

from __future__ import annotations

from statistics import median

from recompute import Page
from result_files import data, results, text

page = Page("cases/memory/EVIDENCE.md")
GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"
PUBLISHED = "published/yoshida-2024.toml, published/boku-2025.toml"
standard = results(f"{H200}20261121-standard.json")
sam = results(f"{H200}20261121-gh200-sam.json")
miyabi = results(f"{H200}20261121-miyabi-memory.json")
STREAM = {"streams": 1, "bidirectional": False, "thp": "default"}


def copy(from_, to, means="copy-engine", size=GIB, run=standard, processor="gpu", **more):
    """GB/s of a copy."""
    wanted = STREAM | more
    found = run.case(
        "copy", processor=processor, from_=from_, to=to, means=means, size=size, **wanted
    )
    return found.median


# From memory to memory
device = copy("device", "device", "kernel")
to, back = copy("pinned", "device"), copy("device", "pinned")
both = standard.case("copy", size=GIB, bidirectional=True)
reads, writes = copy("pinned", "device", "kernel"), copy("device", "pinned", "kernel")
page.says("copies at {} TB/s, `cudaMemcpy` at {}.", device / 1e3, copy("device", "device") / 1e3)
page.says("This is {}% of the 4.81 TB/s", 100 * device / 4814.3)
page.says("{} GB/s to the GPU and {} back, {}% of 63", to, back, 100 * back / 63)
page.says(
    "at once have {} ({} to {}; {} at 4 GiB",
    both.median,
    *(edge(both.summary.medians) for edge in (min, max)),
    copy("pinned", "device", size=4 * GIB, run=miyabi, bidirectional=True),
)
page.says("reaches {} GB/s, a kernel that writes it {}", reads, writes)
page.says("This is {} to {}% of the copy engine's", 100 * reads / to, 100 * writes / back)
page.says("costs {} to {}% of an explicit", 100 - 100 * writes / back, 100 - 100 * reads / to)
page.says(
    "**Pageable memory** reaches {} GB/s to the GPU and {} back",
    copy("pageable", "device"),
    copy("device", "pageable"),
)
page.given(PUBLISHED, "GH200 has 3.2 (Yoshida 2024) or 3.4 (Boku 2025) of 4.0 TB/s")
page.given(
    PUBLISHED, "NVLink-C2C has 410 and 300 GB/s", "settle 60 GB/s lower", "Grace: 310 to 420"
)
page.given("the limit of memory and link", "the 4.81 TB/s that memory clock", "back, 88% of 63")
cpu = [
    m
    for run in (standard, sam, miyabi)
    for m in run.all("copy", processor="cpu")
    if m["size"] >= GIB
]
levels = [level for m in cpu for level in m.summary.medians]
page.says(
    "copies at {} to {} GB/s with pinned",
    *(
        edge(m.median for m in standard.all("copy", processor="cpu", size=GIB))
        for edge in (min, max)
    ),
)
page.says("single trials, up to 8 GB, lie between {} and {} GB/s", min(levels), max(levels))

# Two GPUs
two, back_two, local = (
    results(f"4x-nvidia-h200-x86_64/20261121-{name}.json")
    for name in ("copy-between-gpus", "copy-from-gpu-1", "access-gpu-1")
)
neighbour = {
    means: two.case("copy", to="device:1", means=means).median
    for means in ("kernel", "copy-engine")
}
page.says("or GPU 1 that of GPU 0: kernel | {} |", neighbour["kernel"])
page.says(
    "or GPU 1 that of GPU 0: kernel | {} |",
    back_two.case("copy", to="device", means="kernel").median,
)
page.says("the same by copy engine | {} |", neighbour["copy-engine"])
page.says(
    "kernel, copy engine | {}, {} |",
    *(two.case("copy", to="device", means=means).median for means in ("kernel", "copy-engine")),
)
page.says("CPU touched: settled | {} |", local.case("access", memory="managed").median)
page.says("copies pinned arrays | {} |", local.case("access", memory="explicit").median)
page.says(
    "has {}% of the copy engine's rate. The path still",
    100 * neighbour["kernel"] / neighbour["copy-engine"],
)
page.given(
    "4 * 512 * 1024 bytes at the rate above; cases/himeno/numbers/EVIDENCE/",
    "2.1 MB, takes 6 µs, and an iteration of a quarter of the grid takes 0.9 ms",
)
page.given("of the machine", "four H200s and 18 NVLinks")
page.given("settings", "one trial of 50 samples")

# Bandwidth over size
small = copy("pinned", "device", size=16 * MIB, run=miyabi)
page.says("at about 500 KiB and {}% at 16 MiB", 100 * small / copy("pinned", "device", run=miyabi))
page.given("between 36.7 GB/s at 1 MiB and 18.9 at 256 KiB", "at about 500 KiB")
page.says(
    "it has {} TB/s already at 16 MiB", copy("device", "device", "kernel", 16 * MIB, miyabi) / 1e3
)
page.says("the rate is {} TB/s", copy("device", "device", "kernel", 64 * MIB, miyabi) / 1e3)
eight = copy("pinned", "device", size=16 * MIB, run=miyabi, streams=8)
page.says("lose {}% at 16 MiB", 100 - 100 * eight / small)
page.says(
    "have {} times the rate of one",
    copy("pinned", "device", size=256 * MIB, run=miyabi, bidirectional=True)
    / copy("pinned", "device", size=256 * MIB, run=miyabi),
)

# Other programs
rows = {row["case"]: row["ratio"] for row in data(f"{H200}20261121-rivals.json")["rows"]}
page.says(
    "has {} (HtoD), {} (DtoH) and {} (device to device)",
    *(
        rows[f"copy gpu {way} 1GiB copy-engine"]
        for way in ("pinned -> device", "device -> pinned", "device -> device")
    ),
)
page.says("Our kernel has {} of", rows["copy gpu device -> device 1GiB kernel"])
page.says("The ratio is {}; single", rows["copy cpu pageable -> pageable 1GiB"])
page.says(
    "best copy has {} TB/s. Our kernel has a median of {}",
    text(f"{H200}20261121-babelstream.txt").line("Copy")[0] / 1e6,
    device / 1e3,
)
page.given(
    "settings of BabelStream", "2^27 doubles, 50 times", "BabelStream 5.0", "one 16-byte load"
)
starts = [
    t["quantities"]["setup_s"]["value"]
    for m in standard.cases
    for t in m.trials
    if m["processor"] != "cpu"
]
cpu_starts = [
    t["quantities"]["setup_s"]["value"]
    for m in standard.cases
    for t in m.trials
    if m["processor"] == "cpu" and m["size"] <= 16 * MIB
]
page.says("takes {} s (median) and at most {} s", median(starts), max(starts))
page.says("with small arrays it takes {} s", median(cpu_starts))
