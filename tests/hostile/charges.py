"""`watari bem` with kills, full disks, failing calls and damaged matrices; and products whose
matrix comes from a device with faults.

Promises: charges are right, to the bit, or absent. In the end the same command writes the charges
of an undisturbed one with the same options except fast memory, and no other file remains. A failure
is reported in one line.
"""

from __future__ import annotations

import functools
import json
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import attacks
import full_disk
from attacks import Broken, Unsupported
from commands import Ended, watari
from faulty_calls import check_end, drawn
from kills import end_at_random

KILLS = [1, 1, 2, 3]  # before it may end
MESHES = ["bumpy:6", "cube:9", "spheres:5"]
BUDGETS = [[], ["--fast-memory", "3MiB"], ["--fast-memory", "2MiB"]]
FAULTS = ["open", "pread", "pwrite", "fsync", "fdatasync", "ftruncate", "fallocate", "rename"]
FAULTS += ["link", "unlink", "write", "close", "flock"]
DEVICE_FAULTS = ["reordered", "delayed", "duplicated", "dropped", "failed", "late-data"]
DEVICE_FAULTS += ["bad-phase"]
MATRIX = "c.vtu.hmatrix"
OUTPUTS = {"c.vtu", "c.npy"}


def command(rng: random.Random) -> list[str]:
    """A command without --fast-memory, which each repetition draws anew."""
    words = ["bem", rng.choice(MESHES), "-o", "c.vtu", "--charges", "c.npy", "--threads", "2"]
    return [
        *words,
        "--eps",
        rng.choice(["1e-4", "1e-8"]),
        "--engine",
        rng.choice(["posix", "uring"]),
    ]


@functools.cache
def undisturbed(words: tuple[str, ...]) -> bytes:
    """The charges of an undisturbed command, computed once."""
    with tempfile.TemporaryDirectory(dir=attacks.scratch()) as folder:
        ended = watari(list(words), Path(folder))
        if ended.code:
            raise Broken(f"without a disturbance: {ended}")
        return Path(folder, "c.npy").read_bytes()


def right(words: list[str]) -> bytes:
    """The right charges of a command, the same for every engine."""
    return undisturbed((*words[: words.index("--engine")], "--engine", "posix"))


def check_charges(folder: Path, words: list[str], ended: Ended) -> None:
    """Raises Broken for wrong charges, and for none after exit code 0."""
    path = folder / "c.npy"
    if path.exists() and path.read_bytes() != right(words):
        raise Broken(f"wrong charges after {ended}")
    if ended.code == 0 and not path.exists():
        raise Broken(f"no charges after {ended}")


def finish(rng: random.Random, folder: Path, words: list[str]) -> None:
    """Runs the same command with another budget. Raises Broken unless it succeeds and leaves no
    other file."""
    ended = watari([*words, *rng.choice(BUDGETS)], folder)
    check_charges(folder, words, ended)
    left = {path.name for path in folder.iterdir()} - OUTPUTS
    if ended.code or left:
        raise Broken(f"does not end as without a disturbance, or leaves {left}: {ended}")


def killed(rng: random.Random, folder: Path) -> str:
    """Signals end the command while it builds or solves."""
    words = command(rng)
    right(words)
    partial = folder / f"{MATRIX}.partial"
    for _ in range(rng.choice(KILLS)):
        asked = [*words, *rng.choice(BUDGETS)]
        ended = end_at_random(rng, asked, folder, partial, 3.0, 1.0)
        check_charges(folder, words, ended)
        if ended.code == 0:
            return "ended before the kill"
    kept = "resumed" if partial.exists() else "solved" if (folder / MATRIX).exists() else "anew"
    finish(rng, folder, words)
    return kept


