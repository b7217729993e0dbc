"""Where the numbers of cases/himeno/EVIDENCE.md come from. Rates are those of himeno/speed.py."""

from collections import Counter
from statistics import median

from recompute import Page
from result_files import middle, newest, results, series, text, trials

from watari.cases import effort
from watari.cases.himeno import speed

H200, FOUR = "nvidia-h200-x86_64/", "4x-nvidia-h200-x86_64/20261121-"
H100 = "nvidia-h100-80gb-hbm3-x86_64/"
XL_BYTES = 15.03e9  # 14 arrays of 512 x 512 x 1024 floats
FUSED, TUNED = {"form": "fused"}, {"form": "two-kernel", "kernel": "tuned"}
SHARED = {"form": "two-kernel", "kernel": "shared"}

page = Page("cases/himeno/EVIDENCE.md")
short = results(f"{H100}20261126-himeno-200.json")
long = results(f"{H100}20261126-himeno-3000.json")
standard = results(f"{H100}20261124-standard.json")
sam = results(f"{H200}20261121-himeno-sam.json")
first_writer = results(f"{H200}20261124-himeno-styles.json")
openacc, strong, weak_2, weak_4, device = (
    results(f"{FOUR}{name}.json")
    for name in (
        "nvlink-openacc",
        "himeno-strong",
        "himeno-weak-2",
        "himeno-weak-4",
        "himeno-device",
    )
)


def rates(run, style, **parameters):
    """The three rates of a case, its first iteration and the seconds of its parts."""
    return speed.of(run.case("himeno", style=style, **parameters))


def benchmarks(run, style, **parameters):
    """GFLOPS by benchmark, each trial."""
    m = run.case("himeno", style=style, **parameters)
    return [
        m.flops_per_sample * len(t["host_s"]) / speed.benchmark_seconds(t) / 1e9 for t in m.trials
    ]


def lap(run, style, *names, **parameters):
    """Seconds of laps, their sum, the median over trials."""
    laps = [speed.laps(trial) for trial in run.case("himeno", style=style, **parameters).trials]
    return median(sum(one.get(name, 0) for name in names) for one in laps)


# The machines and the grid
page.given("the machines' records", "and 18 NVLinks a pair")
page.given("dates", "files of 21 and 24 November 2026")
page.given(
    "14 arrays of 4 bytes a point",
    "points (15.03 GB)",
    "each iteration moves 15 GB",
    "moves all 15 GB by faults",
    "the same 15 GB",
)

# Speed of each style
PROGRAMS = (
    ("fused", FUSED, ("explicit", "managed", "managed-prefetch")),
    ("two kernels", SHARED, ("explicit", "managed", "managed-prefetch")),
    ("two kernels", SHARED, ("explicit-struct", "managed-struct")),
    ("two kernels", TUNED, ("acc-data", "acc-managed")),
)
for run, grid, iterations in ((long, "XL", 3000), (short, "XL", 200), (short, "L", 200)):
    for name, form, styles in PROGRAMS:
        for style in styles:
            if run.all("himeno", style=style, grid=grid, **form):
                found = rates(run, style, grid=grid, **form)
                each = benchmarks(run, style, grid=grid, **form)
                page.says(
                    f"| {grid}, {iterations} iterations, {name}, `{style}` | {{}} ({{}} to {{}}) | {{}} | {{}} | {{}} |",
                    found.benchmark,
                    min(each),
                    max(each),
                    found.steady,
                    found.whole,
                    1e3 * found.first,
                )


def ratio(run, style, other, rate="benchmark", **parameters):
    """How many times as fast a style is as another."""
    one, two = (getattr(rates(run, s, **parameters), rate) for s in (style, other))
    return one / two


