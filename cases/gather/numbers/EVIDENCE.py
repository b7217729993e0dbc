"""Where the numbers of cases/gather/EVIDENCE.md come from."""

from recompute import Page
from result_files import results

GIB = 2**30
H200 = "nvidia-h200-x86_64/"

page = Page("cases/gather/EVIDENCE.md")
beyond = results(f"{H200}20261124-beyond-copy.json")


def element(processor, memory, size, pattern, **more):
    """ns an element."""
    found = beyond.case(
        "gather",
        processor=processor,
        memory=memory,
        element=size,
        pattern=pattern,
        thp="default",
        **more,
    )
    return 1e9 * found.quantity("element_s")


for row, where in {
    "GPU memory": ("gpu", "device"),
    "pinned memory, by the GPU": ("gpu", "pinned"),
    "CPU memory, 16 threads": ("cpu", "pageable"),
}.items():
    for name, size in (
        ("4 B in a line of its own", 4),
        ("64 B", 64),
        ("128 B", 128),
        ("4 KiB", 4096),
    ):
        if f"| {row}, {name} |" in page.text:
            values = [element(*where, size, pattern) for pattern in ("random", "strided")]
            page.says(f"| {row}, {name} | {{}} | {{}} |", *values)
for row, stride in (("128 B", 128), ("4 KiB", 4096), ("64 KiB", 65536)):
    none, fetched, mapped = (
        beyond.case(
            "gather", processor="gpu", memory="managed", stride=stride, hint=hint, source="cpu"
        )
        for hint in ("none", "prefetch", "mapped")
    )
    values = [
        none.quantity("first_element_s"),
        none.quantity("element_s"),
        fetched.quantity("first_element_s"),
        mapped.quantity("element_s"),
    ]
    page.says(
        f"| one in {row} | {{}} ns | {{}} ns | {{}} ns | {{}} ns |", *(1e9 * v for v in values)
    )
faulted = {
    stride: GIB
    / stride
    * beyond.case(
        "gather", processor="gpu", memory="managed", stride=stride, hint="none", source="cpu"
    ).quantity("first_element_s")
    for stride in (4096, 65536)
}
page.says(
    "takes {} ms. The pass with faults takes {} ms (one in 4 KiB) to {} ms (one in 64 KiB)",
    1e3 * fetched.quantity("prefetch"),
    *(1e3 * v for v in faulted.values()),
)


def passes(stride, hint):
    """Passes up to which `mapped` takes less time."""
    moved, mapped = (
        beyond.case(
            "gather", processor="gpu", memory="managed", stride=stride, hint=h, source="cpu"
        )
        for h in (hint, "mapped")
    )
    calls = moved.quantity("prefetch") * stride / GIB if hint == "prefetch" else 0
    first = calls + moved.quantity("first_element_s") - moved.quantity("element_s")
    return int(first / (mapped.quantity("element_s") - moved.quantity("element_s")))


STRIDES = (128, 4096, 65536)
page.says(
    "for up to {} passes (one in 128 B), {} (4 KiB) or {} (64 KiB)",
    *(passes(s, "none") for s in STRIDES),
)
page.says("better for {}, {} or {} passes", *(passes(s, "prefetch") for s in STRIDES))
returned = beyond.case("gather", processor="cpu", memory="managed", stride=4096)
page.says(
    "takes {} ns an element (one in 4 KiB), later passes {} ns",
    1e9 * returned.quantity("first_element_s"),
    1e9 * returned.quantity("element_s"),
)


page.says("over PCIe is {} ns at random", element("gpu", "pinned", 128, "random"))
page.given("sizes", "of up to 128 B", "64 KiB move for 8 B")
