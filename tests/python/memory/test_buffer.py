"""Buffer as a Python object: in children of fork, in cycles, and when the interpreter ends."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from launching import HANGS

import watari


def python(code: str) -> str:
    """The output of a program, which must end without an error, in time, and print no warning."""
    # Python 3.12 warns of every fork beside threads, and OpenMP has some
    quiet = ["-W", "ignore::DeprecationWarning"]
    command = [sys.executable, *quiet, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_child_of_fork_fills_and_so_does_its_parent_afterwards() -> None:
    output = python(
        """
        import os
        import watari
        SIZE = 8 << 20
        watari.Buffer("pageable", SIZE).fill("cpu", seed=1)
        before = watari.Buffer("pageable", SIZE)
        before.fill("cpu", seed=3)
        child = os.fork()
        buffer = watari.Buffer("pageable", SIZE)
        buffer.fill("cpu", seed=2)
        buffer.copy_from(before, by="cpu", first=0, count=1000)
        wrong = buffer.mismatches("cpu", seed=2)
        if child == 0:
            os._exit(0 if wrong == 1000 and before.mismatches("cpu", seed=3) == 0 else 1)
        print(os.waitpid(child, 0)[1], wrong, len(os.listdir("/proc/self/task")) > 1)
        """
    )
    assert output == "0 1000 True\n"


def test_forked_workers_of_multiprocessing_fill() -> None:
    output = python(
        """
        import multiprocessing
        import watari

        def wrong(seed):
            buffer = watari.Buffer("pageable", 8 << 20)
            buffer.fill("cpu", seed=seed)
            return buffer.mismatches("cpu", seed=seed), buffer.mismatches("cpu", seed=seed + 1)

        if __name__ == "__main__":
            print(wrong(1))
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(wrong, range(4)))
        """
    )
    share = (0, 1 << 20)
    assert output == f"{share}\n{[share] * 4}\n"


@pytest.mark.parametrize("view", ["buffer.array()", "numpy.from_dlpack(buffer.array())"])
def test_a_view_at_the_interpreters_end_is_no_leak(view: str) -> None:
    output = python(
        f"""
        import sys
        import numpy
        import watari

        class Mine(watari.Buffer):
            pass

        buffer = Mine("pageable", 8000)
        buffer.view = {view}
        buffer.view[:] = 4
        sys.kept = kept = [buffer.view]
        kept.append(kept)
        import ctypes  # one reference more than anybody gives back
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(buffer.view))
        print(buffer.view.sum())
        """
    )
    assert output == "4000.0\n"


def test_a_buffer_that_holds_its_own_array_is_given_back() -> None:
    """10,000 buffers of 1 MiB that were touched: 10 GiB if they were kept."""
    output = python(
        """
        import resource
        import watari

        class Mine(watari.Buffer):
            def __init__(self):
                super().__init__("pageable", 1 << 20)
                self.view = self.array()
                self.view[::512] = 1

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        for _ in range(100):
            Mine()
        before = peak()
        for _ in range(10_000):
            Mine()
        print(peak() - before < 16_384)
        """
    )
    assert output == "True\n"


def test_an_array_outlives_its_buffer() -> None:
    output = python(
        """
        import gc
        import watari
        arrays = [watari.Buffer("pageable", 80).array() for _ in range(100)]
        for number, array in enumerate(arrays):
            array[:] = number
        gc.collect()
        print(sum(array.sum() for array in arrays))
        """
    )
    assert output == "49500.0\n"


def test_an_unknown_hint_is_answered_with_the_known_ones() -> None:
    buffer = watari.Buffer("pageable", 4096)
    with pytest.raises(ValueError, match="hint must be one of none, prefetch, mapped, read-mostly"):
        buffer.advise("cold")


def test_dir_has_public_names_alone() -> None:
    assert {"Buffer", "gemm", "load", "__version__"} <= set(dir(watari))
    assert "TYPE_CHECKING" not in dir(watari)