XL, L = {"grid": "XL"}, {"grid": "L"}
page.says(
    "`managed` has {} times the rate of `explicit` with 200 iterations, where trials overlap, and {} "
    "times after 3000. `managed-prefetch` has {} and {} times.",
    *(
        ratio(run, style, "explicit", **XL, **FUSED)
        for style in ("managed", "managed-prefetch")
        for run in (short, long)
    ),
)
page.given("iterations", "times after 3000.")
page.says(
    "`managed` has {} times the rate of `explicit`, `managed-struct` {} times that of",
    ratio(short, "managed", "explicit", **XL, **SHARED),
    ratio(short, "managed-struct", "explicit-struct", **XL, **SHARED),
)
page.says(
    "`managed` has {} of `explicit`, `managed-struct` {} of `explicit-struct`, `managed-prefetch` {}.",
    ratio(short, "managed", "explicit", **L, **FUSED),
    ratio(short, "managed-struct", "explicit-struct", **L, **SHARED),
    ratio(short, "managed-prefetch", "explicit", **L, **FUSED),
)
page.says(
    "`managed` has {} of `explicit` in the fused form at XL, {} with two",
    ratio(short, "managed", "explicit", "steady", **XL, **FUSED),
    ratio(short, "managed", "explicit", "steady", **XL, **SHARED),
)
migrations = [
    seconds[0]
    for run in (short, long)
    for style in ("managed", "managed-struct", "acc-managed")
    for m in run.all("himeno", style=style, grid="XL")
    for seconds in series(m, "device_s" if style != "acc-managed" else "host_s")
]
page.says(
    "at XL the {} trials of managed styles without a prefetch took {} to {} s",
    len(migrations),
    min(migrations),
    max(migrations),
)
for name, form, style in (
    ("fused", FUSED, "explicit"),
    ("fused", FUSED, "managed"),
    ("fused", FUSED, "managed-prefetch"),
    ("two kernels", SHARED, "explicit"),
    ("two kernels", SHARED, "managed"),
    ("fused, 5 iterations", FUSED, "pinned"),
):
    m = sam.case("himeno", style=style, **form)
    found = speed.of(m)
    page.says(
        f"| {name}, `{style}` | {{}} | {{}} | ~{{}} | {{}} |",
        found.steady,
        speed.fraction(m, sam.cases),
        found.benchmark,
        1e3 * found.first,
    )
explicit = sam.case("himeno", style="explicit", **FUSED)
shared = sam.case("himeno", style="explicit", **SHARED)
cuda = openacc.case("himeno", style="explicit", grid="XL", ranks=1)
page.says("A copy in the same file has {} TB/s", speed.copy_rate(explicit, sam.cases) / 1e3)
page.says(
    "the shared source has {} of its rate, the tuned source {}",
    speed.fraction(shared, sam.cases),
    speed.fraction(cuda, openacc.cases),
)
page.says("moves 15 GB over the link, at {} GB/s", rates(sam, "pinned").rate)

# Rates and limits
fast = long.case("himeno", style="explicit", **FUSED)
page.says(
    "an H100, steady, GFLOPS | {}, at the rate of a copy | {} |",
    speed.ceiling(fast, standard.cases),
    speed.of(fast).steady,
)
page.says(
    "the same, an H200 | {} | {} |", speed.ceiling(explicit, sam.cases), speed.of(explicit).steady
)
page.says(
    "XL, an H200, steady | {}, at the rate of a copy | {} |",
    speed.ceiling(cuda, openacc.cases),
    speed.of(cuda).steady,
)
acc = rates(openacc, "acc-data", **XL, ranks=1)
page.says("XL, an H200, steady | {}, CUDA's rate | {} |", speed.of(cuda).steady, acc.steady)
page.says(
    "3000 iterations, benchmark | {}, its steady rate | {} | copies from pageable memory, at {} GB/s",
    speed.of(fast).steady,
    speed.of(fast).benchmark,
    XL_BYTES / lap(long, "explicit", "transfer_in", **FUSED) / 1e9,
)

# Iteration by iteration, and where the time goes
page.says(
    "the first iteration, at {} to {} GB/s",
    *sorted(
        XL_BYTES / rates(long, s, **f).first / 1e9
        for s, f in (("managed", FUSED), ("managed-struct", SHARED))
    ),
)
for style, laps in (
    ("explicit", ("transfer_in", "transfer_out")),
    ("managed", ()),
    ("managed-prefetch", ("transfer_in", "transfer_out")),
):
    found = rates(long, style, **FUSED)
    copies = [lap(long, style, name, **FUSED) for name in laps]
    page.says(
        f"| `{style}` | {'{}' if laps else '-'} | {{}} | {{}} | {'{}' if laps else '-'} | {{}} | {{}} | {{}} | {{}} |",
        *copies[:1],
        found.parts["first"],
        found.parts["migrating"] + found.parts["steady"],
        *copies[1:],
        lap(long, style, "allocate_device", "release_device", **FUSED),
        *(lap(long, style, name, **FUSED) for name in ("read", "release")),
        found.total,
    )
