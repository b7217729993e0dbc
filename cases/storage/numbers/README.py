"""Where the numbers of cases/storage/README.md come from."""

from recompute import Page
from result_files import results, text

H200 = "nvidia-h200-x86_64/"

page = Page("cases/storage/README.md")
plan = results(f"{H200}20261122-gpu-direct-io.json")


def cpu(engine):
    """CPU s/GB of blocks of 4 KiB from the disk."""
    return plan.case("storage", engine=engine, block=4096, store="file", cache="none").quantity(
        "cpu_s_per_GB"
    )


def rates(name, engine):
    """Requests per second by the number of threads; `gpu` as its files have it."""
    run = results(
        f"{H200}20261121-storage-threads{name}-{'gpu' if engine == 'gpu' else 'cpu'}.json"
    )
    return {m["threads"]: m.median for m in run.all("storage", engine=engine)}


def over(engine):
    """`gpu` from memory over another engine, as many threads; and in the plan."""
    whole = plan.case("storage", engine="gpu", block=4096, store="ram").median
    same = plan.case("storage", engine=engine, block=4096, cache="warm").median
    threads = [
        rate / rates(name, engine)[count]
        for name in ("", "-again")
        for count, rate in rates(name, "gpu").items()
    ]
    return [*threads, whole / same]


posix, uring = over("posix"), over("uring")
page.says("it costs {} s of CPU time a GB; `gpu` costs {} s", cpu("uring"), cpu("gpu"))
page.says(
    "it is {} to {} times as fast as `posix` and {} to {} times as fast as `uring`",
    min(posix),
    max(posix),
    min(uring),
    max(uring),
)
explored = text(f"{H200}20261121-explored.txt")
single = explored.line("gpu    ram   read b=   4096 d=   1 t= 1:")[1]
page.says("a request by the GPU takes {} µs", 1 / single)
beside = text(f"{H200}20261124-gpu-beside-reads.txt")
steps = [float(line.split()[2]) for line in beside.lines if line.startswith("512x512x128  step")]
page.says(
    "took {} to {} ms in place of {}",
    min(steps),
    max(steps),
    beside.line("The same step takes")[0],
)
page.given("counted: a submission and a completion", "adds 80 bytes of queue entries")
page.given("NVMe specification 1.4", "1.4, bit for bit. A submission has 64 bytes, a completion 16")
page.given("src/watari/storage/", "The timeout is 10 s, with `fault` 0.2 s", "sector of 512 bytes")
