"""Seconds of what a memory style adds or saves: by the machine's profile, or by typical values.

    seconds = count x latency + bytes x seconds of a byte

A curve of the profile comes first. Without one, TYPICAL has rates of an H100 and two H200 over PCIe
(results/, 1 GiB), with room for other machines of that kind; a machine of another kind has what
price.py derives from its link.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from watari.case.sentence import NOTHING, Cost
from watari.common.errors import UnsupportedError
from watari.model.machine import MachineProfile
from watari.model.price import Prices

LARGE = 2**30  # bytes at which rates are compared
GB = 1e9
MIGRATION = Cost(2e-5, 5e-6, 6e-5)  # seconds of a small migration
# GB/s: middle, least, most
TYPICAL = {
    "populate gpu managed": (15, 8, 30),
    "populate cpu managed": (12, 7, 20),
    "fault gpu managed read": (8, 3, 15),
    "fault cpu managed read": (22, 10, 35),
    "prefetch gpu": (44, 20, 54),
    "prefetch cpu": (13, 7, 25),
    "prefetch new": (200, 60, 1000),  # pages that nobody wrote yet
    "allocate pinned": (2, 1.3, 3.5),
    "release managed": (90, 50, 200),
    "release mapped": (40, 20, 90),
    "read gpu link": (50, 40, 55),
    "write gpu link": (50, 40, 55),
    "transfer pinned device": (53, 40, 56),
}
KNOWN_WITHIN = (0.7, 1.5)  # other sizes and programs than a profile's


@dataclass
class Rates:
    """The rates of a machine. `assumed`: those that are not its own."""

    profile: MachineProfile
    assumed: dict[str, str] = field(default_factory=dict)

    def byte(self, key: str) -> Cost:
        """Seconds of a byte of some step. Raises UnsupportedError where nothing is known."""
        low, high = KNOWN_WITHIN
        if curve := self.profile.curves.get(key):
            seconds = curve.cost(LARGE).middle / LARGE
            return Cost(seconds, seconds * low, seconds * high)
        if key in TYPICAL and self.profile.route != "ats":
            middle, least, most = TYPICAL[key]
            self.assumed[key] = f"{key}: not measured on this machine; {least:g} to {most:g} GB/s"
            return Cost(1 / middle / GB, 1 / most / GB, 1 / least / GB)
        prices = Prices(self.profile)
        found = prices.curve(key, LARGE).times(1 / LARGE)
        self.assumed |= prices.assumed
        return found

    def moving(self, key: str, size: float, count: float = 1.0) -> Cost:
        """Seconds of `count` steps that move `size` bytes together."""
        return self.byte(key).times(size) + MIGRATION.times(count) if size else NOTHING

    def pinned(self, size: float) -> Cost:
        """Seconds of allocation and release of pinned memory. Locked pages cost by byte."""
        return self.byte("allocate pinned").times(size)

    def ratio(self, key: str, other: Rates) -> Cost:
        """Times that the other machine takes of this one's seconds for a step."""
        try:
            mine, theirs = self.byte(key), other.byte(key)
        except UnsupportedError:
            return Cost(1.0, 0.5, 2.0)
        within = {r.profile.kind for r in (self, other)} != {"measured"}
        low, high = (0.8, 1.25) if within else (0.95, 1.05)
        middle = theirs.middle / mine.middle
        return Cost(middle, middle * low, middle * high)

    def reread(self) -> float:
        """How many times as long a kernel takes at most with its memory over the link: what
        caches and memory of the GPU give, over the rate of the link."""
        curve = self.profile.curves.get("pass gpu")
        local = min((p.seconds / p.bytes for p in curve.points), default=0) if curve else 0
        local = min(local or 1 / 3e12, 1 / 3e12)
        return max(1.0, self.byte("read gpu link").high / local)
