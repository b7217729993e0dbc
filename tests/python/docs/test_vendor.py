"""CUDA's names, also in comments, stand behind one door: a second vendor is this list of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# folders of src/watari/, folders of any name, and files, which may use CUDA's names
FOLDERS = ("core", "memory", "machine", "blas", "comm")
ANYWHERE = "styles"
FILES = re.compile(r"_gpu\.\w+$|\.cuh?$")

# CUDA's names, by what they belong to
NAMES = {
    "runtime and driver": r"\b(?:cuda[A-Z]|cuInit|cu[A-Z][a-z]+[A-Z]|CU_|CU(?:stream|event))\w*",
    "its libraries": r"\b(?:nccl|nvml|cublas|cusolver)[A-Z]\w*|(?<!device::)\bcuda::"
    r"|\blibcu(?!rl)\w+",
    "headers": r"#include <(?:cuda|cu\w+\.h|nccl|nv)[^>]*>",
    "compiler": r"\b__(?:CUDA\w*|NVCC\w*|CUDACC\w*)",
    "words of a kernel": r"\b__(?:global|device|shared|host|constant|launch_bounds)__\b|<<<",
    "indices": r"\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3)\b",
    "intrinsics": r"\b__(?:shfl|ldg|ldc|stc|stw|sync|ballot|any_|all_|match|activemask|popc|ffs|clz"
    r"|fns|threadfence|nanosleep|isGlobal|fma|float|double|half)\w*",
    "vectors": r"\b(?:u?int|float|double|half)[234]\b",
    "PTX": r"\basm(?: volatile)?\(\"[^\"]",
    "width of a warp": r"\b(?:thread|lane|warp)\w*(?:\(\))? *[%/&] *3[12]u?\b",
}


def uses(text: str) -> Iterator[tuple[int, str, str]]:
    """Each line that has a name of CUDA, the name and what it belongs to."""
    for number, line in enumerate(text.splitlines(), 1):
        for kind, pattern in NAMES.items():
            if found := re.search(pattern, line):
                yield number, found[0], kind


def is_door(path: Path) -> bool:
    """Whether a file may use CUDA's names. `path` is relative to the repository."""
    parts = path.parts
    library = parts[:2] == ("src", "watari") and parts[2] in FOLDERS
    return library or ANYWHERE in parts[:-1] or bool(FILES.search(path.name))


def sources() -> list[Path]:
    trees = [ROOT / "src/watari", ROOT / "src/python", *sorted(ROOT.glob("cases/*/native"))]
    suffixes = (".hpp", ".cpp", ".cu", ".cuh")
    return sorted(
        path.relative_to(ROOT)
        for tree in trees
        for path in tree.rglob("*")
        if path.suffix in suffixes
    )


def test_cuda_stands_behind_one_door() -> None:
    found = [
        (str(path), *use)
        for path in sources()
        if not is_door(path)
        for use in uses((ROOT / path).read_text())
    ]
    assert len(sources()) > 300
    assert found == []


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("runtime and driver", "check(cudaFree(data));"),
        ("runtime and driver", "struct CUstream_st;"),
        ("its libraries", "cuda::atomic_ref<int> word;"),
        ("headers", "#include <cuda_runtime.h>"),
        ("compiler", "#ifdef __CUDACC__"),
        ("words of a kernel", "kernel<<<1, 32>>>();"),
        ("indices", "i = threadIdx.x;"),
        ("intrinsics", "__shfl_down_sync(~0u, value, 1)"),
        ("vectors", "float4 value;"),
        ("PTX", 'asm volatile("bar.sync 1, 64;");'),
        ("width of a warp", "lane() % 32"),
    ],
)
def test_a_name_of_cuda_is_seen(kind: str, line: str) -> None:
    assert [found for _, _, found in uses(f"int a;\n{line}\n")].count(kind) == 1


def test_each_door_has_such_names() -> None:
    """A file that is named for a GPU, or a folder of the door, without one: the list is stale."""
    paths = [path for path in sources() if is_door(path)]
    used = [path for path in paths if any(uses((ROOT / path).read_text()))]
    for folder in FOLDERS:
        assert any(path.parts[:3] == ("src", "watari", folder) for path in used), folder
