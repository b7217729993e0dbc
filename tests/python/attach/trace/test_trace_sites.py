"""The call sites of copies, on a driver and a CUPTI without a GPU."""

from __future__ import annotations

import shutil
import sys

import emulator
import tracing

from watari.attach.start import Start
from watari.attach.trace import runs
from watari.attach.trace.records.records import Kind

PLUGINS = """
import _ctypes, ctypes, sys
driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)
    assert library.copy(ctypes.c_size_t(1 << 20)) == 0
    _ctypes.dlclose(library._handle)
"""


def test_a_copy_of_a_library_in_the_place_of_another_is_not_the_others(
    tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(emulator.driver()))
    plugins = [tmp_path / name for name in ("first.so", "second.so")]
    for path in plugins:
        shutil.copy(tracing.program("plugin.so"), path)
    cupti = emulator.cupti()
    start = Start((sys.executable, "-c", PLUGINS, *map(str, plugins)))
    ending, _, (process,) = runs.traced_run(start, tmp_path, cupti)
    assert ending.code == 0
    sites = [process.sites[int(name)] for name in process.of(Kind.CALL)["name"]]
    assert [frames[0].module for frames in sites] == [str(path) for path in plugins]
