"""`pooled`: freed GPU memory is kept, unseen by the program. On a driver without a GPU."""

import json
import re

import pytest
from changed import started

MB = 1_000_000
ACTIONS = [
    ("again", MB),
    ("mixed", 400),
    ("storm", 6),
    ("info", MB),
    ("freed", MB),
    ("short", 20 * MB),
    ("shared", MB),
    ("captured", MB),
    ("ended", MB),
    ("ordered", MB),
    ("crossed", MB),
    # of other tests: the end of contexts, captures, wrong programs, threads, children
    ("reset", MB),
    ("destroy", MB),
    ("release", MB),
    ("capture", MB),
    ("beside", 4096),
    ("pitch", 1000),
    ("wrong", MB),
    ("crowd", 8),
    ("threads", 1),
    ("fork", MB),
    ("work", MB),
    ("share", MB),
    ("range", MB),
    ("rdma", MB),
]


MACHINE = {"FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_MEMORY": str(100 * MB)}


def counted(tmp_path, changes, *words, **variables):
    """How the program ended, and the driver's counts of its own process."""
    log = tmp_path / f"counts-{changes}"
    ended = started(changes, *words, FAKE_CUDA_COUNTS=str(log), FAKE_CUDA_DEVICES="2", **variables)
    return ended, json.loads(log.read_text().splitlines()[-1])


@pytest.mark.parametrize("name", ["linked", "opened"])
@pytest.mark.parametrize("words", ACTIONS, ids=lambda words: words[0])
def test_a_program_does_the_same_as_without(words, name):
    with_it, without = (
        started(changes, *words, name=name, **MACHINE) for changes in ("pooled", "")
    )
    assert (with_it.returncode, with_it.stdout, with_it.stderr) == (
        without.returncode,
        without.stdout,
        without.stderr,
    )


@pytest.mark.parametrize("seed", range(1, 4))
def test_late_effects_come_before_a_free_returns(seed):
    words = ("again", MB, "ended", MB, "crossed", MB)
    ended = started("pooled", *words, FAKE_CUDA_LATE=str(seed), **MACHINE)
    assert (ended.returncode, ended.stdout) == (0, started("", *words, **MACHINE).stdout)


@pytest.mark.parametrize("number", range(1, 8))
def test_errors_of_earlier_work_come_out_of_the_same_call(number):
    for late in ("", "1"):
        with_it, without = (
            started(c, "again", MB, FAKE_CUDA_FAIL=str(number), FAKE_CUDA_LATE=late, **MACHINE)
            for c in ("pooled", "")
        )
        assert with_it.returncode == without.returncode == 3
        assert with_it.stderr == without.stderr


@pytest.mark.parametrize(
    ("words", "allocations", "without"),
    [
        (("again", MB), 1, 10),
        (("pitch", 1000, "pitch", 1000), 1, 2),
        (("many", 1000), 1, 1000),
        (("shared", MB), 2, 2),
        (("ordered", MB), 3, 3),
        (("crossed", MB), 3, 4),
        (("async", MB), 3, 3),
        (("managed", MB, "managed", MB), 2, 2),
        (("captured", MB), 3, 3),
    ],
    ids=str,
)
def test_a_kept_block_is_given_back_for_its_size(tmp_path, words, allocations, without):
    _, seen = counted(tmp_path, "pooled", *words)
    _, before = counted(tmp_path, "", *words)
    assert (seen["allocations"], before["allocations"]) == (allocations, without)


def test_what_is_kept_has_a_limit(tmp_path):
    memory = {"FAKE_CUDA_MEMORY": str(10 * MB)}  # a quarter: 2.5 MB
    _, seen = counted(tmp_path, "pooled", "again", 3 * MB, **memory)
    assert (seen["allocations"], seen["frees"]) == (10, 10)
    words = [word for k in range(12) for word in ("device", 240_000 + 4096 * k)]
    _, seen = counted(tmp_path, "pooled", *words, **memory)
    assert 6 <= seen["allocations"] - seen["frees"] <= 10
    words = [word for k in range(300) for word in ("device", 4096 * (k + 1))]
    _, seen = counted(tmp_path, "pooled", *words)
    assert seen["allocations"] - seen["frees"] == 256


def test_a_free_waits_for_the_gpu_as_the_driver_does():
    for changes in ("", "pooled"):
        ended = started(changes, "waited", 4096, FAKE_CUDA_KERNEL_US="1000")
        assert ended.stdout == "ran 1, had ended 1\n"


def test_a_rule_chooses_the_allocations(tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("size>=2000000\n")
    variables = {"WATARI_ATTACH_RULES": str(rules)}
    _, small = counted(tmp_path, "pooled", "again", MB, **variables)
    _, large = counted(tmp_path, "pooled", "again", 3 * MB, **variables)
    assert (small["allocations"], large["allocations"]) == (10, 1)


def test_one_line_says_that_nothing_was_kept():
    ended = started("pooled", "device", MB, WATARI_CHANGES_VERBOSE="1")
    assert ended.stderr == "watari: nothing was changed\n"
    assert started("pooled", "say", "x", WATARI_CHANGES_VERBOSE="1").stderr == ""  # no CUDA


@pytest.mark.parametrize(
    ("words", "delay", "said"),
    [
        (
            ("device", MB, "device", MB),
            0,
            r"pooled: 1 allocation, 0\.001 GB, about \S+ s (saved|lost)",
        ),
        (("again", MB), 2_000_000, r"pooled: 9 allocations, 0\.009 GB, about 0\.\d+ s saved"),
    ],
)
def test_one_line_says_what_was_kept(words, delay, said):
    ended = started("pooled", *words, WATARI_CHANGES_VERBOSE="1", FAKE_CUDA_DELAY_NS=str(delay))
    assert re.fullmatch(rf"watari: {said}\n", ended.stderr)
