"""Seconds of a sample on several ranks, from measurements on one and on two.

    seconds = work + exchanges
    work    = seconds on one rank x bytes of a rank here / bytes there
    exchange along a divided axis = (seconds - work) on two ranks along it, its bytes as below

Work follows from the bytes of the profile: of the same size on one rank, else of the size whose
part is nearest (weak scaling). What two ranks took beyond it is the exchange with what else does
not shrink: waits, sums, small kernels. On more ranks an inner rank has two neighbours.

    from GPU to GPU   only the bytes cost more, at the measured rate of a copy between two GPUs
    through the host  all of it grows with the bytes, since the host moves them one after the other
    overlapped        max(work, exchange without overlap) + what two ranks took beyond that, but no
                      more than without overlap

Where trials report their exchange (`exchange_s`), the rest counts once, however many axes are
divided. The interval is SESSION for the work; at least the dearest axis alone, at most NEIGHBOURS
times all exchanges: an inner rank waits for two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log2
from statistics import median
from typing import Any

from watari.case.profile import Exchange, Profile
from watari.cases import CASES, find
from watari.common.errors import WatariError
from watari.model.profiles.fit import SESSION
from watari.plan.request import Request
from watari.results.measured import Measured

OF_RANKS = {"ranks", "split", "halo", "overlap", "threads"}
LENGTHS = {"iterations", "steps", "samples", "oversubscribe"}  # of a trial; a sample is the same
NEIGHBOURS = 2.0
DIRECT = {"peer", "nccl"}  # paths on which no host moves bytes


@dataclass(frozen=True)
class Foretold:
    """The prediction for a case on several ranks. `perfect`: seconds of a sample if the speed grew
    as the ranks do. `reason`: why there is none."""

    request: Request
    seconds: float = 0.0
    low: float = 0.0
    high: float = 0.0
    perfect: float = 0.0
    work: float = 0.0
    exchange: float = 0.0
    reason: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def efficiency(self) -> float:
        """The part of perfect scaling."""
        return self.perfect / self.seconds


@dataclass(frozen=True)
class Part:
    """What two ranks along one axis took beyond their work: exchange and the rest, and the exchange
    that overlap may hide."""

    exchange: float
    rest: float
    hidden: float | None


def seconds(m: Measured) -> float:
    """Seconds of a later sample, by the host's clock: events of one GPU do not cover messages."""
    return float(median(median(t["host_s"][1:] or t["host_s"]) for t in m.trials))


def profile_of(m: Measured | Request) -> Profile:
    return find(m.case).profile(m.parameters)


def own_bytes(m: Measured | Request) -> float:
    """Bytes of a rank's part of a sample."""
    return profile_of(m).bytes_per_sample / int(m.parameters.get("ranks", 1))


