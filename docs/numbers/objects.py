"""The numbers of docs/objects.md."""

from __future__ import annotations

from recompute import Page
from result_files import data, text

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
quiet = text("nvidia-h100-80gb-hbm3-x86_64/20261126-objects.txt")
shown = {"ours": "Watari", "obstore": "obstore", "kvikio": "KvikIO, 8 threads"}
rows = [line.split() for line in quiet.lines if line.split()[2:3] == ["5"]]
for block, client, _, rate, _, cpu, _, _ in rows:
    name = "64 KiB, 16 cores" if int(block) == SMALL else "8 MiB, 16 cores"
    page.says(f"| {name} | {shown[client]} | {{}} | {{}} |", float(rate), float(cpu))
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
