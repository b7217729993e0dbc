"""Requests of case kernel, its profile, and what it says without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import forking
import pytest
from asked import GPU
from kernel_sources import EXAMPLES, nvrtc
from kernel_sources import request as one

from watari.case import cache
from watari.case.limits import limit
from watari.cases.kernel import case as row
from watari.cases.kernel import files, words
from watari.common.errors import UnsupportedError, UsageError
from watari.plan.request import describe, no_sense, resolve

(CASE,) = row.CASES


def test_the_parameters_have_what_the_source_declares_and_no_folder() -> None:
    p = one(check=f"{EXAMPLES / 'checks.py'}:saxpy").parameters
    assert p["kernel"] == "saxpy"
    assert p["declares"].startswith("saxpy(float alpha = 0.5; float* x: read 4; float* y: read 4 w")
    assert str(EXAMPLES) not in json.dumps(p)


def test_a_source_is_matched_by_its_content(tmp_path: Path) -> None:
    other = tmp_path / "saxpy.cu"
    other.write_bytes((EXAMPLES / "saxpy.cu").read_bytes())
    assert one(source=str(other)).key == one().key
    other.write_text(other.read_text().replace("alpha = 0.5", "alpha = 0.25"))
    assert one(source=str(other)).key != one().key


def test_a_request_reads_back_without_the_file(tmp_path: Path) -> None:
    source = tmp_path / "mine.cu"
    source.write_bytes((EXAMPLES / "gather.cu").read_bytes())
    request = one(source=str(source))
    source.unlink()
    assert resolve("kernel", request.parameters, GPU) == [request]


def test_a_recorded_source_that_is_not_here_is_refused() -> None:
    with pytest.raises(UsageError, match="no file with this hash was named on this machine"):
        one(source="mine.cu@0123456789abcdef")


def test_first_touch_follows_the_memory() -> None:
    touched = {
        memory: (one(memory=memory).parameters["inputs"], one(memory=memory).parameters["outputs"])
        for memory in ("device", "pinned", "managed", "system")
    }
    assert touched == {
        "device": ("cpu", "gpu"),
        "pinned": ("cpu", "cpu"),
        "managed": ("cpu", "cpu"),
        "system": ("cpu", "cpu"),
    }


def test_bytes_and_flops_are_those_that_the_source_declares() -> None:
    profile = CASE.profile(one(size="1MiB", samples=7).parameters)
    n = 2**18
    assert profile.bytes_per_sample == 12 * n
    assert profile.flops_per_sample == 2 * n
    assert profile.phases[0].repeats == 7
    assert profile.footprint == {"device": 2 * 2**20, "pinned": 2**20}
    gather = CASE.profile(one("gather", size="1MiB", memory="managed").parameters)
    assert gather.bytes_per_sample == (4 + 32 + 4) * n
    assert gather.footprint == {"managed": 3 * 2**20}


def test_the_limit_is_the_memory_or_the_link_that_the_bytes_cross() -> None:
    memory = GPU["processors"][1]["memory_bandwidth"]
    link = GPU["links"][0]["bandwidth"]
    assert limit(CASE.profile(one().parameters), GPU) == pytest.approx(memory)
    pinned = limit(CASE.profile(one(memory="pinned").parameters), GPU)
    assert pinned is not None
    assert pinned <= 1.5 * link  # 8 bytes read for 4 written, at once


def test_names_and_lines_for_people() -> None:
    request = one(memory="managed", hint="prefetch", outputs="gpu")
    assert describe(request) == (
        "kernel gpu saxpy managed 1GiB source=saxpy.cu hint=prefetch outputs=gpu"
    )
    assert words.words("kernel", request.parameters) == (
        "saxpy of saxpy.cu in managed memory by GPU, prefetch, GPU touched the outputs"
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"size": "8", "source": "two.cu", "kernel": "g"}, "holds no element of 16 bytes"),
        ({"source": "two.cu"}, r"two.cu has several kernels: write kernel=f,g"),
        ({"source": "two.cu", "kernel": "h"}, "two.cu has no kernel 'h'; it has f, g"),
        ({"source": "two.cu", "kernel": "f", "size": "1T"}, "more than 2147483647"),
        ({"source": "absent.cu"}, "absent.cu: cannot be read"),
        ({"source": "bytes.cu"}, "bytes.cu: is not text in UTF-8"),
        ({"kernel": "a-b"}, "'a-b' is not the name of a kernel"),
        ({"declares": "f()"}, "does not declare a kernel"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.cu").write_text(
        '// watari: grid ceil(n/1)\nextern "C" __global__ void f(size_t n, const float* x) {}\n'
        'extern "C" __global__ void g(size_t n, const float4* x) {}\n'
    )
    Path("bytes.cu").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=says):
        resolve("kernel", given, GPU)


def test_a_declaration_comes_with_its_source() -> None:
    declares = one().parameters["declares"]
    with pytest.raises(UsageError, match="the source declares"):
        resolve("kernel", {"declares": declares}, GPU)
    request = one("gather", declares=declares)  # a file that was edited by hand
    assert no_sense(request) is None
    with pytest.raises((UnsupportedError, UsageError)):
        CASE.run(request.parameters)


def test_the_cache_is_where_the_user_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    one()
    assert list((tmp_path / "there" / "watari" / "kernels").iterdir())
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the specification says: ignore it
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder(files.CACHE) == tmp_path / ".cache" / "watari" / "kernels"


def test_a_cpu_does_not_run_it() -> None:
    with pytest.raises(UnsupportedError, match="a kernel in CUDA C\\+\\+ runs on a GPU"):
        CASE.run(one(processor="cpu").parameters)


def watari(folder: Path, *given: str) -> subprocess.CompletedProcess[str]:
    words = ("-m", "watari", "run", "kernel", "trials=1", "size=1MiB", *given)
    return forking.python(words, folder, {**os.environ, "CUDA_VISIBLE_DEVICES": ""})


def test_without_a_gpu_it_is_unsupported_with_the_reason(tmp_path: Path) -> None:
    ended = watari(
        tmp_path, f"source={EXAMPLES / 'saxpy.cu'}", "memory=device,managed", "-o", "x.json"
    )
    assert ended.returncode == 0, ended.stderr
    cases = json.loads((tmp_path / "x.json").read_text())["cases"]
    assert {case["status"] for case in cases} == {"unsupported"}
    assert {case["parameters"]["memory"] for case in cases} == {"device", "managed"}
    assert all("GPU" in case["reason"] or "driver" in case["reason"] for case in cases)


def test_a_file_that_does_not_compile_is_a_wrong_input(tmp_path: Path) -> None:
    nvrtc()
    (tmp_path / "wrong.cu").write_text(
        'extern "C" __global__ void f(size_t n, const int* x) { y; }\n'
    )
    ended = watari(tmp_path, "source=wrong.cu")
    assert ended.returncode == 2
    assert 'wrong.cu(1): error: identifier "y" is undefined' in " ".join(ended.stderr.split())
