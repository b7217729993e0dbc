"""Where the numbers of README.md come from."""

from recompute import Page
from result_files import results

GIB = 2**30

page = Page("README.md")
standard = results("nvidia-h200-x86_64/20261121-standard.json")


def copy(from_: str, to: str, means: str) -> float:
    """GB/s of a copy of 1 GiB in one direction and one stream."""
    return standard.case(
        "copy",
        processor="gpu",
        from_=from_,
        to=to,
        means=means,
        size=GIB,
        streams=1,
        bidirectional=False,
    ).median


device = standard.case(
    "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
)
pinned = copy("pinned", "device", "kernel")
link, pageable = copy("pinned", "device", "copy-engine"), copy("pageable", "device", "copy-engine")
prefetch = standard.case("touch", processor="gpu", memory="managed", operation="prefetch")

page.says(
    "A kernel copies there at {} TB/s (read and written). A pass is {} times as fast as over "
    "pinned memory, read in place ({} GB/s). A copy to GPU memory ({} GB/s) pays from the 1st pass on; a "
    "prefetch of managed memory ({} GB/s) pays",
    device.median / 1e3,
    device.median / 2 / pinned,
    pinned,
    link,
    prefetch.median,
)
page.says(
    "(arrays of 1 GiB; 95%: {}–{} TB/s, 3 trials)",
    *(rate / 1e3 for rate in device.summary.interval),
)
page.says(
    "{} times slower than from pinned memory ({} GB/s against {} GB/s)",
    link / pageable,
    pageable,
    link,
)
page.says("pass   {} GB/s, {}% of 63 GB/s", link, 100 * link / 63)
page.says("pass   {} GB/s; 3980 GB/s by BabelStream", device.median)
page.given("the level of the interval", "1 GiB; 95%:")
page.given(
    "the link's limit, and a bound of `watari check`", "of 63 GB/s; at least 80% is expected"
)
page.given("published/babelstream.toml", "3980 GB/s by BabelStream")
page.given("lines of the output above", "14 pass, 9 unknown")
page.given("versions that are tested", "Debian 12 and Ubuntu 24.04", "CUDA 12.4", "Python 3.10")
page.given("the name of an architecture", "x86-64 and aarch64")
page.given(
    "timed once by hand",
    "measures: 3 minutes on 2 cores, or 7 minutes",
)
