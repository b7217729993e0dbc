"""One behavioural suite over every memory kind and hint, on each backend; kernels against NumPy.

A kind that this machine lacks must state the reason; any other kind must behave. So a machine
without a GPU tests the refusals, and a GPU machine everything else.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import watari
from watari import _native as native
from watari.case.axes import KINDS
from watari.common.errors import BeyondMemoryError, UnsupportedError, UsageError

BYTES = 8 * (2**20 + 1)  # an odd number of doubles, not whole pages
SHARED = ("managed", "system")
HINTS = ("none", "mapped", "read-mostly")
PROCESSORS = [
    pytest.param("cpu", id="cpu"),
    pytest.param("gpu", id="gpu", marks=pytest.mark.gpu),
]
CPU_KINDS = ("pageable", "pinned", "managed", "system")
GPU_KINDS = ("pinned", "device", "managed", "system")
REACH = {"cpu": CPU_KINDS, "gpu": GPU_KINDS}


def test_memory_is_the_packages_to_give() -> None:
    assert all(hasattr(watari, name) for name in watari.__all__)


def make(kind: str, size: int = BYTES) -> native.Buffer:
    """A buffer; where the machine lacks the kind, checks that it says why and skips."""
    reason = native.unsupported(kind)
    if reason:
        with pytest.raises(UnsupportedError, match="memory: "):
            native.Buffer(kind, size)
        pytest.skip(f"{kind}: {reason}")
    return native.Buffer(kind, size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("processor", PROCESSORS)
class TestEveryKind:
    def test_holds_what_is_written(self, kind: str, processor: str) -> None:
        buffer = make(kind)
        assert (buffer.kind, buffer.size) == (kind, BYTES)
        if kind not in REACH[processor]:
            with pytest.raises(UnsupportedError, match="cannot address"):
                buffer.fill(processor)
            return
        buffer.fill(processor, seed=7)
        assert buffer.mismatches(processor, seed=7) == 0
        assert buffer.mismatches(processor, seed=8) == BYTES // 8

    def test_says_where_its_pages_are(self, kind: str, processor: str) -> None:
        buffer = make(kind)
        if kind not in REACH[processor]:
            pytest.skip("out of reach")
        buffer.fill(processor)
        residency = buffer.residency()
        assert (
            residency["cpu"] + residency["gpu"] + residency["untold"] == residency["bytes"] == BYTES
        )
        if residency["untold"]:
            assert residency["method"] == "move_pages", (
                "only a forbidden move_pages reports nothing"
            )
            return
        home = {"pageable": "cpu", "pinned": "cpu", "device": "gpu"}.get(kind, processor)
        assert residency[home] == BYTES

    def test_refuses_more_than_there_is(self, kind: str, processor: str) -> None:
        make(kind, 8)
        with pytest.raises(BeyondMemoryError, match=r"asked for .*1125899906842624.* available"):
            native.Buffer(kind, 2**50)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_touching_by_one_is_seen_by_the_other(processor: str) -> None:
    for kind in SHARED:
        if native.unsupported(kind):
            continue
        buffer = native.Buffer(kind, BYTES)
        buffer.fill(processor, seed=3)
        assert buffer.mismatches("gpu" if processor == "cpu" else "cpu", seed=3) == 0


@pytest.mark.gpu
@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("hint", HINTS)
def test_hints_keep_the_data_and_their_promise(kind: str, hint: str) -> None:
    buffer = make(kind)
    buffer.advise(hint)
    buffer.fill("cpu", seed=5)
    assert buffer.mismatches("gpu", seed=5) == 0
    on_cpu = buffer.residency()["cpu"]
    if hint == "mapped":
        assert on_cpu == BYTES, "mapped memory does not migrate"
    if hint == "none" and kind == "managed":
        assert on_cpu == 0, "the GPU's access takes the pages away"
    assert buffer.mismatches("cpu", seed=5) == 0


@pytest.mark.gpu
@pytest.mark.parametrize("kind", SHARED)
def test_prefetch_moves_pages_in_both_directions(kind: str) -> None:
    buffer = make(kind)
    buffer.fill("cpu")
    buffer.prefetch("gpu")
    assert buffer.residency()["cpu"] == 0
    buffer.prefetch("cpu")
    assert buffer.residency()["cpu"] == BYTES
    assert buffer.mismatches("cpu") == 0


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["pinned", "device"])
def test_memory_with_one_place_takes_no_hint(kind: str) -> None:
    buffer = make(kind)
    for ask in (lambda: buffer.advise("mapped"), lambda: buffer.prefetch("gpu")):
        with pytest.raises(UnsupportedError, match="stays where it is"):
            ask()


@pytest.mark.gpu
def test_managed_memory_beyond_the_gpu_is_refused_also_in_pieces() -> None:
    free = 2**40
    with pytest.raises(BeyondMemoryError):
        native.Buffer("managed", free)
    with pytest.raises(BeyondMemoryError):  # never touched, and refused all the same
        _ = [native.Buffer("managed", 2**30) for _ in range(200)]


def test_unknown_words_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="pinnned"):
        native.Buffer("pinnned", 8)
    with pytest.raises(UsageError, match="tpu"):
        native.Buffer("pageable", 8).fill("tpu")


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize(
    ("first", "count"), list(itertools.product((0, 1, 3), (1, 2, 3, 255, 256, 257, 10007)))
)
def test_copy_equals_numpy_at_odd_sizes_and_misaligned_ends(
    processor: str, first: int, count: int
) -> None:
    kind = "pageable" if processor == "cpu" else "pinned"
    source, destination = make(kind, 8 * 10016), make(kind, 8 * 10016)
    rng = np.random.default_rng(first * 100_003 + count)
    source.array()[:] = rng.normal(size=source.array().size)
    destination.array()[:] = rng.normal(size=destination.array().size)
    expected = destination.array().copy()
    expected[first : first + count] = source.array()[first : first + count]
    destination.copy_from(source, by=processor, first=first, count=count)
    np.testing.assert_array_equal(destination.array(), expected)


@pytest.mark.gpu
def test_both_backends_write_the_same_pattern() -> None:
    one, other = make("pinned"), make("pinned")
    one.fill("cpu", seed=11)
    other.fill("gpu", seed=11)
    np.testing.assert_array_equal(one.array(), other.array())


def test_an_array_keeps_its_buffer_alive_and_is_no_copy() -> None:
    buffer = make("pageable", 800)
    array = buffer.array()
    array[:] = 4.0
    assert buffer.array()[99] == 4.0
    del buffer
    assert array.sum() == 400.0


@pytest.mark.gpu
def test_device_memory_crosses_by_dlpack() -> None:
    cupy = pytest.importorskip("cupy")
    make("device")
    buffer = watari.Buffer("device", BYTES)
    buffer.fill("gpu", seed=2)
    view = cupy.from_dlpack(buffer)
    assert view.shape == (BYTES // 8,)
    view[0] = -5.0
    cupy.cuda.Device().synchronize()
    assert buffer.mismatches("gpu", seed=2) == 1
