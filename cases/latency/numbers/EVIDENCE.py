"""Where the numbers of cases/latency/EVIDENCE.md come from."""

from statistics import median

from recompute import Page
from result_files import results, text

GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"

page = Page("cases/latency/EVIDENCE.md")
latency = results(f"{H200}20261123-latency-gpu.json")
cpu_latency = text(f"{H200}20261123-latency-cpu.txt")


def ns(low, high, *memories):
    """The range of the latency over sizes, in ns."""
    found = [
        1e9 * m.quantity("latency_s")
        for m in latency.cases
        if m["memory"] in memories and low <= m["size"] <= high
    ]
    return min(found), max(found)


own = ("device", "managed")
page.says(
    "{} ns within L1, {} ns within L2, {} ns beyond",
    *(median(ns(a, b, "device")) for a, b in ((4096, 65536), (MIB, 16 * MIB), (128 * MIB, GIB))),
)
page.says(
    "that it touched | {} to {} ns (to 128 KiB) | {} (512 KiB to 16 MiB) | {} to {} |",
    *ns(0, 131072, *own),
    median(ns(MIB, 16 * MIB, *own)),
    *ns(128 * MIB, GIB, *own),
)
page.says(
    "pinned CPU memory | {} to {} | not cached there: {} to {} | {} to {} (1 GiB)",
    *ns(0, 131072, "pinned"),
    *ns(524288, 16 * MIB, "pinned"),
    *ns(64 * MIB, GIB, "pinned"),
)
huge, small_pages = (
    [
        cpu_latency.line(f"{size}  ")[which]
        for size in ("4KiB", "32KiB", "128KiB", "1MiB", "4MiB", "1GiB")
    ]
    for which in (0, 1)
)
for row, v in (("huge", huge), ("small", small_pages)):
    page.says(
        f"its own, {row} pages | {{}} to {{}} | {{}} to {{}} | {{}} (4 MiB) to {{}} (1 GiB)", *v
    )
pinned, far = (
    1e9 * latency.case("latency", memory="pinned", size=64 * MIB).quantity("latency_s"),
    333.3,
)
page.says(
    "over PCIe costs {} µs.** This is {} times a load from GPU memory",
    pinned / 1e3,
    pinned / ns(128 * MIB, 256 * MIB, "device")[0],
)
page.says("pinned memory {} µs beyond L1", pinned / 1e3)
page.says(
    "cost the CPU {}% at 64 MiB",
    100 * (cpu_latency.line("64MiB  ")[1] / cpu_latency.line("64MiB  ")[0] - 1),
)
page.given(
    "published/gpu-benches.toml, published/ai-kernels.toml",
    "20, 151, 271 and 370 ns",
    "39.6, 280 and 690 cycles",
)
