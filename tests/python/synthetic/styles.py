"""The memory styles of made-up programs, by name."""

from __future__ import annotations

from typing import Any

from synthetic.traced import trace
from watari.case.sentence import Cost
from watari.model.machine import MachineProfile
from watari.model.profiles import choose
from watari.model.replay.advice import Styled
from watari.model.replay.graph import Graph
from watari.model.replay.link import Links
from watari.model.replay.simulate import seconds
from watari.model.replay.styles.placed import styled

MS = 1_000_000.0  # ns
HERE = choose.by_text("pegasus")


def answer(
    made: tuple[Graph, Links],
    kernels: list[dict[str, Any]],
    allocations: list[dict[str, Any]],
    profile: MachineProfile = HERE,
    here: MachineProfile | None = None,
) -> tuple[dict[str, Styled], dict[str, Styled], tuple[str, ...]]:
    """Styles by name."""
    of = trace(seconds(*made), kernels, allocations)
    imposed, rewritten, notes = styled(*made, of, profile, here)
    return {s.style: s for s in imposed}, {s.style: s for s in rewritten}, notes


def cost(one: Styled) -> Cost:
    assert one.seconds, one.reason
    return one.seconds
