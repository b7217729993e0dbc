"""Where the numbers of cases/atomic/EVIDENCE.md come from."""

from recompute import Page
from result_files import results

page = Page("cases/atomic/EVIDENCE.md")
atomic = results("nvidia-h200-x86_64/20261124-atomic-deep.json")


def updates(processor, contention, together=False, bins=256, memory=None):
    """Updates a second."""
    kind = memory or ("device" if processor == "gpu" else "pageable")
    found = atomic.case(
        "atomic",
        processor=processor,
        contention=contention,
        together=together,
        bins=bins,
        memory=kind,
    )
    return 1 / found.quantity("update_s")


BINS = (16, 256, 4096, 65536, 1048576)
gpu = [
    updates("gpu", "counter"),
    *(updates("gpu", "histogram", bins=b) for b in BINS),
    updates("gpu", "none"),
]
page.says("| GPU, its own memory | " + " | ".join(["{} G"] * 7), *(v / 1e9 for v in gpu))
cpus = [updates("cpu", "counter"), *(updates("cpu", "histogram", bins=b) for b in BINS)]
page.says(
    "| CPU, 16 threads | " + " | ".join(["{} M"] * 6) + " | {} G",
    *(v / 1e6 for v in cpus),
    updates("cpu", "none") / 1e9,
)
together = [
    updates("gpu", c, together=True, memory="managed") for c in ("counter", "histogram", "none")
]
page.says(
    "| both at once, managed memory | {} M | | {} M | | | | {} G",
    *(v / 1e6 for v in together[:2]),
    together[2] / 1e9,
)
page.given("numbers of bins", "16 bins | 256 | 4096 | 65,536 | 1,048,576")
