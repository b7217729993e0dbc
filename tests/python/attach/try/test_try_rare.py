"""`watari try` on programs with rare or wrong calls (tests/attach/programs/rare.cpp)."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launching import HANGS
from tried import attempt, driver, program, quantity, watari

from watari.attach import events, start


def tried(cwd, *words, options=()):
    """`watari try` in managed memory of any command; its output and its result file."""
    ended = watari(
        *("try", "--runs", "1", "--no-traced", "--styles", "managed", "-o", "run.json"),
        *(*options, "--", *words),
        cwd=cwd,
    )
    assert (cwd / "run.json").is_file(), ended.stderr
    cases = json.loads((cwd / "run.json").read_text())["cases"]
    return ended, {case["parameters"]["style"]: case for case in cases}


SOURCES = Path(__file__).parents[4] / "src/attach"
MOVED = ("managed", "managed-prefetch", "mapped", "pinned", "system")
GB = 10**9


def moved(tmp_path, style, *words, name="opened", **variables):
    """The standard output of a program in a style."""
    environment = {**driver(**variables), **start.preloaded(tmp_path, style)}
    done = subprocess.run(
        [program(name), *words], env=environment, capture_output=True, text=True, timeout=HANGS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["linked", "opened"])
@pytest.mark.parametrize("how", ["reset", "release", "destroy"])
def test_what_was_moved_goes_with_its_context(tmp_path, how, name):
    _, styles = attempt(
        tmp_path, how, "10000", options=("--same-output", "-"), name=name, pageable=1, code=0
    )
    for style in MOVED:
        assert styles[style]["status"] == "ok", styles[style]["reason"]
        kind = "managed" if style in MOVED[:3] else style
        assert quantity(styles[style], f"{kind}_peak") == 20_000
    assert quantity(styles["as-is"], "device_peak") == 20_000


@pytest.mark.parametrize("style", MOVED)
@pytest.mark.parametrize("how", ["streams", "capture"])
def test_memory_is_not_given_again_while_it_may_be_in_use(tmp_path, how, style):
    assert "other memory" in moved(tmp_path, style, how, "4096", pageable=1)


@pytest.mark.parametrize(
    ("how", "api"),
    [
        ("range", "cuMemGetHandleForAddressRange"),
        ("export", "cuMemPoolExportPointer"),
        ("exports", "cuMemPoolExportToShareableHandle"),
        ("multicast", "cuMulticastBindAddr"),
        ("rdma", "cuPointerSetAttribute(SYNC_MEMOPS)"),
    ],
)
@pytest.mark.parametrize("name", ["linked", "opened"])
def test_memory_that_others_use_stays_gpu_memory(tmp_path, how, api, name):
    ended, styles = attempt(tmp_path, how, "5000", "device", "600", name=name)
    assert f"kept as GPU memory: {api} needs it" in ended.stdout
    case = styles["pinned"]
    assert case["status"] == "ok", case["reason"]
    assert quantity(case, "device_peak") == (10_000 if how == "exports" else 5_000)
    assert quantity(case, "pinned_peak") == 600


@pytest.mark.parametrize(
    "words", [("wrong", "8192"), ("trim", "4096"), ("crowd", "200"), ("beside", "64")]
)
def test_a_program_sees_no_difference(tmp_path, words):
    options = ("--same-output", "-")
    _, styles = attempt(tmp_path, *words, options=options, pageable=1, memory=8 * GB, code=0)
    for style in MOVED:
        assert styles[style]["status"] == "ok", styles[style]["reason"]


@pytest.mark.parametrize(
    "command",
    [
        "env -i LD_LIBRARY_PATH={path} {program} device 4096",
        "LD_PRELOAD='libm.so.6 libdl.so.2' {program} device 4096",
    ],
)
def test_programs_are_followed_into_environments_of_their_own(tmp_path, command):
    path = driver()["LD_LIBRARY_PATH"]
    words = ("sh", "-c", command.format(path=path, program=program()))
    _, styles = tried(tmp_path, *words)
    assert quantity(styles["managed"], "moved_allocations") == 1


WORKER = """
import subprocess, sys
subprocess.run([sys.argv[1], "device", "4096"], env={"LD_LIBRARY_PATH": sys.argv[2]}, check=True)
"""


def test_an_empty_environment_gets_each_variable_that_a_library_reads():
    name = r'"(WATARI_[A-Z_]+)"'
    read = {
        found for path in SOURCES.rglob("*.cpp") for found in re.findall(name, path.read_text())
    }
    table = re.search(
        r" names\[\] = \{(.*?)\};", (SOURCES / "preload/calls/exec.cpp").read_text(), re.S
    )
    assert table
    assert set(re.findall(name, table[1])) == read


def test_a_worker_with_an_empty_environment_is_followed(tmp_path):
    words = (sys.executable, "-c", WORKER, program(), driver()["LD_LIBRARY_PATH"])
    _, styles = tried(tmp_path, *words)
    assert quantity(styles["managed"], "moved_allocations") == 1


PLUGINS = """
import _ctypes, ctypes, sys
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)
    driver = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    driver.cuCtxSetCurrent(context)
    assert library.allocate(ctypes.c_size_t(4096)) == 0
    _ctypes.dlclose(library._handle)
