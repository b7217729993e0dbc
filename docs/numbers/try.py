"""Where the numbers of docs/try.md come from."""

from statistics import median

from recompute import Page
from result_files import results, series

from watari.attach.table import judged
from watari.results import significance

H200 = "nvidia-h200-x86_64/"

page = Page("docs/try.md")


def tried(name):
    """The styles of a program that ran."""
    return {m["style"]: m for m in results(f"{H200}{name}.json").cases if m.status == "ok"}


def seconds(m):
    """Each run."""
    return [samples[0] for samples in series(m, "host_s")]


def over(styles, style):
    """The median over that of the program as it is, and whether `try` is unsure of it."""
    base = seconds(styles["as-is"])
    others = {name: seconds(m) for name, m in styles.items() if name != "as-is"}
    verdicts = judged(base, others) if len(base) > 1 else {}
    words = ", unsure" if verdicts.get(style) == significance.UNSURE else ""
    return median(others[style]) / median(base), words


def cells(chosen):
    """A cell for each style of a program, empty where it did not run, and the values."""
    found = [over(*one) if one[1] in one[0] else None for one in chosen]
    shown = "".join(f" {{}}{cell[1]} |" if cell else " |" for cell in found)
    return shown, [cell[0] for cell in found if cell]


STYLES = (
    "managed",
    "managed-prefetch",
    "mapped",
    "pinned",
    "read-mostly",
    "preferred-gpu",
    "accessed-by",
)
stream, gemm, alternating, training = (
    tried(f"20261125-try-{name}") for name in ("stream", "gemm", "alternating", "training")
)
programs = (stream, gemm, alternating, training)
page.says("| `as-is` |" + " {} s |" * 4, *(median(seconds(styles["as-is"])) for styles in programs))
for style in STYLES:
    shown, values = cells([(styles, style) for styles in programs])
    page.says(f"| `{style}` |{shown}", *values)
page.given(
    "settings of the programs, and bytes that they allocate",
    "403 MB, 40 passes",
    "4 products of 4096",
    "67 MB managed",
    "1.15 GB",
    "an H200 with 32 CPU cores",
    "arrays of 1.07 GB, 400 passes",
    "with three arrays of 1.07 GB, two runs",
)
overhead = tried("20261125-try-overhead")
page.says(
    "in turn: {} s and {} s",
    *(median(seconds(overhead[style])) for style in ("as-is", "without-watari")),
)
page.says(
    "{} s of BabelStream's {} s, against {} ms",
    stream["pinned"].quantity("allocation_s"),
    median(seconds(stream["pinned"])),
    1e3 * stream["as-is"].quantity("allocation_s"),
)


def faults(m, processor):
    """Of the traced run, the last trial's."""
    return m.trials[-1]["quantities"][f"traced_{processor}_faults"]["value"]


page.says(
    "BabelStream's loops {} groups of GPU faults, cuBLAS {}",
    *(faults(styles["managed"], "gpu") for styles in (stream, gemm)),
)
page.says(
    "in turn {} groups of GPU faults and {} CPU faults; as it is, it has {} and {}",
    *(
        faults(alternating[style], processor)
        for style in ("read-mostly", "as-is")
        for processor in ("gpu", "cpu")
    ),
)
for row, name in (
    ("cuBLAS, 10 products of 4096", "gemm"),
    ("GPU and CPU in turn, 268 MB managed, 4 rounds", "alternating"),
):
    styles = tried(f"20261124-try-{name}")
    shown, values = cells([(styles, style) for style in STYLES])
    page.says(f"| {row} | {{}} s |{shown}", median(seconds(styles["as-is"])), *values)
shared = tried("20261125-try-stream-shared")
page.says("`managed` {} (unsure) and", over(shared, "managed")[0])
page.says("`pinned` {} (4aa283e", over(shared, "pinned")[0])
assert over(shared, "managed")[1]
assert not over(shared, "pinned")[1]
fit = tried("20261124-try-fit")
page.says(
    "fell from {} GB to {} GB of GPU memory",
    *(fit[style].quantity("device_peak") / 1e9 for style in ("as-is", "managed")),
)
ranks = tried("20261124-try-ranks")
page.says("with the sums of both, {} kernels", ranks["as-is"].quantity("traced_kernels"))
page.given(
    "limits of the command: src/attach/preload, python/watari/attach",
    "keeps at most 64 blocks",
    "exit code 130",
    "take 20 times the seconds",
)
