"""Commands during which one call to the operating system fails, or transfers less than requested.

Promises: a documented exit code, no traceback, no hang; the old output whole or the new one right;
an error line that names the file; and the same command without a fault then does its work. Calls of
io_uring and calls inside glibc cannot be reached from here (faulty_calls.c).
"""

from __future__ import annotations

import errno
import functools
import json
import random
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attacks
import products
from attacks import Broken, Unsupported
from commands import Ended, watari

DISK = ["EIO", "ENOSPC", "EDQUOT"]
FAULTS: dict[str, list[str]] = {  # by call: the errors in its manual page; SHORT transfers less
    "open": ["EIO", "ENOSPC", "EDQUOT", "EACCES", "ENOMEM", "EINTR", "EMFILE"],
    "read": ["EIO", "EINTR", "SHORT"],
    "pread": ["EIO", "EINTR", "SHORT"],
    "write": [*DISK, "EINTR", "SHORT"],
    "pwrite": [*DISK, "EINTR", "SHORT"],
    "fsync": DISK,
    "fdatasync": DISK,
    "rename": [*DISK, "EACCES"],
    "link": [*DISK, "EACCES"],
    "unlink": ["EIO", "EACCES"],
    "ftruncate": [*DISK, "EINTR"],
    "fallocate": [*DISK, "EINTR"],
    "flock": ["EINTR", "EAGAIN", "ENOMEM"],
    "mkdir": [*DISK, "EACCES", "ENOMEM"],
    "mmap": ["ENOMEM", "EACCES", "EAGAIN"],
    "stat": ["EIO", "EACCES", "ENOMEM"],
    "close": ["EIO", "EINTR", "ENOSPC", "EDQUOT"],
}
PYTHON = ["open", "read", "write", "fsync", "rename", "unlink", "stat", "close"]  # a command's own
RUNS = [*PYTHON, "flock", "mkdir"]
DATA = ["open", "pread", "pwrite", "fdatasync", "fallocate", "mmap", "ftruncate", "link", "close"]
RUN = ["run", "copy", "processor=cpu", "size=16KiB", "trials=2", "samples=2", "-o", "run.json"]
STORAGE = ["run", "storage", "processor=cpu", "size=4MiB", "requests=64", "block=4KiB"]
STORAGE += ["trials=1", "samples=2", "folder=data", "-o", "run.json"]
SAMPLES = sorted(
    (Path(__file__).parents[2] / "results").rglob("*-gemm-*-disk-*.json"),
    key=lambda path: path.stat().st_size,
)[:4]


