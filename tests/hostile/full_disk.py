"""Small disks that fill at random moments: ext4 in a file and tmpfs, each of a random size.

Promises: a full disk is reported in one line; C and result files are the old ones or right; once
there is room the same command, or `--resume`, completes. Mounts are in a namespace of their own; if
they are not allowed, the attack is unsupported.
"""

from __future__ import annotations

import functools
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attacks
import products
from attacks import Broken, Unsupported
from commands import Ended, end, start, watari
from files_of_cases import WRITES

MIB = 2**20
INSIDE = "WATARI_HOSTILE_MOUNTS"  # in the environment once mounts are our own
RUN = ["run", "copy", "processor=cpu", "size=16KiB,64KiB", "trials=3", "samples=200"]
STORAGE = ["run", "storage", "processor=cpu", "size=4MiB", "requests=64", "block=4KiB"]
STORAGE += ["trials=1", "samples=2", "engine=posix,queue", "folder=data", "cache=warm"]


def command(words: list[str]) -> str:
    """The error output of a command that fails; empty if it succeeds."""
    ended = subprocess.run(words, capture_output=True, text=True)
    return ended.stderr.strip() if ended.returncode else ""


@functools.cache
def loops() -> bool:
    """Whether a file can be mounted."""
    with mounted(attacks.scratch() / f"probe-{os.getpid()}", "ext4", 4 * MIB, ignore=True) as why:
        return not why


@contextmanager
def mounted(at: Path, system: str, size: int, ignore: bool = False) -> Iterator[str]:
    """Mounts a disk of `size` bytes. Raises Unsupported if that fails, or with `ignore` yields the
    reason."""
    at.mkdir()
    image = at.with_name(at.name + ".image")
    if system == "ext4":
        with image.open("wb") as file:
            file.truncate(size)
        why = command(["mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", str(image)])
        why = why or command(["mount", "-o", "loop", str(image), str(at)])
    else:
        why = command(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(at)])
    try:
        if why and not ignore:
            raise Unsupported(why)
        if system == "ext4" and not why:
            (at / "lost+found").rmdir()
        yield why
    finally:
        if not why:
            command(["umount", "-l", str(at)])
        at.rmdir()
        image.unlink(missing_ok=True)


def free(folder: Path) -> int:
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize


class Ballast:
    """A file that takes all room except some bytes, at once or while a command runs."""

    def __init__(self, rng: random.Random, folder: Path, left: int) -> None:
        self.path, self.left, self.folder = folder / "ballast", left, folder
        self.pause = rng.choice([0.0, 0.0, rng.uniform(0.1, 1.0)])

    def fill(self) -> None:
        with self.path.open("ab", buffering=0) as file:
            try:
                while (room := free(self.folder) - self.left) > 0:
                    if not file.write(bytes(min(room, MIB))):
                        break
            except OSError:
                pass  # full, as it should be

    def command(self, words: list[str], folder: Path) -> Ended:
        """Runs a command on the full disk, or on one that becomes full meanwhile."""
        if not self.pause:
            self.fill()
            return watari(words, folder)
        process = start(words, folder)
        filler = threading.Timer(self.pause, self.fill)
        filler.start()
        try:
            return end(process, words)
        finally:
            filler.join()

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def of_product(rng: random.Random, disk: Path) -> str:
    product = products.prepare(rng, disk)
    ballast = Ballast(rng, disk, int(rng.uniform(0, 1.5) * len(product.right)))
    ended = ballast.command(product.words, disk)
    finished = products.check_old(product, ended)
    ballast.remove()
    if ended.code == 0:
        products.check_done(product, ended, product.right)
        return "had room"
    check_told(ended, ["C.npy", "output"])
    again = watari(product.words, disk)
    products.whole(again)
    products.check_done(product, again, product.right_anew if finished else product.right)
    return "reported, then made"