def faulty(rng: random.Random, folder: Path) -> str:
    """One call fails, or transfers less."""
    words = command(rng)
    right(words)
    fault = drawn(rng, folder, FAULTS)
    ended = watari([*words, *rng.choice(BUDGETS)], folder, **fault)
    check_charges(folder, words, ended)
    check_end(ended, (0, 1, 2), ["c.vtu", "c.npy", str(folder), "output"])
    log = Path(fault["FAULT_LOG"])
    reached = log.exists()
    log.unlink(missing_ok=True)
    for name in OUTPUTS:
        (folder / name).unlink(missing_ok=True)
    finish(rng, folder, words)
    return "not reached" if not reached else "reported" if ended.code else "survived"


def damaged(rng: random.Random, folder: Path) -> str:
    """The file of the matrix is truncated or changed between two commands."""
    words = command(rng)
    right(words)
    watari([*words, "--keep"], folder)
    path = folder / MATRIX
    content = bytearray(path.read_bytes())
    if rng.random() < 0.4:
        del content[rng.randrange(len(content)) :]
    else:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    (folder / "c.npy").unlink()
    ended = watari([*words, *rng.choice(BUDGETS)], folder)
    check_charges(folder, words, ended)
    if ended.code == 0:
        return "built again, or not read"
    check_end(ended, (1, 2), [MATRIX])
    path.unlink()
    finish(rng, folder, words)
    return "reported"


def no_room(rng: random.Random, folder: Path) -> str:
    """The disk is full, or becomes so."""
    if full_disk.INSIDE not in os.environ:
        raise Unsupported("mounts in a namespace of its own")
    words = command(rng)
    whole = right(words)
    disk = folder / "disk"
    with full_disk.mounted(disk, "tmpfs", 64 * full_disk.MIB):
        ballast = full_disk.Ballast(rng, disk, rng.randrange(1, 12 * full_disk.MIB))
        ended = ballast.command(words, disk)
        check_charges(disk, words, ended)
        ballast.remove()
        if ended.code:
            full_disk.check_told(ended, ["c.vtu", "c.npy", "output"])
            finish(rng, disk, words)
        if (disk / "c.npy").read_bytes() != whole:
            raise Broken(f"wrong charges after {ended}")
    return "reported, then made" if ended.code else "had room"


def product_of(rng: random.Random, folder: Path, fault: str) -> dict[str, Any]:
    """The trial of a case that reads its matrix from a device with a fault."""
    words = ["run", "hmatrix", "mesh=bumpy:8", "processor=cpu", "engine=queue", "trials=1"]
    words += [f"fault={fault}", f"folder={folder}", f"fast-memory={rng.choice(['3MiB', '4MiB'])}"]
    words += ["batch=16KiB", "samples=5", f"store={rng.choice(['file', 'ram'])}", "-o", "r.json"]
    ended = watari(words, folder)
    if not (folder / "r.json").exists() or ended.code not in (0, 1):
        raise Broken(f"no result: {ended}")
    (case,) = json.loads((folder / "r.json").read_text())["cases"]
    (trial,) = case["trials"]
    (folder / "r.json").unlink()
    return dict(trial)


def device(rng: random.Random, folder: Path) -> str:
    """The device behind the queues reorders, delays, repeats, drops or fails requests."""
    right_one = product_of(rng, folder, "none")
    trial = product_of(rng, folder, rng.choice(DEVICE_FAULTS))
    if trial["status"] == "ok":
        for name in ("capacitance", "products"):
            if trial["quantities"][name] != right_one["quantities"][name]:
                raise Broken(f"another {name} than without a fault: {trial}")
        return "survived"
    if trial["status"] != "failed" or not trial["error"]:
        raise Broken(f"neither right nor a clear error: {trial}")
    return "reported"


ATTACKS = {
    "killed": killed,
    "device": device,
    "faulty": faulty,
    "damaged": damaged,
    "no room": no_room,
}


def attempt(rng: random.Random, folder: Path) -> str:
    name = rng.choice(sorted(ATTACKS))
    try:
        return f"{name}: {ATTACKS[name](rng, folder)}"
    except Unsupported as reason:
        if name != "no room":
            raise
        return f"no room: unsupported ({reason})"


if __name__ == "__main__":
    full_disk.in_own_namespace(needed=False)
    attacks.main(attempt, 100)
