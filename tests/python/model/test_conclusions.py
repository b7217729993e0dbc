"""The results support each conclusion of cases/memory/README.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from held_out import RESULTS, profile

from watari.results import schema
from watari.results.measured import Measured, measurements

PAGE = (Path(__file__).parents[3] / "cases" / "memory" / "README.md").read_text()
GIB = 2**30
ORDINALS = {3: "a third", 4: "a quarter", 7: "a seventh", 11: "an eleventh"}
NUMBERS = {2: "two", 8: "eight"}


def rate(key: str, size: int = GIB) -> float:
    """GB/s of a step by the profile."""
    return size / profile().curves[key].cost(size).middle / 1e9


def only(name: str, case: str, **wanted: object) -> Measured:
    """The case of a file that has these parameters."""
    found = [
        m
        for m in measurements([schema.read(RESULTS / name)])
        if m.case == case and all(m[k.rstrip("_")] == v for k, v in wanted.items())
    ]
    (one,) = found
    return one


def conclusion(text: str) -> None:
    assert text in PAGE, f"cases/memory/README.md does not say: {text}"


def test_memory_of_the_gpu() -> None:
    ends = {"from_": "device", "to": "device", "means": "kernel", "size": GIB}
    copied = only("nvidia-h200-x86_64/20261121-standard.json", "copy", **ends).median
    conclusion(f"{copied / 1e3:.2f} TB/s. Managed memory costs one slow pass")
    cheaper = rate("prefetch gpu") / rate("fault gpu managed read")
    conclusion(f"a `prefetch` costs {ORDINALS[round(cheaper)]} of that pass")


def test_data_used_once() -> None:
    read = rate("read gpu link") / rate("transfer pinned device")
    written = rate("write gpu link") / rate("transfer device pinned")
    conclusion(f"{100 * read:.0f} to {written:.0%} of the copy engine's rate")


def test_data_used_once_or_twice() -> None:
    h200 = "nvidia-h200-x86_64/20261121-"
    arrays = {"processor": "gpu", "memory": "managed", "source": "cpu", "destination": "cpu"}
    large = {**arrays, "size": 4_000_000_000}
    faulting = only(f"{h200}gh200-sam.json", "access", **large, hint="none")
    mapped = only(f"{h200}gh200-sam.json", "access", **large, hint="mapped")
    passes = mapped.part("settled") / faulting.part("first")
    small = {**arrays, "size": GIB, "samples": 20}
    prefetched = only(f"{h200}standard.json", "access", **small, hint="prefetch")
    seconds = prefetched.trials[0]["quantities"]["prefetch"]["value"]
    one = only(f"{h200}standard.json", "access", **small, hint="mapped")
    fetches = seconds * one.part("settled") * 1e9 / one.bytes_per_sample
    conclusion(
        f"one pass with faults costs as much as {NUMBERS[round(passes)]} mapped passes, one "
        f"prefetch as much as {NUMBERS[round(fetches)]}"
    )


def test_copies_between_pinned_and_pageable_memory() -> None:
    conclusion(f"{rate('transfer pinned device'):.3g} GB/s against")
    there = rate("transfer pinned device") / rate("transfer pageable device")
    back = rate("transfer device pinned") / rate("transfer device pageable")
    conclusion(
        f"from pageable memory has {ORDINALS[round(there)]} of the link's rate, a copy back "
        f"{ORDINALS[round(back)]}"
    )


def test_two_gpus() -> None:
    name = "4x-nvidia-h200-x86_64/20261121-copy-between-gpus.json"
    ends = {"from_": "device", "to": "device:1"}
    rates = [only(name, "copy", **ends, means=m).median for m in ("kernel", "copy-engine")]
    local = only(name, "copy", from_="device", to="device", means="kernel").median
    part = ORDINALS[round(local / (sum(rates) / 2))]
    conclusion(f"{rates[0]:.0f} to {rates[1]:.0f} GB/s, {part} of the rate of the GPU's own memory")


def test_both_directions() -> None:
    name = "nvidia-h200-x86_64/20261121-miyabi-memory.json"
    ends = {"from_": "pinned", "to": "device", "size": 2**28, "streams": 1}
    both = only(name, "copy", **ends, bidirectional=True).median
    one = only(name, "copy", **ends, bidirectional=False).median
    conclusion(f"both directions together have {both / one:.2f} times the rate of one")


@pytest.mark.parametrize("text", ["nobody wrote this"])
def test_a_conclusion_that_is_not_there_fails(text: str) -> None:
    with pytest.raises(AssertionError):
        conclusion(text)
