"""Copies of pageable memory by threads through pinned slots, on a driver without a GPU.

`make acceptance` runs more sequences (tests/acceptance/test_copies.py)."""

import pytest
from staging import FULL, copies, sequences, started


@pytest.fixture(scope="module")
def by_driver():
    return sequences(1, 300, staged=False).stdout


@pytest.mark.parametrize("late", [1, 2])
def test_sequences_of_copies_have_the_results_and_bytes_of_the_driver(by_driver, late):
    ended = sequences(1, 300, late=late)
    assert ended.stdout == by_driver
    assert copies(ended) > 500


def test_so_do_those_of_four_threads_at_once():
    assert (
        sequences(1, 50, threads=4, late=3).stdout
        == sequences(1, 50, threads=4, staged=False).stdout
    )


def test_so_do_copies_of_rows_and_volumes():
    ended = sequences(1, 300, words=["rows"], late=1)
    lines = sequences(1, 300, words=["rows"], staged=False).stdout
    assert ended.stdout == lines
    assert copies(ended) > 500


def test_so_do_copies_of_full_size():
    ended = sequences(1, 8, unit=FULL, cpus=16, late=4)
    assert ended.stdout == sequences(1, 8, unit=FULL, staged=False).stdout
    assert copies(ended) > 0


@pytest.mark.parametrize(
    ("cpus", "variables", "of_driver"),
    [
        (3, {}, {}),
        (16, {"OMPI_COMM_WORLD_LOCAL_SIZE": "6"}, {}),
        (16, {"SLURM_TASKS_PER_NODE": "8(x2)"}, {}),
        (16, {"QUOTA": "300000 100000"}, {}),
        (16, {"QUOTA_1": "300000", "PERIOD_1": "100000"}, {}),
        (16, {}, {"refuse": "cuMemHostRegister"}),
        (16, {"WATARI_CHANGES": "pooled"}, {}),
    ],
)
def test_without_threads_or_slots_the_driver_copies(cpus, variables, of_driver):
    ended = sequences(1, 30, cpus=cpus, variables=variables, **of_driver)
    assert copies(ended) == 0
    assert ended.stdout == sequences(1, 30, staged=False, **of_driver).stdout


@pytest.mark.parametrize("of_driver", [{}, {"fail": 1}, {"fail": "1:719"}])
@pytest.mark.parametrize("how", ["in", "out", "in_async", "out_async"])
def test_an_error_of_earlier_work_comes_out_of_the_same_call(how, of_driver):
    ended = started("ends", "fail", how, late=1, **of_driver)
    assert ended.stdout == started("ends", "fail", how, staged=False, late=1, **of_driver).stdout
    assert copies(ended) == (0 if of_driver else 1)


@pytest.mark.parametrize(
    "quota", [{"QUOTA": "600000 100000"}, {"QUOTA_1": "300000", "PERIOD_1": "50000"}]
)
def test_a_quota_of_cpu_time_leaves_threads_for_what_it_grants(quota):
    ended = started("ends", "copy", 96, "threads", cpus=16, variables=quota)
    assert ended.stdout.splitlines() == ["same", "threads 6"]


@pytest.mark.parametrize("verbose", ["1", ""])  # without it, the driver is asked later
def test_threads_start_when_many_copies_pay_for_them(verbose):
    words = ("copy", 18, "copy", 18, "threads", "copy", 18, "threads")
    ended = started("ends", *words, cpus=6, variables={"WATARI_CHANGES_VERBOSE": verbose})
    assert ended.stdout.splitlines() == ["same"] * 2 + ["threads 1", "same", "threads 6"]
    assert copies(ended) == (1 if verbose else 0)


@pytest.mark.parametrize("mib", [12, 15, 80])
def test_threads_start_with_a_copy_to_memory_that_nobody_has_touched(mib):
    ended = started("ends", "fresh", mib, "threads", cpus=6)
    assert ended.stdout.splitlines() == ["same", "threads 6"]
    assert copies(ended) == 1