def check_told(ended: Ended, names: list[str]) -> None:
    """Raises Broken unless one line reports the full disk."""
    named = any(name in ended.error for name in names)
    if ended.code not in (1, 2) or not ended.error.startswith("watari: ") or not named:
        raise Broken(f"a full disk is not reported: {ended}")


def statuses(path: Path, ended: Ended) -> list[str]:
    """The statuses of a result file's cases. Raises Broken if it is torn or lacks trials."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Broken(f"no result: {error}: {ended}") from None
    if content["missing"]:
        raise Broken(f"trials are missing: {ended}")
    return [case["status"] for case in content["cases"]]


def of_run(rng: random.Random, disk: Path, words: list[str]) -> str:
    """Results fill a disk; with room again `--resume` completes them."""
    result, journal = disk / "run.json", disk / "run.json.journal"
    words = [*words, "-o", "run.json"]
    ballast = Ballast(rng, disk, int(10 ** rng.uniform(0, 5.2)))
    ended = ballast.command(words, disk)
    ballast.remove()
    whole = result.exists() and not journal.exists()
    if not whole:
        check_told(ended, ["run.json", "data", ".trial-", str(disk), "output"])
    resumes = journal.exists() and journal.stat().st_size
    if not whole:
        ended = watari(["run", "--resume", "run.json"] if resumes else words, disk)
    ended_with = statuses(result, ended)
    if "wrong" in ended_with or ended.code != int("failed" in ended_with):
        raise Broken(f"statuses {ended_with} after {ended}")
    names = {path.name for path in disk.iterdir()} - {"run.json", "data"}
    if names:
        raise Broken(f"left lying: {names} after {ended}")
    return "had room" if whole else "resumed" if resumes else "reported, then run"


def of_copy(rng: random.Random, disk: Path) -> str:
    """Results alone fill the disk."""
    return of_run(rng, disk, RUN)


def of_storage(rng: random.Random, disk: Path) -> str:
    """Test files fill a disk; with room again they are whole."""
    outcome = of_run(rng, disk, STORAGE)
    again = watari([*STORAGE, "-o", "again.json"], disk)
    if set(statuses(disk / "again.json", again)) != {"ok"}:
        raise Broken(f"a full disk lasts: {again}")
    return outcome


def of_output(rng: random.Random, disk: Path) -> str:
    """The output of a case's command does not fit a disk; with room again it is written."""
    words, option, output = rng.choice(WRITES)
    ballast = Ballast(rng, disk, int(10 ** rng.uniform(2, 6.3)))
    ended = ballast.command([*words, option, output], disk)
    ballast.remove()
    had_room = ended.code == 0
    if not had_room:
        check_told(ended, [output, "output"])
        if {path.name for path in disk.iterdir()}:
            raise Broken(f"files are left after {ended}")
        products.whole(watari([*words, option, output], disk))
    if [path.name for path in disk.iterdir()] != [output]:
        raise Broken(f"no output, or files beside it, after {ended}")
    return "had room" if had_room else "reported, then made"


def attempt(rng: random.Random, folder: Path) -> str:
    of = rng.choice([of_product, of_copy, of_storage, *[of_output] * bool(WRITES)])
    system = rng.choice(["ext4", "tmpfs"]) if loops() else "tmpfs"
    with mounted(folder / "disk", system, rng.randrange(32, 48) * MIB):
        return of(rng, folder / "disk")


def in_own_namespace(needed: bool = True) -> None:
    """Starts this program again in a mount namespace of its own, if that is allowed."""
    own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if INSIDE in os.environ:
        return
    if not (why := command([*own, "true"])):
        os.environ[INSIDE] = "1"
        os.execvp(own[0], [*own, sys.executable, *sys.argv])
    if needed:
        print(f"full_disk: unsupported: {' '.join(own)}: {why}")
        sys.exit(0)


if __name__ == "__main__":
    in_own_namespace()
    attacks.main(attempt, 300)
