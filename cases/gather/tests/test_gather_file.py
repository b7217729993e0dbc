"""Gathers from a file through the cache of array<T>."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import asked
import pytest

from watari import cases
from watari.cases.gather import words
from watari.common.errors import UsageError

small = partial(asked.request, "gather", processor="cpu", samples=3, threads=2)
request = partial(small, size="32MiB", cache="2MiB")


def run(**given: Any) -> dict[str, Any]:
    return cases.CASES["gather"].run(request(**given).parameters)


@pytest.mark.parametrize("hits", [0, 0.25, 0.5, 0.9, 1])
def test_the_share_of_hits_is_the_one_that_was_asked_for(hits: float, tmp_path: Path) -> None:
    result = run(hits=str(hits), folder=str(tmp_path))
    assert result["verified"] is True
    # a miss of two threads at once may count twice, and a hot page may be evicted once
    assert result["quantities"]["hit_share"]["value"] == pytest.approx(hits, abs=0.06)
    assert len(result["series"]["hit_share"]) == 3


@pytest.mark.parametrize(("element", "stride"), [("4", "4KiB"), ("64", "4160"), ("4KiB", "4KiB")])
def test_elements_of_any_size_arrive(element: str, stride: str, tmp_path: Path) -> None:
    assert run(hits="0.5", element=element, stride=stride, folder=str(tmp_path))["verified"] is True


def test_an_element_of_the_file_that_is_not_right_is_seen(tmp_path: Path) -> None:
    run(hits="0.5", folder=str(tmp_path))
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    content[2**20 :] = bytes(len(content) - 2**20)  # behind the seal
    file.write_bytes(content)
    result = run(hits="0.5", folder=str(tmp_path))
    assert result["status"] == "wrong"
    assert "are not those of the gathered elements" in result["error"]


def test_a_pass_has_as_many_elements_as_the_cache_has_pages() -> None:
    parameters = request(hits="0.5", element="64").parameters
    profile = cases.CASES["gather"].profile(parameters)
    assert profile.phases[0].bytes == 2**21 // 4096 * 64
    assert profile.disk == 2**25
    assert parameters["stride"] == 4096
    assert "a file of 32 MiB" in words.words("gather", parameters)


def test_memory_as_source_has_neither_cache_nor_folder() -> None:
    parameters = small(size="1MiB").parameters
    assert (parameters["hits"], parameters["cache"]) == ("none", "none")
    with pytest.raises(UsageError, match="give hits="):
        small(size="1MiB", cache="64KiB")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"hits": "0.5", "cache": "none"}, "a file has both"),
        ({"hits": "0.5", "cache": "1KiB"}, "at least a page of 4KiB"),
        ({"hits": "0.5", "folder": "s3://bucket/x"}, "not in objects"),
        ({"hits": "1.5"}, "not a share from 0 to 1"),
        ({"hits": "half"}, "not a share from 0 to 1"),
        ({"hits": "0.5", "pattern": "strided"}, "pattern=random"),
        ({"hits": "0.5", "cache": "32MiB"}, "two caches"),
        ({"hits": "0.5", "size": "33000000"}, "whole MiB"),
        ({"hits": "0.5", "memory": "pinned"}, "memory=pageable"),
        ({"hits": "0.5", "element": "8", "stride": "4100"}, "whole elements"),
    ],
)
def test_what_a_file_does_not_have_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        request(**given)
