"""Where the numbers of cases/memory/README.md come from."""

from recompute import Page
from result_files import results

GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"

page = Page("cases/memory/README.md")
standard = results(f"{H200}20261121-standard.json")


def copy(from_, to, means="copy-engine", run=standard, **more):
    """GB/s of a copy."""
    wanted = {"processor": "gpu", "size": GIB, "streams": 1, "bidirectional": False} | more
    return run.case("copy", from_=from_, to=to, means=means, **wanted).median


page.says("equal | {} TB/s. Managed memory", copy("device", "device", "kernel") / 1e3)
to, back = copy("pinned", "device"), copy("device", "pinned")
page.says(
    "read in place | {} to {}% of the copy engine's",
    100 * copy("pinned", "device", "kernel") / to,
    100 * copy("device", "pinned", "kernel") / back,
)
faults = [
    standard.case("touch", processor=processor, memory="managed", operation="fault").median
    for processor in ("gpu", "cpu")
]
page.says("pinned memory | {} GB/s against {} to {} GB/s by page faults", to, *faults)
latency = results(f"{H200}20261123-latency-gpu.json")
far, near = (
    latency.case("latency", memory=memory, size=size).quantity("latency_s")
    for memory, size in (("pinned", 64 * MIB), ("device", 256 * MIB))
)
page.says("load](../latency/EVIDENCE.md) takes {} µs, {} times as long", 1e6 * far, far / near)
between = results("4x-nvidia-h200-x86_64/20261121-copy-between-gpus.json")
page.says(
    "into your own | {} to {} GB/s",
    *(
        between.case("copy", to="device:1", means=means).median
        for means in ("kernel", "copy-engine")
    ),
)
page.given("published/yoshida-2024.toml, published/boku-2025.toml", "has 300 to 410 GB/s")
sweep = results(f"{H200}20261121-miyabi-memory.json")
one, both = (
    copy("pinned", "device", run=sweep, size=256 * MIB, bidirectional=b) for b in (False, True)
)
page.says("together have {} times the rate of one", both / one)
small, huge = (
    results(f"{H200}20261124-pages-copy.json").case("copy", page=size).median
    for size in (4096, 2 * MIB)
)
page.says("the CPU's copy {} times as fast", huge / small)
EPYC = "2-core-amd-epyc-x86_64/"
pages = [
    results(f"{EPYC}20261125-touch-pages.json").case("touch", page=p).median
    for p in (4096, 2 * MIB)
]
thp = [
    results(f"{EPYC}20261125-touch-thp.json").case("touch", thp=t).median
    for t in ("never", "always")
]
page.says("fresh memory {} to {} times as fast", thp[1] / thp[0], pages[1] / pages[0])
page.given("settings", "reports 64 parts")
shared = results("4x-nvidia-h100-80gb-hbm3-x86_64/20261127-scaling-links.json")
page.says(
    "one GPU reads {} GB/s, two {} together, and four {}",
    *(shared.case("copy", from_="pinned", processes=n).median for n in (1, 2, 4)),
)