@pytest.mark.parametrize("verbose", ["1", ""])
def test_copies_to_such_memory_count_eight_times(verbose):
    words = ("fresh", 7, "threads", "fresh", 7, "threads")
    ended = started("ends", *words, cpus=6, variables={"WATARI_CHANGES_VERBOSE": verbose})
    assert ended.stdout.splitlines() == ["same", "threads 1", "same", "threads 6"]


def test_a_single_copy_that_could_lose_what_a_start_takes_stays_with_the_driver():
    ended = started("ends", "copy", 45, "threads")  # 90 MiB
    assert ended.stdout.splitlines() == ["same", "threads 1"]


def test_a_copy_that_fails_is_not_counted(tmp_path):
    """It moves no bytes, and may wait long for the error of earlier work."""
    log = {"WATARI_ATTACH_LOG": str(tmp_path), "WATARI_CHANGES": ""}
    for failed, expected in (({}, True), ({"fail": 1}, False)):
        for file in tmp_path.glob("*"):
            file.unlink()
        started("ends", "fail", "in", variables=log, late=1, **failed)
        text = "".join(file.read_text() for file in tmp_path.glob("*.jsonl"))
        assert ('"op":"copies"' in text) is expected


@pytest.mark.parametrize("cpus", [4, 6, 16])
def test_threads_start_with_the_first_large_copies_and_sleep_when_idle(cpus):
    words = ("threads", "copy", 4, "copy", 1, "threads", "copy", 96, "threads", "idle", 300)
    ended = started("ends", *words, cpus=cpus)
    began = min(8, cpus - 1) + 1
    lines = ["threads 1", "same", "same", "threads 1", "same", f"threads {began}", "asleep"]
    assert ended.stdout.splitlines() == lines
    assert copies(ended) == 2


def test_rows_that_lie_apart_are_staged_and_nothing_between_them_is_written():
    ended = started("ends", "rows", 99)
    assert ended.stdout.splitlines() == ["same"]
    assert copies(ended) == 2


def test_a_copy_waits_for_slots_of_an_earlier_one_of_another_size():
    ended = started("ends", "copy", 96, "sizes", late=1)
    assert ended.stdout.splitlines() == ["same", "same"]
    assert copies(ended) == 2 + 2 * 40


def test_rows_that_the_driver_refuses_are_refused_by_it():
    ended = started("ends", "copy", 96, "far")
    assert (ended.returncode, ended.stdout.splitlines()) == (0, ["same", "result 1"])
    assert copies(ended) == 2


def test_a_capture_that_begins_during_a_copy_stays_valid():
    ended = started("ends", "copy", 96, "captured", late=1)
    assert ended.stdout.splitlines() == ["same", "failed 0"]
    assert copies(ended) > 2  # the first two, and some beside captures


def test_a_child_of_fork_has_no_thread_of_ours_and_ends():
    ended = started("ends", "copy", 96, "fork", "copy", 96)
    assert ended.stdout.splitlines() == ["same", "threads 1", "child 0", "same"]


def test_a_context_that_was_reset_copies_again():
    ended = started("ends", "copy", 96, "reset", "copy", 96, "reset", "copy", 8)
    assert ended.stdout.splitlines() == ["same"] * 3
    assert copies(ended) == 6


@pytest.mark.parametrize(("how", "code"), [("exit", 7), ("_exit", 7), ("kill", -9)])
def test_a_program_that_ends_while_it_copies_ends_as_it_would(how, code):
    assert started("ends", how).returncode == code


def test_a_file_that_lost_its_end_faults_in_the_calling_thread():
    ended = started("ends", "copy", 96, "truncated")
    assert ended.stdout.splitlines() == ["same", "SIGBUS in the calling thread"]
    assert copies(ended) == 2


def test_memory_whose_pages_another_thread_makes_is_left_to_the_driver():
    ended = started("ends", "copy", 96, "watched", "copy", 96)
    if "no userfaultfd" in ended.stdout:
        pytest.skip("this machine allows no userfaultfd")
    assert ended.stdout.splitlines() == ["same", "last byte 7", "same"]
    assert copies(ended) == 2
