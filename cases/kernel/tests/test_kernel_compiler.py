"""NVRTC: where it is looked for, what it compiles for, and the cache of what it compiled."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from kernel_sources import EXAMPLES, example, nvrtc, parameters_of

from watari.cases.kernel import compiler, files
from watari.cases.kernel.compiler import Target, target
from watari.common.errors import UnsupportedError, UsageError

ADA, HOPPER = [75, 80, 86, 89], [75, 80, 90]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "watari" / "kernels"


class Counting:
    """The compiler, which counts what it compiles."""

    def __init__(self) -> None:
        self.real = nvrtc()
        self.version, self.architectures = self.real.version, self.real.architectures
        self.count = 0

    def compile(self, *given: Any) -> Any:
        self.count += 1
        return self.real.compile(*given)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(compiler, "nvrtc", lambda: made)
    return made


@pytest.mark.parametrize("name", ["saxpy", "gather", "stencil"])
def test_the_examples_compile(name: str) -> None:
    nvrtc()
    value, made = example(name)
    image = compiler.compiled(value, Target(90, True))
    assert image[:4] == b"\x7fELF"
    assert len(parameters_of(image)) == 1 + len(made.parameters)
    assert f".visible .entry {name}(".encode() in compiler.compiled(value, Target(80, False))


def test_a_source_is_compiled_once_for_each_target(counting: Counting, own_cache: Path) -> None:
    value, _ = example("saxpy")
    first = compiler.compiled(value, Target(90, True))
    assert compiler.compiled(value, Target(90, True)) == first
    assert counting.count == 1
    compiler.compiled(value, Target(80, True))
    compiler.compiled(value, Target(90, False))
    assert counting.count == 3
    counting.version = (1, 0)  # another compiler
    compiler.compiled(value, Target(90, True))
    assert counting.count == 4
    assert sorted(path.suffix for path in own_cache.iterdir()) == ["", *[".cubin"] * 3, ".ptx"]


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 5000])
def test_a_damaged_file_of_the_cache_is_compiled_again(
    counting: Counting, own_cache: Path, damage: bytes
) -> None:
    value, _ = example("saxpy")
    first = compiler.compiled(value, Target(90, True))
    (path,) = own_cache.glob("*.cubin")
    path.write_bytes(damage)
    assert compiler.compiled(value, Target(90, True)) == first
    assert counting.count == 2


def test_errors_are_those_of_the_compiler(tmp_path: Path) -> None:
    nvrtc()
    wrong = tmp_path / "wrong.cu"
    wrong.write_text('extern "C" __global__ void f(size_t n, float* x) { x[0] = absent; }\n')
    says = r'^wrong.cu does not compile: wrong.cu\(1\): error: identifier "absent" is undefined$'
    with pytest.raises(UsageError, match=says):
        compiler.require_compiles(files.value_of(str(wrong)), "9.0")
    with pytest.raises(UsageError, match=says):
        compiler.require_compiles(files.value_of(str(wrong)), "")


def test_an_older_compiler_makes_code_that_the_driver_compiles() -> None:
    assert target("8.9", ADA, (12, 4)) == Target(89, True)
    older = target("9.0", ADA, (12, 4))
    assert (older.architecture, older.machine_code) == (89, False)
    assert "12.4 does not know sm_90" in older.note
    assert target("12.0", HOPPER, (13, 0)).architecture == 90
    with pytest.raises(UnsupportedError, match="sm_75 to sm_90, and this GPU is sm_70"):
        target("7.0", HOPPER, (13, 0))


def test_without_nvrtc_the_reason_and_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "files_of_nvrtc", lambda: iter(["/nowhere/libnvrtc.so.13"]))
    compiler.nvrtc.cache_clear()
    try:
        with pytest.raises(UnsupportedError, match=r"NVRTC: .*/nowhere/libnvrtc.*the wheel nvidia"):
            compiler.nvrtc()
        value, _ = example("saxpy")
        compiler.require_compiles(value, "9.0")  # the trial says that there is none
    finally:
        compiler.nvrtc.cache_clear()


def test_it_is_looked_for_where_toolkits_and_packages_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nvidia" / "cuda_nvrtc" / "lib").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    monkeypatch.setenv("CUDA_HOME", "/opt/cuda")
    monkeypatch.setenv("CONDA_PREFIX", "/opt/conda")
    calls = []
    cupy, cuda, of_cupy = (ModuleType(name) for name in ("cupy", "cupy.cuda", "nvrtc"))
    cupy.cuda, cuda.nvrtc = cuda, of_cupy  # type: ignore[attr-defined]
    of_cupy.getVersion = lambda: calls.append("cupy")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "cuda", None)  # cuda-python is absent
    found = list(compiler.files_of_nvrtc())
    first = compiler.names()[0]
    wheel = str(tmp_path / "nvidia" / "cuda_nvrtc" / "lib")
    for folder in ("/opt/cuda/lib64", "/usr/local/cuda/lib64", "/opt/conda/lib", wheel):
        assert f"{folder}/{first}" in found
    assert found[0] == first  # the loader's own search path
    assert calls == ["cupy"]
    assert found[-2:] == compiler.names()  # what CuPy has loaded


def test_examples_say_what_they_check() -> None:
    for name in ("saxpy", "gather", "stencil"):
        assert f"def {name}(" in (EXAMPLES / "checks.py").read_text()