"""


def test_a_library_that_takes_the_place_of_another_has_sites_of_its_own(tmp_path):
    plugins = [tmp_path / name for name in ("first.so", "second.so")]
    for path in plugins:
        shutil.copy(program("plugin.so"), path)
    variables = {**start.preloaded(tmp_path), **driver()}
    words = (sys.executable, "-c", PLUGINS, *map(str, plugins))
    start.run(start.Start(words, 30), variables, tmp_path)
    seen = events.read(tmp_path / "events")
    modules = [seen.sites[a.site][0].module for a in seen.allocations]
    assert modules == [str(path) for path in plugins]


FORKS = """
import ctypes as c, os, sys
driver, pointer, context = c.CDLL("libcuda.so.1"), c.c_ulonglong(), c.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(c.byref(context), 0)
driver.cuCtxSetCurrent(context)
assert driver.cuMemAlloc_v2(c.byref(pointer), c.c_size_t(4096)) == 0
child = os.fork()
if child == 0:  # CUDA cannot be used here
    sys.exit(driver.cuMemAlloc_v2(c.byref(pointer), c.c_size_t(8192)) == 0)
assert os.waitpid(child, 0)[1] == 0
assert driver.cuMemFree_v2(pointer) == 0
os._exit(0)
"""


def test_a_child_of_a_process_that_uses_cuda_changes_nothing(tmp_path):
    _, styles = tried(tmp_path, sys.executable, "-c", FORKS)
    assert styles["managed"]["status"] == "ok", styles["managed"]["reason"]
    assert quantity(styles["managed"], "allocations") == 1


@pytest.mark.parametrize("word", ["two words", "two\nlines", "'\"[red]x[/red]\\", b"\xff\xfe"])
def test_arguments_and_paths_may_be_anything(tmp_path, word):
    pytest.importorskip("vl_convert")
    folder = tmp_path / "a b[x]"
    folder.mkdir()
    shutil.copy(program(), folder / "li nk")
    options = ("--same-output", "-", "--figure", "figure.svg")
    ended, styles = tried(
        tmp_path, str(folder / "li nk"), "device", "4096", "say", word, options=options
    )
    assert ended.returncode == 0, ended.stderr
    assert styles["managed"]["status"] == "ok"
    watari("report", "run.json", cwd=tmp_path, code=0)


LOOK_UP = """
import ctypes as c, json, sys
driver = c.CDLL("libcuda.so.1")
maps = [line.split() for line in open("/proc/self/maps")]
def module(pointer):
    for words in maps:
        begin, end = (int(part, 16) for part in words[0].split("-"))
        if begin <= pointer < end:
            return words[-1].rpartition("/")[2]
def found(name, version, flags):
    pointer, status = c.c_void_p(), c.c_int()
    flags = c.c_uint64(flags)
    driver.cuGetProcAddress_v2(name.encode(), c.byref(pointer), version, flags, c.byref(status))
    return module(pointer.value)
print(json.dumps([found(*row) for row in json.loads(sys.argv[1])]))
"""
REPLACED = [
    "cuInit", "cuMemAlloc_v2", "cuMemAllocPitch_v2", "cuMemAllocManaged", "cuMemAllocHost_v2",
    "cuMemHostAlloc", "cuMemAllocAsync", "cuMemAllocAsync_ptsz", "cuMemAllocFromPoolAsync",
    "cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeAsync_ptsz", "cuMemFreeHost",
    "cuDevicePrimaryCtxReset_v2", "cuDevicePrimaryCtxRelease_v2", "cuCtxDestroy_v2",
    "cuStreamDestroy_v2", "cuMemCreate", "cuIpcGetMemHandle", "cuMemGetHandleForAddressRange",
    "cuMemPoolExportPointer", "cuMemPoolExportToShareableHandle", "cuMulticastBindAddr",
    "cuPointerSetAttribute", "cuGetProcAddress", "cuGetProcAddress_v2", "cuMemcpy", "cuMemcpyAsync",
    "cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2_ptds", "cuMemcpyDtoH_v2", "cuMemcpyDtoH_v2_ptds",
    "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoHAsync_v2_ptsz",
]  # fmt: skip


@pytest.mark.parametrize(("version", "flags"), [(13000, 0), (13000, 2), (11030, 0), (11030, 2)])
def test_every_spelling_of_a_replaced_function_is_replaced(tmp_path, version, flags):
    """The runtime asks for `cuMemFree`, and some programs for `cuMemFree_v2`."""
    bare = [re.sub("(_v2)?(_pt[ds][sz])?$", "", name) for name in REPLACED]
    names = [*REPLACED, *bare, "cuCtxSynchronize", "cuMemcpyDtoD_v2"]
    done = subprocess.run(
        [sys.executable, "-c", LOOK_UP, json.dumps([[name, version, flags] for name in names])],
        env={**driver(), **start.preloaded(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    modules = dict(zip(names, json.loads(done.stdout), strict=True))
    others = {name: module for name, module in modules.items() if module != start.PRELOADED}
    assert others == dict.fromkeys(names[-2:], "libcuda.so.1")
