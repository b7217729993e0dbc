"""Copies of which `staged` leaves some, or all, to the driver (tests/attach/staged: batches.cpp,
foreign.cpp).

Each run has one copy before, which starts the threads. The lines are those of the driver alone."""

import pytest
from staging import SMALL, copies, started

EXPECTED = {  # words: the copies that are staged beside the first one
    "batch 12": 3,
    "batch 13": 3,
    "own": 3,
    "ordered": 0,
    "between": 20,
    "wrong": 0,
    "captured": 0,
    "volumes": 1,
    "registered": 1,  # when it is unregistered
    "reset": 1,
    "imported ipc": 1,  # when it is closed, and other memory allocated
    "imported external": 1,
    "imported pool": 1,
    "imported handle": 1,
}


def program(words: str) -> str:
    return "foreign" if words.split()[0] in ("registered", "reset", "imported") else "batches"


@pytest.mark.parametrize("late", [{}, {"late": 1}])
@pytest.mark.parametrize("words", EXPECTED)
def test_bytes_results_and_order_are_those_of_the_driver(words, late):
    alone = started(program(words), *words.split(), staged=False, **late)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert "other" not in alone.stdout
    ended = started(program(words), *words.split(), **late)
    assert (ended.returncode, ended.stdout) == (0, alone.stdout), ended.stderr
    assert copies(ended) == 1 + EXPECTED[words]


@pytest.mark.parametrize("late", [{}, {"late": 2}])
def test_random_batches_give_the_bytes_of_the_driver(late):
    words = ("batches", "random", 200, SMALL)
    alone = started(*words, staged=False, **late)
    ended = started(*words, unit=SMALL, **late)
    assert (ended.returncode, ended.stdout) == (0, alone.stdout), ended.stderr
    assert copies(ended) > 100


def test_the_index_of_a_copy_that_failed_is_that_of_the_whole_batch():
    assert started("batches", "wrong").stdout.splitlines()[0] == "1, copy 2"


def test_a_batch_without_staged_has_the_copies_of_its_sites(tmp_path):
    variables = {"WATARI_CHANGES": "", "WATARI_ATTACH_LOG": str(tmp_path)}
    ended = started("batches", "batch", 12, variables=variables)
    assert (ended.returncode, ended.stdout) == (0, "same\n")
    log = next(tmp_path.glob("*.jsonl")).read_text()
    lines = [line for line in log.splitlines() if '"op":"copies"' in line]
    assert any('"to":"cpu"' in line and '"bytes":8388608' in line for line in lines)