page.says(
    "staging buffers, at {} GB/s. A prefetch moves the same 15 GB at {} GB/s",
    *(
        XL_BYTES / lap(long, style, "transfer_in", **FUSED) / 1e9
        for style in ("explicit", "managed-prefetch")
    ),
)
page.says("its allocation takes {} s (`pinned`", lap(sam, "pinned", "allocate"))

# Structs of pointers, and who writes first
CPU, GPU = {"init": "cpu"}, {"init": "gpu"}
page.says(
    "`explicit-struct` has {} of the steady rate of `explicit` on the H100 at XL, and {} on an H200; "
    "`managed-struct` has {} and {} of that",
    *(
        ratio(run, f"{style}-struct", style, "steady", **SHARED, **which)
        for style in ("explicit", "managed")
        for run, which in ((short, XL), (first_writer, CPU))
    ),
)
page.says(
    "of `managed` takes {} ms in place of {} s",
    1e3 * rates(first_writer, "managed", **GPU).first,
    rates(first_writer, "managed", **CPU).first,
)
for style in ("explicit", "explicit-struct", "managed", "managed-struct", "managed-prefetch"):
    both = [rates(first_writer, style, **which) for which in (CPU, GPU)]
    page.says(
        f"| `{style}` | {{}} | {{}} | ~{{}} | ~{{}} |",
        *(1e3 * found.first for found in both),
        *(found.benchmark for found in both),
    )


# Directives
def one_gpu(style, grid):
    """Steady GFLOPS on one H200."""
    return rates(openacc, style, grid=grid, ranks=1).steady


for label, style in (
    ("CUDA, `explicit`", "explicit"),
    ("OpenACC, `acc-data`", "acc-data"),
    ("OpenACC, `acc-managed`", "acc-managed"),
    ("OpenMP, `omp-target`", "omp-target"),
):
    page.says(
        f"| {label} | {{}} | {{}} | {{}} |",
        one_gpu(style, "L"),
        one_gpu(style, "XL"),
        one_gpu(style, "XL") / one_gpu("explicit", "XL"),
    )
acc_forms = text(f"{H200}20261121-himeno-acc-forms.txt")
omp_forms = text(f"{H200}20261121-himeno-omp-forms.txt")


def form(file, name, groups, threads):
    """GFLOPS of a form by its line: `quads        gangs    528 workers   8    1972.4 GFLOPS`."""
    words = "gangs", "workers"
    if file is omp_forms:
        words = "teams", "threads"
    return file.line(f"{name:<12} {words[0]} {groups:>6} {words[1]} {threads:>3}")[0]


def best_form(file):
    """The highest rate in the file."""
    return max(
        float(line.split(" GFLOPS")[0].split()[-1]) for line in file.lines if "GFLOPS" in line
    )


ours, best = form(omp_forms, "quads_cyclic", 132, 8), best_form(omp_forms)
page.says("as libgomp chooses | {} |", form(acc_forms, "rows_default", 0, 0))
page.says("(`quads`) | up to {} |", form(acc_forms, "quads", 528, 8))
page.says("that the registers allow | {} |", form(acc_forms, "quads_beside", 528, 5))
fused = speed.of(explicit).steady
page.says("CUDA's fused kernel has {} GFLOPS", fused)
page.says(
    "has {} GFLOPS as the style runs it, and {} in the best form: {} to {} of CUDA's",
    ours,
    best,
    ours / fused,
    best / fused,
)
page.says("A plain first version had {}.", form(omp_forms, "rows_default", 0, 0))
page.given("settings of the form", "528 gangs of 5 warps")
page.given("the compiler's report", "assumes 255 registers a thread")
page.given("sizes of the code", "with all 16-byte loads")


def fixed_cost(style):
    """Milliseconds c of an iteration t = c + points / rate, from the steady iterations of L and XL."""
    times, points = zip(
        *(
            (m.flops_per_sample / speed.of(m).steady / 1e9, m.flops_per_sample)
            for m in (openacc.case("himeno", style=style, grid=g, ranks=1) for g in ("L", "XL"))
        ),
        strict=True,
    )
    slope = (times[1] - times[0]) / (points[1] - points[0])
    return 1e3 * (times[0] - slope * points[0]), 1 / slope


