"""100,000 random sequences of copies (tests/attach/staged/sequences.cpp) without a GPU: `staged`
gives the results and bytes of the driver, and the test driver those of a GPU. ThreadSanitizer
watches some."""

import gzip
import os
import subprocess
from pathlib import Path

import pytest
from launching import HANGS
from staging import SMALL, copies, folder, sequences

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "fixtures" / "staged"
BLOCK = 2500


@pytest.mark.parametrize(
    ("name", "count", "words"), [("sequences", 10_000, []), ("rows", 1000, ["rows"])]
)
def test_the_test_driver_copies_as_a_gpu_does(name, count, words):
    recorded = gzip.decompress((RECORDED / f"{name}-h100.txt.gz").read_bytes()).decode()
    ended = sequences(1, count, words=words, staged=False)
    assert ended.stdout.splitlines() == recorded.splitlines()


@pytest.mark.parametrize("first", range(1, 100_000, BLOCK))
def test_staged_copies_as_the_driver_does(first):
    late = first // BLOCK % 5  # how the test driver delays its work
    words = ["rows"] if first // BLOCK % 4 == 3 else []
    by_driver = sequences(first, BLOCK, words=words, staged=False).stdout.splitlines()
    ended = sequences(first, BLOCK, words=words, late=late, cpus=4 + first // BLOCK % 4)
    assert ended.stdout.splitlines() == by_driver
    assert copies(ended) > BLOCK


@pytest.mark.parametrize("threads", [1, 4])
def test_no_thread_races(threads):
    program = folder() / "threads" / "sequences"
    if not program.exists():
        pytest.skip("attach_sequences_threads is not built: scripts/acceptance.sh builds it")
    ended = subprocess.run(
        [program, "1", str(400 // threads), str(SMALL), str(threads)],
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(program.parent),
            "WATARI_CHANGES": "staged",
            "WATARI_CHANGES_VERBOSE": "1",
            "CPUS": "4",
        },
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert "ThreadSanitizer" not in ended.stderr
    assert ended.returncode == 0
    assert copies(ended) > 400
