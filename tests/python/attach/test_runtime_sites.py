"""Call sites of a program with a CUDA runtime inside, which calls the driver from another place if
a tool such as CUPTI is present (tests/attach/programs/runtime_paths.cpp)."""

import json
import subprocess

import pytest
from launching import HANGS
from tried import driver, program

from watari.attach.entry import PACKAGE, PRELOADED


def allocations(folder, name, **variables):
    """The names of the allocations with their bytes, and the frames of each site."""
    folder.mkdir()
    done = subprocess.run(
        [program(name), "4096", "8192"],
        env={
            **driver(),
            "LD_PRELOAD": f"{PACKAGE}/{PRELOADED}",
            "WATARI_ATTACH_LOG": str(folder),
            **variables,
        },
        timeout=HANGS,
    )
    assert done.returncode == 0
    lines = next(folder.glob("*.jsonl")).read_text().splitlines()
    events = [json.loads(line) for line in lines if line.strip("\0")]
    names = [(e["site"], e["n"], e["bytes"]) for e in events if e["op"] == "alloc"]
    return names, {e["site"]: e["frames"] for e in events if e["op"] == "site"}


@pytest.mark.parametrize("name", ["runtime_paths", "runtime_paths_stripped"])
def test_allocations_have_one_name_with_a_tool_and_without(tmp_path, name):
    alone, _ = allocations(tmp_path / "alone", name)
    beside_tool, _ = allocations(tmp_path / "tool", name, TOOL="1")
    assert alone == beside_tool
    assert [size for _, _, size in alone] == [4096, 8192, 8192, 16384]


def test_two_calls_of_one_function_are_two_sites_and_begin_in_the_program(tmp_path):
    names, frames = allocations(tmp_path / "log", "runtime_paths")
    (first, *_), (second, *_) = names[:2]
    assert first != second
    assert names[2:] == [(first, 1, 8192), (second, 1, 16384)]
    assert all("cudaMalloc" not in str(one) for one in frames.values())
    offsets = [frame[0][1] for frame in frames.values()]
    assert len(set(offsets)) == 2