(c_cuda, r_cuda), (c_acc, r_acc), (c_omp, r_omp) = map(
    fixed_cost, ("explicit", "acc-data", "omp-target")
)
page.says("with CUDA, {} ms with OpenACC, and {} ms with OpenMP", c_acc, c_omp)
page.says("c is {} ms", c_cuda)
page.says("OpenACC would have {} of CUDA's rate, OpenMP {}", r_acc / r_cuda, r_omp / r_cuda)

# Several GPUs
alone = strong.case("himeno", ranks=1)
one = alone.flops_per_sample / middle(alone, "host_s") / 1e9
page.says("One GPU has {} GFLOPS by the same clock", one)
for path in ("staged", "device", "nccl", "peer"):
    for overlap in (False, True):
        runs = [(device if path == "device" else strong, ranks) for ranks in (2, 4)]
        if path != "device":
            runs += [(weak_2, 2), (weak_4, 4)]
        row = [
            (rates(run, "explicit", halo=path, overlap=overlap, ranks=n).steady, n)
            for run, n in runs
        ]
        page.says(
            f"| `{path}`{', overlapped' * overlap} |" + " {} ({}) |" * len(row),
            *(number for rate, n in row for number in (rate, rate / n / one)),
        )
between = [
    rates(weak_4, "explicit", halo=path, overlap=overlap).steady / 4 / one
    for path in ("nccl", "peer")
    for overlap in (False, True)
]
page.says("| weak scaling, 4 GPUs | 1 | {} to {} between", min(between), max(between))
work = alone.flops_per_sample / one / 4e6  # ms
staged = rates(strong, "explicit", halo="staged", overlap=False, ranks=4).steady
page.says(
    "has {} ms of work, and the halo {} ms more",
    work,
    alone.flops_per_sample / staged / 1e6 - work,
)

prints = Counter(
    (m["grid"], m["iterations"], m["style"].startswith(("acc", "omp")), int(value))
    for run in (short, long, sam, openacc, strong, weak_2, weak_4, device)
    for m in run.all("himeno")
    if m.status == "ok"
    for value in trials(m, "fingerprint")
)


def same_bits(grid, iterations, directives=False):
    """How many trials have the fingerprint of their grid, which is the only one."""
    ((_, fingerprint), count) = next(
        ((key[2:], n) for key, n in prints.items() if key[:3] == (grid, iterations, directives))
    )
    assert sum(key[:3] == (grid, iterations, directives) for key in prints) == 1
    return count, fingerprint


page.says(
    "| {} of XL with 60 iterations, in two files: 1, 2 and 4 GPUs, four paths, with and without overlap | {}, gosa {} |",
    *same_bits("XL", 60),
    trials(alone, "gosa_last")[0],
)
page.says("| {} in CUDA, XL, 3000 iterations, H100 and H200 | {} |", *same_bits("XL", 3000))
page.says(
    "| {} in CUDA, XL, 200 iterations, H100 and 1, 2 and 4 H200s | {} |", *same_bits("XL", 200)
)
page.says(
    "| {} likewise of L | {} | | {} in directives, XL, 200 iterations, H100 and 1, 2 and 4 H200s | {} | "
    "| {} likewise of L | {} |",
    *same_bits("L", 200),
    *same_bits("XL", 200, True),
    *same_bits("L", 200, True),
)

# Languages and compilers: filled when the jobs have run
NOT_YET = ["Not measured yet."]
PAIRS = (  # style, its compiler, the style that it is compared with
    ("explicit", "none", "explicit"),
    ("acc-data", "gcc", "explicit"),
    ("f-acc-data", "gcc", "acc-data"),
    ("acc-host-data", "gcc", "explicit"),
    ("f-acc-host-data", "gcc", "acc-host-data"),
    ("acc-managed-all", "gcc", "explicit"),
    ("f-acc-managed-all", "gcc", "acc-managed-all"),
    ("acc-managed", "gcc", "explicit"),
    ("f-acc-managed", "gcc", "acc-managed"),
    ("omp-target", "gcc", "explicit"),
    ("omp-target", "llvm", "explicit"),
    ("f-omp-target", "gcc", "omp-target"),
)


def drawn(run, style, **parameters):
    """The case, if it ran."""
    return [m for m in run.all("himeno", style=style, **parameters) if m.drawn]


