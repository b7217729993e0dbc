"""Other libraries, construction and tests, of cases/hmatrix/EVIDENCE.md."""

from __future__ import annotations

import re
from statistics import mean

from recompute import Page
from result_files import results, text, trials

page = Page("cases/hmatrix/EVIDENCE.md")
page.given(
    "triangles of the meshes, counted",
    "100,820 triangles",
    "1,003,520 triangles",
    "| `bumpy:35` | 24,500 |",
    "| `bumpy:71` | 100,820 |",
    "| `bumpy:100` | 200,000 |",
    "`bumpy:12` has 2880 triangles, `bumpy:16` 5120",
)
H200 = "nvidia-h200-x86_64/"
EPYC = "2-core-amd-epyc-x86_64/"
MIB = 2**20

# Beside HACApK and Htool
PEERS = {
    "hacapk": "HACApK",
    "htool": "Htool",
    "ours8": "here, 8 bytes",
    "ours4": "here, 4 bytes",
}
page.given("options of the compilers and of the trees", "-O3", "clusters of 15")
page.given("the errors that the commands allow", "eps 1e-6", "to 1e-6", "a residual of 1e-6")
measured, words = {}, {}
for line in text(f"{EPYC}20261123-hmatrix-peers.txt").lines:
    if line.startswith("== "):
        _, mesh, _, _, program, *_ = line.split()
        words = measured.setdefault(
            (mesh, program), {"build": [], "matrix": [], "product": [], "peak": []}
        )
    for name, unit, pattern in (
        ("build", 1, r"build (\S+) s"),
        ("build", 1, r"time_construction_Hmatrix *= *(\S+)"),
        ("matrix", 1, r"matrix (\S+) MB,? product"),
        ("matrix", MIB / 1e6, r"Memory of the H-matrix= *(\S+)"),
        ("product", 1, r"product (?:best \S+ mean )?(\d\S+) (?:mean|ms)"),
        ("product", 1e3, r"time_AX_once *= *(\S+)"),
        ("peak", 1, r"(?:with the matrix|htool peak) (\S+) MB"),
        ("peak", 1024 / 1e6, r"^peak (\S+) KiB"),
    ):
        if words and (found := re.search(pattern, line)):
            words[name].append(float(found[1]) * unit)
for (mesh, program), m in measured.items():
    values = [*m["build"], mean(m["matrix"]), *m["product"], mean(m["peak"])]
    page.says(f"| `{mesh}`, {PEERS[program]} | {{}}, {{}} | {{}} | {{}}, {{}} | {{}} |", *values)


def over(what, program, ours="ours8"):
    """A program's mean over ours, for each mesh, the least first."""
    return sorted(
        mean(measured[mesh, program][what]) / mean(measured[mesh, ours][what])
        for mesh in ("bumpy:23", "bumpy:35")
    )


page.says(
    "- Build: {} to {} times as fast as HACApK, {} to {} times as fast as Htool",
    *over("build", "hacapk"),
    *over("build", "htool"),
)
page.says(
    "{} to {} times as fast as HACApK, {} to {} times as fast as Htool.\n- Matrix",
    *over("product", "hacapk"),
    *over("product", "htool"),
)
page.says(
    "- Matrix: {} to {} of HACApK's and {} to {} of Htool's",
    *(1 / v for p in ("hacapk", "htool") for v in reversed(over("matrix", p))),
)

# Construction
alone = text(f"{H200}20261125-hmatrix-build-alone.txt")
process, command = (results(f"{H200}20261125-hmatrix-build-alone-{p}.json") for p in ("cpu", "gpu"))
for size, precision in ((8, "double"), (4, "single")):
    built = [
        float(line.split()[4])
        for line in alone.lines
        if line.startswith(f"gpu, {size} bytes: build")
    ]
    trial = trials(command.case("hmatrix", precision=precision), "build_s")
    m = process.case("hmatrix", precision=precision)
    threads = m.quantity("build_s")
    page.says(
        f"| {size} bytes, {{}} GB | {{}}, {{}}, {{}} | {{}}, {{}} | {{}} | {{}}, {{}} | {{}}, {{}} |",
        *(m.quantity("matrix_bytes") / 1e9, *built, *trial, threads),
        *(threads / t for t in (*built[1:], *trial)),
    )
page.says(
    "alone they take {} and {} s in 8 bytes",
    alone.line("leaves alone, 8 bytes, 512 MiB:")[0],
    alone.line("file alone, 8 bytes, by 64 MiB:")[0],
)
parts = text(f"{EPYC}20261125-hmatrix-build-parts.txt")
page.says(
    "fills 1 GiB in {} s, with small pages in {} s",
    *(parts.line(f"{how}    1 thread")[0] for how in ("collapse", "populate")),
)
page.says(
    "16 threads then need {} s, a 16th of all; in chunks of 8 MiB, in their order, {} s",
    parts.line("16 threads, the same, the largest first")[0],
    parts.line("16 threads, chunks of 8 MiB, in the order of leaves")[0],
)
page.given("a part of the sum", "a 16th of all")

# Verification
tests = text(f"{H200}20261125-cpp-tests.txt")
ran = next(int(line.split()[1]) for line in tests.lines if "suites ran" in line)
page.says("{} of {} passed", tests.line("PASSED  ]")[0], ran)
page.given("counted in tests/cpp/hmatrix", "12 values of another formula", "bumpy, 12 digits")
