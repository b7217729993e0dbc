"""Checks of the PCIe link of each GPU, against the GPU and against the copies of the run.

An idle GPU lowers the generation of its link, never the lanes. So fewer lanes than the GPU has
fail; a lower generation fails only if no copy of the run was faster than it allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from watari.case import limits
from watari.cases import find
from watari.common.units import format_rate
from watari.machine.probe.links import pcie_bandwidth
from watari.report.check.causes import LINK, states
from watari.report.check.item import FAIL, PASS, UNKNOWN, Item, Run, path_of
from watari.report.check.values import ABOVE, quantities

State = dict[str, Any]
Link = dict[str, Any]


def links(run: Run) -> list[Item]:
    """PCIe of each GPU: its lanes, its generation, and whether copies agree with them. Nothing
    crosses the PCIe of a GPU that has another link."""
    recorded = dict(states(run.machine))
    items: list[Item] = []
    for link in run.results.machine.links:
        if link.from_ == "cpu" and link.kind == "pcie":
            items += facts(link.to, recorded.get(link.to, {}))
            items += in_use(run, link.to, recorded.get(link.to, {}))
            items += misread(run, link.to, link.model_dump())
    return items


def facts(gpu: str, state: State) -> Iterator[Item]:
    """Lanes in use and generation of the slot, against those of the GPU."""
    rows = (
        ("lanes", "link_width", "link_width_most"),
        ("generation", "link_generation_most", "gpu_generation_most"),
    )
    for what, now, most in rows if state else ():
        low, high = state.get(now), state.get(most)
        verdict = UNKNOWN if low is None or high is None else PASS if low >= high else FAIL
        says = f"{low} of {high}" if verdict != UNKNOWN else "not reported"
        yield Item("hardware", f"{gpu}, PCIe {what}", verdict, says, frozenset({LINK}))


def in_use(run: Run, gpu: str, state: State) -> Iterator[Item]:
    """A generation below the one that slot and GPU allow: the GPU is idle, or the link is bad."""
    now, most = state.get("link_generation"), state.get("link_generation_most")
    bandwidth = pcie_bandwidth(now, state.get("link_width") or state.get("link_width_most"))
    if not now or not most or now >= most or not bandwidth:
        return
    reached = fastest(run, gpu, bandwidth)
    if reached is None:
        verdict, says = UNKNOWN, "it falls when the GPU idles, and no copy was measured"
    elif reached > ABOVE:
        verdict, says = PASS, "the GPU was idle: copies are faster than that"
    else:
        rate = f"{format_rate(reached * bandwidth / 1e9)} GB/s"
        verdict, says = FAIL, f"no copy is faster than this allows: {rate}"
    says = f"{now} of {most} when the run began; {says}"
    yield Item("hardware", f"{gpu}, PCIe generation in use", verdict, says, frozenset({LINK}))


def misread(run: Run, gpu: str, link: Link) -> Iterator[Item]:
    """A copy that is faster than the reported link."""
    bandwidth = link["bandwidth"]
    reached = fastest(run, gpu, bandwidth) if bandwidth else None
    if not reached or reached <= ABOVE:
        return
    says = (
        f"a copy needs {reached:.0%} of the {format_rate(bandwidth / 1e9)} GB/s of "
        f"Gen{link['generation']} x{link['width']}: the reported width or generation is wrong"
    )
    yield Item("hardware", f"{gpu}, PCIe as read", FAIL, says, frozenset({LINK}))


def fastest(run: Run, gpu: str, bandwidth: float) -> float | None:
    """The largest part of the limit that a copy over this GPU's link reaches, if the link has this
    bandwidth; None if no such copy was measured."""
    links = [
        {**link, "bandwidth": bandwidth} if (link["from"], link["to"]) == ("cpu", gpu) else link
        for link in run.machine["links"]
    ]
    machine = {**run.machine, "links": links}
    parts = [
        m.median * 1e9 / most
        for _, m in quantities(run)
        if LINK in path_of(m) and limits.identifier(str(m["processor"])) == gpu
        if (most := limits.limit(find(m.case).profile(m.parameters), machine))
    ]
    return max(parts, default=None)