def by_language(file):
    """A row a style: its rates, as a part of CUDA's and of the C++ style's with the same directives."""
    if not file:
        return NOT_YET
    run = results(file)
    cuda = rates(run, "explicit").level
    lines = [
        f"File `{file}`.",
        "",
        "| GFLOPS | compiler | benchmark | steady | of CUDA | of the style in C++ |",
        "|---|---|---|---|---|---|",
    ]
    for style, compiler, beside in PAIRS:
        for m in drawn(run, style, compiler=compiler):
            one = speed.of(m)
            other = "gcc" if beside != "explicit" else "none"
            part = f"{one.level / rates(run, beside, compiler=other).level:.3f}"
            lines.append(
                f"| `{style}` | {'nvcc' if compiler == 'none' else compiler} "
                f"| {one.benchmark:.0f} | {one.level:.0f} | {one.level / cuda:.3f} "
                f"| {part if style.startswith('f-') else ''} |"
            )
    return lines


def by_split(file):
    """A row a style and split, on two GPUs."""
    if not file:
        return NOT_YET
    lines = [
        f"File `{file}`.",
        "",
        "| GFLOPS, steady | compiler | split | |",
        "|---|---|---|---|",
    ]
    for style in ("acc-data", "f-acc-data", "f-acc-managed", "omp-target", "f-omp-target"):
        for m in drawn(results(file), style):
            lines.append(
                f"| `{style}` | {m['compiler']} | {m['split']} | {speed.of(m).level:.0f} |"
            )
    return lines


page.table("languages", by_language(newest("himeno-fortran")))
page.table("splits", by_split(newest("himeno-directives-ranks")))
page.given("ELF's own numbers", "(ELF ABI 8), which", "LLVM 19 does not read", "has ABI 7")


# Doi's implementations
def doi(style, grid, ranks, rate="benchmark"):
    """GFLOPS of one of his four implementations, or None."""
    return getattr(rates(openacc, style, grid=grid, ranks=ranks), rate)


IN_ACC = ("acc-data", "acc-host-data", "acc-managed-all", "acc-managed")
for number, style in enumerate(IN_ACC, 1):
    row = [(doi(style, g, n), doi(style, g, n, "steady")) for g in ("L", "XL") for n in (1, 4)]
    cells = ["~{}, {}" if one_steady else "~{}, not steady" for _, one_steady in row]
    page.says(
        f"| ({number}) `{style}` | {' | '.join(cells)} |",
        *(value for pair in row for value in pair if value),
    )
page.says(
    "| `explicit`, `peer` |" + " ~{}, {} |" * 4,
    *(
        doi("explicit", g, n, rate)
        for g in ("L", "XL")
        for n in (1, 4)
        for rate in ("benchmark", "steady")
    ),
)
exact = [ratio(short, "acc-managed", "acc-data", grid=g, **TUNED) for g in ("L", "XL")]
page.says("exact rates, it has {} of (1) at L and {} at XL", *exact)
page.says(
    "overlap: {} to {} against {} to {} at L, {} to {} against {} to {} at XL",
    *(
        edge(benchmarks(short, style, grid=g))
        for g in ("L", "XL")
        for style in ("acc-managed", "acc-data")
        for edge in (min, max)
    ),
)
page.says(
    "it has ~{} and ~{} on one GPU, ~{} and ~{} on four",
    *(doi("acc-managed", g, n) / doi("acc-data", g, n) for n in (1, 4) for g in ("L", "XL")),
)
page.says(
    "decides: {} s at XL on the H100, {} s in (4) and {} s in (3) on the H200",
    rates(short, "acc-managed", **XL).first,
    doi("acc-managed", "XL", 1, "first"),
    doi("acc-managed-all", "XL", 1, "first"),
)
assert all(
    doi(style, "L", 4, "steady") is None
    or doi(style, "L", 4, "steady") < doi(style, "L", 1, "steady")
    for style in IN_ACC
)

# On the CPU
cpu = text(f"{H200}20261121-himeno-cpu.txt")
page.says("at STREAM's best rate of {} GB/s", cpu.line("16 threads, STREAM")[0])
for kernel in ("shared", "tuned"):
    page.says(
        f"| {kernel} kernel |" + " {} |" * 4,
        *(
            cpu.line(f"{grid} {kernel:<6} {place:<7} median")[0]
            for grid in ("M", "L")
            for place in ("plain", "placed")
        ),
    )
