"""Where the numbers of cases/deep/EVIDENCE.md come from."""

from statistics import median

from recompute import Page
from result_files import results

page = Page("cases/deep/EVIDENCE.md")
deep = results("nvidia-h100-80gb-hbm3-x86_64/20261125-deep.json")
trees = {(m["style"], int(m.quantity("nodes"))): m for m in deep.cases if m.status == "ok"}
STYLES = ("explicit", "packed", "managed")
for nodes in (1, 15, 255, 4095, 65535):
    page.says(
        f"| {nodes:,} | {{}} | {{}} | {{}} |".replace("4,095", "4095"),
        *(trees[style, nodes].quantity("outside_loop") for style in STYLES),
    )


def each(style, part):
    """µs of a part for each node, from 4095 nodes to 65,535."""
    return (
        1e6
        * (trees[style, 65535].quantity(part) - trees[style, 4095].quantity(part))
        / (65535 - 4095)
    )


page.says("costs {} µs a node", each("explicit", "outside_loop"))
page.says(
    "{} to copy it in, {} to copy it out, {} to release it",
    *(each("explicit", part) for part in ("transfer_in", "transfer_out", "release")),
)
page.says(
    "not free**: {} µs each in the same range, {} to allocate and {} to release",
    *(each("managed", part) for part in ("outside_loop", "build", "release")),
)
page.given(
    "numbers of nodes",
    "from 4095 to 65,535 nodes",
    "Below 4000 nodes",
    "with 65,535 nodes it has",
    "of 1 to 65535 nodes",
    "1 to 65,535 nodes",
    "256 MiB in 1 to",
    "| 65,535 |",
    "| 255 |",
    "| 15 |",
    "| 4095 |",
)
passes = [m.trials[0]["device_s"] for m in trees.values()]
later = [median(p[1:]) for p in passes]
page.says(
    "takes {} to {} ms in every style, {} to {} TB/s",
    1e3 * min(later),
    1e3 * max(later),
    *(edge(m.part("settled") / 1e3 for m in trees.values()) for edge in (min, max)),
)
begun = [m.trials[0]["device_s"][0] for (style, _), m in trees.items() if style == "managed"]
page.says("of `managed` takes {} to {} ms", 1e3 * min(begun), 1e3 * max(begun))
