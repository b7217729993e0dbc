"""The allocations that rules move, from made-up events."""

import re

import pytest
from builds import ROOT

from watari.attach import rules
from watari.attach.events import Allocation, Events, Process
from watari.attach.styles import STYLES
from watari.common.errors import UsageError


def allocation(ordinal, size, begun=0.0, ended=None, **given):
    values = {"kind": "device", "got": "device", "device": 0, "shared": "", **given}
    return Allocation(
        process=1,
        site="0a1b2c3d",
        ordinal=ordinal,
        api="cuMemAlloc",
        pointer=ordinal,
        bytes=size,
        begun=begun,
        seconds=0.0,
        code=0,
        ended=ended,
        **values,
    )


def seen(*allocations):
    return Events([Process(1, "a.out", "as-is", 0.0, allocations=list(allocations))], {})


def moved(found, limit, touched=None):
    return [a.ordinal for a in rules.to_fit(found, limit, touched or {})]


def test_the_smallest_that_is_large_enough_is_moved():
    found = seen(allocation(0, 60, 1), allocation(1, 50, 2), allocation(2, 30, 3))
    assert moved(found, 200) == []
    assert moved(found, 100) == [1]
    assert moved(found, 110) == [2]
    assert moved(found, 70) == [0, 2] or moved(found, 70) == [0, 1]


def test_what_the_gpu_touches_least_for_its_bytes_goes_first():
    found = seen(allocation(0, 60, 1), allocation(1, 50, 2), allocation(2, 30, 3))
    touched = {"0a1b2c3d#0": 60, "0a1b2c3d#1": 5000, "0a1b2c3d#2": 3000}
    assert moved(found, 100, touched) == [0]


def test_an_allocation_of_no_bytes_frees_none():
    found = seen(allocation(0, 60, 1), allocation(1, 0, 2), allocation(2, 60, 3))
    assert moved(found, 70, {"0a1b2c3d#0": 60, "0a1b2c3d#2": 90}) == [0]


def test_allocations_that_are_never_there_at_once_need_not_fit_together():
    found = seen(allocation(0, 60, 1, ended=2), allocation(1, 50, 2))
    assert moved(found, 60) == []


def test_each_gpu_has_its_own_memory():
    found = seen(allocation(0, 60, 1), allocation(1, 60, 2, device=1))
    assert moved(found, 60) == []
    assert moved(found, 50) == [0, 1]


def test_what_is_shared_stays():
    shared = allocation(0, 60, 1, shared="cuIpcGetMemHandle")
    assert rules.keep_shared(seen(shared)) == ["!site:0a1b2c3d"]
    with pytest.raises(UsageError, match="must stay in GPU memory"):
        rules.to_fit(seen(shared), 50, {})


def test_the_library_has_the_styles_of_the_command():
    """Both tables have the same styles, and each style changes the same kinds of memory."""
    header = (ROOT / "src/attach/preload/styles/settings.hpp").read_text()
    rows = re.findall(r'\{"([a-z-]+)", kind::(\w+), treatment::(\w+)\}', header)
    assert [name for name, _, _ in rows] == list(STYLES)
    for name, becomes, treatment in rows:
        changes = ("device",) * (becomes != "device") + ("managed",) * (treatment != "none")
        assert STYLES[name].changes == changes


def test_rules_are_read():
    assert rules.parse(["size >= 1GiB", "site:0a1b2c3d", "site:0a1b2c3d#2"]) == [
        "size>=1073741824",
        "site:0a1b2c3d",
        "site:0a1b2c3d#2",
    ]
    for wrong in ("size>1GiB", "site:xyz", "site:0a1b2c3", "all", ""):
        with pytest.raises(UsageError):
            rules.parse([wrong])