page.says("At L the tuned kernel moves {} GB/s", cpu.line("L tuned  placed  median")[3])
page.given("the algorithm and the machine", "56 bytes a point", "M (235 MB)")
page.given("the program's rounds", "the median of 12 rounds")

# Effort beside speed: counted from the sources
counted = effort.effort("himeno")
page.says(
    " ".join(f"| `{one.style}` | {{}} | {{}} | {{}} | {{}} | {{}} |" for one in counted),
    *(
        number
        for one in counted
        for number in (
            one.total,
            one.statements["allocate"] + one.statements["free"],
            sum(one.statements[kind] for kind in ("copy", "prefetch", "advise")),
            one.statements["direct data"],
            one.lines,
        )
    ),
)
deep = {one.style: one.total for one in effort.effort("deep")}
page.says(
    "of such structs: {} statements for `explicit`, {} for", deep["explicit"], deep["managed"]
)
page.given("arrays of the program", "The explicit program copies 14 arrays")
page.given("numbers of listings", "Yoshida (2024, listings 4.8 to 4.10) keeps")

# Against the published findings
openacc_on_h200 = [doi("acc-managed", g, 1) / doi("acc-data", g, 1) for g in ("L", "XL")]
steady_on_h100 = [ratio(short, "acc-managed", "acc-data", "steady", grid=g) for g in ("L", "XL")]
whole_on_h100 = [ratio(short, "acc-managed", "acc-data", "whole", grid=g) for g in ("L", "XL")]
in_cuda = [ratio(short, "managed", "explicit", grid=g, **FUSED) for g in ("L", "XL")]
page.says(
    "| {} of (1) on an H100, trials overlap; ~{} on an H200 | {} on an H100 | **opposite**",
    exact[0],
    openacc_on_h200[0],
    steady_on_h100[0],
)
page.says("of a data region. Whole: {} |", whole_on_h100[0])
page.says(
    "| {} on an H100, trials overlap; ~{} on an H200 | {} on an H100 | **same** on an H200",
    exact[1],
    openacc_on_h200[1],
    steady_on_h100[1],
)
page.says("Whole: {}. In CUDA {}, at L {} |", whole_on_h100[1], in_cuda[1], in_cuda[0])
page.given("trials of several files, above", "the first migration took between 1.05 and 2.4 s")


def of_doi(style, other, grid, counts, rate="benchmark"):
    """Rates of one implementation as a part of another's, for each number of GPUs."""
    return [doi(style, grid, n, rate) / doi(other, grid, n, rate) for n in counts]


page.says(
    "(3) has ~{}, ~{}, ~{} of (2) on 1, 2, 4 GPUs | {}, {}, {} |",
    *of_doi("acc-managed-all", "acc-host-data", "L", (1, 2, 4)),
    *of_doi("acc-managed-all", "acc-host-data", "L", (1, 2, 4), "steady"),
)
page.says(
    "| ~{}, ~{}, ~{} at XL, ~{}, ~{}, ~{} at L, on 1, 2, 4 GPUs | {}, {}, {} at XL |",
    *of_doi("acc-managed", "acc-managed-all", "XL", (1, 2, 4)),
    *of_doi("acc-managed", "acc-managed-all", "L", (1, 2, 4)),
    *of_doi("acc-managed", "acc-managed-all", "XL", (1, 2, 4), "steady"),
)
page.says(
    "| ~{}, ~{} at XL on 2 and 4 GPUs; ~{}, ~{} at L | {}, {} at XL; {}, {} at L | **same**",
    *(
        value
        for rate in ("benchmark", "steady")
        for grid in ("XL", "L")
        for value in of_doi("acc-host-data", "acc-data", grid, (2, 4), rate)
    ),
)
through_host, between_gpus = (
    [rates(strong, "explicit", halo=path, overlap=o, ranks=4).steady for o in (False, True)]
    for path in ("staged", "peer")
)
page.says(
    "| {} (XL, 4 GPUs, CUDA: halos through the host over PCIe against those between GPUs over NVLink), {} with overlap |",
    *(host / gpus for host, gpus in zip(through_host, between_gpus, strict=True)),
)
page.given(
    "published/yoshida-2024.toml", "some 100 GFLOPS behind `explicit`, 80 behind `managed`"
)
page.given(
    "published/gpu-himeno.toml",
    "the public CUDA port at 1755 GFLOPS",
    "CUDA 690, OpenACC 651, Kokkos 546, parallel STL 468. It also has 1755",
)
