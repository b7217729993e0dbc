"""Names of call sites, compared with those of nm (binutils)."""

import shutil
import subprocess

import pytest
from tried import program

from watari.attach import symbols
from watari.attach.events import Frame
from watari.common.kernels import short


def test_every_function_of_a_program_is_named_as_nm_names_it():
    nm = shutil.which("nm")
    if not nm:
        pytest.skip("no nm: install binutils")
    listed = subprocess.run([nm, program()], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    ours = [(int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "Tt"]
    starts, found = symbols.functions(program())
    known = dict(zip(starts, (name for _, name in found), strict=True))
    hits = [name for start, name in ours if known.get(start) == name]
    assert len(hits) > 10
    assert "main" in hits


def test_a_frame_of_the_runtime_is_not_where_a_program_allocates():
    starts, found = symbols.functions(program())
    main = next(start for start, (_, name) in zip(starts, found, strict=True) if name == "main")
    frames = (Frame("/usr/lib/libcudart.so.13", 5), Frame(program(), main + 9))
    assert symbols.name(frames) == "main+0x9"


def test_what_has_no_symbols_is_named_by_its_module(tmp_path):
    plain = tmp_path / "data"
    plain.write_bytes(b"no program")
    assert symbols.name((Frame(str(plain), 0x1234),)) == "data+0x1234"
    assert symbols.name(()) == ""


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_ZN3app5solveEv", "app::solve"),
        ("_Z5solvePfm", "solve"),
        ("main", "main"),
        ("_ZN12_GLOBAL__N_15arrayEm", "array"),
        ("_ZN36_GLOBAL__N__76d6c7b9_4_a_cu_5a64d06c5arrayEm", "array"),  # by nvcc
        ("_ZZN2at6native4fillERKNS_6TensorEENKUlvE_clEv.isra.0", "at::native::fill"),
        ("_ZZ5solvevENKUlvE_clEv", "solve"),
    ],
)
def test_mangled_names_become_words(mangled, name):
    assert symbols.plain(mangled) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fill", "fill"),
        ("fill(float*, unsigned long)", "fill"),
        ("void app::fill<2>(app::List<float>, float)", "fill<2>"),
        ("unsigned long at::(anonymous namespace)::sum(int)", "sum"),
        (
            "void at::native::(anonymous namespace)::apply<at::List<3>, std::plus<float>, "
            "float>(at::List<3>, float)",
            "apply<List<3>, plus<float>, float>",
        ),
        ("run(int)::{lambda(int)#1}", "run"),
        ("", ""),
    ],
)
def test_names_of_kernels_are_shortened_to_what_tells_them_apart(name, words):
    assert short(name) == words


def test_a_module_that_is_cut_short_is_no_error(tmp_path):
    from pathlib import Path

    whole = Path(program()).read_bytes()
    for length in (4, 70, len(whole) // 2):
        part = tmp_path / str(length)
        part.write_bytes(whole[:length])
        assert symbols.functions(str(part)) == ([], [])
