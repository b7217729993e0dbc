"""A program of which nothing is changed makes no other driver call, and has no other thread, on a
driver without a GPU that counts its calls."""

import json
import subprocess

import emulator
import pytest
from launching import HANGS
from staging import folder
from tried import driver, program

from watari.attach.entry import PACKAGE, PRELOADED

BELOW = ("copy", 15, "copy", 15, "copy", 15)  # 90 MiB: too few for threads
LIFE = ("device", 4096, "again", 4096, "streams", 4096, "reset", 4096)
MANAGED = ("managed", 4096, *LIFE)

CHANGES = ("", "staged", "prefetched", "staged,prefetched,huge,near")


def calls(tmp_path, command, **variables):
    """The number of calls of each function, and the output."""
    path = tmp_path / "calls"
    path.unlink(missing_ok=True)
    ended = subprocess.run(
        [*map(str, command)],
        env={
            **driver(calls=path),
            "LD_LIBRARY_PATH": str(emulator.driver() / "counted"),
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return json.loads(path.read_text()), ended.stdout


def changed(words):
    cpus = folder() / "cpus.so"
    library = f"{PACKAGE}/{PRELOADED}"
    return {"LD_PRELOAD": f"{library}:{cpus}", "WATARI_CHANGES": words, "CPUS": "16"}


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        *((words, "ends", (*BELOW, "reset", "copy", 1, "threads")) for words in CHANGES),
        *((words, "linked", LIFE) for words in CHANGES),
        *((words, "opened", LIFE) for words in CHANGES),
        ("", "linked", MANAGED),
        ("staged", "linked", MANAGED),
    ],
)
def test_a_program_without_work_for_a_change_makes_its_own_calls_only(
    tmp_path, name, words, changes
):
    command = [folder() / name if name == "ends" else program(name), *words]
    assert calls(tmp_path, command, **changed(changes)) == calls(tmp_path, command)


@pytest.mark.parametrize("changes", ["pooled", "staged,pooled"])
def test_pooled_makes_none_without_an_allocation_or_release(tmp_path, changes):
    command = [program("linked"), "pinned", 4096, "say", "hello"]
    assert calls(tmp_path, command, **changed(changes)) == calls(tmp_path, command)


def test_what_is_staged_does_make_others(tmp_path):
    command = [folder() / "ends", "copy", 96]
    alone, _ = calls(tmp_path, command)
    assert calls(tmp_path, command, **changed("staged"))[0] != alone
