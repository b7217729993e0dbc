"""Where the numbers of docs/plans.md come from."""

from datetime import datetime

from recompute import Page
from result_files import data

from watari.cli.asked import planned
from watari.plan import plan

H200, FOUR = "nvidia-h200-x86_64/", "4x-nvidia-h200-x86_64/"

page = Page("docs/plans.md")

# The stored plans, as an H200 counts their cases and trials
machine = data(f"{H200}20261121-standard.json")["machine"]
rows = [line for line in page.text.splitlines() if line.startswith(("| (standard)", "| ["))]
first_table = {
    line.split(" | ")[0].strip("| ").split("](")[0]: line for line in rows[: len(plan.stored()) + 1]
}
for name in (None, *plan.stored()):
    requests = planned([], name, machine).requests
    head = f"[{name}" if name else "(standard)"
    *words, counts, disk = first_table[head].split(" | ")
    gaps = "{}, {} on an H200" if name is None else "{}, {}"
    page.says(" | ".join([*words, gaps, disk]), len(requests), sum(r.trials for r in requests))


page.given(
    "the plan, as --dry-run counts its files and memory",
    "80 GB of RAM, a disk",
    "| 35 GB, or as the rate of the disk decides |",
)
page.given("the same", "| 47 GB; 7 suffice")


def cases(run, status):
    """The number of its cases with a status."""
    return sum(case["status"] == status for case in run["cases"])


def measured(run):
    """Minutes from the start of the first trial to that of the last one, and trials."""
    starts = [
        datetime.fromisoformat(t["started"])
        for c in run["cases"]
        for t in c["trials"]
        if t["started"]
    ]
    minutes = (max(starts) - min(starts)).total_seconds() / 60
    return minutes, sum(len(case["trials"]) for case in run["cases"])


for file, words in (
    (f"{H200}20261121-standard", "(standard) | an H200 | {} min | {}, an earlier form"),
    (f"{H200}20261121-himeno-sam", "an H200, an earlier form | {} min | {} | | miyabi"),
    (f"{H200}20261121-gpu-direct-io-gemm", "gemm | an H200, an earlier form | {} min | {} |"),
    (f"{H200}20261122-gpu-direct-io", "gpu-direct-io | an H200 | {} min | {} |"),
    (f"{H200}20261123-lattice", "the 23 cases on one GPU in CUDA | {} min | {} |"),
    ("nvidia-h100-80gb-hbm3-x86_64/20261125-gh200-sam", "without `system` memory | {} min | {} |"),
):
    page.says(words, *measured(data(f"{file}.json")))
for file, words in (
    (f"{H200}20261121-gh200-sam", "over PCIe, with a budget | {} min | {}; {} cases"),
    (
        f"{H200}20261121-miyabi-memory",
        "miyabi-memory | an H200, with a budget | {} min | {}; {} cases",
    ),
    (f"{FOUR}20261121-nvlink-openacc", "four H200s, with a budget | {} min | {}; {} cases"),
    (
        "2x-nvidia-h200-x86_64/20261125-lattice-ranks",
        "two H200s, with a budget | {} min | {}; {} cases",
    ),
):
    run = data(f"{file}.json")
    page.says(words, *measured(run), len(run["missing"]))
cpu = data("2-core-amd-epyc-x86_64/20261121-gpu-direct-io.json")
page.says(
    "2 cores without a GPU | {} min | {}; {} of {} cases `unsupported`",
    *measured(cpu),
    cases(cpu, "unsupported"),
    len(cpu["cases"]),
)
qcd = data(f"{H200}20261123-lattice.json")
page.says("the {} cases on one GPU in CUDA", len(qcd["cases"]))
page.given(
    "sections of the studies", "4.1 and 4.2:", "2024, 4.3:", "Doi 2016, 4.1:", "Doi 2016, 4.2:"
)
for line in first_table.values():  # the settings of a plan
    page.given("of the plan", " | ".join(line.split(" | ")[:2]))
page.given(
    "as `watari run --dry-run` counts bytes", "| 0.4 GB |", "49 suffice", "| 0.6 GB |", "14 GB free"
)
