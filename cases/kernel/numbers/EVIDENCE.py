"""Where the numbers of cases/kernel/EVIDENCE.md come from."""

from recompute import Page
from result_files import results

H100 = "nvidia-h100-80gb-hbm3-x86_64/20261126-kernel-"

page = Page("cases/kernel/EVIDENCE.md")
beside = results(f"{H100}alternated.json")
for source in ("stencil", "saxpy", "gather"):
    settled = [
        next(m for m in beside.all("kernel", memory=kind) if m["source"].startswith(source))
        for kind in ("device", "managed", "pinned")
    ]
    page.says(f"| `{source}.cu` |" + " {} |" * 3, *(m.median for m in settled))


def access(memory: str, place: str) -> float:
    """GB/s of arrays that this processor touched first, read and written by the GPU."""
    return float(beside.case("access", memory=memory, source=place, destination=place).median)


page.says(
    "| case `access`, one array read, another written |" + " {} |" * 3,
    access("explicit", "gpu"),
    access("managed", "cpu"),
    access("explicit", "cpu"),
)
verified = sum(
    trial["verified"]
    for name in ("saxpy", "gather", "stencil")
    for m in results(f"{H100}{name}.json").cases
    for trial in m.trials
)
page.says("NumPy gives the same elements in all {} trials", verified)
page.given("the type of its elements", "with each element of 4 bytes")
