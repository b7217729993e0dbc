"""Seconds of what a memory style adds or saves: by the machine's profile, or by typical values.

    seconds = count x latency + bytes x seconds of a byte

A curve of the profile comes first. Without one, LINK has rates of an H100 and two H200 over PCIe
(results/, 1 GiB), with room for other machines, which scale with the link's bandwidth; for a link
of another kind price.py derives them from the link's copies. Steps of blocks are those of steps.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from watari.case.sentence import Cost
from watari.common.errors import UnsupportedError
from watari.model.machine import MachineProfile
from watari.model.price import Prices
from watari.model.replay.styles import steps

LARGE = 2**30  # bytes at which rates are compared
GB = 1e9
MIGRATION = Cost(2e-5, 5e-6, 6e-5)  # seconds of a small migration
PCIE = 64 * GB  # of generation 5, 16 lanes, as LINK was measured
# GB/s: middle, least, most
LINK = {
    "fault gpu managed read": (8, 3, 15),
    "fault cpu managed read": (22, 10, 35),
    "prefetch gpu": (44, 20, 54),
    "prefetch cpu": (13, 7, 25),
    "read gpu link": (50, 40, 55),
    "write gpu link": (50, 40, 55),
    "transfer pinned device": (53, 40, 56),
    "transfer device pinned": (53, 40, 56),
}
CACHES = 1.5  # times the rate of the GPU's memory, of kernels that read much again
SECTORS = 1.6  # times as long, a byte of sectors of 32 bytes over the link
FAR = 2.0  # times as wide on a machine of another kind
KNOWN_WITHIN = (0.7, 1.5)  # other sizes and programs than a profile's
SCALED = {True: (0.95, 1.05), False: (0.8, 1.25)}  # a ratio of measured curves, or of others


@dataclass
class Rates:
    """The rates of a machine. `assumed`: the steps that it has no curve for."""

    profile: MachineProfile
    assumed: dict[str, None] = field(default_factory=dict)

    def byte(self, key: str) -> Cost:
        """Seconds of a byte of some step. Raises UnsupportedError where nothing is known."""
        low, high = KNOWN_WITHIN
        if curve := self.profile.curves.get(key):
            seconds = curve.cost(LARGE).middle / LARGE
            return Cost(seconds, seconds * low, seconds * high)
        self.assumed[key] = None
        pcie = self.pcie()
        if key in LINK and pcie:
            middle, least, most = LINK[key]
            found = Cost(1 / middle / GB, 1 / most / GB, 1 / least / GB)
            return found.times(PCIE / pcie)
        return Prices(self.profile).curve(key, LARGE).times(1 / LARGE)

    def pcie(self) -> float:
        """Bytes per second of the link; 0 if it is of another kind than PCIe."""
        rates = [one.bandwidth or 0.0 for one in self.profile.machine.links if one.kind == "pcie"]
        return max(rates, default=0.0)

    def block(self, step: str, size: float) -> Cost:
        """Seconds of a step of a block (steps.py)."""
        middle = steps.seconds(step, size)
        low, high = steps.WITHIN[step]
        if curve := self.profile.curves.get(step):
            middle *= curve.cost(LARGE).middle / steps.seconds(step, LARGE)
        else:
            self.assumed[step] = None
            far = 1.0 if self.pcie() else FAR
            low, high = low / far, high * far
        return Cost(middle, middle * low, middle * high)

    def ratio(self, key: str, other: Rates) -> Cost:
        """Times that another machine takes of this one's seconds for a step."""
        try:
            mine, theirs = self.byte(key), other.byte(key)
        except UnsupportedError:
            return Cost(1.0, 1 / FAR, FAR)
        curves = [rates.profile.curves.get(key) for rates in (self, other)]
        low, high = SCALED[all(curves)]
        middle = theirs.middle / mine.middle
        return Cost(middle, middle * low, middle * high)

    def reread(self) -> float:
        """How many times as long a kernel takes at most with its memory over the link: what
        caches and memory of the GPU give, over what the link gives to single sectors."""
        curve = self.profile.curves.get("pass gpu")
        local = [p.seconds / p.bytes for p in curve.points] if curve else []
        far = self.byte("read gpu link").high * SECTORS
        return max(1.0, far * CACHES / min([*local, 1 / 3e12]))
