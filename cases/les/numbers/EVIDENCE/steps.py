"""Steps without a touch, of cases/les/EVIDENCE.md; and how the flow is verified."""

from __future__ import annotations

import re
from statistics import median

from recompute import Page
from result_files import results, text

from watari.cases.les.forecast import model

GIB = 2**30
H200, TWO = "nvidia-h200-x86_64/", "2x-nvidia-h200-x86_64/"
STEP_BYTES = 823  # of a cell, from the table of kernels in cases/les/README.md
L = 512 * 512 * 128  # cells

page = Page("cases/les/EVIDENCE.md")
page.given("counted: the table of kernels in cases/les/README.md", "823 a cell", "823 bytes a cell")
standard = results(f"{H200}20261121-standard.json")
copied = (
    1e9
    * standard.case(
        "copy", processor="gpu", from_="device", to="device", means="kernel", size=GIB
    ).median
)

untouched = results(f"{H200}20261125-les-fewer-launches.json")
steady, events = {}, {}
for style in ("explicit", "managed", "managed-prefetch"):
    both = [untouched.case("les", style=style, grid=grid) for grid in ("L", "XL")]
    steady[style] = [model.step_seconds(m) for m in both]
    events[style] = [median(m.trials[0]["device_s"][1:]) for m in both]
    page.says(
        f"| `{style}` | {{}} | {{}} | {{}} ms | {{}} ms | {{}} ms | {{}} ms |",
        *(m.quantity("cells_per_s") / 1e6 for m in both),
        *(1e3 * seconds for seconds in steady[style]),
        *(1e3 * m.trials[0]["host_s"][0] for m in both),
    )
page.says(
    "of the three styles are within {}% at both",
    max(100 * (max(of) / min(of) - 1) for of in zip(*events.values(), strict=True)),
)
for style in ("managed", "managed-prefetch"):
    page.says("managed ones take {} times as long", steady[style][1] / steady["explicit"][1])

two = results(f"{TWO}20261125-les-ranks-later.json")
alone = {grid: two.case("les", grid=grid, ranks=1) for grid in ("XL", "L")}
rates = {grid: m.quantity("cells_per_s") for grid, m in alone.items()}
page.says(
    "L has {} of a copy's rate of {} TB/s, XL {}: rates",
    STEP_BYTES * rates["L"] / copied,
    copied / 1e12,
    STEP_BYTES * rates["XL"] / copied,
)
page.says("a step of L would take {} ms", 1e3 * STEP_BYTES * L / copied)

kernels = text(f"{H200}20261125-les-kernels.txt")
of_l = kernels.lines[: next(n for n, line in enumerate(kernels.lines) if "sum of kernels" in line)]
tendencies = [line.split() for line in of_l if line.startswith("tendency")]
page.says("step of L take {} ms, at half", sum(float(words[4]) for words in tendencies))

passes, steps = (text(f"{H200}20261125-les-{name}.txt") for name in ("passes", "steps"))


def milliseconds(file, variant: str) -> float:
    """Of a step of L: the first line of a variant, since L comes first."""
    line = next(line for line in file.lines if line.startswith(variant))
    return float(line.partition(" ms")[0].split()[-1])


page.says(
    "restriction in one pass | {} ms | {} ms |",
    milliseconds(passes, "today"),
    milliseconds(passes, "first sweeps in one pass"),
)
in_turn = [milliseconds(steps, name) for name in ("base", "b_small", "c_flow", "d_sums")]
for change, before, after in zip(
    ("block's shared memory", "u in one kernel", "one launch, not two"),
    in_turn,
    in_turn[1:],
    strict=False,
):
    page.says(f"{change} | {{}} ms | {{}} ms |", before, after)
prints: dict[str, set[str]] = {}  # of each grid: on the GPU and, up to 256x256x64, on a CPU
for line in [*steps.lines, *text(f"{H200}20261124-les-kernels-packs.txt").lines]:
    if (grid := re.search(r"\d+x\d+x\d+", line)) and (of := re.search(r"\d+(-\d+){3}", line)):
        prints.setdefault(grid[0], set()).add(of[0])
assert [len(of) for of in prints.values()] == [1] * 6

# Verification
page.given_block("bounds in cases/les/tests", "| check | bound |")