def program(case: str, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a case and its measurement on other ranks and sizes have in common."""
    quiet = {*OF_RANKS, *LENGTHS, find(case).size}
    return (case, *((n, v) for n, v in sorted(parameters.items()) if n not in quiet))


def sample_key(case: str, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a prediction and a measurement of it share: a sample is the same in a longer trial."""
    divided = {n: v for n, v in parameters.items() if n in OF_RANKS - {"threads"}}
    return (program(case, parameters), parameters.get(find(case).size), *sorted(divided.items()))


def same_size(one: Measured | Request, other: Measured | Request) -> bool:
    """Whether two trials of a case have the same problem."""
    size = find(one.case).size
    return bool(one.parameters.get(size) == other.parameters.get(size))


def nearest(to: Request, found: Sequence[Measured]) -> Measured | None:
    """The measurement of the same size, else that of the rank's part that is nearest in bytes."""
    same = [m for m in found if same_size(m, to)]
    wanted = own_bytes(to)
    return min(same or found, key=lambda m: abs(log2(own_bytes(m) / wanted)), default=None)


class Known:
    """The measurements of one and two ranks, and of copies between GPUs."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        usable = [m for m in measured if m.case in CASES and m.drawn and not m.flagged]
        self.some: dict[tuple[Any, ...], list[Measured]] = {}
        for m in usable:
            if "ranks" in m.parameters and m.ranks <= 2:
                self.some.setdefault(program(m.case, m.parameters), []).append(m)
        self.link = link_rate(usable)

    def alone(self, of: Request) -> Measured | None:
        """The measurement on one rank."""
        return nearest(of, [m for m in self.of(of) if m.ranks == 1])

    def two(self, of: Request, axis: str, overlap: Any) -> Measured | None:
        """That on two ranks along an axis, by the same path."""
        along = [m for m in self.pairs(of, overlap) if axis_of(m) == axis]
        return nearest(of, along)

    def cheapest(self, of: Request, overlap: Any) -> Measured | None:
        """That on two ranks along any axis, the fastest."""
        by_axis = [self.two(of, axis, overlap) for axis in map(axis_of, self.pairs(of, overlap))]
        return min(filter(None, by_axis), key=seconds, default=None)

    def pairs(self, of: Request, overlap: Any) -> list[Measured]:
        return [
            m
            for m in self.of(of)
            if m.ranks == 2 and m["halo"] == of.parameters.get("halo") and m["overlap"] == overlap
        ]

    def of(self, request: Request) -> list[Measured]:
        return self.some.get(program(request.case, request.parameters), [])


def axis_of(m: Measured) -> str:
    """The axis that two ranks divide."""
    (exchange,) = profile_of(m).exchanges
    return exchange.axis


def link_rate(measured: Sequence[Measured]) -> float:
    """Bytes per second of a copy from one GPU to another; infinite if none was measured."""
    rates = [m.median * 1e9 for m in measured if between_gpus(m)]
    return median(rates) if rates else inf


def between_gpus(m: Measured) -> bool:
    """Whether a sample is one transfer, from the memory of one GPU to that of another."""
    transfers = [] if "ranks" in m.parameters else profile_of(m).phases[0].transfers
    ends = {side for t in transfers for side in (t.source, t.target)}
    return len(transfers) == 1 and len(ends) == 2 and all(end[:3] == "gpu" for end in ends)


def on_wire(exchange: Exchange) -> int:
    """Bytes that an inner rank sends along an axis in a sample."""
    return exchange.faces * exchange.bytes


def part_of(few: Measured, known: Known, alone: Measured) -> Part:
    """What two ranks took beyond their work."""
    work = scaled(alone, few)
    request = Request(few.case, few.parameters, 1)
    hidden = None
    if few["overlap"]:
        bare = known.two(request, axis_of(few), False)
        if bare and same_size(bare, few):
            hidden = seconds(bare) - work
    beyond = seconds(few) - (work if hidden is None else max(work, hidden))
    reported = [t["quantities"].get("exchange_s", {}).get("value") for t in few.trials]
    if hidden is None and all(v is not None for v in reported):
        exchange = min(median(reported), beyond)
        return Part(exchange, beyond - exchange, None)
    return Part(beyond, 0.0, hidden)


def scaled(alone: Measured, to: Measured | Request) -> float:
    """Seconds of one rank's work, at the rate of one rank alone."""
    return seconds(alone) * own_bytes(to) / own_bytes(alone)


def perfect(alone: Measured, to: Request) -> float:
    """Seconds of a sample if the speed of one rank grew as the ranks do. One rank may need fewer
    bytes for the same work."""
    one = Request(to.case, {**to.parameters, "ranks": 1}, 1)
    return seconds(alone) * own_bytes(one) / int(to.parameters["ranks"]) / own_bytes(alone)


def grown(spent: float, few: Exchange, more: Exchange, direct: bool, link: float) -> float:
    """Seconds of an exchange on two ranks, on more of them."""
    if direct:
        return spent + (on_wire(more) - on_wire(few)) / link
    return spent * on_wire(more) / on_wire(few)


def along(exchange: Exchange, request: Request, known: Known) -> tuple[Part, Part, str] | None:
    """What an axis took on two ranks and takes here, and what was assumed; None without a
    measurement."""
    overlap, assumed = request.parameters.get("overlap"), ""
    few = known.two(request, exchange.axis, overlap)
    if few is None and (few := known.cheapest(request, overlap)):
        assumed = f"along {exchange.axis} as along {axis_of(few)}, which was measured"
    alone = known.alone(as_request(few)) if few else None
    if few is None or alone is None:
        return None
    then, (before,) = part_of(few, known, alone), profile_of(few).exchanges
    direct = request.parameters.get("halo") in DIRECT
    if then.hidden is None:
        spent = grown(then.exchange, before, exchange, direct, known.link)
        return then, Part(spent, then.rest, None), assumed
    # what overlap cannot hide does not grow with the bytes
    hidden = max(0.0, grown(then.hidden, before, exchange, direct, known.link))
    return then, Part(then.exchange, then.rest, hidden), assumed


def beyond(parts: Sequence[Part], work: float) -> float:
    """Seconds of all axes beyond the work."""
    spent, rest = sum(p.exchange for p in parts), max(p.rest for p in parts)
    hidden = [p.hidden for p in parts if p.hidden is not None]
    if hidden:
        spent += max(0.0, sum(hidden) - work)
    if len(hidden) == len(parts):
        spent = min(spent, sum(hidden))
    return spent + rest


def foretell(request: Request, known: Known) -> Foretold:
    """The prediction for a case with several ranks."""
    try:
        find(request.case).require_sense(request.parameters)
        exchanges = profile_of(request).exchanges
    except WatariError as error:
        return Foretold(request, reason=str(error))
    if not exchanges:
        return Foretold(request, reason="the case does not say what its ranks exchange")
    alone = known.alone(request)
    if alone is None:
        return Foretold(request, reason="no measurement of one rank in the results")
    found = [each for e in exchanges if (each := along(e, request, known))]
    if len(found) < len(exchanges):
        return Foretold(request, reason="no measurement of two ranks in the results")
    then, now, texts = zip(*found, strict=True)
    assumed = dict.fromkeys(text for text in texts if text)
    if request.parameters.get("halo") in DIRECT and known.link == inf:
        assumed["bytes between GPUs cost nothing: no copy between two GPUs in the results"] = None
    work, spent = scaled(alone, request), beyond(now, scaled(alone, request))
    least = min(spent, max(part.exchange + part.rest for part in then))
    return Foretold(
        request,
        work + spent,
        (1 - SESSION) * (work + least),
        (1 + SESSION) * work + NEIGHBOURS * max(spent, 0.0),
        perfect(alone, request),
        work,
        spent,
        assumed=tuple(assumed),
    )


def as_request(m: Measured) -> Request:
    return Request(m.case, m.parameters, 1)


def measured_seconds(results: Sequence[Measured]) -> dict[tuple[Any, ...], float]:
    """Seconds of a later sample of each measured case, by key."""
    return {
        sample_key(m.case, m.parameters): seconds(m)
        for m in results
        if m.case in CASES and m.drawn and not m.flagged
    }
