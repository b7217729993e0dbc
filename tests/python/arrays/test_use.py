"""An array in use: blocks ahead, prefetch, devices, threads, and its end."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest
import stored

import watari
from watari.common.errors import FileError, UnsupportedError

VALUES = numpy.arange(700 * 50, dtype="float32").reshape(700, 50)


@pytest.fixture(params=["npy", "npy_by_columns", "zarr", "safetensors"])
def array(request: Any, tmp_path: Any) -> Any:
    path, how = stored.MAKERS[request.param](tmp_path, VALUES)
    with watari.open(path, **how) as opened:
        yield opened


def test_blocks_are_the_array_in_order(array: Any) -> None:
    for size in (1, 1000, "20KiB", "1GiB"):
        blocks = list(array.blocks(size))
        numpy.testing.assert_array_equal(numpy.concatenate(blocks), VALUES)
        assert all(len(block) == len(blocks[0]) for block in blocks[:-1])


def test_blocks_are_at_most_as_large_and_whole_chunks(tmp_path: Any) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(40, 50))
    with watari.open(path) as array:
        assert [len(each) for each in array.blocks(100 * 200)] == [80] * 8 + [60]
        assert len(next(array.blocks(3 * 200))) == 3


def test_a_block_that_is_not_taken_costs_nothing_at_the_end(array: Any) -> None:
    for block in array.blocks(4000):
        numpy.testing.assert_array_equal(block[0], VALUES[0])
        break


def test_prefetch_reads_what_the_key_selects(array: Any) -> None:
    first, second = array.prefetch(slice(3, 9)), array.prefetch((..., 4))
    numpy.testing.assert_array_equal(first.result(), VALUES[3:9])
    numpy.testing.assert_array_equal(second.result(), VALUES[..., 4])
    with pytest.raises(IndexError):
        array.prefetch(700)


def test_to_the_cpu_is_a_buffer_for_dlpack(array: Any) -> None:
    for key in (..., slice(3, 200, 7), (slice(None, None, -1), 3), (5, 6)):
        buffer = array.to("cpu", key)
        numpy.testing.assert_array_equal(numpy.from_dlpack(buffer), VALUES[key])
    blocks = [numpy.from_dlpack(each) for each in array.blocks(20_000, device="cpu")]
    numpy.testing.assert_array_equal(numpy.concatenate(blocks), VALUES)
    with pytest.raises(ValueError, match="tpu"):
        array.to("tpu")


def test_bytes_in_the_other_order_reach_a_device_in_its_order(tmp_path: Any) -> None:
    path, _ = stored.npy_other_bytes(tmp_path, VALUES)
    with watari.open(path) as array:
        numpy.testing.assert_array_equal(numpy.from_dlpack(array.to("cpu")), VALUES)


def test_bfloat16_has_its_code_in_dlpack(tmp_path: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = VALUES.astype(ml_dtypes.bfloat16)
    path, _ = stored.safetensors(tmp_path, values)
    with watari.open(path) as array:
        buffer = array.to("cpu")
    assert buffer.array().tobytes() == values.tobytes()
    torch = pytest.importorskip("torch")
    assert torch.from_dlpack(buffer).dtype == torch.bfloat16


@pytest.mark.gpu
def test_to_a_gpu(array: Any) -> None:
    try:
        buffer = array.to("gpu", slice(2, 500))
    except UnsupportedError as reason:
        pytest.skip(str(reason))
    home = watari.Buffer("pinned", shape=buffer.shape, dtype=buffer.dtype)
    home.copy_from(buffer, "gpu")
    numpy.testing.assert_array_equal(home.array(), VALUES[2:500])


def test_threads_share_an_array(array: Any) -> None:
    def rows(first: int) -> bool:
        return all(
            numpy.array_equal(array[first : first + 20, ::3], VALUES[first : first + 20, ::3])
            for _ in range(10)
        )

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(rows, range(0, 680, 17)))


def test_use_after_close_is_an_error(array: Any) -> None:
    array.close()
    array.close()
    assert array.closed
    for use in (lambda: array[0], array.prefetch, array.to, array.blocks, array.__enter__):
        with pytest.raises(ValueError, match="closed"):
            use()


def test_closing_while_others_read_completes_their_reads(tmp_path: Any) -> None:
    path, _ = stored.npy(tmp_path, VALUES)
    array, wrong = watari.open(path), []
    begun = threading.Barrier(4)

    def read() -> None:
        begun.wait()
        try:
            while True:
                if not numpy.array_equal(array[:], VALUES):
                    wrong.append("other elements")
        except ValueError as error:
            if "closed" not in str(error):
                wrong.append(str(error))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for each in readers:
        each.start()
    begun.wait()
    array.close()
    for each in readers:
        each.join()
    assert not wrong


@pytest.mark.parametrize("maker", ["npy", "raw", "hdf5", "safetensors"])
def test_a_file_that_changes_while_it_is_open(maker: str, tmp_path: Any) -> None:
    path, how = stored.MAKERS[maker](tmp_path, VALUES)
    with watari.open(path, **how) as array:
        with open(path.split("::")[0], "r+b") as file:
            file.truncate(5000)
        with pytest.raises(FileError, match=r"changed while it is open: its size is now 5000"):
            array[:]


def test_a_chunk_that_changes_its_size(tmp_path: Any) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(100, 50))
    with watari.open(path) as array:
        with open(f"{path}/c/3/0", "ab") as file:
            file.write(b"x")
        numpy.testing.assert_array_equal(array[:300], VALUES[:300])
        with pytest.raises(FileError, match="c/3/0: 20001 bytes, while an uncompressed"):
            array[:301]


def test_one_of_many_chunks_that_is_no_file_any_more(tmp_path: Any) -> None:
    path, _ = stored.zarr(tmp_path, VALUES, chunks=(2, 50))
    chunk = f"{path}/c/200/0"
    with watari.open(path) as array:
        numpy.testing.assert_array_equal(array[:], VALUES)
        os.remove(chunk)
        with pytest.raises(FileError, match=r"c/200/0: no such file"):
            array[:]
        for make, reason in ((os.mkfifo, "not a regular file"), (os.mkdir, "a folder")):
            make(chunk)
            with pytest.raises(FileError, match=f"c/200/0: cannot be read: {reason}"):
                array[:]
            os.rename(chunk, f"{tmp_path}/{reason}")
        numpy.testing.assert_array_equal(array[:400], VALUES[:400])
        assert len(os.listdir("/proc/self/fd")) < 100


def test_what_is_no_basic_index_is_refused_with_the_reason(array: Any) -> None:
    for key in ([1, 2], numpy.array([1, 2]), numpy.ones(700, bool), True, 1.5, "a", (0, [1])):
        with pytest.raises(IndexError, match="basic indexing"):
            array[key]
    for key in (700, -701, (0, 0, 0), (..., ...), (0, 50)):
        with pytest.raises(IndexError):
            array[key]
    assert array[numpy.array(3), numpy.int8(2)] == VALUES[3, 2]


def test_sides_and_text(array: Any) -> None:
    assert len(array) == 700
    assert "(700, 50), float32" in repr(array)
    with pytest.raises(ValueError, match="copy"):
        numpy.asarray(array, copy=False)
    assert numpy.asarray(array, dtype="f8").dtype == "f8"


def test_cufile_leaves_memory_of_the_cpu_to_posix(tmp_path: Path) -> None:
    values = numpy.random.default_rng(3).random((300, 40), "float32")
    numpy.save(tmp_path / "a.npy", values)
    with watari.open(tmp_path / "a.npy", engine="cufile") as array:
        for key in (..., (slice(10, None, 7), slice(None, None, -1))):
            numpy.testing.assert_array_equal(array[key], values[key])


@pytest.mark.parametrize("maker", ["npy", "hdf5", "zarr", "safetensors"])
def test_large_results_lie_in_their_line_as_in_the_file(maker: str, tmp_path: Path) -> None:
    values = numpy.random.default_rng(4).random((700, 384), "float32")
    path, how = stored.MAKERS[maker](tmp_path, values)
    with watari.open(path, **how) as array:
        found, behind = array[:], array._open().layout.offset
        if not behind % found.dtype.alignment:
            assert (found.ctypes.data - behind) % 64 == 0
        assert found.flags.c_contiguous
        assert found.flags.writeable
        numpy.testing.assert_array_equal(found, values)
        numpy.testing.assert_array_equal(array[:, ::2], values[:, ::2])
