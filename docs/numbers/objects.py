"""The numbers of docs/objects.md."""

from __future__ import annotations

from math import exp, log, sqrt
from statistics import mean, median, stdev

from recompute import Page
from result_files import data, results, text

page = Page("docs/objects.md")
measured = data("2-core-intel-xeon-x86_64/20261126-objects.json")["clients"]


def value(client: str, block: int, key: str) -> float:
    (row,) = [r for r in measured if r["client"] == client and r["block"] == block]
    return float(row[key])


def ratio(block: int, key: str) -> float:
    return value("ours", block, key) / value("obstore", block, key)


SMALL, LARGE = 2**16, 2**23
for block, name in ((SMALL, "64 KiB"), (LARGE, "8 MiB")):
    for client, shown in (("ours", "Watari"), ("obstore", "obstore")):
        page.says(
            f"| {name} | {shown} | {{}} | {{}} |",
            value(client, block, "GB/s"),
            value(client, block, "CPU s/GB"),
        )
page.says(
    "So the rate of 64 KiB is {} of obstore's, and that of 8 MiB {} times as high; "
    "the CPU time is {} and {} of obstore's.",
    ratio(SMALL, "GB/s"),
    ratio(LARGE, "GB/s"),
    ratio(SMALL, "CPU s/GB"),
    ratio(LARGE, "CPU s/GB"),
)
runs = data("2-core-amd-epyc-x86_64/20261127-objects.json")["runs"]


def rounds(client, block, threads=8):
    """All rounds of a client, beside KvikIO with so many threads."""
    chosen = [run["clients"] for run in runs if run["kvikio_threads"] == threads]
    rows = [row for clients in chosen for row in clients]
    of = [r["rounds"] for r in rows if (r["client"], r["block"]) == (client, block)]
    return [each for some in of for each in some]


def over_ours(client, block, key, threads=8):
    """The mean ratio of the rounds' medians to ours, and its 95% interval."""
    pairs = zip(rounds(client, block, threads), rounds("ours", block, threads), strict=True)
    logs = [log(median(other[key]) / median(own[key])) for other, own in pairs]
    half = 1.96 * stdev(logs) / sqrt(len(logs))
    return [exp(mean(logs) + sign * half) for sign in (0, -1, 1)]


EPYC = {"ours": "Watari", "obstore": "obstore", "kvikio": "KvikIO, 8 threads"}
for block, size in ((SMALL, "64 KiB"), (LARGE, "8 MiB")):
    for client, name in EPYC.items():
        passes = [
            (r["bytes"] / 1e9, seconds, cpu)
            for r in rounds(client, block)
            for seconds, cpu in zip(r["seconds"], r["cpu_s"], strict=True)
        ]
        own = [median(g / s for g, s, _ in passes), median(cpu / g for g, _, cpu in passes)]
        row = f"| {size}, EPYC | {name} | {{}} | {{}} |"
        if client == "ours":
            page.says(row, *own)
        else:
            beside = [x for key in ("seconds", "cpu_s") for x in over_ours(client, block, key)]
            page.says(f"{row} {{}} | {{}} to {{}} | {{}} | {{}} to {{}} |", *own, *beside)
page.says(
    "KvikIO takes {} and {} times as long as Watari",
    *(over_ours("kvikio", block, "seconds", 2)[0] for block in (SMALL, LARGE)),
)
page.given("the runs", "21 rounds in turn", "With 2 threads, three rounds")
page.given("a convention", "with 95% intervals")
quiet = text("nvidia-h100-80gb-hbm3-x86_64/20261126-objects.txt")
shown = {"ours": "Watari", "obstore": "obstore", "kvikio": "KvikIO, 8 threads"}
rows = [line.split() for line in quiet.lines if line.split()[2:3] == ["5"]]
for block, client, _, rate, _, cpu, _, _ in rows:
    name = "64 KiB, 16 cores" if int(block) == SMALL else "8 MiB, 16 cores"
    page.says(f"| {name} | {shown[client]} | {{}} | {{}} |", float(rate), float(cpu))


def quiet_rate(block: int) -> float:
    (found,) = [row for row in rows if row[1] == "ours" and int(row[0]) == block]
    return float(found[3])


