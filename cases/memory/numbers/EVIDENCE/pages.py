"""First touch, prefetch, faults and huge pages, of cases/memory/EVIDENCE.md."""

from __future__ import annotations

from recompute import Page
from result_files import results, series

page = Page("cases/memory/EVIDENCE.md")
GIB, MIB = 2**30, 2**20
H200 = "nvidia-h200-x86_64/"
standard = results(f"{H200}20261121-standard.json")

# First touch, prefetch and faults
PAGE = 4096


def touch(processor, operation, memory="managed"):
    """Pages of 1 GiB."""
    return standard.case("touch", processor=processor, memory=memory, operation=operation)


malloc, managed = touch("cpu", "first-touch", "pageable"), touch("cpu", "first-touch")
page.says(
    "(malloc / managed) | {} / {} | {} / {} ns",
    malloc.median,
    managed.median,
    PAGE / malloc.median,
    PAGE / managed.median,
)
page.says(
    "| GPU reads pages that the CPU touched | {} | {} ns",
    touch("gpu", "fault").median,
    PAGE / touch("gpu", "fault").median,
)
page.says(
    "| prefetch to the GPU | {} | {} ns",
    touch("gpu", "prefetch").median,
    PAGE / touch("gpu", "prefetch").median,
)
for row, m in {
    "GPU writes fresh managed pages": touch("gpu", "first-touch"),
    "CPU reads pages that the GPU touched": touch("cpu", "fault"),
    "prefetch to the CPU": touch("cpu", "prefetch"),
}.items():
    levels = m.summary.medians
    page.says(
        f"| {row} | {{}} ({{}} to {{}}) | {{}} ns",
        m.median,
        min(levels),
        max(levels),
        PAGE / m.median,
    )
shares = [
    returned / whole
    for m in (touch("gpu", "prefetch"), touch("cpu", "prefetch"))
    for returned, whole in zip(series(m, "return_s")[0], series(m, "host_s")[0], strict=True)
]
page.says("after more than {}% of the", 100 * min(shares))

# Pages of 2 MiB
pages, pages_copy, numa = (
    results(f"{H200}20261124-{name}.json") for name in ("pages", "pages-copy", "numa")
)
small_copy, huge_copy = (pages_copy.case("copy", page=size) for size in (4096, 2 * MIB))
page.says(
    "CPU copies pageable memory, GB/s | {} | {} (two trials, {}% apart)",
    small_copy.median,
    huge_copy.median,
    100 * huge_copy.summary.spread,
)
page.says(
    "of pinned memory, GB/s | {} | {} |",
    *(pages.case("access", memory="explicit", page=size).median for size in (4096, 2 * MIB)),
)
node, default = numa.case("copy", numa="0"), numa.case("copy", numa="local")
page.says(
    "had {} GB/s ({}% apart) and the default {} ({}% apart)",
    node.median,
    100 * node.summary.spread,
    default.median,
    100 * default.summary.spread,
)
later = results("nvidia-h100-80gb-hbm3-x86_64/20261127-numa.json")
page.says(
    "with one node too, had {} ({}% apart) and {} ({}% apart)",
    *(
        value
        for where in ("0", "local")
        for m in [later.case("copy", numa=where)]
        for value in (m.median, 100 * m.summary.spread)
    ),
)
EPYC = "2-core-amd-epyc-x86_64/"
for row, (few, many) in {
    "`page=4KiB`, `page=2MiB`": [
        results(f"{EPYC}20261125-touch-pages.json").case("touch", page=p) for p in (4096, 2 * MIB)
    ],
    "`thp=never`, `thp=always`": [
        results(f"{EPYC}20261125-touch-thp.json").case("touch", thp=t) for t in ("never", "always")
    ],
}.items():
    page.says(
        f"| {row} | {{}} ({{}}%) | {{}} ({{}}%) | {{}} |",
        few.median,
        100 * few.summary.spread,
        many.median,
        100 * many.summary.spread,
        many.median / few.median,
    )
