"""Ranges with small gaps between them are one request, and every buffer has its bytes."""

from __future__ import annotations

import re

import faulty_proxy
import numpy as np
import object_server
import pytest
from faulty_proxy import PASSING, Faults
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import watari
from watari import objects
from watari.common import errors

PART = 2**23  # bytes of the largest request
GAP = 2**18  # the limit on this machine


def data_of(size: int) -> bytes:
    return np.random.default_rng(size).bytes(size)


def reader(url: str, **how: int) -> objects.Reader:
    return objects.Reader(url, first_pause=0.001, patience=60, **how)


def requests(of: object_server.Server) -> list[tuple[int, int]]:
    """First byte and size of the ranges that the server was asked for; it forgets them."""
    asked = [
        re.fullmatch(r"bytes=(\d+)-(\d+)", fields.get("Range") or "")
        for method, _, fields in of.kept.seen
        if method == "GET"
    ]
    of.kept.seen.clear()
    return [(int(each[1]), int(each[2]) + 1 - int(each[1])) for each in asked if each]


SIZE = 200_000
RANGES = st.lists(
    st.tuples(st.integers(0, SIZE - 2000), st.integers(0, 2000)), min_size=1, max_size=60
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ranges=RANGES, gap=st.integers(0, 5000))
def test_random_ranges(
    ranges: list[tuple[int, int]],
    gap: int,
    server: object_server.Server,
) -> None:
    data = data_of(SIZE)
    server.kept.objects["/bucket/k"] = data
    source = reader("s3://bucket/k", gap=gap)
    requests(server)
    room = np.full(sum(size + 8 for _, size in ranges), 0xA5, np.uint8)
    expected, wanted, at = room.copy(), [], 0
    for offset, size in ranges:
        wanted.append((offset, room[at : at + size]))
        expected[at : at + size] = np.frombuffer(data, np.uint8)[offset : offset + size]
        at += size + 8
    source.read_into(wanted)
    np.testing.assert_array_equal(room, expected)
    # one request for all bytes that lie at most `gap` apart, and one more for each overlap
    edges = sorted((offset, offset + size) for offset, size in ranges if size)
    end, apart, over = -gap - 1, 0, 0
    for start, stop in edges:
        apart += start > end + gap
        over += start < end
        end = max(end, stop)
    assert apart <= len(requests(server)) <= apart + over


def test_a_request_has_the_bytes_between_two_ranges(
    server: object_server.Server,
) -> None:
    data = data_of(3 * PART)
    server.kept.objects["/bucket/k"] = data
    source = reader("s3://bucket/k", lanes=1)

    def asked(*ranges: tuple[int, int]) -> list[tuple[int, int]]:
        requests(server)
        buffers = [bytearray(size) for _, size in ranges]
        source.read_into([(offset, b) for (offset, _), b in zip(ranges, buffers, strict=True)])
        for (offset, size), buffer in zip(ranges, buffers, strict=True):
            assert bytes(buffer) == data[offset : offset + size]
        return sorted(requests(server))

    assert asked((5, 10), (15 + GAP, 10)) == [(5, 20 + GAP)]
    assert asked((5, 10), (16 + GAP, 10)) == [(5, 10), (16 + GAP, 10)]
    assert asked((GAP, 10), (0, 10), (10, 5)) == [(0, GAP + 10)]
    # a gap is received only if the range behind it fits the request as a whole
    near = (PART - 100, 200)
    assert asked((0, PART - 200), near) == [(0, PART - 200), near]
    assert asked((0, PART), (PART, 10)) == [(0, PART), (PART, 10)]
    some = asked(*((i * 4000, 1000) for i in range(5000)))  # 20 MB
    assert len(some) == 3
    assert all(size <= PART for _, size in some)


@pytest.mark.parametrize("fault", [each for each in PASSING if each != "late"])
def test_a_passing_fault_of_a_request_with_gaps(
    server: object_server.Server,
    faults: tuple[Faults, faulty_proxy.Proxy],
    fault: str,
) -> None:
    data = data_of(100_000)
    server.kept.objects["/bucket/k"] = data
    source = reader("s3://bucket/k")
    faults[0].next = [fault, fault]
    room = np.zeros(100_000, np.uint8)
    source.read_into([(at, room[at : at + 700]) for at in range(0, 99_000, 3000)])
    for at in range(0, 99_000, 3000):
        assert room[at : at + 700].tobytes() == data[at : at + 700]
        assert not room[at + 700 : at + 3000].any()
    assert faults[1].count[fault] == 2


def test_a_changed_key_is_an_error_behind_a_gap(
    server: object_server.Server,
    faults: tuple[Faults, faulty_proxy.Proxy],
) -> None:
    server.kept.objects["/bucket/k"] = data_of(10_000)
    source = reader("s3://bucket/k")
    faults[0].next = ["etag"]
    with pytest.raises(errors.ChangedError, match="changed while it was read"):
        source.read_into([(0, bytearray(10)), (5000, bytearray(10))])


def test_columns_of_an_array_are_few_requests(server: object_server.Server) -> None:
    """Whole slices of narrow columns, in one piece and in chunks."""
    values = np.arange(600 * 9000, dtype=np.float32).reshape(600, 9000)
    watari_npy = watari.create("s3://bucket/a.npy", values.shape, dtype="float32")
    with watari_npy as array:
        array[...] = values
    with watari.create("s3://bucket/a.zarr", values.shape, "float32", chunks=(100, 9000)) as array:
        array[...] = values
    for name, most in (("a.npy", 3), ("a.zarr", 6)):
        with watari.open(f"s3://bucket/{name}") as array:
            requests(server)
            for key in (np.s_[:, 100:300], np.s_[:, 8999], np.s_[5:, 3000:7000], np.s_[::3, 7:9]):
                np.testing.assert_array_equal(array[key], values[key])
                assert 0 < len(requests(server)) <= most, key