@functools.cache
def library() -> str:
    """The preloaded library, compiled once. Raises Unsupported."""
    source = Path(__file__).with_suffix(".c")
    built = attacks.scratch() / "faulty_calls.so"
    if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
        with tempfile.TemporaryDirectory(dir=attacks.scratch()) as folder:
            made = Path(folder, "made.so")
            command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"]
            try:
                subprocess.run(command, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise Unsupported(f"a C compiler: {error}") from None
            made.replace(built)
    return str(built)


def drawn(rng: random.Random, folder: Path, calls: list[str]) -> dict[str, str]:
    """The environment of a fault: the call, its number, the error, once or from then on."""
    call = rng.choice(calls)
    how = rng.choice(FAULTS[call])
    return {
        "LD_PRELOAD": library(),
        "FAULT_FOLDER": str(folder),
        "FAULT_LOG": f"{folder}.log",
        "FAULT_CALL": call,
        "FAULT_NTH": str(int(10 ** rng.uniform(0, rng.choice([0.3, 0.8, 1.6])))),
        "FAULT_ERRNO": str(0 if how == "SHORT" else getattr(errno, how)),
        # no machine interrupts a call again and again
        "FAULT_LASTING": str(int(rng.random() < 0.3 and how not in ("EINTR", "SHORT"))),
    }


def came(ended: Ended, folder: Path, fault: dict[str, str]) -> str:
    """Whether the fault was reached, and how the command ended."""
    log = Path(fault["FAULT_LOG"])
    if not log.exists():
        return "not reached"
    log.unlink()
    return "survived" if ended.code in (0, 3) else "reported"


def check_end(ended: Ended, codes: tuple[int, ...], names: list[str]) -> None:
    """Raises Broken if a command ended with another code, or if its error has none of the names."""
    if ended.code not in codes:
        raise Broken(f"an exit code for something else: {ended}")
    if ended.code and not (
        ended.error.startswith("watari: ") and any(name in ended.error for name in names)
    ):
        raise Broken(f"an error without a name: {ended}")


def of_product(rng: random.Random, folder: Path) -> str:
    """`watari gemm`: C is the old one or right; after a fault, the same command succeeds."""
    product = products.prepare(rng, folder)
    fault = drawn(rng, folder, list(FAULTS))
    ended = watari(product.words, folder, **fault)
    finished = products.check_old(product, ended)
    if ended.code == 0 and not finished:
        raise Broken(f"no C after {ended}")
    check_end(ended, (0, 1, 2), [".npy", str(folder), "output"])
    again = watari(product.words, folder)
    if again.code == 2 and "--fresh" in again.error:
        again = watari([*product.words, "--fresh"], folder)
    products.whole(again)
    # a C that was in place already may be reported as completed, or be the C that is added to
    right = {product.right, product.right_anew} if finished else {product.right}
    if product.content() not in right or product.left_over():
        raise Broken(f"a wrong C, or something beside it {product.left_over()}: {again}")
    return came(ended, folder, fault)


def result(folder: Path, old: str, ended: Ended) -> dict[str, Any] | None:
    """The new result file. Raises Broken if it is torn, or has a case with wrong data."""
    path = folder / "run.json"
    text = path.read_text() if path.exists() else ""
    if text == old:
        return None
    try:
        content: dict[str, Any] = json.loads(text)
    except ValueError as error:
        raise Broken(f"torn JSON: {error} after {ended}") from None
    for case in content["cases"]:
        if case["status"] == "wrong" or (case["status"] != "ok" and not case["reason"]):
            raise Broken(f"{case['status']} because of '{case['reason']}' after {ended}")
    return content


def of_run(rng: random.Random, folder: Path, words: list[str], calls: list[str]) -> str:
    """`watari run`: results are the old ones or the new; the run can be resumed."""
    old = rng.choice(["", SAMPLES[0].read_text()])
    if old:
        (folder / "run.json").write_text(old)
    fault = drawn(rng, folder, calls)
    ended = watari(words, folder, **fault)
    content = result(folder, old, ended)
    if ended.code == 0 and not content:
        raise Broken(f"no result after {ended}")
    if ended.code not in (0, 1) or not content:
        check_end(ended, (1, 2), ["run.json", str(folder), "data", ".trial", "output"])
    journal = folder / "run.json.journal"
    if journal.exists() and journal.stat().st_size:
        words = ["run", "--resume", "run.json"]
    again = watari(words, folder)
    content = result(folder, old, again)
    failed = content and any(case["status"] == "failed" for case in content["cases"])
    if not content or content["missing"] or again.code != int(bool(failed)):
        raise Broken(f"not whole after a fault: {ended}, then {again}")
    left = {path.name for path in folder.iterdir()} - {"run.json", "data"}
    if fault["FAULT_CALL"] in ("unlink", "open", "stat"):  # a folder that could not be removed
        left = {name for name in left if not name.startswith(".trial-")}
    if left:
        raise Broken(f"left lying: {left} after {ended}, then {again}")
    return came(ended, folder, fault)


def of_storage(rng: random.Random, folder: Path) -> str:
    """`watari run storage`: a fault gives no wrong data, and leaves none that a later run reads."""
    words = [*STORAGE, f"engine={rng.choice(['posix', 'mmap', 'queue'])}"]
    words += [f"direction={rng.choice(['read', 'write'])}"]
    outcome = of_run(rng, folder, words, DATA)
    (folder / "run.json").unlink()
    again = watari(words, folder)
    if again.code != 0:
        raise Broken(f"a fault lasts ({outcome}): {again}")
    return outcome


def of_report(rng: random.Random, folder: Path) -> str:
    """`watari report`: the page is the old one or the new one."""
    page, fault = folder / "page.html", drawn(rng, folder, PYTHON)
    shutil.copyfile(rng.choice(SAMPLES), folder / "run.json")
    page.write_text("old")
    ended = watari(["report", "run.json", "-o", "page.html"], folder, **fault)
    check_end(ended, (0, 1, 2), ["run.json", "page.html", str(folder), "output"])
    text = page.read_text()
    if (text != "old" or ended.code == 0) and not text.rstrip().endswith("</html>"):
        raise Broken(f"a torn page of {len(text)} characters after {ended}")
    left = {path.name for path in folder.iterdir()} - {"run.json", "page.html"}
    if left and fault["FAULT_CALL"] != "unlink":
        raise Broken(f"left lying: {left} after {ended}")
    return came(ended, folder, fault)


def of_compare(rng: random.Random, folder: Path) -> str:
    """`watari compare`: the verdict, or an error."""
    names = ["base.json", "new.json"]
    for name in names:
        shutil.copyfile(rng.choice(SAMPLES), folder / name)
    right, fault = watari(["compare", *names], folder), drawn(rng, folder, PYTHON)
    ended = watari(["compare", *names], folder, **fault)
    if (ended.code, ended.out) != (right.code, right.out):
        check_end(ended, (1, 2), [*names, str(folder), "output"])
    return came(ended, folder, fault)


def of_copy(rng: random.Random, folder: Path) -> str:
    """`watari run copy`, whose trials need no files of data."""
    return of_run(rng, folder, RUN, RUNS)


# weights; a page needs packages that a compute node may lack
ATTACKS = {
    of_product: 5,
    of_copy: 4,
    of_storage: 4,
    of_report: 1 if find_spec("altair") else 0,
    of_compare: 1,
}


def attempt(rng: random.Random, folder: Path) -> str:
    (attack,) = rng.choices(list(ATTACKS), list(ATTACKS.values()))
    return attack(rng, folder)


if __name__ == "__main__":
    attacks.main(attempt, 300)
