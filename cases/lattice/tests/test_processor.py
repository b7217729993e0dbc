"""The hop compiled for one kind of processor alone, as package managers build."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

import watari

CASE = Path(__file__).parents[1]
HEADERS = [CASE.parents[1] / "src", Path(watari.__file__).parent / "include"]
COMPILER = shutil.which("g++")


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None or platform.machine() != "x86_64", reason="no g++ for x86-64")
def test_a_processor_with_the_widest_vectors(tmp_path: Path) -> None:
    source = CASE / "native" / "kernels" / "hop_tuned.cpp"
    options = ["-std=c++20", "-O3", "-march=x86-64-v4", "-Wno-psabi"]
    options += [f"-I{folder}" for folder in HEADERS]
    words = [str(COMPILER), *options, "-c", str(source), "-o", str(tmp_path / "hop.o")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
