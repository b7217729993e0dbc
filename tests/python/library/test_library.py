"""libwatari as installed with the package: find_package locates it, and an example links it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from products import assert_product, save

ROOT = Path(__file__).parents[3]


def run(*command: object) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{words}\n{done.stdout}"
    return done.stdout


def build_cmake() -> str:
    """The CMake of the build, from PyPI."""
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    return cmake or pytest.skip("no CMake")


def cmake_package() -> str:
    folder = Path(run(sys.executable, "-m", "watari.cmake_dir").strip())
    if not (folder / "watari-config.cmake").is_file():
        pytest.skip("the package was not installed from a wheel")
    return f"-Dwatari_DIR={folder}"


def test_a_cmake_of_debian_compiles_for_the_gpu_in_cpp20(tmp_path: Path) -> None:
    """CMake 3.25 has no C++20 flag for CUDA, and drops the standard that a project asks for."""
    system = Path("/usr/bin/cmake")
    if not system.is_file() or "version 3.25." not in run(system, "--version"):
        pytest.skip("the system's CMake is not 3.25")
    example = tmp_path / "example"
    run(system, "-S", ROOT / "examples" / "cpp", "-B", example, cmake_package())
    flags = example / "CMakeFiles" / "storage_sum_gpu.dir" / "flags.make"
    if not flags.is_file():
        pytest.skip("no nvcc, or a library without CUDA")
    assert "-std=c++20" in flags.read_text()


@pytest.mark.slow
def test_the_example_builds_against_the_installed_library(tmp_path: Path) -> None:
    cmake = build_cmake()
    example = tmp_path / "example"
    run(cmake, "-S", ROOT / "examples" / "cpp", "-B", example, cmake_package())
    run(cmake, "--build", example)
    total, pages = run(example / "storage_sum").split(", ")
    assert int(total) == (1 << 20) * ((1 << 20) + 1)
    assert int(pages.split()[0]) >= 2 * 2048  # data beyond its cache were read twice
    if (example / "storage_sum_gpu").is_file():
        done = subprocess.run([example / "storage_sum_gpu"], capture_output=True, text=True)
        if done.returncode:  # without a GPU it says so
            assert done.stderr.startswith("unsupported: ")
        else:
            assert done.stdout.startswith(total)
    stored = tmp_path / "numbers.bin"
    count = (16 << 20) // 8  # four times its cache
    (line,) = run(example / "file_array", stored, 16).splitlines()
    squares = (count - 1) * count * (2 * count - 1) / 6
    assert line == f"sum of the squares below {count}: {squares:.10g}"
    assert (numpy.fromfile(stored) == numpy.arange(count, dtype=float) ** 2).all()
    output = run(example / "first_touch")
    assert output.splitlines()[0].startswith("pageable  8388608 bytes: 8388608 on the CPU")
    assert len(output.splitlines()) == 5
    plates = run(example / "poisson").splitlines()
    assert [plate.split(",")[0] for plate in plates] == [
        "converged after 217 iterations",
        "converged after 132 iterations",
    ]
    a, b, c = (tmp_path / name for name in ("A.npy", "B.npy", "C.npy"))
    factors = save(a, 300, 200), save(b, 200, 270)
    done = subprocess.run([example / "product", a, b, c, "2"], capture_output=True, text=True)
    if "OpenBLAS" in done.stderr:  # the loader does not search NumPy's own
        assert done.stderr.splitlines()[-1].startswith("unsupported: ")
    else:
        assert (done.returncode, done.stderr.splitlines()[0]) == (0, "  0%, 0 tiles"), done.stderr
        assert_product(*factors, numpy.load(c))
    assert not list(tmp_path.glob("*.partial*"))
