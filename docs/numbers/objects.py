"""The numbers of docs/objects.md."""

from __future__ import annotations

from statistics import quantiles

from recompute import Page
from result_files import data

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
busy = data("2-core-intel-xeon-x86_64/20261126-objects-kvikio.json")["clients"]
shown = {"ours": "Watari", "obstore": "obstore", "kvikio": "KvikIO, 8 threads"}
for row in busy:
    size = row["block"]
    cpu = [c / (r["bytes"] / 1e9) for r in row["rounds"] for c in r["cpu_s"]]
    low, _, high = quantiles(cpu, n=4)
    page.says(
        f"| {'64 KiB' if size == SMALL else '8 MiB'} | {shown[row['client']]} "
        "| {} | {} to {} | {} | {} |",
        row["CPU s/GB"],
        low,
        high,
        row["GB/s"],
        row["best GB/s"],
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