faster, least = zip(
    *((float(row[4]), float(row[6])) for row in rows if row[1] == "ours"), strict=True
)
page.says(
    "at {} and {} times the rate of the faster of the two, with {} and {} of the least CPU time",
    *faster,
    *least,
)
tail = [line.split() for line in quiet.lines if "at best" in line]
page.says("KvikIO reaches {} and {} GB/s", *(float(row[2]) for row in tail if row[1] == "kvikio"))
page.says("reads ranges of 8 MiB at {} GB/s", float(tail[1][2]))
page.given(
    "the machine and the runs",
    "with 16 cores and an H100",
    "five rounds in turn",
    "With 16 threads",
    "by four, or by one for each four",
)
page.given("a version", "obstore 0.12.1", "SeaweedFS 4.48", "KvikIO 26.10")
page.given("a setting of the benchmark", "KvikIO, 8 threads")
page.given(
    "settings of src/watari/objects/",
    "or 6 |",
    "no byte for 30 s",
    "the statuses 408, 429, 500, 502, 503 and 504",
    "0.1 s x 2^(n-1), and at most 20 s",
    "multi interface: up to 32 in flight",
    "one for each CPU, from 10 to 32",
    "one thread for every 4 CPUs, at\n  most 4;",
    "after each 1000 parts",
)
page.given("limits of S3", "up to 5 TiB has at most 10,000 parts", "status 200")
page.given("requests of a test", "It sends 10,000 requests")

gaps = data("2-core-intel-xeon-x86_64/20261127-object-gaps.json")["rows"]


def gap_row(build: str, **wanted: object) -> dict[str, float]:
    (row,) = [
        r
        for r in gaps
        if r["build"] == build and all(r.get(name, 0) == each for name, each in wanted.items())
    ]
    return {**row, "s": median(row["seconds"])}


LATE = 0.03
for words, wanted in (
    ("| `gemm`, N = 5000 | 16 MiB |", {"job": "product", "fast": "16MiB"}),
    ("| `gemm`, N = 5000 | 64 MiB |", {"job": "product", "fast": "64MiB"}),
    ("| `gemm`, N = 5000 | 256 MiB |", {"job": "product", "fast": "256MiB"}),
    ("| `gemm`, N = 1500, each answer 30 ms late | 8 MiB |", {"job": "product", "n": 1500}),
    ("| `array[:, 96:352]` of N = 5000 | |", {"job": "slice", "late": 0}),
):
    before, after = (gap_row(build, **wanted) for build in ("before", "after"))
    page.says(
        f"{words} {{}} | {{}} | {{}} | {{}} | {{}} | {{}} |",
        *(row["requests"] for row in (before, after)),
        *(row["received"] / 1e9 for row in (before, after)),
        *(row["s"] for row in (before, after)),
    )
page.says("The first of these products takes {} s", gap_row("after", job="files")["s"])
for shown, apart in (
    ("64 KiB", 2**16),
    ("256 KiB", 2**18),
    ("512 KiB", 2**19),
    ("1 MiB", 2**20),
):
    cells = [
        1e3 * gap_row("after", job="gaps", apart=apart, gap=gap, late=late)["s"]
        for late in (0, LATE)
        for gap in (0, 2**20)
    ]
    page.says(f"| {shown} | {{}} | {{}} | {{}} | {{}} |", *cells)
alone = gap_row("after", job="gaps", apart=2**16, gap=0, late=0)
page.says("whose requests take {} ms", 1e3 * alone["s"] / alone["requests"])
page.says(
    "from the [tables below](#measurements) | {} and {} MB |",
    SMALL * (value("ours", LARGE, "GB/s") / value("ours", SMALL, "GB/s") - 1) / 1e6,
    SMALL * (quiet_rate(LARGE) / quiet_rate(SMALL) - 1) / 1e6,
)
page.given(
    "settings of the benchmark",
    "Medians of three rounds",
    "N = 1500, each answer 30 ms late",
    "ranges of 4 KiB, in ms",
)
page.given("an example of the model", "30 ms, 32 in flight, 10 Gb/s | 1.2 MB |")
page.given("limits of other clients", "object_store have 1 MiB as well, fsspec 64 kB")
page.given("words of a forecast", "`reads 1.2 GB of 2.1 GB received`")
page.says(
    "A product that took {} s takes {} s",
    *(gap_row(build, job="product", fast="16MiB")["s"] for build in ("before", "after")),
)

# to a GPU, from rclone
engine = results("nvidia-h100-80gb-hbm3-x86_64/20261127-objects-engine.json")


def requested(processor, block):
    """The trials of a processor and a block."""
    return engine.case("storage", processor=processor, block=block)


for block, name in ((SMALL, "64 KiB"), (2**20, "1 MiB")):
    for processor in ("cpu", "gpu"):
        m = requested(processor, block)
        page.says(
            f"| {name} | {processor.upper()} | {{}} | {{}} | {{}} | {{}} | {{}} |",
            m["threads"] * m["depth"],
            m.median,
            m.quantity("requests_per_s"),
            1e3 * m.quantity("latency_p50"),
            m.median * m.quantity("cpu_s_per_GB"),
        )
to_gpu = requested("gpu", SMALL)
page.says(
    "SeaweedFS above served {} times\n  the rate",
    quiet_rate(SMALL) / requested("cpu", SMALL).median,
)
page.says("engine is busy {} of the time", to_gpu.median * to_gpu.quantity("gpu_s_per_GB"))
page.given("the machine", "on the same 16 cores", "medians of three trials")
